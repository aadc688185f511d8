import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RENEWED_EVENT } from '../renewed';
import bridge, { type BridgeProps, TOKEN_RETRY_MS } from './bridge';

/** A message to the app. */
type Message = { id: string; call: string; args: Record<string, unknown> };

const TOKEN = 'an-api-token-of-the-app-0123456789';
const VALUES: Record<string, unknown> = {
  token: TOKEN,
  apiAddress: 'https://api.portico.test',
  state: 'online',
  version: '3.2.1',
  mac: '02:00:5E:10:00:01',
};
const USER = { id_: 7, login_: 'buyer1', name_: '王芳', type_: 3, company_id_: 1001, company_name_: '金穗粮油' };
const SIGNED_IN = { user: USER, code: '/native/code/shop', token: 'f0rm', sign_in: 'abcdefghijkl' };

let sent: Message[] = [];
let values: Record<string, unknown> = {};
let refusals: Record<string, string> = {};
const server = vi.fn();
const navigated = { assign: vi.fn(), replace: vi.fn() };

/** Puts an app into the window. It answers with `values`, and refuses the calls in `refusals`. */
function stubApp(): void {
  const object = {
    onmessage: null as ((event: { data: string }) => void) | null,
    postMessage(message: string) {
      const received = JSON.parse(message) as Message;
      sent.push(received);
      const error = refusals[received.call];
      const data = JSON.stringify({ v: 1, id: received.id, ok: !error, result: values[received.call] ?? null, error });
      setTimeout(() => object.onmessage?.({ data }));
    },
  };
  vi.stubGlobal('PorticoNative', object);
}

/** Opens a page in the app, and waits until the calls have been answered. Returns the status line. */
async function open(props: Partial<BridgeProps> = {}, markup = '<main><h1>登录</h1></main>'): Promise<HTMLElement> {
  document.body.innerHTML = `${markup}<div id="bridge"><p role="status"></p></div>`;
  const element = document.getElementById('bridge') as HTMLElement;
  bridge(element, {
    on: 'android',
    apis: ['https://api.portico.test'],
    color: '#20ade5',
    texts: { entering: '正在为您登录…' },
    ...props,
  });
  await vi.advanceTimersByTimeAsync(100);
  return element.querySelector('[role=status]') as HTMLElement;
}

const callsOf = (name: string) => sent.filter(({ call }) => call === name).map(({ args }) => args);

function press(selector: string): boolean {
  return document
    .querySelector(selector)
    ?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })) as boolean;
}

const serverAnswers = (body: unknown, status = 200) =>
  server.mockImplementation(async () => new Response(JSON.stringify(body), { status }));

/** The listeners of the pages of a test. The test removes them, as a browser does with a page. */
const listeners: [EventTarget, string, EventListener][] = [];

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  values = { ...VALUES };
  refusals = {};
  sessionStorage.clear();
  server.mockReset();
  vi.stubGlobal('fetch', server);
  vi.stubGlobal('location', Object.assign(Object.create(location), navigated));
  navigated.assign.mockReset();
  navigated.replace.mockReset();
  for (const target of [document, window]) {
    const add = target.addEventListener.bind(target);
    vi.spyOn(target, 'addEventListener').mockImplementation(((type: string, listener: EventListener) => {
      listeners.push([target, type, listener]);
      add(type, listener);
    }) as typeof target.addEventListener);
  }
  stubApp();
});

