import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TOAST_LONG_MS } from '../constants';
import watchConnection from './offline';

const words = { lost: 'You are offline.', held: 'Not sent.', back: 'You are back.' };
const answers = vi.fn();
let isOnline = true;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', answers);
  vi.spyOn(navigator, 'onLine', 'get').mockImplementation(() => isOnline);
  answers.mockReset().mockRejectedValue(new TypeError('Failed to fetch'));
  isOnline = true;
  document.body.innerHTML =
    `<p class="skip" role="status"></p>` + `<form><input name="phone" value="138"><button>Send</button></form>`;
  vi.spyOn(document, 'addEventListener').mockImplementation((type, listener, options) =>
    document.body.addEventListener(type, listener as EventListener, options),
  ); // so that a test's listeners are removed with its page
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  document.body.replaceWith(document.createElement('body'));
});

const note = () => document.querySelector('[role=status]') as HTMLElement;
const settle = () => vi.advanceTimersByTimeAsync(0);

/** Starts watching the connection, and waits for the first look. */
async function watch(): Promise<void> {
  watchConnection(note(), words);
  await settle();
}

/** Submits the form. Returns whether the browser would send it. */
function send(method = ''): boolean {
  const form = document.querySelector('form') as HTMLFormElement;
  form.setAttribute('method', method);
  return form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }));
}

test('while online, no message is shown and the server is not asked', async () => {
  await watch();
  expect(send()).toBe(true);
  expect(note().textContent).toBe('');
  expect(note().className).toBe('skip');
  expect(answers).not.toHaveBeenCalled();
});

test('the message about a lost connection stays until it is back, then that is shown for a while', async () => {
  await watch();
  dispatchEvent(new Event('offline'));
  expect(note().textContent).toBe(words.lost);
  expect(note().className).toBe('note bad');
  await vi.advanceTimersByTimeAsync(10 * TOAST_LONG_MS);
  expect(note().textContent).toBe(words.lost);
  dispatchEvent(new Event('online'));
  expect(note().textContent).toBe(words.back);
  expect(note().className).toBe('note');
  await vi.advanceTimersByTimeAsync(TOAST_LONG_MS);
  expect(note().textContent).toBe('');
  expect(note().className).toBe('skip');
});

test('a form is not submitted while offline, and is at the next press', async () => {
  const onSubmit = vi.fn();
  document.querySelector('form')?.addEventListener('submit', onSubmit);
  await watch();
  dispatchEvent(new Event('offline'));
  expect(send()).toBe(false);
  await settle();
  expect(note().textContent).toBe(words.held);
  expect(onSubmit).not.toHaveBeenCalled();
  expect(document.querySelector('input')?.value).toBe('138');
  expect(send('dialog')).toBe(true);
  dispatchEvent(new Event('online'));
  expect(send()).toBe(true);
});

test('a browser that is wrong about being offline blocks a form only once', async () => {
  await watch();
  dispatchEvent(new Event('offline'));
  answers.mockResolvedValue(new Response());
  expect(send()).toBe(false);
  await settle();
  expect(note().textContent).toBe(words.back);
  expect(send()).toBe(true);
});

test('a page loaded offline says so if the server does not answer', async () => {
  isOnline = false;
  await watch();
  expect(note().textContent).toBe(words.lost);
});

test('a page loaded offline says nothing if the server answers', async () => {
  isOnline = false;
  answers.mockResolvedValue(new Response());
  await watch();
  expect(note().textContent).toBe('');
  expect(send()).toBe(true);
});

test('a page restored from memory checks the connection again', async () => {
  await watch();
  dispatchEvent(new Event('offline'));
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  await settle();
  expect(note().textContent).toBe(words.back);
});

test('a form that posts to its own page gets a history entry with another address', async () => {
  const { href } = location;
  const replaceState = vi.spyOn(history, 'replaceState');
  const form = document.querySelector('form') as HTMLFormElement;
  await watch();
  form.setAttribute('action', '/elsewhere');
  send();
  form.setAttribute('action', href);
  form.addEventListener('submit', (event) => event.preventDefault(), { once: true });
  send();
  dispatchEvent(new Event('offline'));
  send();
  expect(replaceState).not.toHaveBeenCalled();
  dispatchEvent(new Event('online'));
  send();
  expect(replaceState).toHaveBeenCalledWith(history.state, '', '#');
});

test('in a native app that answers, a lost connection shows a button for the network settings', async () => {
  note().innerHTML = '<span></span><button hidden>Network settings</button>';
  const button = note().querySelector('button') as HTMLButtonElement;
  await watch();
  dispatchEvent(new Event('offline'));
  expect(button.hidden).toBe(true);
  dispatchEvent(new Event('online'));
  document.documentElement.dataset.app = '';
  dispatchEvent(new Event('offline'));
  expect(note().textContent).toBe(`${words.lost}Network settings`);
  expect(button.hidden).toBe(false);
  dispatchEvent(new Event('online'));
  expect(button.hidden).toBe(true);
  delete document.documentElement.dataset.app;
});
