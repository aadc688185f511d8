// @vitest-environment node
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { work } from './work';

test('the proof of work is the smallest number whose digest begins with the required zero bits', async () => {
  const searchSlowly = (token: string, bits: number) => {
    let n = 0;
    while (Math.clz32(createHash('sha256').update(`${token}:${n}`).digest().readUInt32BE()) < bits) {
      n++;
    }
    return `${n}`;
  };
  for (const [token, bits] of [
    ['a', 1],
    ['another', 8],
    ['x'.repeat(118), 14],
    ['x'.repeat(52), 10], // the digits reach into a second block
    ['x'.repeat(63), 10],
    ['x'.repeat(64), 10],
  ] as const) {
    expect(await work({ token_: token, bits_: bits })).toBe(searchSlowly(token, bits));
  }
});

test('the search lets other code run meanwhile', async () => {
  let turns = 0;
  const interval = setInterval(() => {
    turns++;
  }, 1);
  await work({ token_: 'busy', bits_: 17 });
  clearInterval(interval);
  expect(turns).toBeGreaterThan(1);
});
