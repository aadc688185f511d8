import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import keepDraft, { contentOf, DRAFT_DELAY_MS } from './draft';

let answers: ((response: Response) => void)[];

function showForm(): HTMLFormElement {
  document.body.innerHTML = `<form data-draft action="/register/more">
    <input name="phone" value="13800138000"><input name="code" value="123456">
  <input type="password" name="secret" value="x">
    <input name="company_name" value="Shop"><textarea name="reason">Near</textarea><input type="file" name="licence">
    <input type="hidden" name="token" value="t"><input type="checkbox" name="a" value="1">
  <input type="checkbox" name="b" value="1" checked>
    <select name="province"><option value="440000" selected></option></select>
    <p role="status" data-draft-status="Saved."></p><button name="action" value="region">Show</button></form>`;
  const form = document.forms[0] as HTMLFormElement;
  keepDraft(form);
  return form;
}

function type(value: string): void {
  const input = document.querySelector('[name=company_name]') as HTMLInputElement;
  input.value = value;
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

const sentDrafts = () => vi.mocked(fetch).mock.calls.map(([, init]) => new URLSearchParams(`${init?.body}`));
const status = () => document.querySelector('[data-draft-status]')?.textContent;
const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  answers = [];
  vi.stubGlobal(
    'fetch',
    vi.fn(() => new Promise<Response>((resolve) => answers.push(resolve))),
  );
});

afterEach(() => {
  document.forms[0]?.dispatchEvent(new Event('submit')); // the form of this test sends no more drafts
  vi.useRealTimers();
});

test('a draft has no files, codes, passwords and no verified phone', () => {
  expect(contentOf(showForm())).toBe('company_name=Shop&reason=Near&token=t&b=1&province=440000');
});

test('typed text is sent a moment after the last key, and the status says so once', async () => {
  showForm();
  type('A');
  await wait(DRAFT_DELAY_MS - 1);
  type('Ab');
  await wait(DRAFT_DELAY_MS - 1);
  expect(fetch).not.toHaveBeenCalled();
  await wait(1);
  expect(vi.mocked(fetch).mock.calls[0]?.[0]).toBe('/register/more');
  expect(sentDrafts()[0]?.get('company_name')).toBe('Ab');
  expect(sentDrafts()[0]?.get('action')).toBe('draft');
  expect(status()).toBe('');
  answers[0]?.(new Response(null, { status: 204 }));
  await wait(0);
  expect(status()).toBe('Saved.');
});

test('one draft is sent at a time, and text typed meanwhile is sent after it', async () => {
  showForm();
  type('A');
  await wait(DRAFT_DELAY_MS);
  type('Ab');
  await wait(DRAFT_DELAY_MS * 3);
  expect(fetch).toHaveBeenCalledTimes(1);
  answers[0]?.(new Response(null, { status: 204 }));
  await wait(DRAFT_DELAY_MS);
  expect(sentDrafts()[1]?.get('company_name')).toBe('Ab');
});

test('a page that is left sends unsaved text in a keepalive request', async () => {
  showForm();
  type('A');
  dispatchEvent(new Event('pagehide'));
  expect(vi.mocked(fetch).mock.calls[0]?.[1]?.keepalive).toBe(true);
  answers[0]?.(new Response(null, { status: 204 }));
  await wait(DRAFT_DELAY_MS);
  dispatchEvent(new Event('pagehide'));
  expect(fetch).toHaveBeenCalledTimes(1);
});

test('a form that is submitted sends no draft', async () => {
  const form = showForm();
  type('A');
  form.dispatchEvent(new Event('submit', { cancelable: true }));
  dispatchEvent(new Event('pagehide'));
  await wait(DRAFT_DELAY_MS);
  expect(fetch).not.toHaveBeenCalled();
});

test('a form that comes back with unsaved text saves it', async () => {
  const form = showForm();
  type('A');
  form.dispatchEvent(new Event('submit', { cancelable: true })); // the request is lost
  await wait(DRAFT_DELAY_MS);
  expect(fetch).not.toHaveBeenCalled();
  dispatchEvent(new Event('pageshow'));
  await wait(DRAFT_DELAY_MS);
  expect(sentDrafts()[0]?.get('company_name')).toBe('A');
});

test('text that the browser restored before the script ran is saved', async () => {
  const form = showForm();
  form.dispatchEvent(new Event('submit'));
  (document.querySelector('[name=company_name]') as HTMLInputElement).value = 'Typed';
  keepDraft(form);
  await wait(DRAFT_DELAY_MS);
  expect(fetch).toHaveBeenCalledTimes(1);
  expect(sentDrafts()[0]?.get('company_name')).toBe('Typed');
});

test('a page that comes back as the server made it sends nothing', async () => {
  showForm();
  dispatchEvent(new Event('pageshow'));
  await wait(DRAFT_DELAY_MS * 2);
  // Pages of earlier tests get the event too.
  expect(sentDrafts().filter((draft) => draft.get('company_name') === 'Shop')).toEqual([]);
});

test('an answer other than 204 does not change the status', async () => {
  showForm();
  type('A');
  await wait(DRAFT_DELAY_MS);
  answers[0]?.(new Response('', { status: 403 }));
  await wait(0);
  expect(status()).toBe('');
});
