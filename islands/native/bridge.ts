import { toast } from '../page/toast';
import { Action, isPhone, type Listed, type NativeApp, nativeApp, type UserInfo } from './app';

/** What the server tells of the page. */
export type BridgeProps = Listed & {
  /** Of the app bar; without one it is the page's heading. */
  title?: string;
  /** "#rrggbb" */
  color: string;
  /** There is no way back from this page. */
  first?: boolean;
  /** Who is signed in to this side, where their one-time code is asked for, and with which form token. */
  user?: Omit<UserInfo, 'auth_code_'>;
  code?: string;
  token?: string;
  /** Names the sign-in, and opens nothing. */
  sign_in?: string;
  /** Where the app's own token signs in. */
  enter?: string;
  /** The address that stores the answer to the offer of notifications. */
  notices?: string;
  texts: { entering: string };
};

/** How long the server may take, in milliseconds. */
const TIMEOUT_MS = 15_000;

/** The app's token is not brought again within this time, in milliseconds: where cookies are refused it would go in a circle. */
export const AGAIN_MS = 300_000;

/** What is kept in the session storage, of the sign-in that was saved, of the last token that was brought, of a sign-out. */
const SAVED = 'native_saved';
const BROUGHT = 'native_brought';
const LEFT = 'native_left';

/** Ties the page to the app that wraps it; where its object is not there, it stays as it is. */
export default function bridge(element: HTMLElement, props: BridgeProps): void {
  const app = nativeApp(props);
  const ready = showBar(app, props);
  addEventListener('pageshow', (event) => event.persisted && showBar(app, props));
  document.addEventListener('click', (event) => callByApp(app, event));
  ready.then(() => offerActions(app, props));
  if (document.querySelector('[data-mirror-clear]')) {
    keep(LEFT, '1');
    app.deleteUserInfo();
  } else if (props.enter) {
    bringToken(app, element.querySelector('[role=status]') as HTMLElement, props);
  }
  saveUser(app, props);
}

/** Resolves when the app has answered, or when the wait for its answer is over. */
function showBar(app: NativeApp, { title, first, color }: BridgeProps): Promise<boolean> {
  const heading = document.querySelector('main h1');
  const own = heading && !heading.closest('.state') ? heading.textContent?.trim() : ''; // a state says a whole sentence
  app.setAppBar({ title: title || own || document.title, back: !first && history.length > 1, color });
  return app.action(Action.Ready);
}

/** A phone number is called by the app; by the system where the app does not take it. */
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

/** Shows what the server wrote for the app, if the app answers, and makes its buttons work. */
function offerActions(app: NativeApp, props: BridgeProps): void {
  const update = document.querySelector<HTMLButtonElement>('button[data-native=update]');
  if (!app.answers()) {
    update?.remove();
    return;
  }
  document.documentElement.dataset.app = ''; // islands/offline.ts then offers the network settings
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
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-native]')) {
    const press = presses[button.dataset.native as string];
    if (press) {
      button.addEventListener('click', () => press(button));
      button.hidden = button.closest('[data-island=offline]') !== null;
    }
  }
  for (const note of document.querySelectorAll<HTMLElement>('[data-app]')) {
    note.hidden = false;
  }
  showAbout(app);
}

/** Takes the offer of notifications away for good. */
function endOffer(button: HTMLElement, { notices = '', token = '' }: BridgeProps): void {
  button.closest<HTMLElement>('[data-app]')?.remove();
  answerTo(notices, { token });
}

/** Shows on error pages what customer service asks for. The button copies it without the MAC address. */
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

/** Tells the app once for each sign-in who it is, with a code for it to redeem: only one whose API is ours gets that. */
async function saveUser(app: NativeApp, { user, code, token = '', sign_in }: BridgeProps): Promise<void> {
  if (!user || !code || !sign_in || kept(SAVED) === sign_in || !(await app.apiAddress())) {
    return;
  }
  for (let tries = 0; tries < 2; tries++) {
    const { auth_code_ } = await answerTo(code, { token });
    if (!auth_code_ || !keep(SAVED, sign_in) || (await app.saveUserInfo({ ...user, auth_code_ })) !== 'expired') {
      return;
    }
  }
}

/** Signs in by the app's own token, once a visit and never after signing out; the form is there meanwhile, and afterwards. */
async function bringToken(app: NativeApp, said: HTMLElement, { enter = '', texts }: BridgeProps): Promise<void> {
  let isTyping = false;
  document.addEventListener('input', () => {
    isTyping = true;
  });
  const isTime = Date.now() - Number(kept(BROUGHT)) > AGAIN_MS;
  if (kept(LEFT) || !isTime || !(await app.apiAddress())) {
    return;
  }
  const app_token = await app.token();
  if (!app_token || isTyping || !keep(BROUGHT, `${Date.now()}`)) {
    return;
  }
  said.textContent = texts.entering;
  const { location: to, message = '' } = await answerTo(enter, { app_token, width: `${innerWidth}` });
  if (to) {
    location.replace(to);
  } else {
    said.textContent = message;
  }
}

type Answer = { auth_code_?: string; location?: string; message?: string };

/** What the server answers; nothing when it does not. */
async function answerTo(url: string, fields: Record<string, string>): Promise<Answer> {
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

function kept(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Whether it could be kept: without that nothing is done that could go on for ever. */
function keep(key: string, value: string): boolean {
  try {
    sessionStorage.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}
