import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Action, APP_TIMEOUT_MS, type NativeApp, nativeApp } from './app';

/** A message to the app. */
type Message = { v: number; id: string; call: string; args: Record<string, unknown> };
/** The fields of an answer that differ from a success. */
type Answer = { v?: unknown; id?: unknown; ok?: unknown; result?: unknown; error?: unknown };
/** Answers a message: with fields, with a text, or not at all (undefined). */
type Answering = (message: Message) => Answer | string | undefined;

const APIS = ['https://api.portico.test', 'https://portico.test'];
const USER = { id_: 7, login_: 'buyer1', name_: '王芳', type_: 3, company_id_: 1001, company_name_: '金穗粮油' };

let sent: Message[] = [];

/** Puts the object of an app into the window, which answers with `answer`. Returns the app. */
function stubApp(on: 'ios' | 'android', answer: Answering): NativeApp {
  const texts = (message: string) => {
    const received = JSON.parse(message) as Message;
    sent.push(received);
    const fields = answer(received);
    return typeof fields === 'object' ? JSON.stringify({ v: 1, id: received.id, ok: true, ...fields }) : fields;
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

/** Runs all timers and returns the result of a call. */
async function resultOf<T>(promise: Promise<T>): Promise<T> {
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
  test('every call is sent in version 1, each with its own id', async () => {
    const app = stubApp(on, () => ({}));
    expect(await resultOf(app.saveUserInfo({ ...USER, auth_code_: 'c0de' }))).toBe('saved');
    for (const call of [
      app.deleteUserInfo(),
      app.openIPSettings(),
      app.call('+8613800000001'),
      app.setAppBar({ title: '登录', back: true, color: '#20ade5' }),
      app.action(Action.Close),
    ]) {
      expect(await resultOf(call)).toBe(true);
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

  test('documented answers are accepted', async () => {
    const values: Record<string, string> = {
      token: 'abcdefghij_klmnop-qrstuvwxyz0123456789ABCDE',
      apiAddress: 'https://api.portico.test',
      state: 'online',
      version: '3.2.1',
      mac: '02:00:5e:10:00:0f',
    };
    const app = stubApp(on, ({ call }) => ({ result: values[call] }));
    expect(await resultOf(app.token())).toBe(values.token);
    expect(await resultOf(app.apiAddress())).toBe(values.apiAddress);
    expect(await resultOf(app.state())).toBe('online');
    expect(await resultOf(app.version())).toBe('3.2.1');
    expect(await resultOf(app.mac())).toBe('02:00:5E:10:00:0F');
  });

  test.each([
    ['token', ['', 'short', 'a b c d e f g h i j k l m n', 'a'.repeat(257), 7, null, {}, 'x'.repeat(20).concat('<')]],
    ['state', ['', 'Online', 'on line', '<b>', 'x'.repeat(33), 1]],
    ['version', ['', '3.2.1-beta', '1.2.3.4.5', '123456', 'v3', 3.2]],
    ['mac', ['', '02:00:5E:10:00', '02-00-5E-10-00-01', '02:00:5E:10:00:0G', '02:00:5E:10:00:01:02']],
  ] as const)('a malformed %s is null', async (call, results) => {
    for (const result of results) {
      expect(await resultOf(stubApp(on, () => ({ result }))[call]())).toBeNull();
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
  ])('the API address %j is not accepted', async (result) => {
    expect(await resultOf(stubApp(on, () => ({ result })).apiAddress())).toBeNull();
  });

  test('an action with another number is not sent', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const app = stubApp(on, () => ({}));
    for (const number of [999, 0, -1, 1.5, Number.NaN, '1' as unknown as number]) {
      expect(await resultOf(app.action(number))).toBe(false);
    }
    expect(sent).toEqual([]);
    expect(warn).toHaveBeenCalledTimes(6);
  });

  test.each(['', '12', 'abc', '138 0000 0001', '+', '13800000001;ext=1', '*100#', '1'.repeat(21), '１３８'])(
    'the number %j is not called',
    async (phone) => {
      expect(await resultOf(stubApp(on, () => ({})).call(phone))).toBe(false);
      expect(sent).toEqual([]);
    },
  );

  test('the app bar has a title of at most 64 characters and a valid colour', async () => {
    const app = stubApp(on, () => ({}));
    await resultOf(app.setAppBar({ title: '粮'.repeat(100), back: false, color: '#000000' }));
    expect(sent[0]?.args.title).toBe('粮'.repeat(64));
    for (const color of ['red', '#fff', '#20ade5;', 'url(x)']) {
      expect(await resultOf(app.setAppBar({ title: '', back: false, color }))).toBe(false);
    }
    expect(sent.length).toBe(1);
  });

  test('a message longer than 8192 characters is not sent', async () => {
    const app = stubApp(on, () => ({}));
    expect(await resultOf(app.saveUserInfo({ ...USER, auth_code_: 'x'.repeat(8192) }))).toBe('refused');
    expect(sent).toEqual([]);
  });

  test('a call is given up if the app does not answer within three seconds', async () => {
    const app = stubApp(on, () => undefined);
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

  test('a call that an older app does not know is sent once', async () => {
    const app = stubApp(on, ({ call }) =>
      call === 'mac' ? { ok: false, error: 'unknown_call' } : { result: 'online' },
    );
    expect(await resultOf(app.mac())).toBeNull();
    expect(await resultOf(app.mac())).toBeNull();
    expect(await resultOf(app.state())).toBe('online');
    expect(sent.map(({ call }) => call)).toEqual(['mac', 'state']);
  });

  test('an answer of a later version is accepted, one of an earlier version is not', async () => {
    expect(await resultOf(stubApp(on, () => ({ v: 2, result: 'online', hint: {} }) as Answer).state())).toBe('online');
    for (const v of [0, -1, 1.5, '1', null]) {
      expect(await resultOf(stubApp(on, () => ({ v, result: 'online' })).state())).toBeNull();
    }
  });

  test.each([
    'nonsense',
    '{}',
    'null',
    '[]',
    '{"v":1,"id":"1","ok":true,"result":"online"}',
    `{"v":1,"ok":true,"result":"${'x'.repeat(2048)}"}`,
  ])('a malformed answer is ignored: %s', async (text) => {
    const app = stubApp(on, () => text);
    expect(await resultOf(app.state())).toBeNull();
    expect(app.answers()).toBe(false);
  });

  test('an answer whose ok is not a boolean, or is false, gives no result', async () => {
    expect(await resultOf(stubApp(on, () => ({ ok: 'true', result: 'online' })).state())).toBeNull();
    expect(await resultOf(stubApp(on, () => ({ ok: false, result: 'online' })).state())).toBeNull();
  });

  test('an expired code is distinguished from a refused one', async () => {
    const save = (error?: string) =>
      resultOf(stubApp(on, () => ({ ok: false, error })).saveUserInfo({ ...USER, auth_code_: 'c' }));
    expect(await save('code_expired')).toBe('expired');
    expect(await save('refused')).toBe('refused');
    expect(await save()).toBe('refused');
  });

  test('messages of windows and frames are ignored', async () => {
    const app = stubApp(on, () => undefined);
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
    expect(await resultOf(state)).toBeNull();
  });

  test('an object that throws is treated like a missing app', async () => {
    stubApp(on, () => ({}));
    const broken = () => {
      throw Error('broken');
    };
    vi.stubGlobal('webkit', { messageHandlers: { portico: { postMessage: broken } } });
    vi.stubGlobal('PorticoNative', { onmessage: null, postMessage: broken });
    expect(await resultOf(nativeApp({ on, apis: APIS }).state())).toBeNull();
  });
});

describe('without an app', () => {
  test.each([
    ['ios', {}],
    ['android', {}],
    ['ios', { webkit: {} }],
    ['ios', { webkit: { messageHandlers: { other: { postMessage() {} } } } }],
    ['ios', { PorticoNative: { postMessage() {} } }],
    ['android', { PorticoNative: {} }],
    ['android', { webkit: { messageHandlers: { portico: { postMessage() {} } } } }],
    ['', { webkit: { messageHandlers: { portico: { postMessage() {} } } }, PorticoNative: { postMessage() {} } }],
  ])('every call ends at once: %s, %j', async (on, objects) => {
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
