/**
 * The calls between a page and the native app that wraps it, version 1 (docs/native-bridge.md). The page sends `{v, id,
 * call, args}`. The app answers `{v, id, ok, result}` or `{v, id, ok: false, error}`. Both are JSON texts. Every answer
 * is checked here before it is used.
 */
export const VERSION = 1;

/** How long the app may take to answer, in milliseconds. */
export const APP_TIMEOUT_MS = 3_000;

/** The longest message to the app, the longest answer, and the longest text in one, in characters. */
const MAX_MESSAGE = 8_192;
const MAX_ANSWER = 2_048;
const MAX_TEXT = 256;

/** The longest title of an app bar, in characters. */
const MAX_TITLE = 64;

/** The numbers of the actions that an app can do. A number is never reused for another action. */
export const Action = { Ready: 1, Close: 2, Update: 3, Notifications: 4 } as const;

/** The signed-in account, which the app stores. `auth_code_` can be redeemed once, within 60 seconds. */
export type UserInfo = {
  id_: number;
  login_: string;
  name_: string;
  type_: number;
  company_id_: number;
  company_name_: string;
  auth_code_: string;
};

/** The app bar: its title, whether it has a back button, and its colour ("#rrggbb"). */
export type AppBar = { title: string; back: boolean; color: string };

/** What the page knows of the app: its variant, and the origins that it may name as its API. */
export type AppSettings = { on: 'ios' | 'android'; apis: string[] };

/**
 * The native app. Without an app every call ends at once: texts are null, everything else is false. So does a call that
 * the app refuses, does not answer within APP_TIMEOUT_MS, or answers in an undocumented way.
 */
export type NativeApp = {
  /** Reports whether the app has answered any call yet. */
  answers(): boolean;
  /** Its own API token. */
  token(): Promise<string | null>;
  /** The origin of its API, if it is one of those listed. */
  apiAddress(): Promise<string | null>;
  /** The state of the app in lower-case letters, such as `online`. */
  state(): Promise<string | null>;
  /** Its own version, one to four numbers. */
  version(): Promise<string | null>;
  /** The address of the device's network card, in upper case. */
  mac(): Promise<string | null>;
  /** `expired` if the code arrived too late; the caller may try another one. */
  saveUserInfo(user: UserInfo): Promise<'saved' | 'expired' | 'refused'>;
  deleteUserInfo(): Promise<boolean>;
  openIPSettings(): Promise<boolean>;
  /** Digits, with or without a plus before them. */
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

const NO_REPLY: Reply = { ok: false };

/** Whether `text` is a number that can be called: digits, with or without a plus before them. */
export const isPhone = (text: string): boolean => /^\+?\d{3,20}$/.test(text);

/** The app that wraps this page, if its object is really there. */
export function nativeApp({ on, apis }: AppSettings): NativeApp {
  const waiting = new Map<string, (reply: Reply) => void>();
  const unknownCalls = new Set<string>();
  const salt = [...crypto.getRandomValues(new Uint32Array(3))].map((n) => n.toString(36)).join('');
  const post = connect(on, receive);
  let callCount = 0;
  let hasAnswered = false;

  function receive(text: unknown): void {
    const { id, ...reply } = replyIn(text) ?? { id: '', ...NO_REPLY };
    const settle = waiting.get(id);
    if (settle) {
      hasAnswered = true;
      settle(reply);
    }
  }

  function send(call: string, args: object = {}): Promise<Reply> {
    const id = `${salt}-${++callCount}`;
    const message = JSON.stringify({ v: VERSION, id, call, args });
    if (!post || unknownCalls.has(call) || message.length > MAX_MESSAGE) {
      return Promise.resolve(NO_REPLY);
    }
    return new Promise((resolve) => {
      function settle(reply: Reply): void {
        clearTimeout(timer);
        waiting.delete(id);
        if (!reply.ok && reply.error === 'unknown_call') {
          unknownCalls.add(call); // an older app: the call is not made again
        }
        resolve(reply);
      }
      const timer = setTimeout(settle, APP_TIMEOUT_MS, NO_REPLY);
      waiting.set(id, settle);
      try {
        post(message);
      } catch {
        settle(NO_REPLY);
      }
    });
  }

  async function text(call: string, pattern: RegExp): Promise<string | null> {
    const { ok, result } = await send(call);
    return ok && typeof result === 'string' && result.length <= MAX_TEXT && pattern.test(result) ? result : null;
  }

  const done = async (call: string, args?: object) => (await send(call, args)).ok;

  return {
    answers: () => hasAnswered,
    token: () => text('token', /^[\w-]{20,}$/),
    apiAddress: async () => {
      const address = await text('apiAddress', /^https?:/);
      return address !== null && apis.includes(address) ? address : null;
    },
    state: () => text('state', /^[a-z][a-z_]{0,31}$/),
    version: () => text('version', /^\d{1,5}(\.\d{1,5}){0,3}$/),
    mac: async () => (await text('mac', /^[\da-f]{2}(:[\da-f]{2}){5}$/i))?.toUpperCase() ?? null,
    saveUserInfo: async (user) => {
      const { ok, error } = await send('saveUserInfo', user);
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
 * Returns the function that sends messages to the app; null if the app's object does not exist. Answers are taken only
 * from that object, never from the messages that windows and frames send each other.
 */
function connect(on: string, receive: (text: unknown) => void): ((message: string) => void) | null {
  if (on === 'ios') {
    const handler = (window as IOSWindow).webkit?.messageHandlers?.portico;
    return typeof handler?.postMessage === 'function'
      ? (message) => Promise.resolve(handler.postMessage?.(message)).then(receive, () => {})
      : null;
  }
  const object = (window as AndroidWindow).PorticoNative;
  if (on !== 'android' || typeof object?.postMessage !== 'function') {
    return null;
  }
  object.onmessage = ({ data }) => receive(data);
  return (message) => object.postMessage?.(message);
}

/**
 * Reads an answer. Of a later version of the protocol it reads the parts that this version has. There is no earlier
 * one.
 */
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
