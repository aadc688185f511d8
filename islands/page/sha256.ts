// SHA-256 (FIPS 180-4) for one purpose: to hash many messages that differ only in their last digits. `crypto.subtle` is
// slower for that, because each hash is a promise, and it is missing on plain http.

/**
 * FIPS 180-4, section 5.3.3: the first 32 bits of the fractional parts of the square roots of the first eight primes.
 */
export const initial = new Int32Array(8);

/**
 * FIPS 180-4, section 4.2.2: those of the cube roots of the first 64 primes. Computing them takes fewer bytes than a
 * table.
 */
const constants = new Int32Array(64);

for (let n = 2, primes = 0; primes < 64; n++) {
  let divisor = 2;
  while (n % divisor) {
    divisor++;
  }
  if (divisor === n) {
    initial[primes] = fraction(n ** (1 / 2)); // the array drops those after the eighth
    constants[primes++] = fraction(n ** (1 / 3));
  }
}

function fraction(root: number): number {
  return (root % 1) * 2 ** 32;
}

const schedule = new Int32Array(64);

/** FIPS 180-4, section 6.2.2: writes to `to` the state `from` after the 64 bytes of `message` at `start`. */
export function compress(from: Int32Array, to: Int32Array, message: DataView, start: number): void {
  const w = schedule;
  for (let i = 0; i < 16; i++) {
    w[i] = message.getInt32(start + 4 * i);
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15] as number;
    const y = w[i - 2] as number;
    w[i] =
      (w[i - 16] as number) +
      (w[i - 7] as number) +
      (((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)) +
      (((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10));
  }
  let a = from[0] as number;
  let b = from[1] as number;
  let c = from[2] as number;
  let d = from[3] as number;
  let e = from[4] as number;
  let f = from[5] as number;
  let g = from[6] as number;
  let h = from[7] as number;
  for (let i = 0; i < 64; i++) {
    const one =
      (h +
        (((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))) +
        (g ^ (e & (f ^ g))) +
        (constants[i] as number) +
        (w[i] as number)) |
      0;
    const two =
      (((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))) + ((a & b) ^ (c & (a ^ b)));
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  to[0] = a + (from[0] as number);
  to[1] = b + (from[1] as number);
  to[2] = c + (from[2] as number);
  to[3] = d + (from[3] as number);
  to[4] = e + (from[4] as number);
  to[5] = f + (from[5] as number);
  to[6] = g + (from[6] as number);
  to[7] = h + (from[7] as number);
}

const ZERO = 48;
const NINE = 57;

/**
 * Returns a function that searches the smallest n, from 0, for which the SHA-256 of `${token}:${n}` begins with `bits`
 * zero bits (at most 32). Each call of the function tries `tries` more numbers. It returns the one it found, or -1.
 */
export function searcher(token: string, bits: number): (tries: number) => number {
  const utf8 = new TextEncoder();
  const head = utf8.encode(`${token}:`);
  const middle = initial.slice();
  const state = new Int32Array(8);
  const settled = head.length & ~63; // bytes in blocks that no number changes
  let bytes!: Uint8Array;
  let message!: DataView;
  let last = 0;
  let n = 0;

  /** The text of n, padded as in FIPS 180-4, section 5.1.1. */
  function write(): void {
    const text = utf8.encode(`${token}:${n}`);
    last = text.length - 1;
    bytes = new Uint8Array((text.length + 72) & ~63);
    bytes.set(text);
    bytes[text.length] = 0x80;
    message = new DataView(bytes.buffer);
    message.setInt32(bytes.length - 4, text.length * 8);
  }

  /** Adds one to the number in the text. */
  function writeNext(): void {
    n++;
    let position = last;
    while (bytes[position] === NINE) {
      bytes[position--] = ZERO;
    }
    if (position < head.length) {
      write(); // one digit more
    } else {
      bytes[position] = (bytes[position] as number) + 1;
    }
  }

  write();
  for (let start = 0; start < settled; start += 64) {
    compress(middle, middle, message, start);
  }
  return (tries) => {
    for (; tries > 0; tries--, writeNext()) {
      compress(middle, state, message, settled);
      for (let start = settled + 64; start < bytes.length; start += 64) {
        compress(state, state, message, start);
      }
      if (Math.clz32(state[0] as number) >= bits) {
        return n;
      }
    }
    return -1;
  };
}
