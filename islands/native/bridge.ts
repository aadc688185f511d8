import { toast } from '../page/toast';
import { onRenewed } from '../renewed';
import { Action, type AppSettings, isPhone, type NativeApp, nativeApp, type UserInfo } from './app';

/** What the server prints for the bridge. */
export type BridgeProps = AppSettings & {
  /** The title of the app bar; without one it is the page's heading. */
  title?: string;
  /** "#rrggbb" */
  color: string;
  /** The app bar has no back button. */
  first?: boolean;
  /** The signed-in account, the address that gives its one-time code, and the CSRF token for that. */
  user?: Omit<UserInfo, 'auth_code_'>;
  code?: string;
  token?: string;
  /** Identifies the sign-in. It is no secret. */
  sign_in?: string;
  /** The address that signs in by the app's own token. */
  enter?: string;
  /** The address that stores the answer to the offer of notifications. */
  notices?: string;
  texts: { entering: string };
};

/** How long the server may take, in milliseconds. */
const TIMEOUT_MS = 15_000;

/**
 * The app's token is not used again within this time, in milliseconds: without cookies it would go round in circles.
 */
export const TOKEN_RETRY_MS = 300_000;

/**
 * Keys of the session storage: the sign-in that the app saved, when its token was last used, and that someone signed
 * out.
 */
const SAVED = 'native_saved';
const TOKEN_USED = 'native_brought';
const SIGNED_OUT = 'native_left';

/** Connects the page with the native app that wraps it. Without an app the page stays as it is. */
export default function bridge(element: HTMLElement, props: BridgeProps): void {
  const app = nativeApp(props);
  const ready = showBar(app, props);
  addEventListener('pageshow', (event) => event.persisted && showBar(app, props));
  document.addEventListener('click', (event) => callByApp(app, event));
  document.addEventListener('click', (event) => pressAction(app, props, event));
  ready.then(() => offerActions(app));
  onRenewed(() => {
    showBar(app, { ...props, title: undefined }); // the heading of the page that is shown now
    offerActions(app);
  });
  if (document.querySelector('[data-mirror-clear]')) {
    setSessionItem(SIGNED_OUT, '1');
    app.deleteUserInfo();
  } else if (props.enter) {
    signInByAppToken(app, element.querySelector('[role=status]') as HTMLElement, props);
  }
  saveUser(app, props);
}

/** Resolves when the app has answered, or when the wait for its answer is over. */
function showBar(app: NativeApp, { title, first, color }: BridgeProps): Promise<boolean> {
  const heading = document.querySelector('main h1');
  // there the heading is a whole sentence
  const own = heading && !heading.closest('.state') ? heading.textContent?.trim() : '';
  app.setAppBar({ title: title || own || document.title, back: !first && history.length > 1, color });
  return app.action(Action.Ready);
}

/** Lets the app call a phone number, or the system if the app does not. */
function callByApp(app: NativeApp, event: Event): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[href^="tel:"]');
  if (!link || !app.answers() || event.defaultPrevented) {
    return;
  }
  const phone = link.href.slice('tel:'.length).replace(/[\s()-]/g, '');
  if (isPhone(phone)) {
    event.preventDefault();
    app.call(phone).then((taken) => taken || location.assign(link.href));
  }
}

/** Carries out the press of a control for the app. */
function pressAction(app: NativeApp, props: BridgeProps, event: Event): void {
  const presses: Record<string, (button: HTMLElement) => void> = {
    settings: () => app.openIPSettings(),
    close: () => app.action(Action.Close),
    update: () => app.action(Action.Update),
    notices: (button) => {
      app.action(Action.Notifications);
      endOffer(button, props);
    },
    dismiss: (button) => endOffer(button, props),
  };
  const button = (event.target as Element).closest<HTMLElement>('button[data-native]');
  if (button && app.answers()) {
    presses[button.dataset.native as string]?.(button);
  }
}

