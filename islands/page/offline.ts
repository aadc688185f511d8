import { TOAST_LONG_MS } from '../constants';

/** What is said: the connection is gone, a form was not sent for that, the connection is back. */
export type Words = { lost: string; held: string; back: string };

/** Asked for to learn whether the server can be reached: small, on every host, and no page that counts as seen. */
const PROBE = '/robots.txt';

/**
 * Says in `note`, a polite live region, when the connection is gone and when it is back, and holds every form that is sent
 * meanwhile: it stays as it is, and goes when the button is pressed again. Browsers are wrong about being offline at times: what
 * the server answers counts, so that no form is held for good.
 */
export default function watchConnection(note: HTMLElement, { lost, held, back }: Words): void {
  const text = note.querySelector('span') ?? note;
  const settings = note.querySelector('button'); // shown in an app; islands/bridge.ts makes it work
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

  const isReached = () =>
    fetch(PROBE, { method: 'HEAD', cache: 'no-store' }).then(
      () => true,
      () => false,
    );

  async function compare(): Promise<void> {
    if (navigator.onLine || (await isReached())) {
      regain();
    } else {
      lose();
    }
  }

  async function hold(event: Event): Promise<void> {
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
   * Browsers lay their page of what went wrong over an entry of the same address: then the form would be gone from the history
   * when its answer is lost. This makes its entry another.
   */
  function keepEntry({ defaultPrevented, target }: Event): void {
    const { href } = location;
    if (!defaultPrevented && new URL((target as Element).getAttribute('action') || '', href).href === href) {
      history.replaceState(history.state, '', '#');
    }
  }

  // Here and not in a sheet: some pages that have this do without the one it would be in.
  Object.assign(note.style, { top: '0', zIndex: '3', justifyContent: 'center', borderRadius: '0' });
  document.addEventListener('submit', hold, true);
  document.addEventListener('submit', keepEntry);
  addEventListener('offline', lose);
  addEventListener('online', regain);
  addEventListener('pageshow', ({ persisted }) => persisted && compare());
  compare();
}
