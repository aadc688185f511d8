/** The first script of a page: finds the islands and does the few things that every page needs. */
import { fetchModule, type Islands, mountIslands } from './loader';
import { mirror } from './page/local-storage';
import { forgetWhenRestored } from './page/restored';
import { submitOnce } from './page/submit-once';
import { reportWidth } from './page/width';
import { watchShowPassword } from './signin/show-password';

const islands: Islands = { 'phone-input': () => import('./signin/phone-input') };

reportWidth();
mirror(location.search);
submitOnce();
forgetWhenRestored();
watchShowPassword();
mountIslands(islands);

// The islands of all pages but the first sign-in page.
if ('queueMicrotask' in window && document.querySelector('[data-load=more]')) {
  fetchModule('more', () => import('./more'))
    .then((more) => more.startMore())
    .catch(console.warn); // and the form goes as it would without scripts
}
