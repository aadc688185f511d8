import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SUBMENU_EVENT, SUBMENU_REPORT_MS } from '../constants';
import watchSubmenu, { type SubmenuChoice } from './submenu';

let reported: SubmenuChoice[] = [];
const record = (event: Event) => reported.push((event as CustomEvent<SubmenuChoice>).detail);

beforeEach(() => {
  vi.useFakeTimers();
  reported = [];
  document.addEventListener(SUBMENU_EVENT, record);
});

afterEach(() => {
  document.removeEventListener(SUBMENU_EVENT, record);
  vi.useRealTimers();
});

function showMenu(current = ''): HTMLElement {
  const links = ['/mgr/people', '/mgr/people?side=shop', '/mgr#account', '#goods'];
  const mark = (href: string) => (href === current ? 'aria-current="page"' : '');
  const entries = links.map((href) => `<a href="${href}" ${mark(href)}><span>x</span></a>`);
  document.body.innerHTML = `<nav>${entries.join('')}</nav>`;
  const nav = document.querySelector('nav') as HTMLElement;
  nav.addEventListener('click', (event) => event.preventDefault());
  watchSubmenu(nav, { name: 'people' });
  return nav;
}

const pressEntry = (nav: HTMLElement, href: string) =>
  nav.querySelector<HTMLElement>(`a[href="${href}"] span`)?.click();
const wait = (time: number) => vi.advanceTimersByTime(time);

test('the entry of the opened page is reported once, after 300 ms', () => {
  expect(SUBMENU_REPORT_MS).toBe(300);
  showMenu('/mgr/people?side=shop');
  wait(299);
  expect(reported).toEqual([]);
  wait(1);
  expect(reported).toEqual([{ menu: 'people', choice: '/mgr/people?side=shop', page: location.pathname }]);
  wait(10_000);
  expect(reported).toHaveLength(1);
});

test('a page that is left sooner reports nothing', () => {
  showMenu('/mgr/people');
  wait(200);
  dispatchEvent(new Event('pagehide'));
  wait(1000);
  expect(reported).toEqual([]);
});

test('only the last of several quick choices is reported', () => {
  const nav = showMenu();
  pressEntry(nav, '/mgr#account');
  wait(250);
  pressEntry(nav, '#goods');
  wait(299);
  expect(reported).toEqual([]);
  wait(1);
  expect(reported.map(({ choice }) => choice.split('#')[1])).toEqual(['goods']);
  pressEntry(nav, '#goods');
  wait(1000);
  expect(reported).toHaveLength(1);
});

test('a choice that leads to another page is not reported on this page', () => {
  pressEntry(showMenu(), '/mgr/people');
  wait(1000);
  expect(reported).toEqual([]);
});
