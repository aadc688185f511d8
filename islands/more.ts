import { reportMenus } from './backoffice/menu-report';
import { fetchModule, mountIslands, whenIdle } from './loader';
import watchMenu from './page/menu';
import watchConnection from './page/offline';
import watchToast from './page/toast';
import { onRenewed } from './renewed';
import CodeField from './verification/code';

/** Improves the server's markup in `element`. If it throws, the markup stays as it is. */
type PlainIsland = (element: HTMLElement, props: never) => void;

/** Islands that render nothing, by the names of their files. */
const functions: Record<string, () => Promise<{ default: PlainIsland }>> = {
  pull: () => import('./page/pull'),
  draft: () => import('./application/draft'),
  review: () => import('./backoffice/review'),
  appearance: () => import('./branding/appearance'),
  bridge: () => import('./native/bridge'),
  cart: () => import('./ordering/cart'),
  digits: () => import('./page/digits'),
  prove: () => import('./verification/prove'),
  report: () => import('./page/report'),
  submenu: () => import('./backoffice/submenu'),
  offline: async () => ({ default: watchConnection }), // in this script: one of its own could arrive too late
  toast: async () => ({ default: watchToast }), // in this script, because code fields use it
  copy: () => import('./page/copy'),
  dropfile: () => import('./page/dropfile'),
  share: () => import('./page/share'),
  'wechat-card': () => import('./page/wechat-card'),
  unsaved: () => import('./page/unsaved'),
  menu: async () => ({ default: watchMenu }), // in this script: nearly every page of a signed-in person has one
};

/**
 * Starts the islands of all pages but the first sign-in page. Code fields are part of this script, because nearly every
 * page that loads it has one. A function takes over the server's markup of every `<div data-island="name"
 * data-load="more" data-props="{json}">` and `<form data-draft>`, which is then marked `data-ready`.
 */
export function startMore(): void {
  mountIslands({
    code: async () => ({ default: CodeField }),
    region: () => import('./application/region'),
    list: () => import('./backoffice/list'),
    upload: () => import('./application/upload'),
  });
  reportMenus();
  startNew();
  onRenewed(startNew);
  if (document.querySelector('[hx-boost], [hx-boost\\:inherited]')) {
    whenIdle(
      () =>
        fetchModule('fragments', () => import('./page/fragments'))
          .then((fragments) => fragments.default())
          .catch((error) => console.warn('fragments', error)), // and pages are loaded whole
    );
  }
}

/** The elements whose functions were started. */
const started = new WeakSet<Element>();

/** Starts the functions of the elements that are new in the page. */
function startNew(): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-load=more], form[data-draft]')) {
    const { island = 'draft', props = '{}' } = element.dataset;
    const load = functions[island];
    if (load && !started.has(element)) {
      started.add(element);
      fetchModule(island, load)
        .then((module) => {
          module.default(element, JSON.parse(props) as never);
          element.dataset.ready = '';
        })
        .catch((error) => console.warn(island, error));
    }
  }
}