afterEach(() => {
  for (const [target, type, listener] of listeners.splice(0)) {
    target.removeEventListener(type, listener);
  }
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('the app bar', () => {
  test.each([
    ['the heading of the page', {}, '<main><h1> 找回密码 </h1></main>', '找回密码'],
    ['the title of the server', { title: '订单' }, '<main><h1>您好，王芳</h1></main>', '订单'],
    [
      'the document title, if the heading is a sentence',
      {},
      '<main><div class="state"><h1>服务繁忙</h1></div></main>',
      '金穗粮油',
    ],
    ['the document title, if there is no heading', {}, '<main></main>', '金穗粮油'],
  ])('shows %s', async (_, props, markup, title) => {
    document.title = '金穗粮油';
    await open(props, markup);
    expect(callsOf('setAppBar')).toEqual([{ title, back: history.length > 1, color: '#20ade5' }]);
    expect(callsOf('action')).toEqual([{ number: 1 }]);
  });

  test('has a back button except on first pages and without earlier pages', async () => {
    const length = vi.spyOn(history, 'length', 'get').mockReturnValue(2);
    await open({});
    await open({ first: true });
    length.mockReturnValue(1);
    await open({});
    expect(callsOf('setAppBar').map(({ back }) => back)).toEqual([true, false, false]);
  });

  test('is set again when the page comes back from the cache', async () => {
    await open();
    for (const persisted of [false, true]) {
      window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
    }
    expect(callsOf('setAppBar').length).toBe(2);
  });
});

describe('a phone number', () => {
  const markup = '<main><a id="a" href="tel:400%20800-1234"><b>服务台</b></a><a id="b" href="tel:*100%23">x</a></main>';

  test('is called by the app', async () => {
    await open({}, '<main><a href="tel:4008001234"><b>服务台</b></a></main>');
    expect(press('b')).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(callsOf('call')).toEqual([{ phone: '4008001234' }]);
    expect(navigated.assign).not.toHaveBeenCalled();
  });

  test('is called by the system if the app refuses', async () => {
    refusals.call = 'refused';
    await open({}, '<main><a href="tel:4008001234">服务台</a></main>');
    expect(press('a')).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(navigated.assign).toHaveBeenCalledWith('tel:4008001234');
  });

  test('is left to the system if it is malformed or the app has never answered', async () => {
    await open({}, markup);
    expect(press('#b')).toBe(true);
    vi.stubGlobal('PorticoNative', { onmessage: null, postMessage() {} });
    await open({}, '<main><a id="c" href="tel:4008001234">服务台</a></main>');
    for (const [target, type, listener] of listeners.splice(0, 2)) {
      target.removeEventListener(type, listener); // of the first page
    }
    expect(press('#c')).toBe(true);
    expect(callsOf('call')).toEqual([]);
  });
});

describe('the person who is signed in', () => {
  test('is saved in the app once for each sign-in, with a code', async () => {
    serverAnswers({ auth_code_: 'c0de' });
    await open(SIGNED_IN);
    await open(SIGNED_IN);
    expect(callsOf('saveUserInfo')).toEqual([{ ...USER, auth_code_: 'c0de' }]);
    expect(server).toHaveBeenCalledTimes(1);
    const [url, { method, body }] = server.mock.calls[0] as [string, RequestInit];
    expect([url, method, `${body}`]).toEqual(['/native/code/shop', 'POST', 'token=f0rm']);
    await open({ ...SIGNED_IN, sign_in: 'another-one1' });
    expect(callsOf('saveUserInfo').length).toBe(2);
  });

  test('is stored nowhere else', async () => {
    serverAnswers({ auth_code_: 'c0de' });
    await open(SIGNED_IN);
    expect({ ...sessionStorage }).toEqual({ native_saved: 'abcdefghijkl' });
    expect(document.documentElement.outerHTML).not.toContain('c0de');
  });

  test('gets a second code if the first has expired, and no third', async () => {
    serverAnswers({ auth_code_: 'c0de' });
    refusals.saveUserInfo = 'code_expired';
    await open(SIGNED_IN);
    expect(callsOf('saveUserInfo').length).toBe(2);
    await open(SIGNED_IN);
    expect(server).toHaveBeenCalledTimes(2);
  });

  test('is not saved again if the app refuses', async () => {
    serverAnswers({ auth_code_: 'c0de' });
    refusals.saveUserInfo = 'refused';
    await open(SIGNED_IN);
    await open(SIGNED_IN);
    expect(callsOf('saveUserInfo').length).toBe(1);
  });

  test.each(['http://evil.test', 'https://api.other.test', '', null])(
    'gets no code for an API at %j',
    async (address) => {
      values.apiAddress = address;
      await open(SIGNED_IN);
      expect(server).not.toHaveBeenCalled();
      expect(callsOf('saveUserInfo')).toEqual([]);
    },
  );

  test.each([
    ['an expired session', () => serverAnswers({ message: '' }, 401)],
    ['a network error', () => server.mockRejectedValue(TypeError('network'))],
    ['an error page', () => server.mockResolvedValue(new Response('<html>', { status: 500 }))],
  ])('is saved on the next page after %s', async (_, fail) => {
    fail();
    await open(SIGNED_IN);
    expect(callsOf('saveUserInfo')).toEqual([]);
    serverAnswers({ auth_code_: 'c0de' });
    await open(SIGNED_IN);
    expect(callsOf('saveUserInfo').length).toBe(1);
  });

  test('is deleted from the app by signing out', async () => {
    await open({ enter: '/native/enter' }, '<main data-mirror-clear><h1>登录</h1></main>');
    expect(callsOf('deleteUserInfo')).toEqual([{}]);
    expect(callsOf('token')).toEqual([]);
    await open({ enter: '/native/enter' });
    expect(callsOf('token')).toEqual([]); // and not later in the same visit
  });
});

describe('the token of the app', () => {
  test('signs in, with a message meanwhile', async () => {
    let answer: (response: Response) => void = () => {};
    server.mockReturnValue(new Promise((resolve) => (answer = resolve)));
    const status = await open({ enter: '/native/enter' });
    expect(status.textContent).toBe('正在为您登录…');
    const [url, { method, body }] = server.mock.calls[0] as [string, RequestInit];
    expect([url, method, `${body}`]).toEqual(['/native/enter', 'POST', `app_token=${TOKEN}&width=${innerWidth}`]);
    answer(new Response('{"location":"https://m.portico.test/shop?companyId=1001"}'));
    await vi.advanceTimersByTimeAsync(0);
    expect(navigated.replace).toHaveBeenCalledWith('https://m.portico.test/shop?companyId=1001');
    expect(JSON.stringify({ ...sessionStorage })).not.toContain(TOKEN);
  });

  test('that is refused leaves the form, with the reason if there is one', async () => {
    serverAnswers({ message: '' }, 401);
    expect((await open({ enter: '/native/enter' })).textContent).toBe('');
    sessionStorage.clear();
    serverAnswers({ message: '企业账号已停用' }, 422);
    expect((await open({ enter: '/native/enter' })).textContent).toBe('企业账号已停用');
    sessionStorage.clear();
    server.mockRejectedValue(TypeError('network'));
    expect((await open({ enter: '/native/enter' })).textContent).toBe('');
    expect(navigated.replace).not.toHaveBeenCalled();
  });

  test('is given up if the server does not answer', async () => {
    server.mockImplementation(
      (_, { signal }: RequestInit) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(Error('late')))),
    );
    const status = await open({ enter: '/native/enter' });
    await vi.advanceTimersByTimeAsync(15_000);
    expect(status.textContent).toBe('');
  });

  test('is not used twice within five minutes', async () => {
    serverAnswers({ location: '/' });
    await open({ enter: '/native/enter' });
    await open({ enter: '/native/enter' });
    expect(server).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(TOKEN_RETRY_MS);
    serverAnswers({ location: '/' });
    await open({ enter: '/native/enter' });
    expect(server).toHaveBeenCalledTimes(2);
  });

  test('is not used on other pages, if it is empty, or with an API that is not listed', async () => {
    await open({});
    values.token = '';
    await open({ enter: '/native/enter' });
    values = { ...VALUES, apiAddress: 'http://evil.test' };
    await open({ enter: '/native/enter' });
    expect(callsOf('token').length).toBe(1);
    expect(server).not.toHaveBeenCalled();
  });

  test('is not used if the session storage is full', async () => {
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw Error('quota');
    });
    await open({ enter: '/native/enter' });
    await open(SIGNED_IN);
    expect(callsOf('saveUserInfo')).toEqual([]);
    expect(navigated.replace).not.toHaveBeenCalled();
  });

  test('is not used while the person types', async () => {
    const page = open({ enter: '/native/enter' }, '<main><input></main>');
    document.querySelector('input')?.dispatchEvent(new Event('input', { bubbles: true }));
    await page;
    expect(server).not.toHaveBeenCalled();
  });
});

