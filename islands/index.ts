/** The only script of a page: finds the islands and does the few things that every page needs. */
import { fetched, type Island, type Islands, mountIslands } from './loader';
import { mirror } from './mirror';
import { watchPeeks } from './peek';
import { forgetWhenRestored } from './restore';
import { sendOnce } from './submit';
import { reportWidth } from './width';

const modules = import.meta.glob<Island>(['./*.tsx', '!./*.test.tsx']);
const islands: Islands = {};
for (const path in modules) {
  islands[path.slice(2, -4)] = modules[path] as () => Promise<Island>;
}

reportWidth();
mirror(location.search);
sendOnce();
forgetWhenRestored();
watchPeeks();
mountIslands(islands);

// Islands without a component: pages with one of them are few, and those need no Preact for it.
plain('[data-island=code]', () => import('./code').then(({ watchCodes }) => watchCodes));
plain('[data-island=appearance]', () => import('./appearance').then(({ watchAppearance }) => watchAppearance));
plain('[data-copy]', () => import('./copy').then(({ watchCopies }) => watchCopies));

function plain(selector: string, load: () => Promise<() => void>): void {
  if ('queueMicrotask' in window && document.querySelector(selector)) {
    fetched(load)
      .then((start) => start())
      .catch(console.warn); // and the page goes as it would without scripts
  }
}
