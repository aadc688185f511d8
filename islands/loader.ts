import { type ComponentType, createElement } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { CHUNK_TIMEOUT_MS } from './constants';

/** Pause before the one retry of a script that failed to arrive, in milliseconds. */
export const RETRY_DELAY_MS = 1_000;

/** An idle island is fetched after this at the latest, in milliseconds, however busy the page is. */
export const IDLE_LIMIT_MS = 2_000;

/** An island's module: its default export is the component. */
export type Island = { default: ComponentType<never> };

/** Island name (`phone-input`) to the function that fetches its module. */
export type Islands = Record<string, () => Promise<Island>>;

/**
 * Brings every `<div data-island="name" data-props="{json}" data-load="load|idle|visible|focus">` to life
 * over the server's markup when its moment comes (default: idle), and marks it `data-ready`. Never
 * throws: whatever goes wrong, the server's control stays as it is.
 */
export function mountIslands(islands: Islands): void {
  if (!('queueMicrotask' in window)) {
    return; // Preact needs it: Chrome 71, Safari 12.1
  }
  for (const element of document.querySelectorAll<HTMLElement>('[data-island]')) {
    const fetchIsland = islands[element.dataset.island as string];
    if (fetchIsland) {
      when(element, () => mount(element, fetchIsland));
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
  } else if ('requestIdleCallback' in window) {
    requestIdleCallback(run, { timeout: IDLE_LIMIT_MS });
  } else {
    setTimeout(run, 1); // Safari
  }
}

async function mount(element: HTMLElement, fetchIsland: () => Promise<Island>): Promise<void> {
  const plain = [...element.childNodes];
  try {
    const island = await fetched(fetchIsland);
    const props = JSON.parse(element.dataset.props || '{}');
    hydrateRoot(element, createElement(island.default as ComponentType, props));
    element.dataset.ready = '';
  } catch (error) {
    console.warn(element.dataset.island, error);
    if (!element.firstChild) {
      element.append(...plain); // Preact clears what it could not take over
    }
  }
}

/**
 * What `load` brings; if that fails, what it brings when asked once more. Rejects with the second failure,
 * or when CHUNK_TIMEOUT_MS have passed in all: a script that comes later than that is not used. `load` is given what to put
 * behind the script's address (vite.config.ts does it): most browsers remember for as long as the page is there that an
 * address failed, and do not ask again.
 */
export function fetched<T>(load: (query: string) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(Error('timeout')), CHUNK_TIMEOUT_MS);
    load('')
      .catch(() => new Promise<string>((go) => setTimeout(go, RETRY_DELAY_MS, `?${Date.now()}`)).then(load))
      .then(resolve, reject)
      .then(() => clearTimeout(timer));
  });
}
