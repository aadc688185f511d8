import { watchCodes } from './code';
import { fetched } from './loader';
import { reportMenus } from './seen';

/** Takes over the server's markup in `element`; what it throws leaves that as it is. */
type TakeOver = (element: HTMLElement, props: never) => void;

const islands: Record<string, () => Promise<{ default: TakeOver }>> = {
  region: () => import('./region'),
  upload: () => import('./upload'),
  pull: () => import('./pull'),
  draft: () => import('./draft'),
  appearance: () => import('./appearance').then(({ watchAppearance }) => ({ default: () => watchAppearance() })),
  bridge: () => import('./bridge'),
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
    const { island = 'draft', props = '{}' } = element.dataset;
    fetched(islands[island] as (typeof islands)[string])
      .then((module) => {
        module.default(element, JSON.parse(props) as never);
        element.dataset.ready = '';
      })
      .catch((error) => console.warn(island, error));
  }
}
