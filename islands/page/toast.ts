import { TOAST_LONG_MS, TOAST_MS, TOAST_SHORT_MS } from '../constants';

/** How long a toast takes to fade in or out, in milliseconds. It does not fade where motion is reduced. */
export const FADE_MS = 200;

/** How a toast is shown and announced. */
export type ToastOptions = {
  /** How long it is shown, in milliseconds; 0: until the next toast. The default is TOAST_MS. */
  time?: number;
};

let shown: HTMLElement | undefined;
let region: HTMLElement | undefined;
let timer: ReturnType<typeof setTimeout>;

/** Shows a short notice in a polite live region. It replaces the notice before: one is shown at a time. */
export function toast(text: string, { time = TOAST_MS }: ToastOptions = {}): void {
  const note = document.createElement('p');
  note.className = 'toast';
  note.textContent = text;
  show(note, time);
}

/**
 * Shows `text` and a mask that keeps presses off the page until `request` ends; the focus stays where it is. The caller
 * shows the result, for TOAST_SHORT_MS or TOAST_LONG_MS. Resolves and rejects as `request` does.
 */
export async function maskWhile<T>(text: string, request: Promise<T>): Promise<T> {
  const mask = document.createElement('div');
  mask.className = 'mask';
  // Styles are set here because the pages that ask for codes load only the first style sheet.
  Object.assign(mask.style, {
    position: 'fixed',
    top: '0',
    right: '0',
    bottom: '0',
    left: '0',
    zIndex: '2',
    cursor: 'progress',
  });
  document.body.append(mask);
  toast(text, { time: 0 });
  const ownToast = shown;
  try {
    return await request;
  } finally {
    mask.remove();
    if (shown === ownToast) {
      hide();
    }
  }
}

/**
 * Shows the toast that came with the page as toast() does: screen readers announce it, and it goes after its time.
 * Without scripts it stays.
 */
export default function watchToast(note: HTMLElement, { long = false }: { long?: boolean }): void {
  note.removeAttribute('role');
  show(note, long ? TOAST_LONG_MS : TOAST_SHORT_MS);
}

function show(note: HTMLElement, time: number): void {
  if (!region) {
    region = document.createElement('div');
    region.setAttribute('role', 'status');
  }
  if (!region.isConnected) {
    document.body.append(region); // screen readers announce only changes of a region that is in the page
  }
  clearTimeout(timer);
  shown?.remove();
  shown = note;
  region.append(note);
  fade(note, 0, 1);
  if (time) {
    timer = setTimeout(hide, time);
  }
}

/** Fades the toast out and hides it. */
function hide(): void {
  const note = shown as HTMLElement;
  clearTimeout(timer);
  const fading = fade(note, 1, 0);
  if (fading) {
    fading.onfinish = () => {
      note.hidden = true;
    };
  } else {
    note.hidden = true;
  }
}

function fade(note: HTMLElement, from: number, to: number): Animation | undefined {
  const isStill = !note.animate || matchMedia('(prefers-reduced-motion: reduce)').matches;
  return isStill ? undefined : note.animate([{ opacity: from }, { opacity: to }], FADE_MS);
}
