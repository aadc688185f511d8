/** The proof of work that the server demands before it sends another code: slow to find, quick to check. */
export type Proof = {
  token: string;
  /** How many zero bits the SHA-256 of `${token}:${n}` must begin with; 32 at most. */
  bits: number;
};

/** How long the worker may take before the page searches too, in milliseconds. */
export const WORKER_TIMEOUT_MS = 3_000;

/** How long the page searches without a pause, in milliseconds: short enough to react to a press at once. */
export const SLICE_MS = 8;

/**
 * Resolves with the smallest number that proves the work, in decimal. A worker searches; if it does not start (in-app
 * browsers) or does not answer, the page searches in short slices. Rejects when `signal` aborts, and stops everything.
 */
export function work(proof: Proof, signal: AbortSignal): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    let worker: Worker | undefined;
    let isOver = false;

    function end(): void {
      isOver = true;
      clearTimeout(workerTimer);
      worker?.terminate();
      reject(Error('work')); // without effect if the promise is resolved
    }

    function found(n: number): void {
      resolve(`${n}`);
      end();
    }

    function search(): void {
      clearTimeout(workerTimer);
      inSlices(proof, () => isOver).then(found, end);
    }

    const workerTimer = setTimeout(search, WORKER_TIMEOUT_MS);
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