const find = (name: string) => document.querySelector(`[data-native=${name}]`) as HTMLElement;

describe('an error page', () => {
  const markup = `<main><div class="state"><h1>x</h1><button data-native="settings" hidden></button>
    <button data-native="close" hidden></button><p data-about="r-17" hidden></p>
    <button data-native="copy" data-copied="Copied" hidden></button></div></main>`;
  const about = () => document.querySelector('[data-about]') as HTMLElement;

  test('shows buttons for network settings, closing and copying, and the details for customer service', async () => {
    const copied = vi.fn().mockResolvedValue(undefined);
    vi.stubGlobal('navigator', { clipboard: { writeText: copied } });
    await open({}, markup);
    for (const name of ['settings', 'close', 'copy']) {
      expect(find(name).hidden).toBe(false);
    }
    expect(about().hidden).toBe(false);
    expect(about().textContent).toBe('r-17 · 3.2.1 · online · 02:00:5E:10:00:01');
    find('settings').click();
    expect(callsOf('openIPSettings')).toEqual([{}]);
    find('close').click();
    expect(callsOf('action')).toEqual([{ number: 1 }, { number: 2 }]);
    find('copy').click();
    expect(copied.mock.calls).toEqual([['r-17 · 3.2.1 · online']]);
  });

  test('shows no buttons if the app does not answer', async () => {
    vi.stubGlobal('PorticoNative', { onmessage: null, postMessage() {} });
    await open({}, markup);
    await vi.advanceTimersByTimeAsync(10_000);
    for (const name of ['settings', 'close', 'copy']) {
      expect(find(name).hidden).toBe(true);
    }
    expect(about().hidden).toBe(true);
  });

  test('does not change if the app refuses an action', async () => {
    refusals = { action: 'refused', openIPSettings: 'unknown_call' };
    await open({}, markup);
    find('close').click();
    find('settings').click();
    await vi.advanceTimersByTimeAsync(100);
    expect(find('close').hidden).toBe(false);
  });
});

