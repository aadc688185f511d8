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
  ); // so that one test's listeners go with its page
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  document.body.replaceWith(document.createElement('body'));
});

const note = () => document.querySelector('[role=status]') as HTMLElement;
const settled = () => vi.advanceTimersByTimeAsync(0);

async function watch(): Promise<void> {
  watchConnection(note(), words);
  await settled();
}

function send(method = ''): boolean {
  const form = document.querySelector('form') as HTMLFormElement;
  form.setAttribute('method', method);
  return form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }));
}

test('nothing is said, and nothing asked, while there is a connection', async () => {
  await watch();
  expect(send()).toBe(true);
  expect(note().textContent).toBe('');
  expect(note().className).toBe('skip');
  expect(answers).not.toHaveBeenCalled();
});

test('a lost connection is told until it is back, and that for a while', async () => {
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

test('a form is held while there is none, and goes at the next press', async () => {
  const seen = vi.fn();
  document.querySelector('form')?.addEventListener('submit', seen);
  await watch();
  dispatchEvent(new Event('offline'));
  expect(send()).toBe(false);
  await settled();
  expect(note().textContent).toBe(words.held);
  expect(seen).not.toHaveBeenCalled();
  expect(document.querySelector('input')?.value).toBe('138');
  expect(send('dialog')).toBe(true);
  dispatchEvent(new Event('online'));
  expect(send()).toBe(true);
});

test('a browser that is wrong about being offline holds nothing twice', async () => {
  await watch();
  dispatchEvent(new Event('offline'));
  answers.mockResolvedValue(new Response());
  expect(send()).toBe(false);
  await settled();
  expect(note().textContent).toBe(words.back);
  expect(send()).toBe(true);
});

test('a page that comes without a connection says so when the server does not answer', async () => {
  isOnline = false;
  await watch();
  expect(note().textContent).toBe(words.lost);
});

test('and not when it does', async () => {
  isOnline = false;
  answers.mockResolvedValue(new Response());
  await watch();
  expect(note().textContent).toBe('');
  expect(send()).toBe(true);
});

test('a page that was kept in memory looks again', async () => {
  await watch();
  dispatchEvent(new Event('offline'));
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  await settled();
  expect(note().textContent).toBe(words.back);
});

test('a form of the page itself keeps its entry of the history when its answer is lost', async () => {
  const { href } = location;
  const changed = vi.spyOn(history, 'replaceState');
  const form = document.querySelector('form') as HTMLFormElement;
  await watch();
  form.setAttribute('action', '/elsewhere');
  send();
  form.setAttribute('action', href);
  form.addEventListener('submit', (event) => event.preventDefault(), { once: true });
  send();
  dispatchEvent(new Event('offline'));
  send();
  expect(changed).not.toHaveBeenCalled();
  dispatchEvent(new Event('online'));
  send();
  expect(changed).toHaveBeenCalledWith(history.state, '', '#');
});

test('in an app that answers, a lost connection offers the settings of the network', async () => {
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
