import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PULL_DAMPING, PULL_DISTANCE, PULL_REFRESH_MS, PULL_SCALE } from './constants';
import watchPulls, { pulled } from './pull';

const WORDS = { deactivate: 'Pull', activate: 'Let go', release: 'Refreshing…', finish: 'Refreshed' };
const fresh = (inside: string) =>
  new Response(`<main><div class="pull"><div class="pulled">${inside}</div></div></main>`);

function page(): HTMLElement {
  document.body.innerHTML = `<div class="pull"><template><p class="pulling" role="status"></p></template>
    <a href="/register/result?id=7">Refresh</a><div class="pulled"><p>old</p></div></div>`;
  const element = document.querySelector('.pull') as HTMLElement;
  watchPulls(element, WORDS);
  return element;
}

function touch(type: string, y: number, x = 0): Event {
  const event = new Event(type, { bubbles: true, cancelable: true });
  Object.assign(event, { touches: type === 'touchend' ? [] : [{ clientX: x, clientY: y }] });
  document.body.dispatchEvent(event);
  return event;
}

const state = () => document.querySelector<HTMLElement>('.pull')?.dataset.pull;
const sign = () => document.querySelector('.pulling')?.textContent;
const part = () => document.querySelector('.pulled')?.textContent;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('screen', { height: 800 });
  vi.stubGlobal('scrollY', 0);
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => fresh('<p>new</p>')),
  );
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  document.body.innerHTML = '';
});

test('the farther a page is pulled, the less it follows, and never beyond the damping', () => {
  expect(pulled(0, 10, 10, 1000)).toBeCloseTo(10 * 0.99 * PULL_SCALE);
  expect(pulled(50, 10, 500, 1000)).toBeCloseTo(50 + 10 * 0.5 * PULL_SCALE);
  expect(pulled(PULL_DAMPING + 1, 10, 300, 1000)).toBe(PULL_DAMPING + 1);
  expect(pulled(3, -20, 1, 1000)).toBe(0);
});

test('a page pulled far enough is looked at afresh when it is let go', async () => {
  const element = page();
  touch('touchstart', 100);
  expect(touch('touchmove', 120).defaultPrevented).toBe(true);
  expect([state(), sign()]).toEqual(['deactivate', 'Pull']);
  touch('touchmove', 170);
  expect([state(), sign()]).toEqual(['activate', 'Let go']);
  expect(parseFloat(element.style.getPropertyValue('--pulled'))).toBeGreaterThan(PULL_DISTANCE);
  touch('touchend', 0);
  expect([state(), sign()]).toEqual(['release', 'Refreshing…']);
  await vi.advanceTimersByTimeAsync(0);
  expect(part()).toBe('new');
  expect([state(), sign()]).toEqual(['finish', 'Refreshed']);
  await vi.advanceTimersByTimeAsync(PULL_REFRESH_MS);
  expect([state(), sign(), element.style.getPropertyValue('--pulled')]).toEqual(['', '', '0px']);
});

test('a page let go too early goes back', () => {
  page();
  touch('touchstart', 100);
  touch('touchmove', 110);
  touch('touchend', 0);
  expect(state()).toBe('');
  expect(fetch).not.toHaveBeenCalled();
});

test('a page that scrolls is left to scroll', () => {
  page();
  touch('touchstart', 100);
  expect(touch('touchmove', 60).defaultPrevented).toBe(false);
  vi.stubGlobal('scrollY', 300);
  touch('touchstart', 100);
  expect(touch('touchmove', 200).defaultPrevented).toBe(false);
  expect(state()).toBeUndefined();
});

test('a finger that goes aside scrolls what lies aside', () => {
  page();
  touch('touchstart', 100, 50);
  expect(touch('touchmove', 110, 80).defaultPrevented).toBe(false);
  expect(touch('touchmove', 200, 80).defaultPrevented).toBe(false);
  expect(state()).toBeUndefined();
});

test('the link does the same where it stands, once', async () => {
  page();
  const link = document.querySelector('a') as HTMLElement;
  link.click();
  link.click();
  await vi.advanceTimersByTimeAsync(0);
  expect(part()).toBe('new');
  expect(fetch).toHaveBeenCalledTimes(1);
});

test.each([
  ['an answer that is no such page', async () => new Response('', { status: 401 })],
  ['an answer that does not come', () => Promise.reject(new TypeError('offline'))],
  ['a part with islands of its own', async () => fresh('<div data-island="code"></div>')],
])('%s loads the page', async (_, answer: () => Promise<Response>) => {
  const reload = vi.spyOn(location, 'reload').mockImplementation(() => {});
  vi.mocked(fetch).mockImplementation(answer);
  page();
  document.querySelector('a')?.click();
  await vi.advanceTimersByTimeAsync(0);
  expect(reload).toHaveBeenCalledTimes(1);
  expect(part()).toBe('old');
});
