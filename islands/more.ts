import { watchCodes } from './code';
import { fetched } from './loader';
import watchConnection from './offline';
import { reportMenus } from './seen';
import watchToast from './toast';

/** Takes over the server's markup in `element`; what it throws leaves that as it is. */
type TakeOver = (element: HTMLElement, props: never) => void;

const islands: Record<string, () => Promise<{ default: TakeOver }>> = {
  region: () => import('./region'),
  upload: () => import('./upload'),
  pull: () => import('./pull'),
  draft: () => import('./draft'),
  appearance: () => import('./appearance').then(({ watchAppearance }) => ({ default: () => watchAppearance() })),
  bridge: () => import('./bridge'),
  digits: () => import('./digits'),
  prove: () => import('./prove'),
  report: () => import('./report'),
  submenu: () => import('./submenu'),
  offline: async () => ({ default: watchConnection }), // not by a script of its own: that could come too late
  toast: async () => ({ default: watchToast }), // which code fields bring along anyway
  copy: () => import('./copy').then(({ watchCopies }) => ({ default: () => watchCopies() })),
};

/**
 * Brings the islands without a component to life: code fields at once, for nearly every page that asks for this has one;
 * every `<div data-island="name" data-load="more" data-props="{json}">`, and `<form data-draft>`, when its script has come. Each
 * one's default export takes over the server's markup, which is then marked `data-ready`.
 */
export function bringMore(): void {
  watchCodes();
  reportMenus();
  for (const element of document.querySelectorAll<HTMLElement>('[data-load=more], form[data-draft]')) {
    bring(element).catch((error) => offerAgain(element, error));
  }
}

async function bring(element: HTMLElement): Promise<void> {
  const { island = 'draft', props = '{}' } = element.dataset;
  const module = await fetched(islands[island] as (typeof islands)[string]);
  module.default(element, JSON.parse(props) as never);
  element.dataset.ready = '';
}

/**
 * Says that a control stays as plain as the server wrote it, with a button that fetches its script again: where the server gave
 * the words, `data-failed` and `data-again`, for that is where the plain one is much harder to use. Elsewhere nobody is told.
 */
function offerAgain(element: HTMLElement, error: unknown): void {
  const { island, failed, again } = element.dataset;
  console.warn(island, error);
  if (!failed || !again) {
    return;
  }
  const note = document.createElement('p');
  const button = document.createElement('button');
  note.className = 'hint again';
  note.setAttribute('role', 'status');
  button.className = 'button quiet';
  button.type = 'button';
  button.textContent = again;
  button.addEventListener('click', () => {
    if (!button.classList.contains('busy')) {
      button.classList.add('busy');
      bring(element)
        .catch((error) => console.warn(island, error))
        .then(() => {
          button.classList.remove('busy');
          if ('ready' in element.dataset) {
            note.remove();
          }
        });
    }
  });
  element.append(note);
  note.append(`${failed} `, button); // after it is in the page, or it is not said
}