describe('the actions of the app', () => {
  const notes = `<main><div><button data-native="update"></button></div>
    <div data-app="close" hidden><button data-native="close"></button></div>
    <div data-app="notices" hidden><button data-native="notices"></button>
      <button data-native="dismiss"></button></div></main>`;
  const note = (name: string) => document.querySelector(`[data-app=${name}]`) as HTMLElement;
  const numbers = () => callsOf('action').map(({ number }) => number);

  test('the close button of a page sends action 2', async () => {
    await open({}, notes);
    expect(note('close').hidden).toBe(false);
    find('close').click();
    expect(numbers()).toEqual([1, 2]);
  });

  test('the update button of a page sends action 3', async () => {
    await open({}, notes);
    find('update').click();
    expect(numbers()).toEqual([1, 3]);
    expect(callsOf('version')).toEqual([]);
  });

  test.each([
    ['notices', [1, 4]],
    ['dismiss', [1]],
  ])('the button %s ends the offer of notifications, and the server stores that', async (name, sentNumbers) => {
    serverAnswers({});
    await open({ notices: '/native/notices/shop', token: 'f0rm' }, notes);
    expect(note('notices').hidden).toBe(false);
    find(name).click();
    await vi.advanceTimersByTimeAsync(100);
    expect(numbers()).toEqual(sentNumbers);
    expect(note('notices')).toBeNull();
    expect(server.mock.calls[0]?.[0]).toBe('/native/notices/shop');
    expect(`${server.mock.calls[0]?.[1].body}`).toBe('token=f0rm');
  });

  test('no action is offered if the app does not answer', async () => {
    vi.stubGlobal('PorticoNative', { onmessage: null, postMessage() {} });
    await open({ notices: '/native/notices/shop' }, notes);
    await vi.advanceTimersByTimeAsync(10_000);
    for (const name of ['close', 'notices']) {
      expect(note(name).hidden).toBe(true);
    }
    expect(find('update')).toBeNull();
  });
});

test('a part of the page that was renewed gets the title and the controls of the app', async () => {
  await open({ title: '订单', notices: '/notices' }, '<main><h1>订单</h1></main>');
  (document.querySelector('main') as HTMLElement).innerHTML = `<h1>确认 2 个订单？</h1><div data-app="notices" hidden>
    <button data-native="notices" hidden>On</button></div>`;
  document.dispatchEvent(new CustomEvent(RENEWED_EVENT));
  await vi.advanceTimersByTimeAsync(100);
  expect(callsOf('setAppBar').map(({ title }) => title)).toEqual(['订单', '确认 2 个订单？']);
  const note = document.querySelector<HTMLElement>('[data-app=notices]');
  expect([note?.hidden, note?.querySelector('button')?.hidden]).toEqual([false, false]);
  const before = callsOf('action').length;
  press('[data-native=notices]');
  expect(callsOf('action')).toHaveLength(before + 1);
  expect(document.querySelector('[data-app=notices]')).toBeNull();
});

test('without the object of an app the page does not change', async () => {
  vi.stubGlobal('PorticoNative', undefined);
  const status = await open({ ...SIGNED_IN, enter: '/native/enter' }, '<main><a href="tel:4008001234">x</a></main>');
  expect(press('a')).toBe(true);
  expect(server).not.toHaveBeenCalled();
  expect(status.textContent).toBe('');
  expect(sessionStorage.length).toBe(0);
});
