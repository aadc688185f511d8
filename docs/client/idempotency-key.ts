/** The number of letters and digits in an idempotency key. */
export const REQUEST_LENGTH = 20;

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * REQUEST_LENGTH random letters and digits for `idempotencyKey`. Make one key for each thing that should be created,
 * and repeat the call with the same key.
 */
export function newIdempotencyKey(): string {
  let text = '';
  while (text.length < REQUEST_LENGTH) {
    const byte = globalThis.crypto?.getRandomValues(new Uint8Array(1))[0] ?? Math.floor(Math.random() * 256);
    // 248 of the 256 values are used, so that every letter is equally likely
    text += LETTERS[byte] ?? LETTERS[byte - 62] ?? LETTERS[byte - 124] ?? LETTERS[byte - 186] ?? '';
  }
  return text;
}
