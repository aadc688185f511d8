import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { doing } from '../testing';
import {
  answerWith,
  asked,
  at,
  pass,
  paste,
  press,
  sendButton,
  settle,
  silent,
  start,
  submitted,
  type,
} from './code-testing';

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
    answerWith(silent);
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
