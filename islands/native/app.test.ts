import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Action, APP_TIMEOUT_MS, type NativeApp, nativeApp } from './app';

type Sent = { v: number; id: string; call: string; args: Record<string, unknown> };
type Heard = { v?: unknown; id?: unknown; ok?: unknown; result?: unknown; error?: unknown };
type Answering = (sent: Sent) => Heard | string | undefined;

const APIS = ['https://api.portico.test', 'https://portico.test'];
const USER = { id_: 7, login_: 'buyer1', name_: '王芳', type_: 3, company_id_: 1001, company_name_: '金穗粮油' };

let sent: Sent[] = [];

/** Puts the object of a variant into the window; what it is asked is answered by `answer`, undefined being silence. */
function wrap(on: 'ios' | 'android', answer: Answering): NativeApp {
  const texts = (message: string) => {
    const asked = JSON.parse(message) as Sent;
    sent.push(asked);
    const heard = answer(asked);
    return typeof heard === 'object' ? JSON.stringify({ v: 1, id: asked.id, ok: true, ...heard }) : heard;
  };
  if (on === 'ios') {
    const postMessage = (message: string) => {
      const text = texts(message);
      return text === undefined ? new Promise(() => {}) : Promise.resolve(text);
    };
    vi.stubGlobal('webkit', { messageHandlers: { portico: { postMessage } } });
  } else {
    const object = {
      onmessage: null as ((event: { data: unknown }) => void) | null,
      postMessage(message: string) {
        const data = texts(message);
        if (data !== undefined) {
          setTimeout(() => object.onmessage?.({ data }));
        }
      },
    };
    vi.stubGlobal('PorticoNative', object);
  }
  return nativeApp({ on, apis: APIS });
}

