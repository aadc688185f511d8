import type { ComponentType } from 'react';
import { hydrateRoot, type Root } from 'react-dom/client';
import { importAgain } from './chunks';
import { CHUNK_TIMEOUT_MS } from './constants';
import { onRenewed } from './renewed';
import { offerRetry } from './retry-button';

/** Pause before the single retry of a script that failed to load, in milliseconds. */
export const RETRY_DELAY_MS = 1_000;

/** An idle island is loaded after this time at the latest, in milliseconds, however busy the page is. */
export const IDLE_LIMIT_MS = 2_000;

/**
 * An island's module. Its default export is the component. `live` reads from the page what the props do not contain:
 * values that the server wrote only into the markup, and what the person typed or chose before the script loaded.
 */
export type Island = { default: ComponentType<never>; live?: (element: HTMLElement) => object };

/** Island name, which is the name of its file (`phone-input`), to the function that fetches its module. */
export type Islands = Record<string, () => Promise<Island>>;

/**
 * Hydrates every `<div data-island="name" data-props="{json}" data-load="load|idle|visible|focus">` in `islands` over
 * the server's markup when its moment comes (default: idle), and marks it `data-ready`: now, and whenever a part of the
 * page was renewed. Never throws: whatever goes wrong, the server's control stays as it is.
 */
export function mountIslands(islands: Islands): void {
  if (!('queueMicrotask' in window)) {
    return; // Preact needs it: Chrome 71, Safari 12.1
  }
  mountNew(islands);
  onRenewed(() => mountNew(islands));
}

/** The elements that have an island, or get one. */
const taken = new WeakSet<Element>();

/** The mounted components. */
const roots = new Map<Element, Root>();

/** Mounts the islands of the elements that are new in the page, and ends those whose elements are gone. */
function mountNew(islands: Islands): void {
  for (const [element, root] of roots) {
    if (!element.isConnected) {
      root.unmount();
      roots.delete(element);
    }
  }
  for (const element of document.querySelectorAll<HTMLElement>('[data-island]')) {
    const name = element.dataset.island as string;
    const fetchIsland = islands[name];
    if (fetchIsland && !taken.has(element)) {
      taken.add(element);
      const mount = async () => hydrate(element, await fetchModule(name, fetchIsland));
      when(element, () => mount().catch((error) => offerRetry(element, error, mount)));
    }
  }
}

function when(element: HTMLElement, run: () => void): void {
  const moment = element.dataset.load || 'idle';
  if (moment === 'focus' && !element.contains(document.activeElement)) {
    element.addEventListener('focusin', run, { once: true });
  } else if (moment === 'visible' && 'IntersectionObserver' in window) {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) {
        observer.disconnect();
        run();
      }
    });
    observer.observe(element);
  } else if (moment !== 'idle') {
    run();
  } else {
    whenIdle(run);
  }
}

/** Runs a function when the browser has nothing else to do, after IDLE_LIMIT_MS at the latest. */
export function whenIdle(run: () => void): void {
  if ('requestIdleCallback' in window) {
    requestIdleCallback(run, { timeout: IDLE_LIMIT_MS });
  } else {
    setTimeout(run, 1); // Safari
  }
}

function hydrate(element: HTMLElement, island: Island): void {
  const Component = island.default as ComponentType;
  const plain = [...element.childNodes];
  try {
    roots.set(element, hydrateRoot(element, <Component {...propsOf(element, island)} />));
  } catch (error) {
    if (!element.firstChild) {
      element.append(...plain); // Preact clears markup that it could not hydrate
    }
    throw error;
  }
  element.dataset.ready = '';
}

/** The props of an island: those from the server, and those that `live` reads from the page. */
export function propsOf(element: HTMLElement, { live }: Island): object {
  return { ...JSON.parse(element.dataset.props || '{}'), ...live?.(element) };
}

/**
 * Returns the module that `load` imports. If that fails, it imports the chunk `name` once more, from another address.
 * Rejects with the second failure, or after CHUNK_TIMEOUT_MS in all: a script that arrives later is not used.
 */
export function fetchModule<T>(name: string, load: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(Error('timeout')), CHUNK_TIMEOUT_MS);
    load()
      .catch(async () => {
        await new Promise((go) => setTimeout(go, RETRY_DELAY_MS));
        return importAgain<T>(name);
      })
      .then(resolve, reject)
      .then(() => clearTimeout(timer));
  });
}
