import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { KEYS } from '../constants';
import { isId, mirror } from './local-storage';

beforeEach(() => {
  localStorage.clear();
  document.body.innerHTML = '';
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Adds values for local storage to the page, as the server writes them. */
function addValues(values: unknown): void {
  const element = document.body.appendChild(document.createElement('div'));
  element.setAttribute('data-mirror', typeof values === 'string' ? values : JSON.stringify(values));
}

const stored = () =>
  Object.fromEntries(KEYS.map((key) => [key, localStorage.getItem(key)]).filter(([, value]) => value !== null));

test('the keys are the eleven documented ones', () => {
  expect([...KEYS].sort()).toEqual(
    (
      'WechatproCode accountList companyData lang mMgr_user mShop_user pcMgr_user pcShop_user ' +
      'regionTreeList shareClientId shareUserId'
    ).split(' '),
  );
});

describe('the values of a page', () => {
  test('are written: objects and lists as JSON, texts unchanged', () => {
    addValues({
      companyData: { companyId: 1001, name: '金穗粮油' },
      lang: 'zh',
      accountList: [],
      regionTreeList: 3,
      mShop_user: { id_: '7' },
    });
    mirror('');
    expect(stored()).toEqual({
      companyData: '{"companyId":1001,"name":"金穗粮油"}',
      lang: 'zh',
      accountList: '[]',
      regionTreeList: '3',
      mShop_user: '{"id_":"7"}',
    });
  });

  test('do not change other keys, and null removes a key', () => {
    localStorage.setItem('lang', 'es');
    localStorage.setItem('mShop_user', '{}');
    addValues({ mShop_user: null });
    mirror('');
    expect(stored()).toEqual({ lang: 'es' });
  });

  test('are never written under another key', () => {
    addValues('{"token":"secret","auth_code_":"secret","__proto__":{"lang":"x"},"toString":1,"lang":"en"}');
    mirror('');
    expect(localStorage.length).toBe(1);
    expect(localStorage.getItem('lang')).toBe('en');
  });

  test.each(['', 'null', '"text"', '7', '{broken', '[]'])('are ignored if they are not an object: %j', (json) => {
    localStorage.setItem('lang', 'es');
    addValues(json);
    mirror('');
    expect(stored()).toEqual({ lang: 'es' });
  });
});

describe('a share id', () => {
  test.each(['0', '1', '42', '9223372036854775807', '0000000000000000001', '9007199254740993'])('%s is valid', (id) => {
    expect(isId(id)).toBe(true);
  });

  test.each([
    '',
    '-1',
    '+1',
    '1.0',
    '1e3',
    '0x1',
    ' 1',
    '1\n',
    'abc',
    '１',
    '9223372036854775808',
    '10000000000000000000',
    '00000000000000000001',
  ])('%j is invalid', (id) => {
    expect(isId(id)).toBe(false);
  });

  test('in the address is stored', () => {
    mirror('?u=9007199254740993&c=0');
    expect(stored()).toEqual({ shareUserId: '9007199254740993', shareClientId: '0' });
  });

  test('is removed if the address has a malformed one, and stays if it has none', () => {
    localStorage.setItem('shareUserId', '5');
    localStorage.setItem('shareClientId', '6');
    mirror('?u=5;drop&lang=zh');
    expect(stored()).toEqual({ shareClientId: '6' });
    mirror('?c=');
    expect(stored()).toEqual({});
  });
});

test('a page with data-mirror-clear removes the eleven keys and no others', () => {
  for (const key of KEYS) {
    localStorage.setItem(key, '1');
  }
  localStorage.setItem('other', '1');
  document.body.innerHTML = '<p data-mirror-clear></p>';
  mirror('');
  expect(stored()).toEqual({});
  expect(localStorage.getItem('other')).toBe('1');
});

describe('local storage that fails', () => {
  test('does not keep later keys from being written', () => {
    const setItem = vi.fn((key: string) => {
      if (key === 'companyData') {
        throw new Error('quota');
      }
    });
    vi.stubGlobal('localStorage', { setItem });
    addValues({ companyData: {}, lang: 'zh' });
    mirror('?u=1');
    expect(setItem.mock.calls.map(([key]) => key)).toEqual(['companyData', 'lang', 'shareUserId']);
  });

  test('does not throw even if accessing it is forbidden', () => {
    const original = Object.getOwnPropertyDescriptor(globalThis, 'localStorage') as PropertyDescriptor;
    Object.defineProperty(globalThis, 'localStorage', {
      configurable: true,
      get() {
        throw new Error('SecurityError');
      },
    });
    addValues({ lang: 'zh', mShop_user: null });
    document.body.append(clearElement());
    expect(() => mirror('?u=1&c=x')).not.toThrow();
    Object.defineProperty(globalThis, 'localStorage', original);
  });
});

function clearElement(): Element {
  const element = document.createElement('p');
  element.setAttribute('data-mirror-clear', '');
  return element;
}
