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

// An island without a component: forms with a code field are few, and those need no Preact for it.
if ('queueMicrotask' in window && document.querySelector('[data-island=code]')) {
  fetched(() => import('./code'))
    .then((code) => code.watchCodes())
    .catch(console.warn); // and the form goes as it would without scripts
}
