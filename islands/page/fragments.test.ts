import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import watchFragments, { SEARCH_MS } from './fragments';

const { trigger } = vi.hoisted(() => ({ trigger: vi.fn() }));
vi.mock('htmx.org', () => ({ default: { trigger } })); // it needs XPath, which happy-dom has not

const assign = vi.fn();
const submit = vi.fn();
show('');
watchFragments(); // once: it listens to the document

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(location, 'assign').mockImplementation(assign);
  vi.spyOn(HTMLFormElement.prototype, 'submit').mockImplementation(submit);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  for (const mock of [assign, submit, trigger]) {
    mock.mockClear();
  }
});

/** Shows a page in the `<main>` that the script knows. */
function show(content: string): HTMLElement {
  const main = document.querySelector('main') ?? document.body.appendChild(document.createElement('main'));
  main.innerHTML = content;
  return main;
}

/** Tells the script what htmx does with a request of `sourceElement`. Returns false if the script stops it. */
function tell(type: string, sourceElement: Element, request: object = {}, more: object = {}): boolean {
  const ctx = {
    sourceElement,
    ...more,
    request: { method: 'GET', action: '/mgr/orders?q=x', headers: {}, ...request },
  };
  return document.dispatchEvent(new CustomEvent(`htmx:${type}`, { detail: { ctx }, cancelable: true }));
}

const said = () => [...document.querySelectorAll('body > [role=status]')].map((p) => p.textContent).join('');

test('a search is sent when the person pauses, and not while an input method composes', () => {
  const main = show('<input hx-trigger="typed"><input id="other">');
  const field = main.querySelector('input') as HTMLInputElement;
  const input = (isComposing: boolean) => field.dispatchEvent(new InputEvent('input', { bubbles: true, isComposing }));
  input(false);
  vi.advanceTimersByTime(SEARCH_MS - 1);
  input(false);
  vi.advanceTimersByTime(SEARCH_MS - 1);
  expect(trigger).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(trigger.mock.calls).toEqual([[field, 'typed']]);
  input(true);
  vi.advanceTimersByTime(SEARCH_MS);
  expect(trigger).toHaveBeenCalledTimes(1);
  field.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }));
  vi.advanceTimersByTime(SEARCH_MS);
  expect(trigger).toHaveBeenCalledTimes(2);
  main.querySelector('#other')?.dispatchEvent(new InputEvent('input', { bubbles: true }));
  vi.advanceTimersByTime(SEARCH_MS);
  expect(trigger).toHaveBeenCalledTimes(2);
});

test('a search that was sent by its button is not sent again', () => {
  const main = show('<form><input hx-trigger="typed"></form>');
  main.querySelector('input')?.dispatchEvent(new InputEvent('input', { bubbles: true }));
  main.querySelector('form')?.dispatchEvent(new Event('submit', { bubbles: true }));
  vi.advanceTimersByTime(SEARCH_MS);
  expect(trigger).not.toHaveBeenCalled();
});

test('empty fields are left out of an address, and sent with a form', () => {
  const body = new FormData();
  body.set('q', ' ');
  body.set('state', 'new');
  tell('config:request', show('<form></form>'), { body });
  expect([...body.keys()]).toEqual(['state']);
  body.set('note', '');
  tell('config:request', show('<form></form>'), { body, method: 'POST' });
  expect([...body.keys()]).toEqual(['state', 'note']);
});

test('the button of a form is busy until the answer is there', () => {
  const main = show('<form><button>Save</button></form>');
  const submitter = main.querySelector('button');
  tell('before:request', main, { submitter });
  expect([main.getAttribute('aria-busy'), submitter?.getAttribute('aria-busy')]).toEqual(['true', 'true']);
  tell('finally:request', main, { submitter });
  expect([main.hasAttribute('aria-busy'), submitter?.hasAttribute('aria-busy')]).toEqual([false, false]);
});

test('an answer that is a whole page is loaded as one', () => {
  const main = show('<a href="/mgr/orders?q=x">x</a>');
  expect(tell('after:request', main, {}, { text: '<title>Orders</title>' })).toBe(true);
  expect(assign).not.toHaveBeenCalled();
  expect(tell('after:request', main, {}, { text: '<!DOCTYPE html><html>' })).toBe(false);
  expect(assign.mock.calls).toEqual([['/mgr/orders?q=x']]);
});

