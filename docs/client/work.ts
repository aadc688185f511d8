// The proof of work that the server may want before it sends a code: docs/api.md, "Codes".
import { sha256, utf8 } from './sign';
import type { Proof } from './types';

/** How long the search runs at a stretch, in milliseconds, so that the app stays responsive. */
const SLICE = 20;

/** The smallest n, in decimal, for which the SHA-256 of `${token_}:${n}` begins with `bits_` zero bits. */
export async function work({ token_, bits_ }: Proof): Promise<string> {
  let end = Date.now() + SLICE;
  for (let n = 0; ; n++) {
    if (leadingZeros(sha256(utf8(`${token_}:${n}`))) >= bits_) {
      return `${n}`;
    }
    if (n % 100 === 0 && Date.now() > end) {
      await new Promise((go) => setTimeout(go));
      end = Date.now() + SLICE;
    }
  }
}

function leadingZeros(digest: Uint8Array): number {
  return Math.clz32(new DataView(digest.buffer).getUint32(0));
}
