import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import bridge, { type BridgeProps, TOKEN_RETRY_MS } from './bridge';

type Sent = { id: string; call: string; args: Record<string, unknown> };

const TOKEN = 'an-api-token-of-the-app-0123456789';
const VALUES: Record<string, unknown> = {
  token: TOKEN,
  apiAddress: 'https://api.portico.test',
  state: 'online',
  version: '3.2.1',
  mac: '02:00:5E:10:00:01',
};
const USER = { id_: 7, login_: 'buyer1', name_: '王芳', type_: 3, company_id_: 1001, company_name_: '金穗粮油' };
const SIDE = { user: USER, code: '/native/code/shop', token: 'f0rm', sign_in: 'abcdefghijkl' };

let sent: Sent[] = [];
let values: Record<string, unknown> = {};
let refusals: Record<string, string> = {};
const server = vi.fn();
const went = { assign: vi.fn(), replace: vi.fn() };

/** An app that answers with `values`, and refuses what is in `refusals`. */
function wrap(): void {
  const object = {
    onmessage: null as ((event: { data: string }) => void) | null,
    postMessage(message: string) {
      const asked = JSON.parse(message) as Sent;
      sent.push(asked);
      const error = refusals[asked.call];
      const data = JSON.stringify({ v: 1, id: asked.id, ok: !error, result: values[asked.call] ?? null, error });
      setTimeout(() => object.onmessage?.({ data }));
    },
  };
  vi.stubGlobal('PorticoNative', object);
}

/** Opens a page in the app, and lets everything happen. */
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

const called = (name: string) => sent.filter(({ call }) => call === name).map(({ args }) => args);

function press(selector: string): boolean {
  return document
    .querySelector(selector)
    ?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })) as boolean;
}

const says = (body: unknown, status = 200) =>
  server.mockImplementation(async () => new Response(JSON.stringify(body), { status }));

/** Pages add listeners to these; a real one goes with its page. */
const listeners: [EventTarget, string, EventListener][] = [];

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  values = { ...VALUES };
  refusals = {};
  sessionStorage.clear();
  server.mockReset();
  vi.stubGlobal('fetch', server);
  vi.stubGlobal('location', Object.assign(Object.create(location), went));
  went.assign.mockReset();
  went.replace.mockReset();
  for (const target of [document, window]) {
    const add = target.addEventListener.bind(target);
    vi.spyOn(target, 'addEventListener').mockImplementation(((type: string, listener: EventListener) => {
      listeners.push([target, type, listener]);
      add(type, listener);
    }) as typeof target.addEventListener);
  }
  wrap();
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
    ['what the server says', { title: '订单' }, '<main><h1>您好，王芳</h1></main>', '订单'],
    [
      'the title, where the heading is a sentence',
      {},
      '<main><div class="state"><h1>服务繁忙</h1></div></main>',
      '金穗粮油',
    ],
    ['the title, where there is no heading', {}, '<main></main>', '金穗粮油'],
  ])('shows %s', async (_, props, markup, title) => {
    document.title = '金穗粮油';
    await open(props, markup);
    expect(called('setAppBar')).toEqual([{ title, back: history.length > 1, color: '#20ade5' }]);
    expect(called('action')).toEqual([{ number: 1 }]);
  });

  test('has a way back but on first pages, and where there is nothing behind', async () => {
    const length = vi.spyOn(history, 'length', 'get').mockReturnValue(2);
    await open({});
    await open({ first: true });
    length.mockReturnValue(1);
    await open({});
    expect(called('setAppBar').map(({ back }) => back)).toEqual([true, false, false]);
  });

  test('is set again when the page comes back as it was left', async () => {
    await open();
    for (const persisted of [false, true]) {
      window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
    }
    expect(called('setAppBar').length).toBe(2);
  });
});

describe('a phone number', () => {
  const markup = '<main><a id="a" href="tel:400%20800-1234"><b>服务台</b></a><a id="b" href="tel:*100%23">x</a></main>';

  test('is called by the app', async () => {
    await open({}, '<main><a href="tel:4008001234"><b>服务台</b></a></main>');
    expect(press('b')).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(called('call')).toEqual([{ phone: '4008001234' }]);
    expect(went.assign).not.toHaveBeenCalled();
  });

  test('is called by the system where the app does not take it', async () => {
    refusals.call = 'refused';
    await open({}, '<main><a href="tel:4008001234">服务台</a></main>');
    expect(press('a')).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(went.assign).toHaveBeenCalledWith('tel:4008001234');
  });

  test('is left to the system where it is none, and where the app has never answered', async () => {
    await open({}, markup);
    expect(press('#b')).toBe(true);
    vi.stubGlobal('PorticoNative', { onmessage: null, postMessage() {} });
    await open({}, '<main><a id="c" href="tel:4008001234">服务台</a></main>');
    for (const [target, type, listener] of listeners.splice(0, 2)) {
      target.removeEventListener(type, listener); // of the first page
    }
    expect(press('#c')).toBe(true);
    expect(called('call')).toEqual([]);
  });
});

