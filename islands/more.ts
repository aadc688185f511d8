import { reportMenus } from './backoffice/menu-report';
import { fetched, mountIslands } from './loader';
import watchConnection from './page/offline';
import watchToast from './page/toast';
import CodeField from './verification/code';

/** Takes over the server's markup in `element`; what it throws leaves that as it is. */
type TakeOver = (element: HTMLElement, props: never) => void;

/** Islands that render nothing, by the names of their files. */
const functions: Record<string, () => Promise<{ default: TakeOver }>> = {
  pull: () => import('./page/pull'),
  draft: () => import('./application/draft'),
  appearance: () => import('./branding/appearance'),
  bridge: () => import('./native/bridge'),
  digits: () => import('./page/digits'),
  prove: () => import('./verification/prove'),
  report: () => import('./page/report'),
  submenu: () => import('./backoffice/submenu'),
  offline: async () => ({ default: watchConnection }), // not by a script of its own: that could come too late
  toast: async () => ({ default: watchToast }), // which code fields bring along anyway
  copy: () => import('./page/copy'),
};

/**
 * Starts the islands of all pages but the first sign-in page. Code fields are part of this script, because nearly every
 * page that loads it has one. A function takes over the server's markup of every `<div data-island="name"
 * data-load="more" data-props="{json}">` and `<form data-draft>`, which is then marked `data-ready`.
 */
export function bringMore(): void {
  mountIslands({
    code: async () => ({ default: CodeField }),
    region: () => import('./application/region'),
    upload: () => import('./application/upload'),
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
