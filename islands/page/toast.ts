import { TOAST_LONG_MS, TOAST_MS, TOAST_SHORT_MS } from '../constants';

/** How long a toast takes to come and to go, in milliseconds; no time at all where motion is reduced. */
export const FADE_MS = 200;

/** How a toast is said. */
export type Manner = {
  /** In milliseconds; 0: until the next one. TOAST_MS unless told. */
  time?: number;
  /** Screen readers hear these words elsewhere on the page. */
  isHeard?: boolean;
};

let shown: HTMLElement | undefined;
let region: HTMLElement | undefined;
let timer: ReturnType<typeof setTimeout>;

/** Shows a notice in passing, and says it politely. One at a time: it takes the place of the one before. */
export function toast(text: string, { time = TOAST_MS, isHeard = false }: Manner = {}): void {
  const note = document.createElement('p');
  note.className = 'toast';
  note.textContent = text;
  if (isHeard) {
    note.setAttribute('aria-hidden', 'true');
  }
  show(note, time);
}

/**
 * Shows that a request is running: `text`, and a mask that keeps fingers off the page until `request` ends; the keyboard keeps
 * its place. What came of it is the caller's to say, for TOAST_SHORT_MS or TOAST_LONG_MS. Gives what `request` gives.
 */
export async function during<T>(text: string, request: Promise<T>): Promise<T> {
  const mask = document.createElement('div');
  mask.className = 'mask';
  // Here and not in a sheet: the pages that ask for codes have only the first one.
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
  const mine = shown;
  try {
    return await request;
  } finally {
    mask.remove();
    if (shown === mine) {
      hide();
    }
  }
}

/** Takes over the toast that came with the page. Without scripts it stays; with them it is said aloud, and goes in its time. */
export default function takeOver(note: HTMLElement, { long = false }: { long?: boolean }): void {
  note.removeAttribute('role');
  show(note, long ? TOAST_LONG_MS : TOAST_SHORT_MS);
}

function show(note: HTMLElement, time: number): void {
  if (!region) {
    region = document.createElement('div');
    region.setAttribute('role', 'status');
  }
  if (!region.isConnected) {
    document.body.append(region); // before it has anything to say, or nothing is said
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

/** Takes it out of sight. */
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
