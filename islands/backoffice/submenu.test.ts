import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SUBMENU_EVENT, SUBMENU_REPORT_MS } from '../constants';
import watchSubmenu, { type SubmenuChoice } from './submenu';

let reported: SubmenuChoice[] = [];
const hear = (event: Event) => reported.push((event as CustomEvent<SubmenuChoice>).detail);

beforeEach(() => {
  vi.useFakeTimers();
  reported = [];
  document.addEventListener(SUBMENU_EVENT, hear);
});

afterEach(() => {
  document.removeEventListener(SUBMENU_EVENT, hear);
  vi.useRealTimers();
});

function menu(current = ''): HTMLElement {
  const links = ['/mgr/people', '/mgr/people?side=shop', '/mgr#account', '#goods'];
  const mark = (at: string) => (at === current ? 'aria-current="page"' : '');
  const entries = links.map((at) => `<a href="${at}" ${mark(at)}><span>x</span></a>`);
  document.body.innerHTML = `<nav>${entries.join('')}</nav>`;
  const nav = document.querySelector('nav') as HTMLElement;
  nav.addEventListener('click', (event) => event.preventDefault());
  watchSubmenu(nav, { name: 'people' });
  return nav;
}

const press = (nav: HTMLElement, href: string) => nav.querySelector<HTMLElement>(`a[href="${href}"] span`)?.click();
const pass = (time: number) => vi.advanceTimersByTime(time);

test('the entry one arrives at is reported once, after 300 ms', () => {
  expect(SUBMENU_REPORT_MS).toBe(300);
  menu('/mgr/people?side=shop');
  pass(299);
  expect(reported).toEqual([]);
  pass(1);
  expect(reported).toEqual([{ menu: 'people', choice: '/mgr/people?side=shop', at: location.pathname }]);
  pass(10_000);
  expect(reported).toHaveLength(1);
});

test('who passes on sooner is not reported', () => {
  menu('/mgr/people');
  pass(200);
  dispatchEvent(new Event('pagehide'));
  pass(1000);
  expect(reported).toEqual([]);
});

test('of quick choices within the page the last one counts', () => {
  const nav = menu();
  press(nav, '/mgr#account');
  pass(250);
  press(nav, '#goods');
  pass(299);
  expect(reported).toEqual([]);
  pass(1);
  expect(reported.map(({ choice }) => choice.split('#')[1])).toEqual(['goods']);
  press(nav, '#goods');
  pass(1000);
  expect(reported).toHaveLength(1);
});

test('a choice that leads to another page is reported there, not here', () => {
  press(menu(), '/mgr/people');
  pass(1000);
  expect(reported).toEqual([]);
});
