import CodeField from './code';
import { fetched, mountIslands } from './loader';
import watchConnection from './offline';
import { reportMenus } from './seen';
import watchToast from './toast';

/** Takes over the server's markup in `element`; what it throws leaves that as it is. */
type TakeOver = (element: HTMLElement, props: never) => void;

/** Islands that render nothing, by the names of their files. */
const functions: Record<string, () => Promise<{ default: TakeOver }>> = {
  pull: () => import('./pull'),
  draft: () => import('./draft'),
  appearance: () => import('./appearance'),
  bridge: () => import('./bridge'),
  digits: () => import('./digits'),
  prove: () => import('./prove'),
  report: () => import('./report'),
  submenu: () => import('./submenu'),
  offline: async () => ({ default: watchConnection }), // not by a script of its own: that could come too late
  toast: async () => ({ default: watchToast }), // which code fields bring along anyway
  copy: () => import('./copy'),
};

/**
 * Starts the islands of all pages but the first sign-in page. Code fields are part of this script, because nearly every
 * page that loads it has one. A function takes over the server's markup of every `<div data-island="name"
 * data-load="more" data-props="{json}">` and `<form data-draft>`, which is then marked `data-ready`.
 */
export function bringMore(): void {
  mountIslands({
    code: async () => ({ default: CodeField }),
    region: () => import('./region'),
    upload: () => import('./upload'),
  });
  reportMenus();
  for (const element of document.querySelectorAll<HTMLElement>('[data-load=more], form[data-draft]')) {
    const { island = 'draft', props = '{}' } = element.dataset;
    const load = functions[island];
    if (load) {
      fetched(island, load)
        .then((module) => {
          module.default(element, JSON.parse(props) as never);
          element.dataset.ready = '';
        })
        .catch((error) => console.warn(island, error));
    }
  }
}
