import {
  PULL_DAMPING,
  PULL_DISTANCE,
  PULL_REFRESH_MS,
  PULL_SCALE,
  type PULL_STATES,
  TOAST_SHORT_MS,
} from '../constants';
import { RENEWED_EVENT } from '../renewed';
import { toast } from './toast';

/** How long the server may take to answer, in milliseconds. After that the page stays as it is. */
export const PULL_ANSWER_MS = 30_000;

/** The texts of the four states, and of a refresh that failed. */
export type PullProps = Record<(typeof PULL_STATES)[number] | 'failed', string>;

/**
 * How far the page is pulled, in pixels, after the finger moved `step` more and `total` in all. The farther the finger
 * is, the less the page follows; moving back is never damped.
 */
export function pulled(shown: number, step: number, total: number, screenHeight: number): number {
  if (shown > PULL_DAMPING && step > 0) {
    return shown;
  }
  return Math.max(0, shown + step * (1 - Math.abs(total) / screenHeight) * PULL_SCALE);
}

/**
 * Loads what stands in `<main>` of a page of this site; undefined if the whole page must be loaded. Landing sites send
 * that part only. Rejects if the server cannot be reached, fails (5xx) or does not answer within PULL_ANSWER_MS.
 */
async function fetchMain(address: string): Promise<Document | undefined> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), PULL_ANSWER_MS);
  try {
    const headers = { Accept: 'text/html', 'HX-Request': 'true', 'HX-Target': 'main#main' };
    const answer = await fetch(address, { credentials: 'same-origin', headers, signal: stop.signal });
    if (answer.status > 499) {
      throw answer; // keep the page that is shown instead of an error page
    }
    if (!answer.ok || answer.redirected) {
      return undefined;
    }
    const text = await answer.text();
    // of a whole page without the head, whose styles would change this page
    const [main = text] = /<main[\s\S]*<\/main>/.exec(text) || [];
    return new DOMParser().parseFromString(main, 'text/html');
  } finally {
    clearTimeout(timer);
  }
}

/** Loads the new `.pulled` part of the page, as fetchMain does; undefined also if the part has islands. */
export async function fetchPart(address: string): Promise<Element | undefined> {
  const newPart = (await fetchMain(address))?.querySelector('.pulled');
  return newPart && !newPart.querySelector('[data-island]') ? newPart : undefined;
}

/** Reports whether the finger scrolls: an element below it is scrolled down, or the page is enlarged. */
function scrollsWithin(target: EventTarget | null): boolean {
  for (let part = target as Element | null; part && part !== document.documentElement; part = part.parentElement) {
    if (part.scrollTop > 0) {
      return true;
    }
  }
  return (window.visualViewport?.scale || 1) > 1.01;
}

/**
 * Refreshes a part of the page when its link is pressed or the page is pulled down at its top. Only the content of
 * `.pulled` is replaced, so the scroll position and the focus stay. If that is not possible, the page is loaded again.
 */
export default function watchPulls(element: HTMLElement, words: PullProps): void {
  const template = element.querySelector('template') as HTMLTemplateElement;
  element.insertBefore(template.content.cloneNode(true), element.firstChild);
  const stateText = element.querySelector('.pulling') as HTMLElement;
  const link = element.querySelector(':scope > .way') as HTMLAnchorElement;
  const part = element.querySelector('.pulled') as HTMLElement;
  let startX = 0;
  let startY = -1; // -1: no finger pulls
  let lastY = 0;
  let shown = 0;
  let isRefreshing = false;
  let timer: ReturnType<typeof setTimeout>;

  function say(state: keyof PullProps | ''): void {
    element.dataset.pull = state;
    const text = state && words[state];
    if (!stateText.isConnected) {
      element.insertBefore(stateText, element.firstChild); // the page was renewed
    }
    if (stateText.textContent !== text) {
      stateText.textContent = text;
    }
  }

  function move(height: number): void {
    shown = height;
    element.style.setProperty('--pulled', `${Math.round(height)}px`);
  }

  async function refresh(): Promise<void> {
    isRefreshing = true;
    clearTimeout(timer);
    move(PULL_DISTANCE);
    say('release');
    element.setAttribute('aria-busy', 'true');
    const newPart = await fetchPart(link.href).catch(() => null);
    element.removeAttribute('aria-busy');
    isRefreshing = false;
    if (newPart) {
      part.textContent = '';
      part.append(...newPart.childNodes);
      window.htmx?.process(part);
      document.dispatchEvent(new CustomEvent(RENEWED_EVENT));
      say('finish');
      timer = setTimeout(rest, PULL_REFRESH_MS);
    } else if (newPart === null) {
      rest(); // loading the page now would show the browser's own error page
      toast(words.failed, { time: TOAST_SHORT_MS });
    } else {
      location.reload();
    }
  }

  function rest(): void {
    move(0);
    say('');
  }

  function touch({ touches, target }: TouchEvent): void {
    const [finger] = touches;
    const isAtTop = scrollY <= 0 && !scrollsWithin(target);
    const isFree = !isRefreshing && touches.length === 1 && isAtTop && !document.querySelector('dialog[open]');
    startY = isFree && finger ? finger.clientY : -1;
    startX = finger ? finger.clientX : 0;
    lastY = startY;
  }

  function pull(event: TouchEvent): void {
    const finger = event.touches[0];
    if (startY < 0 || !finger || event.touches.length > 1) {
      return;
    }
    const total = finger.clientY - startY;
    const aside = Math.abs(finger.clientX - startX);
    if (shown === 0 && (total <= 0 || aside > total)) {
      startY = -1; // scrolls
      return;
    }
    if (event.cancelable) {
      event.preventDefault(); // or the browser pulls to refresh by itself
    }
    clearTimeout(timer);
    move(pulled(shown, finger.clientY - lastY, total, screen.height || innerHeight));
    lastY = finger.clientY;
    element.classList.add('held');
    say(shown < PULL_DISTANCE ? 'deactivate' : 'activate');
  }

  function release(): void {
    if (startY < 0) {
      return;
    }
    startY = -1;
    element.classList.remove('held');
    if (element.dataset.pull === 'activate') {
      refresh();
    } else if (shown > 0 || element.dataset.pull === 'deactivate') {
      rest();
    }
  }

  document.addEventListener('touchstart', touch, { passive: true });
  document.addEventListener('touchmove', pull, { passive: false });
  document.addEventListener('touchend', release);
  document.addEventListener('touchcancel', () => {
    element.classList.remove('held');
    startY = -1;
    if (!isRefreshing) {
      rest();
    }
  });
  link.addEventListener('click', (event) => {
    if (!(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)) {
      event.preventDefault();
      if (!isRefreshing) {
        refresh();
      }
    }
  });
}
