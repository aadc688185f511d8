import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SUBMENU_EVENT } from '../constants';
import { reportMenus } from './menu-report';

let remove: () => void;

beforeEach(() => {
  const add = vi.spyOn(window, 'addEventListener');
  reportMenus();
  const [name, listener, options] = add.mock.calls[0] as Parameters<typeof addEventListener>;
  remove = () => removeEventListener(name, listener, options);
  add.mockRestore();
});

afterEach(() => {
  remove();
  vi.unstubAllGlobals();
});

const choose = (choice: unknown, page: unknown = `${choice}`.replace(/[?#].*/, '')) =>
  document.dispatchEvent(new CustomEvent(SUBMENU_EVENT, { detail: { menu: 'office', choice, page } }));

/** Stubs navigator.sendBeacon. Returns a function that lists the beacons as `address body`. */
function stubBeacons() {
  const sendBeacon = vi.fn().mockReturnValue(true);
  vi.stubGlobal('navigator', { sendBeacon });
  return () => sendBeacon.mock.calls.map(([to, body]) => `${to} ${body}`);
}

test('a choice in a menu is reported as a beacon with its path and the token of the page', () => {
  document.body.innerHTML = '<form><input type="hidden" name="token" value="t1"></form>';
  const sent = stubBeacons();
  choose('/mgr/orders?x=1');
  choose('/mgr/people#top');
  expect(sent()).toEqual(['/seen menu=%2Fmgr%2Forders&token=t1', '/seen menu=%2Fmgr%2Fpeople&token=t1']);
});

test('an entry in two menus is reported once, and not on a page below it', () => {
  const sent = stubBeacons();
  choose('/mgr/people');
  choose('/mgr/people?side=mgr');
  choose('/mgr/settings', '/mgr/settings/bank');
  expect(sent()).toHaveLength(1);
});

test('a browser without beacons sends a keepalive request and ignores its failure', () => {
  document.body.innerHTML = '';
  const fetched = vi.fn().mockRejectedValue(Error('offline'));
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('fetch', fetched);
  choose('/mgr/orders');
  expect(fetched).toHaveBeenCalledWith('/seen', expect.objectContaining({ method: 'POST', keepalive: true }));
});

test('an event without a path of this site is not reported', () => {
  const sent = stubBeacons();
  choose(undefined);
  choose({});
  choose('');
  choose('/mgr/orders', null);
  choose('https://evil.test/');
  document.dispatchEvent(new CustomEvent(SUBMENU_EVENT));
  expect(sent()).toEqual([]);
});