describe('the person who is signed in', () => {
  test('is saved once for each sign-in, with a code', async () => {
    says({ auth_code_: 'c0de' });
    await open(SIDE);
    await open(SIDE);
    expect(called('saveUserInfo')).toEqual([{ ...USER, auth_code_: 'c0de' }]);
    expect(server).toHaveBeenCalledTimes(1);
    const [url, { method, body }] = server.mock.calls[0] as [string, RequestInit];
    expect([url, method, `${body}`]).toEqual(['/native/code/shop', 'POST', 'token=f0rm']);
    await open({ ...SIDE, sign_in: 'another-one1' });
    expect(called('saveUserInfo').length).toBe(2);
  });

  test('is kept nowhere else', async () => {
    says({ auth_code_: 'c0de' });
    await open(SIDE);
    expect({ ...sessionStorage }).toEqual({ native_saved: 'abcdefghijkl' });
    expect(document.documentElement.outerHTML).not.toContain('c0de');
  });

  test('gets another code when the first came too late, and no third', async () => {
    says({ auth_code_: 'c0de' });
    refusals.saveUserInfo = 'code_expired';
    await open(SIDE);
    expect(called('saveUserInfo').length).toBe(2);
    await open(SIDE);
    expect(server).toHaveBeenCalledTimes(2);
  });

  test('is not saved again when the app refuses', async () => {
    says({ auth_code_: 'c0de' });
    refusals.saveUserInfo = 'refused';
    await open(SIDE);
    await open(SIDE);
    expect(called('saveUserInfo').length).toBe(1);
  });

  test.each(['http://evil.test', 'https://api.other.test', '', null])(
    'gets no code for an API at %j',
    async (address) => {
      values.apiAddress = address;
      await open(SIDE);
      expect(server).not.toHaveBeenCalled();
      expect(called('saveUserInfo')).toEqual([]);
    },
  );

  test.each([
    ['an ended session', () => says({ message: '' }, 401)],
    ['no network', () => server.mockRejectedValue(TypeError('network'))],
    ['a page of failure', () => server.mockResolvedValue(new Response('<html>', { status: 500 }))],
  ])('is tried again on the next page after %s', async (_, fail) => {
    fail();
    await open(SIDE);
    expect(called('saveUserInfo')).toEqual([]);
    says({ auth_code_: 'c0de' });
    await open(SIDE);
    expect(called('saveUserInfo').length).toBe(1);
  });

  test('is deleted by signing out', async () => {
    await open({ enter: '/native/enter' }, '<main data-mirror-clear><h1>登录</h1></main>');
    expect(called('deleteUserInfo')).toEqual([{}]);
    expect(called('token')).toEqual([]);
    await open({ enter: '/native/enter' });
    expect(called('token')).toEqual([]); // nor later in the same visit
  });
});

describe('the token of the app', () => {
  test('signs in, and says so meanwhile', async () => {
    let answer: (response: Response) => void = () => {};
    server.mockReturnValue(new Promise((resolve) => (answer = resolve)));
    const said = await open({ enter: '/native/enter' });
    expect(said.textContent).toBe('正在为您登录…');
    const [url, { method, body }] = server.mock.calls[0] as [string, RequestInit];
    expect([url, method, `${body}`]).toEqual(['/native/enter', 'POST', `app_token=${TOKEN}&width=${innerWidth}`]);
    answer(new Response('{"location":"https://m.portico.test/shop?companyId=1001"}'));
    await vi.advanceTimersByTimeAsync(0);
    expect(went.replace).toHaveBeenCalledWith('https://m.portico.test/shop?companyId=1001');
    expect(JSON.stringify({ ...sessionStorage })).not.toContain(TOKEN);
  });

  test('leaves the form when it is refused, with the reason where there is one', async () => {
    says({ message: '' }, 401);
    expect((await open({ enter: '/native/enter' })).textContent).toBe('');
    sessionStorage.clear();
    says({ message: '企业账号已停用' }, 422);
    expect((await open({ enter: '/native/enter' })).textContent).toBe('企业账号已停用');
    sessionStorage.clear();
    server.mockRejectedValue(TypeError('network'));
    expect((await open({ enter: '/native/enter' })).textContent).toBe('');
    expect(went.replace).not.toHaveBeenCalled();
  });

  test('is given up when the server does not answer', async () => {
    server.mockImplementation(
      (_, { signal }: RequestInit) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(Error('late')))),
    );
    const said = await open({ enter: '/native/enter' });
    await vi.advanceTimersByTimeAsync(15_000);
    expect(said.textContent).toBe('');
  });

  test('is not brought twice within five minutes', async () => {
    says({ location: '/' });
    await open({ enter: '/native/enter' });
    await open({ enter: '/native/enter' });
    expect(server).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(TOKEN_RETRY_MS);
    says({ location: '/' });
    await open({ enter: '/native/enter' });
    expect(server).toHaveBeenCalledTimes(2);
  });

  test('is not used where the page does not ask for it, without one, and for an API that is not listed', async () => {
    await open({});
    values.token = '';
    await open({ enter: '/native/enter' });
    values = { ...VALUES, apiAddress: 'http://evil.test' };
    await open({ enter: '/native/enter' });
    expect(called('token').length).toBe(1);
    expect(server).not.toHaveBeenCalled();
  });

  test('is not brought where it could not be noted that it was', async () => {
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw Error('quota');
    });
    await open({ enter: '/native/enter' });
    await open(SIDE);
    expect(called('saveUserInfo')).toEqual([]);
    expect(went.replace).not.toHaveBeenCalled();
  });

  test('does not take the page from somebody who types', async () => {
    const page = open({ enter: '/native/enter' }, '<main><input></main>');
    document.querySelector('input')?.dispatchEvent(new Event('input', { bubbles: true }));
    await page;
    expect(server).not.toHaveBeenCalled();
  });
});

