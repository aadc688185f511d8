import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TOAST_LONG_MS, TOAST_MS, TOAST_SHORT_MS } from '../constants';
import watchToast, { maskWhile, toast } from './toast';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.body.innerHTML = '';
});

const toasts = () => [...document.querySelectorAll<HTMLElement>('.toast')];
const visibleTexts = () =>
  toasts()
    .filter(({ hidden }) => !hidden)
    .map(({ textContent }) => textContent);
const region = () => document.querySelector('[role=status]');
const wait = (time: number) => vi.advanceTimersByTime(time);

test('a simple notice is shown for 1.5 s, in a polite live region', () => {
  expect(TOAST_MS).toBe(1500);
  toast('Copied');
  expect(region()?.textContent).toBe('Copied');
  wait(1499);
  expect(visibleTexts()).toEqual(['Copied']);
  wait(1);
  expect(visibleTexts()).toEqual([]);
});

test('one notice is shown at a time, each for its own time', () => {
  toast('one');
  wait(1000);
  toast('two', { time: TOAST_SHORT_MS });
  expect(toasts()).toHaveLength(1);
  expect(visibleTexts()).toEqual(['two']);
  wait(2999);
  expect(visibleTexts()).toEqual(['two']);
  wait(1);
  expect(visibleTexts()).toEqual([]);
  toast('two');
  expect(visibleTexts()).toEqual(['two']);
});

test.each([
  [{}, 3000],
  [{ long: true }, 8000],
])('the toast of a page %j is hidden after %d ms', (props, time) => {
  expect([TOAST_SHORT_MS, TOAST_LONG_MS]).toContain(time);
  document.body.innerHTML = '<p class="toast" role="status">Saved.</p>';
  watchToast(toasts()[0] as HTMLElement, props);
  expect(document.querySelectorAll('[role=status]')).toHaveLength(1);
  expect(region()?.textContent).toBe('Saved.');
  wait(time - 1);
  expect(visibleTexts()).toEqual(['Saved.']);
  wait(1);
  expect(visibleTexts()).toEqual([]);
});

test('a mask is shown while a request runs', async () => {
  const request = new Promise((done) => setTimeout(done, 5000, 'answer'));
  const masked = maskWhile('Sending…', request);
  expect(visibleTexts()).toEqual(['Sending…']);
  expect(document.querySelectorAll('.mask')).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(4999);
  expect(visibleTexts()).toEqual(['Sending…']);
  await vi.advanceTimersByTimeAsync(1);
  await expect(masked).resolves.toBe('answer');
  expect(document.querySelector('.mask')).toBeNull();
  expect(visibleTexts()).toEqual([]);
});

test('a failed request removes the mask, and a notice shown meanwhile stays', async () => {
  const failing = maskWhile('Sending…', new Promise((_, fail) => setTimeout(() => fail(new Error('offline')), 100)));
  const outcome = expect(failing).rejects.toThrow('offline');
  toast('Something else');
  await vi.advanceTimersByTimeAsync(100);
  await outcome;
  expect(document.querySelector('.mask')).toBeNull();
  expect(visibleTexts()).toEqual(['Something else']);
});

test('with motion a notice fades, and its end does not hide a new one', () => {
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  const animations: { onfinish?: () => void }[] = [];
  const animate = vi.fn(() => {
    animations.push({});
    return animations[animations.length - 1] as unknown as Animation;
  });
  const end = () => {
    for (const { onfinish } of animations) {
      onfinish?.();
    }
  };
  HTMLElement.prototype.animate = animate;
  toast('one');
  wait(TOAST_MS);
  expect(visibleTexts()).toEqual(['one']);
  toast('two');
  end();
  expect(visibleTexts()).toEqual(['two']);
  wait(TOAST_MS);
  end();
  expect(visibleTexts()).toEqual([]);
  Reflect.deleteProperty(HTMLElement.prototype, 'animate');
});
