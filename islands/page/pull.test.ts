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
const response = (inside: string) =>
  new Response(`<main><div class="pull"><div class="pulled">${inside}</div></div></main>`);

function page(): HTMLElement {
  document.body.innerHTML = `<div class="pull"><template><p class="pulling" role="status"></p></template>
    <div class="pulled"><p>old</p></div><a class="way" href="/register/result?id=7">Refresh</a></div>`;
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
const stateText = () => document.querySelector('.pulling')?.textContent;
const partText = () => document.querySelector('.pulled')?.textContent;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('screen', { height: 800 });
  vi.stubGlobal('scrollY', 0);
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => response('<p>new</p>')),
  );
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  document.body.innerHTML = '';
});

test('the page follows the finger less the farther it is pulled, and stops at the damping distance', () => {
  expect(pulled(0, 10, 10, 1000)).toBeCloseTo(10 * 0.99 * PULL_SCALE);
  expect(pulled(50, 10, 500, 1000)).toBeCloseTo(50 + 10 * 0.5 * PULL_SCALE);
  expect(pulled(PULL_DAMPING + 1, 10, 300, 1000)).toBe(PULL_DAMPING + 1);
  expect(pulled(3, -20, 1, 1000)).toBe(0);
  expect(pulled(PULL_DAMPING + 1, -50, 0, 1000)).toBe(PULL_DAMPING - 29); // moving back is not damped
});

test('releasing a page that was pulled far enough refreshes it', async () => {
  const element = page();
  touch('touchstart', 100);
  expect(touch('touchmove', 120).defaultPrevented).toBe(true);
  expect([state(), stateText()]).toEqual(['deactivate', 'Pull']);
  touch('touchmove', 170);
  expect([state(), stateText()]).toEqual(['activate', 'Let go']);
  expect(parseFloat(element.style.getPropertyValue('--pulled'))).toBeGreaterThan(PULL_DISTANCE);
  touch('touchend', 0);
  expect([state(), stateText()]).toEqual(['release', 'Refreshing…']);
  await vi.advanceTimersByTimeAsync(0);
  expect(partText()).toBe('new');
  expect([state(), stateText()]).toEqual(['finish', 'Refreshed']);
  await vi.advanceTimersByTimeAsync(PULL_REFRESH_MS);
  expect([state(), stateText(), element.style.getPropertyValue('--pulled')]).toEqual(['', '', '0px']);
});

test('releasing a page too early does not refresh it', () => {
  page();
  touch('touchstart', 100);
  touch('touchmove', 110);
  touch('touchend', 0);
  expect(state()).toBe('');
  expect(fetch).not.toHaveBeenCalled();
});

test('a finger that scrolls the page does not pull it', () => {
  page();
  touch('touchstart', 100);
  expect(touch('touchmove', 60).defaultPrevented).toBe(false);
  vi.stubGlobal('scrollY', 300);
  touch('touchstart', 100);
  expect(touch('touchmove', 200).defaultPrevented).toBe(false);
  expect(state()).toBeUndefined();
});

test('a finger that moves sideways does not pull the page', () => {
  page();
  touch('touchstart', 100, 50);
  expect(touch('touchmove', 110, 80).defaultPrevented).toBe(false);
  expect(touch('touchmove', 200, 80).defaultPrevented).toBe(false);
  expect(state()).toBeUndefined();
});

test('a scrolled list below the finger scrolls back before the page is pulled', () => {
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

test('an enlarged page cannot be pulled', () => {
  vi.stubGlobal('visualViewport', { scale: 2 });
  page();
  touch('touchstart', 100);
  expect(touch('touchmove', 200).defaultPrevented).toBe(false);
});

test('pressing the link twice refreshes the page once', async () => {
  page();
  const link = document.querySelector('a') as HTMLElement;
  link.click();
  link.click();
  await vi.advanceTimersByTimeAsync(0);
  expect(partText()).toBe('new');
  expect(fetch).toHaveBeenCalledTimes(1);
});

test.each([
  ['a response that is not this page', async () => new Response('', { status: 401 })],
  ['a part with islands of its own', async () => response('<div data-island="code"></div>')],
])('%s reloads the whole page', async (_, answer: () => Promise<Response>) => {
  const reload = vi.spyOn(location, 'reload').mockImplementation(() => {});
  vi.mocked(fetch).mockImplementation(answer);
  page();
  document.querySelector('a')?.click();
  await vi.advanceTimersByTimeAsync(0);
  expect(reload).toHaveBeenCalledTimes(1);
  expect(partText()).toBe('old');
});

test.each([
  ['no response', () => Promise.reject(new TypeError('offline'))],
  ['a response with status 503', async () => new Response('<main>503</main>', { status: 503 })],
])(
  'after %s the page stays, shows a message and can be refreshed again',
  async (_, answer: () => Promise<Response>) => {
    const reload = vi.spyOn(location, 'reload').mockImplementation(() => {});
    vi.stubGlobal('matchMedia', () => ({ matches: true })); // toasts do not fade
    vi.mocked(fetch).mockImplementationOnce(answer);
    const element = page();
    const visibleToasts = () =>
      [...document.querySelectorAll<HTMLElement>('.toast')].filter(({ hidden }) => !hidden).length;
    document.querySelector('a')?.click();
    await vi.advanceTimersByTimeAsync(0);
    expect([partText(), state(), stateText(), element.hasAttribute('aria-busy')]).toEqual(['old', '', '', false]);
    expect(document.querySelector('.toast')?.textContent).toBe('Not now');
    await vi.advanceTimersByTimeAsync(TOAST_SHORT_MS + 1000);
    expect(visibleToasts()).toBe(0);
    document.querySelector('a')?.click();
    await vi.advanceTimersByTimeAsync(0);
    expect(partText()).toBe('new');
    expect(reload).not.toHaveBeenCalled();
  },
);

test('a refresh is given up when the server takes too long', async () => {
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

test('a press on a link of the list is not a refresh', () => {
  const element = page();
  const link = document.createElement('a');
  link.href = '#one';
  element.querySelector('.pulled')?.append(link);
  const press = new MouseEvent('click', { bubbles: true, cancelable: true });
  link.dispatchEvent(press);
  expect(press.defaultPrevented).toBe(false);
});
