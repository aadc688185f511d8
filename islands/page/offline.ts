import { TOAST_LONG_MS } from '../constants';

/** The messages: the connection is lost, a form was not sent because of that, the connection is back. */
export type OfflineTexts = { lost: string; held: string; back: string };

/** Requested to find out whether the server can be reached: small, on every host, and no page view. */
const PROBE_PATH = '/robots.txt';

/** Asks the server whether it can be reached. */
export const isReached = (): Promise<boolean> =>
  fetch(PROBE_PATH, { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  );

/**
 * Says in `note`, a polite live region, when the connection is lost and when it is back. While it is lost, no form is
 * submitted: the form stays as it is, and the person presses the button again later. Browsers are sometimes wrong about
 * being offline, so each press also asks the server; otherwise a form could be blocked for good.
 */
export default function watchConnection(note: HTMLElement, { lost, held, back }: OfflineTexts): void {
  const text = note.querySelector('span') ?? note;
  const settings = note.querySelector('button'); // shown in a native app; native/bridge.ts handles its press
  let isLost = false;
  let timer: ReturnType<typeof setTimeout>;

  function say(words: string): void {
    clearTimeout(timer);
    if (text.textContent !== words) {
      text.textContent = words; // screen readers would repeat the same text
    }
    if (settings) {
      settings.hidden = !isLost || !('app' in document.documentElement.dataset);
    }
    note.className = words ? `note${isLost ? ' bad' : ''}` : 'skip';
    note.style.position = words && 'sticky';
  }

  function lose(): void {
    isLost = true;
    say(lost);
  }

  function regain(): void {
    if (isLost) {
      isLost = false;
      say(back);
      timer = setTimeout(say, TOAST_LONG_MS, '');
    }
  }

  async function checkConnection(): Promise<void> {
    if (navigator.onLine || (await isReached())) {
      regain();
    } else {
      lose();
    }
  }

  async function stopForm(event: Event): Promise<void> {
    if (isLost && (event.target as Element).getAttribute('method') !== 'dialog') {
      event.preventDefault();
      event.stopImmediatePropagation();
      say(held);
      if (await isReached()) {
        regain();
      }
    }
  }

  /**
   * A failed navigation replaces a history entry with the same address, and the form with what was typed would be lost.
   * So this adds `#` to the address of the form's entry.
   */
  function keepEntry({ defaultPrevented, target }: Event): void {
    const { href } = location;
    if (!defaultPrevented && new URL((target as Element).getAttribute('action') || '', href).href === href) {
      history.replaceState(history.state, '', '#');
    }
  }

  // Styles are set here because some pages with this note do not load the full style sheet.
  Object.assign(note.style, { top: '0', zIndex: '3', justifyContent: 'center', borderRadius: '0' });
  document.addEventListener('submit', stopForm, true);
  document.addEventListener('submit', keepEntry);
  addEventListener('offline', lose);
  addEventListener('online', regain);
  addEventListener('pageshow', ({ persisted }) => persisted && checkConnection());
  checkConnection();
}
