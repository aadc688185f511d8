/** What the server asks for before it sends another code: a number that is found by trying and checked at a glance. */
export type Proof = {
  token: string;
  /** How many zero bits the SHA-256 of `${token}:${n}` must begin with; 32 at most. */
  bits: number;
};

/** After so long without a word from the worker the page searches too, in milliseconds. */
export const WORKER_PATIENCE_MS = 3_000;

/** How long the page searches at a stretch, in milliseconds: short enough to answer a finger. */
export const SLICE_MS = 8;

/**
 * The smallest n that proves the work, in decimal: found by a worker, or between other things by the page itself where
 * workers do not start (in-app browsers) or stay silent. Rejects when `signal` aborts, and leaves nothing running.
 */
export function work(proof: Proof, signal: AbortSignal): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    let worker: Worker | undefined;
    let isOver = false;

    function end(): void {
      isOver = true;
      clearTimeout(patience);
      worker?.terminate();
      reject(Error('work')); // nothing new to a promise that is resolved
    }

    function found(n: number): void {
      resolve(`${n}`);
      end();
    }

    function search(): void {
      clearTimeout(patience);
      inSlices(proof, () => isOver).then(found, end);
    }

    const patience = setTimeout(search, WORKER_PATIENCE_MS);
    try {
      worker = new Worker(new URL('./work-worker.ts', import.meta.url));
      worker.onmessage = ({ data }) => found(data);
      worker.onerror = search;
      worker.postMessage(proof);
    } catch {
      search();
    }
    signal.addEventListener('abort', end);
    if (signal.aborted) {
      end();
    }
  });
}

async function inSlices({ token, bits }: Proof, isOver: () => boolean): Promise<number> {
  const { searcher } = await import('../page/sha256');
  const search = searcher(token, bits);
  let n = -1;
  while (n < 0 && !isOver()) {
    await new Promise((go) => setTimeout(go));
    const end = performance.now() + SLICE_MS;
    do {
      n = search(50);
    } while (n < 0 && performance.now() < end);
  }
  return n;
}
