import { searcher } from '../page/sha256';
import type { Proof } from './work';

self.onmessage = ({ data }: MessageEvent<Proof>) => postMessage(searcher(data.token, data.bits)(Infinity));
