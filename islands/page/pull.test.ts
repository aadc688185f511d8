import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PULL_DAMPING, PULL_DISTANCE, PULL_REFRESH_MS, PULL_SCALE, TOAST_SHORT_MS } from '../constants';
import watchPulls, { PULL_ANSWER_MS, pulled } from './pull';

const WORDS = {
  deactivate: 'Pull',
  activate: 'Let go',
  release: 'Refreshing…',
  finish: 'Refreshed',
  failed: 'Not now',
};
const fresh = (inside: string) =>
  new Response(`<main><div class="pull"><div class="pulled">${inside}</div></div></main>`);

function page(): HTMLElement {
  document.body.innerHTML = `<div class="pull"><template><p class="pulling" role="status"></p></template>
    <a href="/register/result?id=7">Refresh</a><div class="pulled"><p>old</p></div></div>`;
  const element = document.querySelector('.pull') as HTMLElement;
  watchPulls(element, WORDS);
  return element;
}

function touch(type: string, y: number, x = 0, on: Element = document.body): Event {
  const event = new Event(type, { bubbles: true, cancelable: true });
  Object.assign(event, { touches: type === 'touchend' ? [] : [{ clientX: x, clientY: y }] });
  on.dispatchEvent(event);
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
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  document.body.innerHTML = '';
});

test('the farther a page is pulled, the less it follows, and never beyond the damping', () => {
  expect(pulled(0, 10, 10, 1000)).toBeCloseTo(10 * 0.99 * PULL_SCALE);
  expect(pulled(50, 10, 500, 1000)).toBeCloseTo(50 + 10 * 0.5 * PULL_SCALE);
  expect(pulled(PULL_DAMPING + 1, 10, 300, 1000)).toBe(PULL_DAMPING + 1);
  expect(pulled(3, -20, 1, 1000)).toBe(0);
  expect(pulled(PULL_DAMPING + 1, -50, 0, 1000)).toBe(PULL_DAMPING - 29); // one may think better of it
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

test('a list within the page that has been scrolled is scrolled back first', () => {
  page();
  document.body.insertAdjacentHTML('beforeend', '<div id="list"><p>row</p></div>');
  const list = document.getElementById('list') as HTMLElement;
  const row = list.firstElementChild as Element;
  Object.defineProperty(list, 'scrollTop', { value: 40, writable: true });
  touch('touchstart', 100, 0, row);
  expect(touch('touchmove', 200, 0, row).defaultPrevented).toBe(false);
  list.scrollTop = 0;
  touch('touchstart', 100, 0, row);
  expect(touch('touchmove', 200, 0, row).defaultPrevented).toBe(true);
});

test('a page that is enlarged is moved about', () => {
  vi.stubGlobal('visualViewport', { scale: 2 });
  page();
  touch('touchstart', 100);
  expect(touch('touchmove', 200).defaultPrevented).toBe(false);
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

test.each([
  ['no answer', () => Promise.reject(new TypeError('offline'))],
  ['an answer that the server is away', async () => new Response('<main>503</main>', { status: 503 })],
])(
  'with %s the page stays as it is, says so, and can be refreshed again',
  async (_, answer: () => Promise<Response>) => {
    const reload = vi.spyOn(location, 'reload').mockImplementation(() => {});
    vi.stubGlobal('matchMedia', () => ({ matches: true })); // nothing fades
    vi.mocked(fetch).mockImplementationOnce(answer);
    const element = page();
    const toasts = () => [...document.querySelectorAll<HTMLElement>('.toast')].filter(({ hidden }) => !hidden).length;
    document.querySelector('a')?.click();
    await vi.advanceTimersByTimeAsync(0);
    expect([part(), state(), sign(), element.hasAttribute('aria-busy')]).toEqual(['old', '', '', false]);
    expect(document.querySelector('.toast')?.textContent).toBe('Not now');
    await vi.advanceTimersByTimeAsync(TOAST_SHORT_MS + 1000);
    expect(toasts()).toBe(0);
    document.querySelector('a')?.click();
    await vi.advanceTimersByTimeAsync(0);
    expect(part()).toBe('new');
    expect(reload).not.toHaveBeenCalled();
  },
);

test('an answer that takes too long is given up', async () => {
  vi.mocked(fetch).mockImplementation(
    (_, init) =>
      new Promise((_, fail) => {
        init?.signal?.addEventListener('abort', () => fail(new Error('aborted')));
      }),
  );
  page();
  document.querySelector('a')?.click();
  await vi.advanceTimersByTimeAsync(PULL_ANSWER_MS - 1);
  expect(state()).toBe('release');
  await vi.advanceTimersByTimeAsync(1);
  expect(state()).toBe('');
});
