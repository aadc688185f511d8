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

const choose = (choice: unknown, at: unknown = `${choice}`.replace(/[?#].*/, '')) =>
  document.dispatchEvent(new CustomEvent(SUBMENU_EVENT, { detail: { menu: 'office', choice, at } }));

function beacons() {
  const sendBeacon = vi.fn().mockReturnValue(true);
  vi.stubGlobal('navigator', { sendBeacon });
  return () => sendBeacon.mock.calls.map(([to, body]) => `${to} ${body}`);
}

test('a choice in a menu is reported by its path, with the token of the page, and survives the page', () => {
  document.body.innerHTML = '<form><input type="hidden" name="token" value="t1"></form>';
  const sent = beacons();
  choose('/mgr/orders?x=1');
  choose('/mgr/people#top');
  expect(sent()).toEqual(['/seen menu=%2Fmgr%2Forders&token=t1', '/seen menu=%2Fmgr%2Fpeople&token=t1']);
});

test('one entry that two menus of a page name is chosen once, and not at all by who is on a page below it', () => {
  const sent = beacons();
  choose('/mgr/people');
  choose('/mgr/people?side=mgr');
  choose('/mgr/settings', '/mgr/settings/bank');
  expect(sent()).toHaveLength(1);
});

test('without a beacon it is a request that outlives the page; what fails is lost', () => {
  document.body.innerHTML = '';
  const fetched = vi.fn().mockRejectedValue(Error('offline'));
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('fetch', fetched);
  choose('/mgr/orders');
  expect(fetched).toHaveBeenCalledWith('/seen', expect.objectContaining({ method: 'POST', keepalive: true }));
});

test('what names nothing is not reported', () => {
  const sent = beacons();
  choose(undefined);
  choose({});
  choose('');
  choose('/mgr/orders', null);
  choose('https://evil.test/');
  document.dispatchEvent(new CustomEvent(SUBMENU_EVENT));
  expect(sent()).toEqual([]);
});