/** What a call comes to once all that was set going is over. */
async function over<T>(promise: Promise<T>): Promise<T> {
  await vi.runAllTimersAsync();
  return promise;
}

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe.each(['ios', 'android'] as const)('on %s', (on) => {
  test('every call goes out in version 1, each under an id of its own', async () => {
    const app = wrap(on, () => ({}));
    expect(await over(app.saveUserInfo({ ...USER, auth_code_: 'c0de' }))).toBe('saved');
    for (const call of [
      app.deleteUserInfo(),
      app.openIPSettings(),
      app.call('+8613800000001'),
      app.setAppBar({ title: '登录', back: true, color: '#20ade5' }),
      app.action(Action.Close),
    ]) {
      expect(await over(call)).toBe(true);
    }
    expect(sent.map(({ v, call, args }) => [v, call, args])).toEqual([
      [1, 'saveUserInfo', { ...USER, auth_code_: 'c0de' }],
      [1, 'deleteUserInfo', {}],
      [1, 'openIPSettings', {}],
      [1, 'call', { phone: '+8613800000001' }],
      [1, 'setAppBar', { title: '登录', back: true, color: '#20ade5' }],
      [1, 'action', { number: 2 }],
    ]);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(6);
    expect(nativeApp({ on, apis: [] }).answers()).toBe(false);
    expect(app.answers()).toBe(true);
  });

  test('what comes in is taken as documented', async () => {
    const values: Record<string, string> = {
      token: 'abcdefghij_klmnop-qrstuvwxyz0123456789ABCDE',
      apiAddress: 'https://api.portico.test',
      state: 'online',
      version: '3.2.1',
      mac: '02:00:5e:10:00:0f',
    };
    const app = wrap(on, ({ call }) => ({ result: values[call] }));
    expect(await over(app.token())).toBe(values.token);
    expect(await over(app.apiAddress())).toBe(values.apiAddress);
    expect(await over(app.state())).toBe('online');
    expect(await over(app.version())).toBe('3.2.1');
    expect(await over(app.mac())).toBe('02:00:5E:10:00:0F');
  });

  test.each([
    ['token', ['', 'short', 'a b c d e f g h i j k l m n', 'a'.repeat(257), 7, null, {}, 'x'.repeat(20).concat('<')]],
    ['state', ['', 'Online', 'on line', '<b>', 'x'.repeat(33), 1]],
    ['version', ['', '3.2.1-beta', '1.2.3.4.5', '123456', 'v3', 3.2]],
    ['mac', ['', '02:00:5E:10:00', '02-00-5E-10-00-01', '02:00:5E:10:00:0G', '02:00:5E:10:00:01:02']],
  ] as const)('a %s that is none is nothing', async (call, results) => {
    for (const result of results) {
      expect(await over(wrap(on, () => ({ result }))[call]())).toBeNull();
    }
  });

  test.each([
    'http://evil.test',
    'http://api.portico.test',
    'https://api.portico.test/',
    'https://api.portico.test:8443',
    'https://api.portico.test@evil.test',
    'https://api.portico.test.evil.test',
    'HTTPS://API.PORTICO.TEST',
    '//api.portico.test',
    'javascript:alert(1)',
    ' https://api.portico.test',
    '',
    null,
    ['https://api.portico.test'],
  ])('the API address %j is on no list', async (result) => {
    expect(await over(wrap(on, () => ({ result })).apiAddress())).toBeNull();
  });

  test('an action that is not listed never leaves the page', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const app = wrap(on, () => ({}));
    for (const number of [999, 0, -1, 1.5, Number.NaN, '1' as unknown as number]) {
      expect(await over(app.action(number))).toBe(false);
    }
    expect(sent).toEqual([]);
    expect(warn).toHaveBeenCalledTimes(6);
  });

  test.each(['', '12', 'abc', '138 0000 0001', '+', '13800000001;ext=1', '*100#', '1'.repeat(21), '１３８'])(
    'the number %j is called by nobody',
    async (phone) => {
      expect(await over(wrap(on, () => ({})).call(phone))).toBe(false);
      expect(sent).toEqual([]);
    },
  );

  test('the app bar has a title of 64 characters at most and a colour that is one', async () => {
    const app = wrap(on, () => ({}));
    await over(app.setAppBar({ title: '粮'.repeat(100), back: false, color: '#000000' }));
    expect(sent[0]?.args.title).toBe('粮'.repeat(64));
    for (const color of ['red', '#fff', '#20ade5;', 'url(x)']) {
      expect(await over(app.setAppBar({ title: '', back: false, color }))).toBe(false);
    }
    expect(sent.length).toBe(1);
  });

  test('a message longer than 8192 characters is not sent', async () => {
    const app = wrap(on, () => ({}));
    expect(await over(app.saveUserInfo({ ...USER, auth_code_: 'x'.repeat(8192) }))).toBe('refused');
    expect(sent).toEqual([]);
  });

  test('an app that stays silent is given up after three seconds', async () => {
    const app = wrap(on, () => undefined);
    const token = app.token();
    let isSettled = false;
    token.then(() => {
      isSettled = true;
    });
    await vi.advanceTimersByTimeAsync(APP_TIMEOUT_MS - 1);
    expect(isSettled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await token).toBeNull();
    expect(app.answers()).toBe(false);
  });

  test('a call that an older app does not know is asked once', async () => {
    const app = wrap(on, ({ call }) => (call === 'mac' ? { ok: false, error: 'unknown_call' } : { result: 'online' }));
    expect(await over(app.mac())).toBeNull();
    expect(await over(app.mac())).toBeNull();
    expect(await over(app.state())).toBe('online');
    expect(sent.map(({ call }) => call)).toEqual(['mac', 'state']);
  });

  test('an answer in a later version counts for what this one knows, an earlier one for nothing', async () => {
    expect(await over(wrap(on, () => ({ v: 2, result: 'online', hint: {} }) as Heard).state())).toBe('online');
    for (const v of [0, -1, 1.5, '1', null]) {
      expect(await over(wrap(on, () => ({ v, result: 'online' })).state())).toBeNull();
    }
  });

  test.each([
    'nonsense',
    '{}',
    'null',
    '[]',
    '{"v":1,"id":"1","ok":true,"result":"online"}',
    `{"v":1,"ok":true,"result":"${'x'.repeat(2048)}"}`,
  ])('what is no answer is none: %s', async (text) => {
    const app = wrap(on, () => text);
    expect(await over(app.state())).toBeNull();
    expect(app.answers()).toBe(false);
  });

  test('an answer that says neither yes nor no is none', async () => {
    expect(await over(wrap(on, () => ({ ok: 'true', result: 'online' })).state())).toBeNull();
    expect(await over(wrap(on, () => ({ ok: false, result: 'online' })).state())).toBeNull();
  });

  test('a code that came too late is told from one that was refused', async () => {
    const save = (error?: string) =>
      over(wrap(on, () => ({ ok: false, error })).saveUserInfo({ ...USER, auth_code_: 'c' }));
    expect(await save('code_expired')).toBe('expired');
    expect(await save('refused')).toBe('refused');
    expect(await save()).toBe('refused');
  });

  test('nobody listens to what windows and frames send each other', async () => {
    const app = wrap(on, () => undefined);
    const state = app.state();
    const id = sent[0]?.id;
    for (const origin of ['https://evil.test', 'null', location.origin]) {
      for (const data of [
        { v: 1, id, ok: true, result: 'online' },
        JSON.stringify({ v: 1, id, ok: true, result: 'online' }),
      ]) {
        window.dispatchEvent(new MessageEvent('message', { data, origin, source: window }));
      }
    }
    expect(await over(state)).toBeNull();
  });

  test('an object that fails is as good as none', async () => {
    wrap(on, () => ({}));
    const broken = () => {
      throw Error('broken');
    };
    vi.stubGlobal('webkit', { messageHandlers: { portico: { postMessage: broken } } });
    vi.stubGlobal('PorticoNative', { onmessage: null, postMessage: broken });
    expect(await over(nativeApp({ on, apis: APIS }).state())).toBeNull();
  });
});

describe('where there is no app', () => {
  test.each([
    ['ios', {}],
    ['android', {}],
    ['ios', { webkit: {} }],
    ['ios', { webkit: { messageHandlers: { other: { postMessage() {} } } } }],
    ['ios', { PorticoNative: { postMessage() {} } }],
    ['android', { PorticoNative: {} }],
    ['android', { webkit: { messageHandlers: { portico: { postMessage() {} } } } }],
    ['', { webkit: { messageHandlers: { portico: { postMessage() {} } } }, PorticoNative: { postMessage() {} } }],
  ])('every call does nothing at once: %s, %j', async (on, objects) => {
    for (const [name, object] of Object.entries(objects)) {
      vi.stubGlobal(name, object);
    }
    const app = nativeApp({ on: on as 'ios', apis: APIS });
    expect(await app.token()).toBeNull();
    expect(await app.apiAddress()).toBeNull();
    expect(await app.state()).toBeNull();
    expect(await app.version()).toBeNull();
    expect(await app.mac()).toBeNull();
    expect(await app.saveUserInfo({ ...USER, auth_code_: 'c' })).toBe('refused');
    expect(await app.deleteUserInfo()).toBe(false);
    expect(await app.openIPSettings()).toBe(false);
    expect(await app.call('13800000001')).toBe(false);
    expect(await app.setAppBar({ title: '', back: false, color: '#20ade5' })).toBe(false);
    expect(await app.action(Action.Ready)).toBe(false);
    expect(app.answers()).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});
