import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { SUBMENU_EVENT } from './constants';
import { reportMenus } from './seen';

beforeAll(reportMenus);

afterEach(() => vi.unstubAllGlobals());

const choose = (choice: unknown) =>
  document.dispatchEvent(new CustomEvent(SUBMENU_EVENT, { detail: { menu: 'office', choice, at: '/mgr' } }));

test('a choice in a menu is reported by its path, with the token of the page, and survives the page', () => {
  document.body.innerHTML = '<form><input type="hidden" name="token" value="t1"></form>';
  const sendBeacon = vi.fn().mockReturnValue(true);
  vi.stubGlobal('navigator', { sendBeacon });
  choose('/mgr/orders?x=1');
  choose('/mgr/people#top');
  expect(sendBeacon.mock.calls.map(([to, body]) => `${to} ${body}`)).toEqual([
    '/seen menu=%2Fmgr%2Forders&token=t1',
    '/seen menu=%2Fmgr%2Fpeople&token=t1',
  ]);
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
  const sendBeacon = vi.fn();
  vi.stubGlobal('navigator', { sendBeacon });
  choose(undefined);
  choose({});
  choose('');
  choose('https://evil.test/');
  document.dispatchEvent(new CustomEvent(SUBMENU_EVENT));
  expect(sendBeacon).not.toHaveBeenCalled();
});