const find = (name: string) => document.querySelector(`[data-native=${name}]`) as HTMLElement;

describe('a page of failure', () => {
  const markup = `<main><div class="state"><h1>x</h1><button data-native="settings" hidden></button>
    <button data-native="close" hidden></button><p data-about="r-17" hidden></p>
    <button data-native="copy" data-copied="Copied" hidden></button></div></main>`;
  const about = () => document.querySelector('[data-about]') as HTMLElement;

  test('offers the settings of the connection and the way out, and says what customer service asks for', async () => {
    const copied = vi.fn().mockResolvedValue(undefined);
    vi.stubGlobal('navigator', { clipboard: { writeText: copied } });
    await open({}, markup);
    for (const name of ['settings', 'close', 'copy']) {
      expect(find(name).hidden).toBe(false);
    }
    expect(about().hidden).toBe(false);
    expect(about().textContent).toBe('r-17 · 3.2.1 · online · 02:00:5E:10:00:01');
    find('settings').click();
    expect(called('openIPSettings')).toEqual([{}]);
    find('close').click();
    expect(called('action')).toEqual([{ number: 1 }, { number: 2 }]);
    find('copy').click();
    expect(copied.mock.calls).toEqual([['r-17 · 3.2.1 · online']]);
  });

  test('offers nothing where the app does not answer', async () => {
    vi.stubGlobal('PorticoNative', { onmessage: null, postMessage() {} });
    await open({}, markup);
    await vi.advanceTimersByTimeAsync(10_000);
    for (const name of ['settings', 'close', 'copy']) {
      expect(find(name).hidden).toBe(true);
    }
    expect(about().hidden).toBe(true);
  });

  test('stays as it is where the app refuses what is pressed', async () => {
    refusals = { action: 'refused', openIPSettings: 'unknown_call' };
    await open({}, markup);
    find('close').click();
    find('settings').click();
    await vi.advanceTimersByTimeAsync(100);
    expect(find('close').hidden).toBe(false);
  });
});

describe('what the app can do by number', () => {
  const notes = `<main><div><button data-native="update"></button></div>
    <div data-app="close" hidden><button data-native="close"></button></div>
    <div data-app="notices" hidden><button data-native="notices"></button>
      <button data-native="dismiss"></button></div></main>`;
  const note = (name: string) => document.querySelector(`[data-app=${name}]`) as HTMLElement;
  const numbers = () => called('action').map(({ number }) => number);

  test('closing is offered where the page has it, by number 2', async () => {
    await open({}, notes);
    expect(note('close').hidden).toBe(false);
    find('close').click();
    expect(numbers()).toEqual([1, 2]);
  });

  test('an update is looked for where the page asks for it, by number 3', async () => {
    await open({}, notes);
    find('update').click();
    expect(numbers()).toEqual([1, 3]);
    expect(called('version')).toEqual([]);
  });

  test.each([
    ['notices', [1, 4]],
    ['dismiss', [1]],
  ])('the offer of notifications ends with %s, and that is kept', async (name, sentNumbers) => {
    says({});
    await open({ notices: '/native/notices/shop', token: 'f0rm' }, notes);
    expect(note('notices').hidden).toBe(false);
    find(name).click();
    await vi.advanceTimersByTimeAsync(100);
    expect(numbers()).toEqual(sentNumbers);
    expect(note('notices')).toBeNull();
    expect(server.mock.calls[0]?.[0]).toBe('/native/notices/shop');
    expect(`${server.mock.calls[0]?.[1].body}`).toBe('token=f0rm');
  });

  test('nothing is offered where the app does not answer', async () => {
    vi.stubGlobal('PorticoNative', { onmessage: null, postMessage() {} });
    await open({ notices: '/native/notices/shop' }, notes);
    await vi.advanceTimersByTimeAsync(10_000);
    for (const name of ['close', 'notices']) {
      expect(note(name).hidden).toBe(true);
    }
    expect(find('update')).toBeNull();
  });
});

test('where the object of the app is not there, the page stays as it is', async () => {
  vi.stubGlobal('PorticoNative', undefined);
  const said = await open({ ...SIDE, enter: '/native/enter' }, '<main><a href="tel:4008001234">x</a></main>');
  expect(press('a')).toBe(true);
  expect(server).not.toHaveBeenCalled();
  expect(said.textContent).toBe('');
  expect(sessionStorage.length).toBe(0);
});
