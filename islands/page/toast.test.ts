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

const all = () => [...document.querySelectorAll<HTMLElement>('.toast')];
const seen = () =>
  all()
    .filter(({ hidden }) => !hidden)
    .map(({ textContent }) => textContent);
const region = () => document.querySelector('[role=status]');
const pass = (time: number) => vi.advanceTimersByTime(time);

test('a simple notice is shown for 1.5 s, in a polite live region', () => {
  expect(TOAST_MS).toBe(1500);
  toast('Copied');
  expect(region()?.textContent).toBe('Copied');
  pass(1499);
  expect(seen()).toEqual(['Copied']);
  pass(1);
  expect(seen()).toEqual([]);
});

test('one is shown at a time, each for its own time', () => {
  toast('one');
  pass(1000);
  toast('two', { time: TOAST_SHORT_MS });
  expect(all()).toHaveLength(1);
  expect(seen()).toEqual(['two']);
  pass(2999);
  expect(seen()).toEqual(['two']);
  pass(1);
  expect(seen()).toEqual([]);
  toast('two');
  expect(seen()).toEqual(['two']);
});

test('what is heard elsewhere is not said twice', () => {
  toast('sent', { isSilent: true });
  expect(all()[0]?.getAttribute('aria-hidden')).toBe('true');
  toast('copied');
  expect(all()[0]?.hasAttribute('aria-hidden')).toBe(false);
});

test.each([
  [{}, 3000],
  [{ long: true }, 8000],
])('the toast of a page %j goes after %d ms', (props, time) => {
  expect([TOAST_SHORT_MS, TOAST_LONG_MS]).toContain(time);
  document.body.innerHTML = '<p class="toast" role="status">Saved.</p>';
  watchToast(all()[0] as HTMLElement, props);
  expect(document.querySelectorAll('[role=status]')).toHaveLength(1);
  expect(region()?.textContent).toBe('Saved.');
  pass(time - 1);
  expect(seen()).toEqual(['Saved.']);
  pass(1);
  expect(seen()).toEqual([]);
});

test('while a request runs there is a mask, and no longer', async () => {
  const request = new Promise((done) => setTimeout(done, 5000, 'answer'));
  const whole = maskWhile('Sending…', request);
  expect(seen()).toEqual(['Sending…']);
  expect(document.querySelectorAll('.mask')).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(4999);
  expect(seen()).toEqual(['Sending…']);
  await vi.advanceTimersByTimeAsync(1);
  await expect(whole).resolves.toBe('answer');
  expect(document.querySelector('.mask')).toBeNull();
  expect(seen()).toEqual([]);
});

test('a request that fails lifts the mask, and what was said meanwhile stays', async () => {
  const failing = maskWhile('Sending…', new Promise((_, fail) => setTimeout(() => fail(new Error('offline')), 100)));
  const outcome = expect(failing).rejects.toThrow('offline');
  toast('Something else');
  await vi.advanceTimersByTimeAsync(100);
  await outcome;
  expect(document.querySelector('.mask')).toBeNull();
  expect(seen()).toEqual(['Something else']);
});

test('with motion it fades, and a new one is not hidden by the old one’s end', () => {
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
  pass(TOAST_MS);
  expect(seen()).toEqual(['one']);
  toast('two');
  end();
  expect(seen()).toEqual(['two']);
  pass(TOAST_MS);
  end();
  expect(seen()).toEqual([]);
  Reflect.deleteProperty(HTMLElement.prototype, 'animate');
});
