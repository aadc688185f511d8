// The request signature of the API in plain TypeScript: crypto.subtle is missing on plain http and in some script
// engines. docs/api.md describes it under "The signature"; api/testdata/sign-vectors.json has test vectors.

/** The name and the value of a parameter, not encoded. */
export type Parameter = readonly [name: string, value: string];

/**
 * The signed values: the headers X-Token (may be empty), X-Timestamp and X-Nonce as sent, and the result of
 * canonical().
 */
export type Signed = { token: string; timestamp: string; nonce: string; params: string };

/** The value of X-Sign: 64 lower-case hex digits. */
export function sign(secret: string, { token, timestamp, nonce, params }: Signed): string {
  return hex(hmacSHA256(utf8(secret), utf8(`${token}\n${timestamp}\n${nonce}\n${params}`)));
}

/**
 * The parameters of a call in the form that is signed: sorted by name, then value, as bytes; each
 * percent-encoded; joined by "&". A JSON body counts as the parameter `body`, the hex SHA-256 of its exact bytes.
 * The result may be sent as it is, as a query or a form.
 */
export function canonical(parameters: readonly Parameter[], jsonBody?: string): string {
  const all =
    jsonBody === undefined ? [...parameters] : [...parameters, ['body', hex(sha256(utf8(jsonBody)))] as const];
  return all
    .map(([name, value]) => ({ name: utf8(name), value: utf8(value) }))
    .sort((a, b) => compare(a.name, b.name) || compare(a.value, b.value))
    .map(({ name, value }) => `${encodeBytes(name)}=${encodeBytes(value)}`)
    .join('&');
}

/** `text` percent-encoded as in RFC 3986: letters, digits and `-._~` stay, every other byte of its UTF-8 is %XX. */
export function percentEncode(text: string): string {
  return encodeBytes(utf8(text));
}

/** The SHA-256 digest of `message` (FIPS 180-4): 32 bytes. */
export function sha256(message: Uint8Array): Uint8Array {
  const blocks = Math.ceil((message.length + 9) / 64);
  const padded = new Uint8Array(64 * blocks);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(padded.length - 4, message.length * 8);
  const state = Uint32Array.from(initial);
  for (let start = 0; start < padded.length; start += 64) {
    compress(state, new DataView(padded.buffer, start, 64));
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => {
    digest.setUint32(4 * i, word);
  });
  return new Uint8Array(digest.buffer);
}

/** HMAC-SHA256 (RFC 2104): 32 bytes. */
export function hmacSHA256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const inner = sha256(concat(xorEach(block, 0x36), message));
  return sha256(concat(xorEach(block, 0x5c), inner));
}

/** `bytes` in lower-case hex. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** `text` in UTF-8; half a surrogate pair becomes U+FFFD, as fetch sends it. */
export function utf8(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    let point = character.codePointAt(0) as number;
    if (point >= 0xd800 && point <= 0xdfff) {
      point = 0xfffd;
    }
    if (point < 0x80) {
      bytes.push(point);
    } else if (point < 0x800) {
      bytes.push(0xc0 | (point >> 6), tail(point));
    } else if (point < 0x10000) {
      bytes.push(0xe0 | (point >> 12), tail(point >> 6), tail(point));
    } else {
      bytes.push(0xf0 | (point >> 18), tail(point >> 12), tail(point >> 6), tail(point));
    }
  }
  return Uint8Array.from(bytes);
}

function tail(bits: number): number {
  return 0x80 | (bits & 0x3f);
}

function encodeBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9\-._~]/.test(character) ? character : `%${hex(Uint8Array.of(byte)).toUpperCase()}`;
  }).join('');
}

function compare(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a[i] !== b[i]) {
      return (a[i] as number) - (b[i] as number);
    }
  }
  return a.length - b.length;
}

function xorEach(bytes: Uint8Array, mask: number): Uint8Array {
  return bytes.map((byte) => byte ^ mask);
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

// biome-ignore format: as the standard prints it
/** The initial hash value of SHA-256: FIPS 180-4, section 5.3.3. */
export const initial = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

// The constants of SHA-256: FIPS 180-4, section 4.2.2.
// biome-ignore format: as the standard prints it
const constants = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

const schedule = new Int32Array(64);

/**
 * Adds one block of 64 bytes to the state: FIPS 180-4, section 6.2.2. The loop calls few functions because a proof of
 * work hashes many blocks.
 */
export function compress(state: Uint32Array, block: DataView): void {
  const w = schedule;
  for (let t = 0; t < 16; t++) {
    w[t] = block.getInt32(4 * t);
  }
  for (let t = 16; t < 64; t++) {
    w[t] = sigma1(at(w, t - 2)) + at(w, t - 7) + sigma0(at(w, t - 15)) + at(w, t - 16);
  }
  let a = at(state, 0);
  let b = at(state, 1);
  let c = at(state, 2);
  let d = at(state, 3);
  let e = at(state, 4);
  let f = at(state, 5);
  let g = at(state, 6);
  let h = at(state, 7);
  for (let t = 0; t < 64; t++) {
    const chosen = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const t1 = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + chosen + (constants[t] as number) + at(w, t)) | 0;
    const t2 = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = at(state, 0) + a;
  state[1] = at(state, 1) + b;
  state[2] = at(state, 2) + c;
  state[3] = at(state, 3) + d;
  state[4] = at(state, 4) + e;
  state[5] = at(state, 5) + f;
  state[6] = at(state, 6) + g;
  state[7] = at(state, 7) + h;
}

function at(words: Uint32Array | Int32Array, i: number): number {
  return words[i] as number;
}

function turn(word: number, right: number): number {
  return (word >>> right) | (word << (32 - right));
}

function sigma0(word: number): number {
  return turn(word, 7) ^ turn(word, 18) ^ (word >>> 3);
}

function sigma1(word: number): number {
  return turn(word, 17) ^ turn(word, 19) ^ (word >>> 10);
}
