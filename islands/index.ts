/** The first script of a page: finds the islands and does the few things that every page needs. */
import { fetched, type Islands, mountIslands } from './loader';
import { mirror } from './mirror';
import { watchPeeks } from './peek';
import { forgetWhenRestored } from './restore';
import { sendOnce } from './submit';
import { reportWidth } from './width';

const islands: Islands = { 'phone-input': () => import('./phone-input') };

reportWidth();
mirror(location.search);
sendOnce();
forgetWhenRestored();
watchPeeks();
mountIslands(islands);

// The islands of all pages but the first sign-in page.
if ('queueMicrotask' in window && document.querySelector('[data-load=more]')) {
  fetched('more', () => import('./more'))
    .then((more) => more.bringMore())
    .catch(console.warn); // and the form goes as it would without scripts
}
