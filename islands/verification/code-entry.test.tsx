import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { rendered } from '../testing';
import {
  answerWith,
  byId,
  neverAnswer,
  paste,
  press,
  requests,
  sendButton,
  settle,
  start,
  submitted,
  type,
  wait,
} from './code-testing';

describe('the field', () => {
  test.each([
    ['12a3', '123'],
    ['１２３', '123'],
    ['12 34 56', '123456'],
    ['1234567', '123456'],
  ])('turns %s into %s', (typed, shown) => {
    start({ phone: '' });
    type(typed);
    expect(byId('code').value).toBe(shown);
  });

  test('keeps the caret beside the same digit', () => {
    start();
    const input = byId('code');
    input.focus();
    input.value = '1x23';
    input.setSelectionRange(2, 2);
    input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    expect([input.value, input.selectionStart]).toEqual(['123', 1]);
  });

  test('changes nothing while an input method composes', () => {
    start();
    byId('code').value = '１２';
    byId('code').dispatchEvent(new InputEvent('input', { bubbles: true, isComposing: true }));
    expect(byId('code').value).toBe('１２');
    byId('code').dispatchEvent(new Event('compositionend', { bubbles: true }));
    expect(byId('code').value).toBe('12');
  });

  test.each([
    '验证码 123456，5 分钟内有效',
    '【金穗】１２３４５６是您的验证码',
    'Call 13800138000. Your code: 123456',
    'Your code is 123456.\n\n@account.example.com #123456',
    '123 456',
    '1-2-3-4-5-6',
  ])('finds the code in pasted text: %s', (text) => {
    start({ phone: '' });
    type('99');
    expect(paste(text).defaultPrevented).toBe(true);
    expect(byId('code').value).toBe('123456');
  });

  test.each(['12', '13800138000', 'hello', ''])('leaves pasted text without a code to the browser: %s', (text) => {
    start();
    expect(paste(text).defaultPrevented).toBe(false);
  });
});

describe('the last digit', () => {
  test('presses the main button if no other field is empty', () => {
    start();
    type('12345');
    expect(submitted).toEqual([]);
    type('123456');
    expect(submitted).toEqual(['main']);
    expect(byId('main').textContent).toBe('Signing in…');
  });

  test('presses the main button after a paste', () => {
    start();
    paste('123456');
    expect(submitted).toEqual(['main']);
  });

  test.each([
    ['an empty field', '<input name="name" required>'],
    ['an unticked box', '<input type="checkbox" name="agree" required>'],
    ['a select without a choice', '<select name="trade" required><option value=""></option></select>'],
  ])('presses nothing with %s', (_, more) => {
    start({ more });
    type('123456');
    expect(submitted).toEqual([]);
  });

  test('presses nothing for digits that were refused', () => {
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
    expect(enter(byId(id)).defaultPrevented).toBe(true);
    expect([submitted, requests.length]).toEqual([['main'], 0]);
  });

  test('on the send button presses the send button', () => {
    start();
    expect(enter(sendButton()).defaultPrevented).toBe(false);
  });

  test('in a text of several lines is left to the browser, as are other keys', () => {
    start({ more: '<textarea></textarea>' });
    expect(enter(document.querySelector('textarea') as Element).defaultPrevented).toBe(false);
    expect(enter(byId('code'), '1').defaultPrevented).toBe(false);
  });
});

describe('a text message', () => {
  let otpRequests: (CredentialRequestOptions & { otp: object })[];
  let arrive: (found: { code: string } | null) => void;

  beforeEach(() => {
    otpRequests = [];
    vi.stubGlobal('OTPCredential', class {});
    Object.defineProperty(navigator, 'credentials', {
      configurable: true,
      value: {
        get: (options: (typeof otpRequests)[0]) => {
          otpRequests.push(options);
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

  const aborted = () => otpRequests.map(({ signal }) => signal?.aborted);

  test('is awaited only after a code was requested', async () => {
    start({ phone: '' });
    expect(otpRequests).toEqual([]);
    answerWith(neverAnswer);
    await press();
    expect(otpRequests[0]?.otp).toEqual({ transport: ['sms'] });
  });

  test('fills in the code and submits a form without other empty fields', async () => {
    start({ props: { seconds: 30 } });
    arrive({ code: '123456' });
    await settle();
    expect([byId('code').value, submitted]).toEqual(['123456', ['main']]);
  });

  test('that does not arrive changes nothing', async () => {
    start({ props: { seconds: 30 } });
    arrive(null);
    await settle();
    expect(byId('code').value).toBe('');
  });

  test('is awaited once at a time, and no longer after the form is submitted', async () => {
    start({ props: { seconds: 1 } });
    await wait(1000);
    await press();
    expect(aborted()).toEqual([true, false]);
    await rendered(() => byId('main').click());
    await settle();
    expect(aborted()).toEqual([true, true]);
  });
});
