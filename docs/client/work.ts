// The proof of work that the server may require before it sends a code: see docs/api.md, "Codes".
import { compress, initial, utf8 } from './sign';
import type { Schemas } from './types';

/** How long the search runs before it pauses, in milliseconds. The pauses keep the app responsive. */
const SLICE_MS = 20;

/** The smallest n, in decimal, for which the SHA-256 of `${token_}:${n}` begins with `bits_` zero bits. */
export async function work({ token_, bits_ }: Schemas['Proof']): Promise<string> {
  const firstWord = hasher(utf8(`${token_}:`));
  let end = Date.now() + SLICE_MS;
  for (let n = 0; ; n++) {
    if (Math.clz32(firstWord(n)) >= bits_) {
      return `${n}`;
    }
    if (n % 100 === 0 && Date.now() > end) {
      await new Promise((go) => setTimeout(go));
      end = Date.now() + SLICE_MS;
    }
  }
}

/**
 * Returns a function that gives the first 32 bits of the SHA-256 of `head` with the digits of n after it. The whole
 * blocks of `head` are hashed once: they are the same for every n.
 */
function hasher(head: Uint8Array): (n: number) => number {
  const whole = head.length & ~63;
  const middle = Uint32Array.from(initial);
  for (let start = 0; start < whole; start += 64) {
    compress(middle, new DataView(head.buffer, start, 64));
  }
  const rest = head.subarray(whole);
  const bytes = new Uint8Array(128);
  const blocks = [new DataView(bytes.buffer, 0, 64), new DataView(bytes.buffer, 64, 64)] as const;
  const state = new Uint32Array(8);
  return (n) => {
    const digits = `${n}`;
    const length = rest.length + digits.length;
    bytes.fill(0);
    bytes.set(rest);
    for (let i = 0; i < digits.length; i++) {
      bytes[rest.length + i] = digits.charCodeAt(i);
    }
    bytes[length] = 0x80;
    const last = length < 56 ? blocks[0] : blocks[1];
    last.setUint32(60, (whole + length) * 8);
    state.set(middle);
    compress(state, blocks[0]);
    if (last !== blocks[0]) {
      compress(state, last);
    }
    return state[0] as number;
  };
}