/** Shows the controls that the server rendered for the app, if the app answers. */
function offerActions(app: NativeApp): void {
  if (!app.answers()) {
    document.querySelector('button[data-native=update]')?.remove();
    return;
  }
  document.documentElement.dataset.app = ''; // page/offline.ts then offers the network settings
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-native]:not([data-native=copy])')) {
    button.hidden = button.closest('[data-island=offline]') !== null;
  }
  for (const note of document.querySelectorAll<HTMLElement>('[data-app]')) {
    note.hidden = false;
  }
  showAbout(app);
}

/** Removes the offer of notifications, and tells the server not to show it again. */
function endOffer(button: HTMLElement, { notices = '', token = '' }: BridgeProps): void {
  button.closest<HTMLElement>('[data-app]')?.remove();
  postForm(notices, { token });
}

/** Shows on error pages what customer service needs. The button copies it without the MAC address. */
async function showAbout(app: NativeApp): Promise<void> {
  const about = document.querySelector<HTMLElement>('[data-about]');
  const button = document.querySelector<HTMLButtonElement>('button[data-native=copy]');
  if (!about || !button) {
    return;
  }
  const [version, state, mac] = await Promise.all([app.version(), app.state(), app.mac()]);
  const line = (parts: (string | null | undefined)[]) => parts.filter((part) => part).join(' · ');
  const request = about.dataset.about;
  about.textContent = line([request, version, state, mac]);
  about.hidden = !about.textContent;
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', () =>
    navigator.clipboard.writeText(line([request, version, state])).then(
      () => toast(button.dataset.copied ?? ''),
      () => getSelection()?.selectAllChildren(about), // copying was refused: the person copies the selection
    ),
  );
}

/**
 * Gives the app the account and a one-time code, once for each sign-in, if the API of the app is one of the listed
 * origins.
 */
async function saveUser(app: NativeApp, { user, code, token = '', sign_in }: BridgeProps): Promise<void> {
  if (!user || !code || !sign_in || sessionItem(SAVED) === sign_in || !(await app.apiAddress())) {
    return;
  }
  for (let tries = 0; tries < 2; tries++) {
    const { auth_code_ } = await postForm(code, { token });
    if (
      !auth_code_ ||
      !setSessionItem(SAVED, sign_in) ||
      (await app.saveUserInfo({ ...user, auth_code_ })) !== 'expired'
    ) {
      return;
    }
  }
}

/**
 * Signs in by the app's own token, once in TOKEN_RETRY_MS and never after signing out. The form stays usable meanwhile.
 */
async function signInByAppToken(
  app: NativeApp,
  status: HTMLElement,
  { enter = '', texts }: BridgeProps,
): Promise<void> {
  let isTyping = false;
  document.addEventListener('input', () => {
    isTyping = true;
  });
  const isTime = Date.now() - Number(sessionItem(TOKEN_USED)) > TOKEN_RETRY_MS;
  if (sessionItem(SIGNED_OUT) || !isTime || !(await app.apiAddress())) {
    return;
  }
  const app_token = await app.token();
  if (!app_token || isTyping || !setSessionItem(TOKEN_USED, `${Date.now()}`)) {
    return;
  }
  status.textContent = texts.entering;
  const { location: to, message = '' } = await postForm(enter, { app_token, width: `${innerWidth}` });
  if (to) {
    location.replace(to);
  } else {
    status.textContent = message;
  }
}

type Answer = { auth_code_?: string; location?: string; message?: string };

/** Posts a form. Returns the JSON answer, or an empty object if there is none. */
async function postForm(url: string, fields: Record<string, string>): Promise<Answer> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), TIMEOUT_MS);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      credentials: 'same-origin',
      headers: { Accept: 'application/json' },
      body: new URLSearchParams(fields),
      signal: limit.signal,
    });
    return Object(await answer.json());
  } catch {
    return {};
  } finally {
    clearTimeout(timer);
  }
}

function sessionItem(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a value. Returns false if it cannot be stored; then nothing is done that could repeat for ever. */
function setSessionItem(key: string, value: string): boolean {
  try {
    sessionStorage.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}
