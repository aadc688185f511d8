import { SUBMENU_EVENT, SUBMENU_REPORT_MS } from '../constants';
import { onRenewed } from '../renewed';

/**
 * A choice in a sub-menu. `menu` is the sub-menu's name, `choice` the address on this site that the entry leads to,
 * `page` the path of the page that shows the sub-menu.
 */
export type SubmenuChoice = { menu: string; choice: string; page: string };

/**
 * Reports the choice in a sub-menu after SUBMENU_REPORT_MS: the entry of the opened page (`aria-current`), or a pressed
 * entry that leads to another part of this page. A person who leaves the page sooner is not reported, and no choice is
 * reported twice.
 */
export default function watchSubmenu(menu: HTMLElement, { name }: { name: string }): void {
  let reported = '';
  let timer: ReturnType<typeof setTimeout>;

  function choose(link: HTMLAnchorElement): void {
    const { pathname, search, hash } = new URL(link.href, location.href);
    const choice = pathname + search + hash;
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (choice !== reported) {
        reported = choice;
        document.dispatchEvent(
          new CustomEvent<SubmenuChoice>(SUBMENU_EVENT, { detail: { menu: name, choice, page: location.pathname } }),
        );
      }
    }, SUBMENU_REPORT_MS);
  }

  function chooseCurrent(): void {
    const current = menu.querySelector<HTMLAnchorElement>('a[aria-current]');
    if (current && menu.isConnected) {
      choose(current);
    }
  }
  chooseCurrent();
  onRenewed(chooseCurrent);
  menu.addEventListener('click', ({ target }) => {
    const link = (target as Element).closest<HTMLAnchorElement>('a[href]');
    if (link && new URL(link.href, location.href).hash) {
      choose(link);
    }
  });
  addEventListener('pagehide', () => clearTimeout(timer));
}
