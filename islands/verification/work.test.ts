import { createHash } from 'node:crypto';
import { Worker as Thread } from 'node:worker_threads';
import { build, type Rolldown } from 'vite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { compress, initial, searcher } from '../page/sha256';
import { SLICE_MS, WORKER_TIMEOUT_MS, work } from './work';

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** The smallest number for the bits, searched slowly with the SHA-256 of node:crypto. */
function searchSlowly(token: string, bits: number): number {
  let n = 0;
  while (Math.clz32(sha256(`${token}:${n}`).readUInt32BE()) < bits) {
    n++;
  }
  return n;
}

/** The SHA-256 of a text, in hexadecimal, computed with compress. */
function digest(text: string): string {
  const bytes = Buffer.alloc(((text.length + 72) >> 6) << 6);
  bytes.write(`${text}\x80`, 'latin1');
  bytes.writeUInt32BE(text.length * 8, bytes.length - 4);
  const state = initial.slice();
  for (let start = 0; start < bytes.length; start += 64) {
    compress(state, state, new DataView(bytes.buffer, bytes.byteOffset), start);
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

test.each([
  ['nothing', '', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['one block', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'two blocks',
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
  ['a million letters', 'a'.repeat(1_000_000), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
])('compress computes the published digest of %s', (_, text, hex) => {
  expect(digest(text)).toBe(hex);
});

describe('the smallest number', () => {
  test('is found for tokens of every length, in one block and more', () => {
    for (let length = 0; length < 140; length++) {
      const token = `${length}.${'x'.repeat(length)}`;
      expect([token, searcher(token, 6)(Infinity)]).toEqual([token, searchSlowly(token, 6)]);
    }
  });

  test.each([0, 1, 2, 5, 8, 12, 15])('is found for %i bits', (bits) => {
    expect(searcher('a.token', bits)(Infinity)).toBe(searchSlowly('a.token', bits));
  });

  test('is found for a token that is not ASCII', () => {
    expect(searcher('验证码 ß', 7)(Infinity)).toBe(searchSlowly('验证码 ß', 7));
  });

  test('is the same in small portions, past every new digit', () => {
    const n = searchSlowly('a', 14);
    expect(n).toBeGreaterThan(10_000);
    const search = searcher('a', 14);
    let found = -1;
    let portions = 0;
    for (; found < 0; portions++) {
      found = search(7);
    }
    expect([found, portions]).toEqual([n, Math.floor(n / 7) + 1]);
  });

  test('is right when two searches take turns', () => {
    const searchOne = searcher('one', 9);
    const searchTwo = searcher('two'.repeat(30), 9);
    const found = [-1, -1];
    while (found.includes(-1)) {
      found[0] = (found[0] as number) < 0 ? searchOne(3) : (found[0] as number);
      found[1] = (found[1] as number) < 0 ? searchTwo(5) : (found[1] as number);
    }
    expect(found).toEqual([searchSlowly('one', 9), searchSlowly('two'.repeat(30), 9)]);
  });
});

describe('the proof of work', () => {
  const proof = { token: 'v1.kXw9Qm.1731024000', bits: 13 };
  const answer = `${searchSlowly(proof.token, proof.bits)}`;
  let limit: AbortController;

  beforeEach(() => {
    limit = new AbortController();
  });

  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  /** A Worker that never answers. */
  class SilentWorker {
    static last: SilentWorker;
    onmessage = (_: object) => {};
    onerror = () => {};
    postMessage = vi.fn();
    terminate = vi.fn();
    constructor() {
      SilentWorker.last = this;
    }
  }

  test('is done by the built worker', async () => {
    const { output } = (await build({
      configFile: false,
      logLevel: 'error',
      build: {
        write: false,
        target: ['es2018', 'chrome71', 'safari12.1', 'firefox69'],
        rolldownOptions: { input: 'islands/verification/work-worker.ts', output: { format: 'iife' } },
      },
    })) as Rolldown.RolldownOutput;
    const threads: Thread[] = [];
    vi.stubGlobal(
      'Worker',
      class {
        onmessage = (_: object) => {};
        thread = new Thread(
          `const { parentPort } = require('node:worker_threads');
           globalThis.self = globalThis;
           globalThis.postMessage = (data) => parentPort.postMessage(data);
           parentPort.on('message', (data) => self.onmessage({ data }));
           ${output[0].code}`,
          { eval: true },
        ).on('message', (data) => this.onmessage({ data }));
        constructor() {
          threads.push(this.thread);
        }
        postMessage(data: object) {
          this.thread.postMessage(data);
        }
        terminate() {
          this.thread.terminate();
        }
      },
    );
    const untilExit = () => new Promise((resolve) => threads[0]?.on('exit', resolve));
    const found = work(proof, limit.signal);
    const exit = untilExit();
    await expect(found).resolves.toBe(answer);
    await exit;
    expect(threads).toHaveLength(1);
  });

  test('is done by the page if there are no workers', async () => {
    vi.stubGlobal('Worker', undefined);
    await expect(work(proof, limit.signal)).resolves.toBe(answer);
  });

  test('is done by the page if the worker cannot start', async () => {
    vi.stubGlobal('Worker', SilentWorker);
    const found = work(proof, limit.signal);
    expect(SilentWorker.last.postMessage).toHaveBeenCalledWith(proof);
    SilentWorker.last.onerror();
    await expect(found).resolves.toBe(answer);
    expect(SilentWorker.last.terminate).toHaveBeenCalled();
  });

  test('is done by the page too if the worker does not answer within three seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    vi.stubGlobal('Worker', SilentWorker);
    let found = '';
    work(proof, limit.signal).then((n) => {
      found = n;
    });
    await vi.advanceTimersByTimeAsync(WORKER_TIMEOUT_MS - 1);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await vi.waitFor(() => expect(found).toBe(answer));
    expect(WORKER_TIMEOUT_MS).toBe(3_000);
  });

  test('lets the page run other code meanwhile', async () => {
    vi.stubGlobal('Worker', undefined);
    let turns = 0;
    const clock = setInterval(() => turns++, 1);
    const start = performance.now();
    await work({ ...proof, bits: 17 }, limit.signal);
    clearInterval(clock);
    expect(turns).toBeGreaterThan((performance.now() - start) / (SLICE_MS * 20));
  });

  test('is stopped at once in the worker', async () => {
    vi.stubGlobal('Worker', SilentWorker);
    const outcome = expect(work(proof, limit.signal)).rejects.toThrow();
    limit.abort();
    await outcome;
    expect(SilentWorker.last.terminate).toHaveBeenCalled();
  });

  test('is stopped at once in the page', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    vi.stubGlobal('Worker', undefined);
    const outcome = expect(work({ token: 'never', bits: 32 }, limit.signal)).rejects.toThrow();
    await vi.advanceTimersByTimeAsync(1);
    limit.abort();
    await outcome;
    await vi.advanceTimersByTimeAsync(100);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('does not begin if it was stopped before', async () => {
    limit.abort();
    vi.stubGlobal('Worker', SilentWorker);
    await expect(work(proof, limit.signal)).rejects.toThrow();
    expect(SilentWorker.last.terminate).toHaveBeenCalled();
  });
});
