import { compress, initial } from '../page/sha256';

/** The SHA-256 of `bytes` in hexadecimal: `crypto.subtle` is missing on plain http. */
export function digestOf(bytes: Uint8Array): string {
  const state = initial.slice();
  const whole = bytes.length & ~63;
  compressAll(state, new DataView(bytes.buffer, bytes.byteOffset, whole));
  const rest = new Uint8Array((bytes.length - whole + 72) & ~63);
  rest.set(bytes.subarray(whole));
  rest[bytes.length - whole] = 0x80;
  const end = new DataView(rest.buffer);
  end.setUint32(rest.length - 8, bytes.length / 2 ** 29);
  end.setUint32(rest.length - 4, bytes.length * 8);
  compressAll(state, end);
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

function compressAll(state: Int32Array, blocks: DataView): void {
  for (let start = 0; start < blocks.byteLength; start += 64) {
    compress(state, state, blocks, start);
  }
}
