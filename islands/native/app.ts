/**
 * The calls between a page and the native app that wraps it, version 1 (docs/native-bridge.md). The page asks
 * `{v, id, call, args}`, the app answers `{v, id, ok, result}` or `{v, id, ok: false, error}`, both as JSON text. What comes
 * in is believed only so far as it is checked here.
 */
export const VERSION = 1;

/** How long the app may take to answer, in milliseconds. */
export const PATIENCE_MS = 3_000;

/** The longest message to the app, the longest answer, and the longest text in one, in characters. */
const MAX_ASKED = 8_192;
const MAX_ANSWER = 2_048;
const MAX_TEXT = 256;

/** The longest title of an app bar, in characters. */
const MAX_TITLE = 64;

/** What an app can be asked to do by number. Numbers are never used again for something else. */
export const Action = { Ready: 1, Close: 2, Update: 3, Notifications: 4 } as const;

/** Who is signed in, for the app to keep: names and ids. `auth_code_` is good for one redemption, within 60 seconds. */
export type UserInfo = {
  id_: number;
  login_: string;
  name_: string;
  type_: number;
  company_id_: number;
  company_name_: string;
  auth_code_: string;
};

export type AppBar = { title: string; back: boolean; color: string };

/** What the server says: the variant of the app, and the origins that it may name as its API. */
export type Listed = { on: 'ios' | 'android'; apis: string[] };

/**
 * The app. Where there is none every call does nothing at once: texts are null, the rest false. The same goes for calls that
 * are not answered in time, are refused, or are answered with anything but what is documented.
 */
export type NativeApp = {
  /** Whether the app has answered anything yet. */
  answers(): boolean;
  /** Its own API token. */
  token(): Promise<string | null>;
  /** The origin of its API, if it is one of those listed. */
  apiAddress(): Promise<string | null>;
  /** A word of lower-case letters for what it is doing, such as `online`. */
  state(): Promise<string | null>;
  /** Its own version, one to four numbers. */
  version(): Promise<string | null>;
  /** The address of the device's network card, in upper case. */
  mac(): Promise<string | null>;
  /** `expired` when the code came too late and another one may be tried. */
  saveUserInfo(user: UserInfo): Promise<'saved' | 'expired' | 'refused'>;
  deleteUserInfo(): Promise<boolean>;
  openIPSettings(): Promise<boolean>;
  /** Digits, which a plus may go before. */
  call(phone: string): Promise<boolean>;
  setAppBar(bar: AppBar): Promise<boolean>;
  /** One of Action; other numbers never reach the app. */
  action(number: number): Promise<boolean>;
};

type Reply = { ok: boolean; result?: unknown; error?: unknown };

type IOSWindow = { webkit?: { messageHandlers?: { portico?: { postMessage?: (message: string) => unknown } } } };
type AndroidWindow = {
  PorticoNative?: { postMessage?: (message: string) => void; onmessage: ((event: { data: unknown }) => void) | null };
};

const NO: Reply = { ok: false };

/** Whether `text` is a number that can be called: digits, which a plus may go before. */
export const isPhone = (text: string): boolean => /^\+?\d{3,20}$/.test(text);

/** The app that wraps this page, if its object is really there. */
export function nativeApp({ on, apis }: Listed): NativeApp {
  const waiting = new Map<string, (reply: Reply) => void>();
  const unknown = new Set<string>();
  const salt = [...crypto.getRandomValues(new Uint32Array(3))].map((n) => n.toString(36)).join('');
  const post = connect(on, hear);
  let asked = 0;
  let heard = false;

  function hear(text: unknown): void {
    const { id, ...reply } = replyIn(text) ?? { id: '', ...NO };
    const settle = waiting.get(id);
    if (settle) {
      heard = true;
      settle(reply);
    }
  }

  function ask(call: string, args: object = {}): Promise<Reply> {
    const id = `${salt}-${++asked}`;
    const message = JSON.stringify({ v: VERSION, id, call, args });
    if (!post || unknown.has(call) || message.length > MAX_ASKED) {
      return Promise.resolve(NO);
    }
    return new Promise((resolve) => {
      function settle(reply: Reply): void {
        clearTimeout(timer);
        waiting.delete(id);
        if (!reply.ok && reply.error === 'unknown_call') {
          unknown.add(call); // an older app: it is not asked again
        }
        resolve(reply);
      }
      const timer = setTimeout(settle, PATIENCE_MS, NO);
      waiting.set(id, settle);
      try {
        post(message);
      } catch {
        settle(NO);
      }
    });
  }

  async function text(call: string, pattern: RegExp): Promise<string | null> {
    const { ok, result } = await ask(call);
    return ok && typeof result === 'string' && result.length <= MAX_TEXT && pattern.test(result) ? result : null;
  }

  const done = async (call: string, args?: object) => (await ask(call, args)).ok;

  return {
    answers: () => heard,
    token: () => text('token', /^[\w-]{20,}$/),
    apiAddress: async () => {
      const address = await text('apiAddress', /^https?:/);
      return address !== null && apis.includes(address) ? address : null;
    },
    state: () => text('state', /^[a-z][a-z_]{0,31}$/),
    version: () => text('version', /^\d{1,5}(\.\d{1,5}){0,3}$/),
    mac: async () => (await text('mac', /^[\da-f]{2}(:[\da-f]{2}){5}$/i))?.toUpperCase() ?? null,
    saveUserInfo: async (user) => {
      const { ok, error } = await ask('saveUserInfo', user);
      return ok ? 'saved' : error === 'code_expired' ? 'expired' : 'refused';
    },
    deleteUserInfo: () => done('deleteUserInfo'),
    openIPSettings: () => done('openIPSettings'),
    call: async (phone) => isPhone(phone) && done('call', { phone }),
    setAppBar: async ({ title, back, color }) =>
      /^#[\da-f]{6}$/.test(color) && done('setAppBar', { title: [...title].slice(0, MAX_TITLE).join(''), back, color }),
    action: async (number) => {
      if (!Object.values<number>(Action).includes(number)) {
        console.warn('no such action', number);
        return false;
      }
      return done('action', { number });
    },
  };
}

/**
 * How messages reach the app, null where its object is not there. Answers come through that object alone: nobody listens to
 * the messages that windows and frames send each other.
 */
function connect(on: string, hear: (text: unknown) => void): ((message: string) => void) | null {
  if (on === 'ios') {
    const handler = (window as IOSWindow).webkit?.messageHandlers?.portico;
    return typeof handler?.postMessage === 'function'
      ? (message) => Promise.resolve(handler.postMessage?.(message)).then(hear, () => {})
      : null;
  }
  const object = (window as AndroidWindow).PorticoNative;
  if (on !== 'android' || typeof object?.postMessage !== 'function') {
    return null;
  }
  object.onmessage = ({ data }) => hear(data);
  return (message) => object.postMessage?.(message);
}

/** Reads an answer. Of a later version of the protocol those parts are read that this one has; an earlier one there is not. */
function replyIn(text: unknown): (Reply & { id: string }) | null {
  if (typeof text !== 'string' || text.length > MAX_ANSWER) {
    return null;
  }
  try {
    const { v, id, ok, result, error } = JSON.parse(text);
    return Number.isInteger(v) && v >= VERSION && typeof id === 'string' && typeof ok === 'boolean'
      ? { id, ok, result, error }
      : null;
  } catch {
    return null;
  }
}
