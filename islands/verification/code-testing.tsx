import { act, cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { submitOnce } from '../page/submit-once';
import { hydrate, inOneLine, rendered } from '../testing';
import * as island from './code';

// The page, the fake server and the actions of the person for the tests of the code field.

/** The texts of the button and the hint. */
export const TEXTS = { send: 'Get a code', wait: 'Again in {num} s', working: 'Sending…', proving: 'Checking…' };
/** The props of the code field, unless a test sets others. */
export const PROPS = {
  ...{ id: 'code', label: 'Code', maxLength: 40, digits: 6, enterKeyHint: 'go', hint: '', message: '', said: '' },
  ...{ action: 'send_code', url: '/code', purpose: 'login', send: ['phone'], seconds: 0, texts: TEXTS },
};
/** The answer to a request for a code that was sent. */
export const SENT = { resend_after: 60, message: 'A code is on its way.' };
/** The time at the start of each test, in Unix ms. */
export const NOW = 1_730_000_000_000;

/** What a test changes of the page: props, values of the fields, and more controls in the form. */
export type Page = { props?: Partial<island.CodeProps>; phone?: string; code?: string; more?: string };

/** The page as the server writes it. */
export function page({ props = {}, phone = '138 0013 8000', code = '', more = '' }: Page = {}): void {
  const all = { ...PROPS, value: code, ...props };
  const label = all.seconds ? TEXTS.wait.replace('{num}', `${all.seconds}`) : TEXTS.send;
  const message = all.message && `<p class="msg" id="code-msg">${all.message}</p>`;
  const field = inOneLine(`
    <div class="field" data-island="code" data-load="more"><label for="code">Code</label><div class="code-row">
    <input class="input num" id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code"${' '}
      autocapitalize="off" spellcheck="false" maxlength="40" enterkeyhint="go" required${' '}
      ${message && 'aria-invalid="true"'} aria-describedby="code-sent${message && ' code-msg'}" value="${code}">${' '}
    <button class="button quiet num" type="submit" name="action" value="send_code" formnovalidate${' '}
      data-busy="Sending…">${label}</button></div><p class="hint" id="code-sent" role="status"></p>${message}</div>`);
  document.body.innerHTML = `
    <form method="post" action="/login/code" novalidate>
      <button class="first" type="submit" tabindex="-1" aria-hidden="true"></button>
      <div class="field">
        <label for="phone">Phone</label>
        <div><input class="input tel" id="phone" name="phone" type="tel" required value="${phone}"></div>
      </div>
      ${field}
      ${more}
      <input type="hidden" name="width" value="360">
      <input type="hidden" name="token" value="form token">
      <input type="checkbox" name="remember" value="1" checked>
      <button class="button" id="main" data-busy="Signing in…">Sign in</button>
      <button class="button quiet" name="other" value="way" formnovalidate>Another way</button>
    </form>`;
  byId('code').closest<HTMLElement>('.field')?.setAttribute('data-props', JSON.stringify(all));
}

/** The control with this id. */
export const byId = <T extends HTMLElement = HTMLInputElement>(id: string) => document.getElementById(id) as T;
/** The button that requests a code. */
export const sendButton = () => document.querySelector('[name=action]') as HTMLButtonElement;
/** The markup of the form. */
export const form = () => document.querySelector('form')?.outerHTML as string;
/** The text of the hint below the field. */
export const hint = () => byId('code-sent').textContent;
/** The text of the button that requests a code, and whether it is disabled. */
export const buttonState = () => [sendButton().textContent, sendButton().disabled];

/** Answers one request. */
type Answering = (init: RequestInit) => Promise<Response>;

/** Submissions of the real form: the pressed button, by its id, class or name. */
export let submitted: (string | undefined)[];
/** The requests of the running test. */
export let requests: { url: string; init: RequestInit; body: Record<string, string> }[];
let answers: Answering[];

/** Answers with a status and a JSON body. */
export const respond = (status: number, body: unknown) => async () => new Response(JSON.stringify(body), { status });
/** Answers with a refusal. */
export const refuse = (body: object, status = 422) => respond(status, { message: 'No.', ...body });
/** Answers as a lost connection does. */
export const failOffline = () => Promise.reject(new TypeError('offline'));
/** Does not answer until the request is aborted. */
export const neverAnswer = ({ signal }: RequestInit) =>
  new Promise<never>((_, fail) => signal?.addEventListener('abort', () => fail(new Error('aborted'))));

/** Sets the server's next answers. After them it answers that a code was sent. */
export function answerWith(...next: Answering[]): void {
  answers = next;
}

beforeAll(submitOnce);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: NOW });
  submitted = [];
  requests = [];
  answers = [];
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    requests.push({ url, init, body: Object.fromEntries(init.body as URLSearchParams) });
    return (answers.shift() ?? respond(200, SENT))(init);
  });
  document.addEventListener('submit', recordSubmit, true);
});

afterEach(() => {
  cleanup();
  // submitOnce allows the form to be sent again.
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  document.removeEventListener('submit', recordSubmit, true);
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Records a submission, and keeps the browser from leaving the page after all other listeners have run. */
function recordSubmit(event: SubmitEvent): void {
  const button = event.submitter as HTMLButtonElement | null;
  submitted.push(button?.id || button?.name || button?.className);
  addEventListener('submit', (event) => event.preventDefault(), { once: true });
}

/** Shows the page and hydrates the code field. */
export function start(options: Page = {}): void {
  page(options);
  hydrate('code', island);
}

/** Advances the clock, and waits until the component has rendered. */
export const wait = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));
/** Waits until the answers have arrived and the component has rendered. */
export const settle = () => wait(0);

/** Fires the event of a page that the back-forward cache shows again. */
export const comeBack = () => rendered(() => dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));

/** Presses the button that requests a code, and waits for the answer. */
export async function press(): Promise<void> {
  await rendered(() => sendButton().click());
  await settle();
}

/** Replaces the value of a control, as typing does. */
export function type(text: string, input = byId('code')): void {
  input.value = text;
  input.setSelectionRange(text.length, text.length);
  input.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText' }));
}

/** Pastes a text into the code field. */
export function paste(text: string): Event {
  const event = new Event('paste', { bubbles: true, cancelable: true });
  byId('code').dispatchEvent(Object.assign(event, { clipboardData: { getData: () => text } }));
  return event;
}
