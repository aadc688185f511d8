import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { act, cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { sendOnce } from '../page/submit-once';
import { doing, hydrate, inOneLine } from '../testing';
import * as island from './code';

const TEXTS = { send: 'Get a code', wait: 'Again in {num} s', working: 'Sending…', proving: 'Checking…' };
const PROPS = {
  ...{ id: 'code', label: 'Code', maxLength: 6, enterKeyHint: 'go', hint: '', message: '', said: '' },
  ...{ action: 'send_code', url: '/code', purpose: 'login', send: ['phone'], seconds: 0, texts: TEXTS },
};
const SENT = { resend_after: 60, message: 'A code is on its way.' };
const NOW = 1_730_000_000_000;

type Page = { props?: Partial<island.CodeProps>; phone?: string; code?: string; more?: string };

/** The page as the server writes it. */
function page({ props = {}, phone = '138 0013 8000', code = '', more = '' }: Page = {}): void {
  const said = { ...PROPS, value: code, ...props };
  const label = said.seconds ? TEXTS.wait.replace('{num}', `${said.seconds}`) : TEXTS.send;
  const message = said.message && `<p class="msg" id="code-msg">${said.message}</p>`;
  const field = inOneLine(`
    <div class="field" data-island="code" data-load="more"><label for="code">Code</label><div class="code-row">
    <input class="input num" id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code"${' '}
      autocapitalize="off" spellcheck="false" maxlength="6" enterkeyhint="go" required${' '}
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
  at('code').closest<HTMLElement>('.field')?.setAttribute('data-props', JSON.stringify(said));
}

const at = <T extends HTMLElement = HTMLInputElement>(id: string) => document.getElementById(id) as T;
const sendButton = () => document.querySelector('[name=action]') as HTMLButtonElement;
const form = () => document.querySelector('form')?.outerHTML as string;
const hint = () => at('code-sent').textContent;
const look = () => [sendButton().textContent, sendButton().disabled];

/** Submissions of the real form: the pressed button, by its id, class or name. */
let submitted: (string | undefined)[];
let asked: { url: string; init: RequestInit; body: Record<string, string> }[];
let answers: ((init: RequestInit) => Promise<Response>)[];

const answering = (status: number, body: unknown) => async () => new Response(JSON.stringify(body), { status });
const refusing = (body: object, status = 422) => answering(status, { message: 'No.', ...body });
const offline = () => Promise.reject(new TypeError('offline'));
const silent = ({ signal }: RequestInit) =>
  new Promise<never>((_, fail) => signal?.addEventListener('abort', () => fail(new Error('aborted'))));

beforeAll(sendOnce);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: NOW });
  submitted = [];
  asked = [];
  answers = [];
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    asked.push({ url, init, body: Object.fromEntries(init.body as URLSearchParams) });
    return (answers.shift() ?? answering(200, SENT))(init);
  });
  document.addEventListener('submit', keep, true);
});

afterEach(() => {
  cleanup();
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })); // sendOnce lets go of the form
  document.removeEventListener('submit', keep, true);
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Holds the page, after everyone has heard that it would go. */
function keep(event: SubmitEvent): void {
  const button = event.submitter as HTMLButtonElement | null;
  submitted.push(button?.id || button?.name || button?.className);
  addEventListener('submit', (event) => event.preventDefault(), { once: true });
}

function start(options: Page = {}): void {
  page(options);
  hydrate('code', island);
}

/** Advances the clock, and waits until the component has rendered. */
const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));
const settle = () => pass(0);

/** Fires the event of a page that the back-forward cache shows again. */
const comeBack = () => doing(() => dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));

async function press(): Promise<void> {
  await doing(() => sendButton().click());
  await settle();
}

function type(text: string, input = at('code')): void {
  input.value = text;
  input.setSelectionRange(text.length, text.length);
  input.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText' }));
}

function paste(text: string): Event {
  const event = new Event('paste', { bubbles: true, cancelable: true });
  at('code').dispatchEvent(Object.assign(event, { clipboardData: { getData: () => text } }));
  return event;
}

describe('asking for a code', () => {
  test('is a same-origin POST of what the server named and what is hidden, and nothing else', async () => {
    start({
      props: { send: ['phone', 'who', 'agree', 'secret', 'shown'] },
      more: `<input name="name" value="not asked for">
        <input type="radio" name="who" value="a"><input type="radio" name="who" value="b" checked>
        <input type="checkbox" name="agree" value="1">
        <input type="hidden" name="purpose" value="another"><input type="hidden" name="off" value="x" disabled>
        <input type="password" name="secret" value="Demo2026">
        <input type="text" name="shown" autocomplete="new-password" value="Demo2026">`,
    });
    type('12', at('code'));
    await press();
    expect(asked).toHaveLength(1);
    const { url, init, body } = asked[0] as (typeof asked)[0];
    expect(url).toBe('/code');
    expect(init).toMatchObject({ method: 'POST', credentials: 'same-origin', headers: { Accept: 'application/json' } });
    expect(init.body).toBeInstanceOf(URLSearchParams); // fetch says application/x-www-form-urlencoded for it
    expect(body).toEqual({ purpose: 'login', phone: '138 0013 8000', who: 'b', width: '360', token: 'form token' });
    expect(submitted).toEqual([]);
  });

  test('shows at once that it works, and cannot be pressed twice', async () => {
    start();
    answers = [silent];
    sendButton().focus();
    await doing(() => sendButton().click());
    expect(look()).toEqual(['Sending…', false]);
    expect(sendButton().getAttribute('aria-busy')).toBe('true');
    expect(sendButton().classList.contains('busy')).toBe(true);
    await press();
    expect(asked).toHaveLength(1);
    expect(submitted).toEqual([]);
    expect(document.activeElement).toBe(sendButton());
  });

  test('that works says so, counts down and waits for the code', async () => {
    start();
    type('99');
    await press();
    expect(hint()).toBe('A code is on its way.');
    expect(look()).toEqual(['Again in 60 s', true]);
    expect(sendButton().className).toBe('button quiet num');
    expect(sendButton().hasAttribute('aria-busy')).toBe(false);
    expect(document.activeElement).toBe(at('code'));
    expect([at('code').selectionStart, at('code').selectionEnd]).toEqual([0, 2]);
  });

  test('leaves the page as it found it but for the message, when the time is over', async () => {
    start();
    const before = form();
    await press();
    await pass(60_000);
    expect(form()).toBe(before.replace('role="status">', '$&A code is on its way.'));
    await press();
    expect(asked).toHaveLength(2);
  });
});

describe('a refusal', () => {
  test('of a field stands beside it, as the server would put it, until one types', async () => {
    start();
    const before = form();
    answers = [refusing({ fields: { phone: 'A phone number has 11 digits.' } })];
    await press();
    const phone = at('phone');
    const note = at<HTMLElement>('phone-msg');
    expect(note.outerHTML).toBe('<p class="msg" id="phone-msg">A phone number has 11 digits.</p>');
    expect(note).toBe(phone.closest('.field')?.lastElementChild);
    expect([phone.getAttribute('aria-invalid'), phone.getAttribute('aria-describedby')]).toEqual(['true', 'phone-msg']);
    expect(document.activeElement).toBe(phone);
    expect([hint(), ...look()]).toEqual(['', 'Get a code', false]);
    type('1', phone);
    phone.value = '138 0013 8000';
    expect(form()).toBe(before);
  });

  test('keeps what described the field before, and is said once', async () => {
    start();
    at('phone').setAttribute('aria-describedby', 'phone-hint');
    for (const message of ['One.', 'Two.']) {
      answers = [refusing({ fields: { phone: message } })];
      await press();
    }
    expect([...document.querySelectorAll('.msg')].map((note) => note.textContent)).toEqual(['Two.']);
    expect(at('phone').getAttribute('aria-describedby')).toBe('phone-hint phone-msg');
    type('1', at('phone'));
    expect(at('phone').getAttribute('aria-describedby')).toBe('phone-hint');
  });

  test.each(['phone', 'code'])('of the server’s own goes when a code was sent: %s', async (id) => {
    page({ props: id === 'code' ? { message: 'Wrong.' } : {} });
    if (id === 'phone') {
      at(id).setAttribute('aria-invalid', 'true');
      at(id).setAttribute('aria-describedby', 'phone-sent phone-msg');
      at(id).closest('.field')?.insertAdjacentHTML('beforeend', '<p class="msg" id="phone-msg">Wrong.</p>');
    }
    hydrate('code', island);
    await press();
    expect(document.querySelector('.msg')).toBeNull();
    expect(at(id).hasAttribute('aria-invalid')).toBe(false);
    expect(at(id).getAttribute('aria-describedby')).toBe(`${id}-sent`);
  });

  test('of a field that is not here is said in the hint', async () => {
    start();
    answers = [refusing({ fields: { login: 'Unknown.' } }), answering(200, SENT)];
    await press();
    expect([hint(), at('code-sent').className]).toEqual(['No.', 'hint msg']);
    expect(document.activeElement).toBe(sendButton());
    await press();
    expect([hint(), at('code-sent').className]).toEqual(['A code is on its way.', 'hint']);
  });

  test.each([422, 429, 503])('with %i may say how long to wait', async (status) => {
    start();
    sendButton().focus();
    answers = [refusing({ resend_after: 42, message: 'A code was sent already.' }, status)];
    await press();
    expect([hint(), ...look()]).toEqual(['A code was sent already.', 'Again in 42 s', true]);
    expect(document.activeElement).toBe(at('code'));
    expect(submitted).toEqual([]);
  });
});

describe('the form goes the plain way, by the same button', () => {
  test.each([
    ['there is no network', offline],
    ['the answer is a page', async () => new Response('<!doctype html>')],
    ['the answer is empty', async () => new Response(null, { status: 502 })],
    ['the answer is null', answering(500, null)],
    ['the answer says nothing', answering(500, {})],
    ['the answer breaks off', async () => new Response('{"message":')],
  ])('when %s', async (_, answer) => {
    start();
    answers = [answer];
    await press();
    expect(submitted).toEqual(['action']);
    expect(sendButton().disabled).toBe(false); // a disabled button would not say action=send_code
    expect(asked).toHaveLength(1);
  });

  test('when nothing came for fifteen seconds', async () => {
    start();
    answers = [silent];
    await press();
    await pass(14_999);
    expect(submitted).toEqual([]);
    await pass(1);
    expect(submitted).toEqual(['action']);
  });

  test('when the server names no address', async () => {
    start({ props: { url: '' } });
    await press();
    expect([asked.length, submitted]).toEqual([0, ['action']]);
  });

  test('once: further presses find it on its way', async () => {
    start();
    answers = [offline];
    await press();
    expect(sendButton().getAttribute('aria-busy')).toBe('true');
    await press();
    expect(asked).toHaveLength(1);
  });

  test('and when the page comes back, the script asks again', async () => {
    start();
    answers = [offline];
    await press();
    await comeBack();
    await press();
    expect([asked.length, submitted.length, hint()]).toEqual([2, 1, 'A code is on its way.']);
  });
});

test('a page that is left while it asks sends no form, and has no mask when one comes back', async () => {
  start();
  answers = [silent];
  await press();
  expect(document.querySelectorAll('.mask')).toHaveLength(1);
  await doing(() => dispatchEvent(new Event('pagehide')));
  await settle();
  expect([submitted, look(), document.querySelectorAll('.mask').length]).toEqual([[], [TEXTS.send, false], 0]);
  await comeBack();
  await press();
  expect([asked.length, hint()]).toEqual([2, 'A code is on its way.']);
});

test('sending the form gives up what is still asked, and nothing more is sent', async () => {
  start();
  answers = [silent];
  await press();
  await doing(() => at('main').click());
  await settle();
  expect(asked[0]?.init.signal?.aborted).toBe(true);
  expect(submitted).toEqual(['main']);
  expect(look()).toEqual(['Get a code', false]);
});

describe('a proof of work', () => {
  const proof = { token: 'v1.kXw9Qm', bits: 9 };

  test('is found and sent along, once', async () => {
    start();
    answers = [refusing({ proof, message: undefined }), silent];
    await doing(() => sendButton().click());
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    expect([hint(), ...look()]).toEqual(['Checking…', 'Sending…', false]);
    const [first, second] = asked.map(({ body }) => body);
    expect(second).toEqual({ ...first, proof: proof.token, work: expect.stringMatching(/^\d+$/) });
    const hash = createHash('sha256').update(`${proof.token}:${second?.work}`).digest();
    expect(hash.readUInt16BE() >> 7).toBe(0);
  });

  test('that is not accepted leaves the question to the form itself', async () => {
    start();
    answers = [refusing({ proof }), refusing({ proof })];
    await doing(() => sendButton().click());
    await vi.waitFor(() => expect(submitted).toEqual(['action']));
    expect(asked).toHaveLength(2);
  });

  test('that would take too long is left to the form itself', async () => {
    let clock = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (clock += 10)); // short slices: there will be thousands
    start();
    answers = [refusing({ proof: { ...proof, bits: 32 } })];
    await press();
    await pass(15_000);
    expect([asked.length, submitted]).toEqual([1, ['action']]);
  });
});

describe('the countdown', () => {
  test('goes on where the server says', async () => {
    start({ props: { seconds: 42 } });
    expect(look()).toEqual(['Again in 42 s', true]);
    await pass(1000);
    expect(look()).toEqual(['Again in 41 s', true]);
    await pass(40_999);
    expect(look()).toEqual(['Again in 1 s', true]);
    await pass(1);
    expect(look()).toEqual(['Get a code', false]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is called what it shows, and is no live region', async () => {
    start({ props: { seconds: 2 } });
    const heard = () => ['aria-label', 'aria-disabled'].map((name) => sendButton().getAttribute(name));
    expect(heard()).toEqual([null, 'true']);
    await pass(1000);
    expect(heard()).toEqual([null, 'true']);
    expect(hint()).toBe('');
    await pass(1000);
    expect(heard()).toEqual([null, null]);
  });

  test('tells the truth after a sleep', async () => {
    start({ props: { seconds: 60 } });
    vi.setSystemTime(NOW + 45_500);
    await pass(1000);
    expect(look()).toEqual(['Again in 14 s', true]);
    vi.setSystemTime(NOW + 3_600_000);
    await pass(1000);
    expect(look()).toEqual(['Get a code', false]);
  });

  test('keeps nobody waiting longer because the clock was set back', async () => {
    start({ props: { seconds: 60 } });
    await pass(20_000);
    vi.setSystemTime(NOW - 86_400_000);
    await pass(1000);
    expect(look()).toEqual(['Again in 40 s', true]);
    await pass(40_000);
    expect(look()).toEqual(['Get a code', false]);
  });

  test('does not hold a button that a reload left disabled', () => {
    page();
    sendButton().disabled = true;
    hydrate('code', island);
    expect(look()).toEqual(['Get a code', false]);
  });
});

describe('another tab', () => {
  let channel: BroadcastChannel;
  const heard = vi.fn();

  beforeEach(() => {
    heard.mockClear();
    channel = new BroadcastChannel('portico-code');
    channel.onmessage = ({ data }) => heard(data);
  });

  afterEach(() => channel.close());

  test('hears of a code that was sent', async () => {
    start();
    await press();
    await vi.waitFor(() => expect(heard).toHaveBeenCalledWith({ purpose: 'login', until: NOW + 60_000 }));
  });

  test('shows the countdown here too, for the same purpose', async () => {
    start();
    channel.postMessage({ purpose: 'reset', until: NOW + 50_000 });
    channel.postMessage({ purpose: 'login', until: NOW + 30_000 });
    await vi.waitFor(() => expect(look()).toEqual(['Again in 30 s', true]));
  });

  test('does not disturb what is asked here', async () => {
    start();
    answers = [silent];
    await press();
    channel.postMessage({ purpose: 'login', until: NOW + 30_000 });
    await new Promise((done) => setImmediate(done));
    expect(look()).toEqual(['Sending…', false]);
  });

  test('is heard again after the page was away, and not before', async () => {
    start();
    await doing(() => dispatchEvent(new Event('pagehide')));
    channel.postMessage({ purpose: 'login', until: NOW + 30_000 });
    await new Promise((done) => setImmediate(done));
    expect(look()).toEqual(['Get a code', false]);
    await comeBack();
    channel.postMessage({ purpose: 'login', until: NOW + 20_000 });
    await vi.waitFor(() => expect(look()).toEqual(['Again in 20 s', true]));
  });

  test('is done without where the browser has no channels', async () => {
    vi.stubGlobal('BroadcastChannel', undefined);
    start();
    await press();
    expect(look()).toEqual(['Again in 60 s', true]);
  });
});

describe('the field', () => {
  test.each([
    ['12a3', '123'],
    ['１２３', '123'],
    ['12 34 56', '123456'],
    ['1234567', '123456'],
  ])('makes %s into %s', (typed, shown) => {
    start({ phone: '' });
    type(typed);
    expect(at('code').value).toBe(shown);
  });

  test('leaves the caret where the digits are', () => {
    start();
    const input = at('code');
    input.focus();
    input.value = '1x23';
    input.setSelectionRange(2, 2);
    input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    expect([input.value, input.selectionStart]).toEqual(['123', 1]);
  });

  test('waits for an input method to finish', () => {
    start();
    at('code').value = '１２';
    at('code').dispatchEvent(new InputEvent('input', { bubbles: true, isComposing: true }));
    expect(at('code').value).toBe('１２');
    at('code').dispatchEvent(new Event('compositionend', { bubbles: true }));
    expect(at('code').value).toBe('12');
  });

  test.each([
    '验证码 123456，5 分钟内有效',
    '【金穗】１２３４５６是您的验证码',
    'Call 13800138000. Your code: 123456',
    'Your code is 123456.\n\n@account.example.com #123456',
    '123 456',
    '1-2-3-4-5-6',
  ])('finds the code in what is pasted: %s', (text) => {
    start({ phone: '' });
    type('99');
    expect(paste(text).defaultPrevented).toBe(true);
    expect(at('code').value).toBe('123456');
  });

  test.each(['12', '13800138000', 'hello', ''])('leaves to the browser what holds no code: %s', (text) => {
    start();
    expect(paste(text).defaultPrevented).toBe(false);
  });
});

describe('the last digit', () => {
  test('sends the form by its main button when nothing else is missing', () => {
    start();
    type('12345');
    expect(submitted).toEqual([]);
    type('123456');
    expect(submitted).toEqual(['main']);
    expect(at('main').textContent).toBe('Signing in…');
  });

  test('does so after a paste', () => {
    start();
    paste('123456');
    expect(submitted).toEqual(['main']);
  });

  test.each([
    ['an empty field', '<input name="name" required>'],
    ['an open box', '<input type="checkbox" name="agree" required>'],
    ['no choice', '<select name="trade" required><option value=""></option></select>'],
  ])('does not with %s', (_, more) => {
    start({ more });
    type('123456');
    expect(submitted).toEqual([]);
  });

  test('does not a second time for the same digits', () => {
    start({ code: '123456' });
    type('12345');
    type('123456');
    expect(submitted).toEqual([]);
    type('123457');
    expect(submitted).toEqual(['main']);
  });
});

describe('Enter', () => {
  function enter(target: Element, key = 'Enter'): Event {
    const event = new KeyboardEvent('keypress', { key, bubbles: true, cancelable: true });
    target.dispatchEvent(event);
    return event;
  }

  test.each(['code', 'phone'])('in the field %s presses the main button', (id) => {
    start();
    expect(enter(at(id)).defaultPrevented).toBe(true);
    expect([submitted, asked.length]).toEqual([['main'], 0]);
  });

  test('on the send button presses that', () => {
    start();
    expect(enter(sendButton()).defaultPrevented).toBe(false);
  });

  test('is left alone in a text of several lines, as is any other key', () => {
    start({ more: '<textarea></textarea>' });
    expect(enter(document.querySelector('textarea') as Element).defaultPrevented).toBe(false);
    expect(enter(at('code'), '1').defaultPrevented).toBe(false);
  });
});

describe('a text message', () => {
  let wanted: (CredentialRequestOptions & { otp: object })[];
  let arrive: (found: { code: string } | null) => void;

  beforeEach(() => {
    wanted = [];
    vi.stubGlobal('OTPCredential', class {});
    Object.defineProperty(navigator, 'credentials', {
      configurable: true,
      value: {
        get: (options: (typeof wanted)[0]) => {
          wanted.push(options);
          return new Promise((resolve, fail) => {
            arrive = resolve;
            options.signal?.addEventListener('abort', () => fail(new Error('aborted')));
          });
        },
      },
    });
  });

  afterEach(() => {
    Reflect.deleteProperty(navigator, 'credentials');
    Reflect.deleteProperty(window, 'OTPCredential');
  });

  const given = () => wanted.map(({ signal }) => signal?.aborted);

  test('is waited for only once a code was asked for', async () => {
    start({ phone: '' });
    expect(wanted).toEqual([]);
    answers = [silent];
    await press();
    expect(wanted[0]?.otp).toEqual({ transport: ['sms'] });
  });

  test('fills the field in, and sends a form that lacks nothing else', async () => {
    start({ props: { seconds: 30 } });
    arrive({ code: '123456' });
    await settle();
    expect([at('code').value, submitted]).toEqual(['123456', ['main']]);
  });

  test('that does not come changes nothing', async () => {
    start({ props: { seconds: 30 } });
    arrive(null);
    await settle();
    expect(at('code').value).toBe('');
  });

  test('is waited for by one question at a time, and no more when the form goes', async () => {
    start({ props: { seconds: 1 } });
    await pass(1000);
    await press();
    expect(given()).toEqual([true, false]);
    await doing(() => at('main').click());
    await settle();
    expect(given()).toEqual([true, true]);
  });
});

test('all of it, with a server', async () => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  const bodies: URLSearchParams[] = [];
  const headers: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) {
      body += chunk;
    }
    bodies.push(new URLSearchParams(body));
    headers.push(`${request.method} ${request.url}`, request.headers.accept, request.headers['content-type']);
    const isProven = bodies.length > 1;
    response.writeHead(isProven ? 200 : 422, { 'Content-Type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(isProven ? SENT : { message: 'Prove it.', proof: { token: 't', bits: 10 } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { happyDOM } = window as unknown as { happyDOM: { setURL(url: string): void } };
  happyDOM.setURL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/login/code`);
  start();
  await doing(() => sendButton().click());
  await vi.waitFor(() => expect(hint()).toBe('A code is on its way.'));
  expect(bodies[1]?.get('phone')).toBe('138 0013 8000');
  expect(bodies[1]?.get('proof')).toBe('t');
  const hash = createHash('sha256')
    .update(`t:${bodies[1]?.get('work')}`)
    .digest();
  expect(Math.clz32(hash.readUInt32BE())).toBeGreaterThanOrEqual(10);
  expect(headers.slice(3)).toEqual([
    'POST /code',
    'application/json',
    expect.stringMatching(/^application\/x-www-form-urlencoded\b/),
  ]);
  server.closeAllConnections();
  server.close();
});

test('the page’s script finds the field', async () => {
  page();
  await import('../index');
  await vi.waitFor(() => expect(at('code').closest<HTMLElement>('.field')?.dataset.ready).toBe(''));
  await press();
  expect(asked).toHaveLength(1);
});