test('a page that the person comes back to is asked for as a part, and loaded whole if there is none', () => {
  const main = show('');
  const request = { headers: { 'HX-History-Restore-Request': 'true' } };
  expect(tell('config:request', main, request)).toBe(true);
  expect(request.headers).toMatchObject({ 'HX-Request': 'true', 'HX-Target': 'main#main' });
  const reload = vi.spyOn(location, 'reload').mockImplementation(() => {});
  expect(tell('after:request', main, request, { text: '<!DOCTYPE html><html>' })).toBe(false);
  expect([assign.mock.calls.length, reload.mock.calls.length]).toEqual([0, 1]);
});

test('a request that fails is made as without scripts, but for a search, which waits for its button', async () => {
  vi.stubGlobal('fetch', async () => new Response());
  const main = show('<form><input hx-trigger="typed"><button name="action" value="save">Save</button></form>');
  tell('error', main.querySelector('input') as Element);
  await vi.advanceTimersByTimeAsync(0);
  expect([assign.mock.calls.length, submit.mock.calls.length]).toEqual([0, 0]);
  const form = main.querySelector('form') as HTMLFormElement;
  tell('error', form, { method: 'POST', submitter: main.querySelector('button') });
  await vi.advanceTimersByTimeAsync(0);
  expect(submit).toHaveBeenCalledTimes(1);
  expect(new FormData(form).get('action')).toBe('save');
});

test('a form stays when the server cannot be reached, and the page says so', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('offline')));
  const lost = vi.fn();
  addEventListener('offline', lost, { once: true });
  const main = show('<form></form>');
  tell('error', main.querySelector('form') as Element, { method: 'POST' });
  await vi.advanceTimersByTimeAsync(0);
  expect([lost.mock.calls.length, submit.mock.calls.length]).toEqual([1, 0]);
});

test('a form goes as without scripts when its button changes the language', () => {
  const main = show('<form><button name="lang" value="es">Español</button></form>');
  const submitter = main.querySelector('button');
  const form = main.querySelector('form') as HTMLFormElement;
  expect(tell('config:request', form, { method: 'POST', submitter, body: new FormData() })).toBe(false);
  expect(submit).toHaveBeenCalledTimes(1);
  expect(new FormData(form).get('lang')).toBe('es');
});

test('what was found is said, or the heading of the page, or nothing beside an alert', () => {
  const main = show('<h1>Orders</h1><div data-said="3 found"></div>');
  tell('after:swap', main);
  expect(said()).toBe('3 found');
  show('<h1>Confirm 2 orders?</h1>');
  tell('after:swap', main);
  expect(said()).toBe('Confirm 2 orders?');
  show('<h1>Bank</h1><p role="alert">Mistakes</p>');
  tell('after:swap', main);
  expect(said()).toBe('Confirm 2 orders?');
});

test('the focus goes to the page when what had it is gone', () => {
  const main = show('<a href="/x">x</a>');
  main.querySelector('a')?.focus();
  tell('before:swap', main);
  show('<h1>Orders</h1>');
  tell('after:swap', main);
  expect(document.activeElement).toBe(main);
  main.blur();
  tell('before:swap', main);
  tell('after:swap', main);
  expect(document.activeElement).toBe(document.body);
});

test('a renewed list of choices shows what the server chose', () => {
  const main = show('<select><option value="a" selected>A</option><option value="b">B</option></select>');
  const select = main.querySelector('select') as HTMLSelectElement;
  select.value = 'b';
  tell('after:swap', main);
  expect(select.value).toBe('a');
});

test('what was typed before the script was there is searched for', async () => {
  vi.resetModules();
  const main = show('<input hx-trigger="typed" value="a"><input hx-trigger="typed">');
  const field = main.querySelector('input') as HTMLInputElement;
  field.value = 'ab';
  (await import('./fragments')).default();
  vi.advanceTimersByTime(SEARCH_MS);
  expect(trigger.mock.calls).toEqual([[field, 'typed']]);
});
