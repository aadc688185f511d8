import { SUBMENU_EVENT } from '../constants';
import type { SubmenuChoice } from './submenu';

/**
 * Reports each choice in a menu to the server (POST /seen), which counts the menus it knows. Nothing waits for the
 * answer, and a lost report is not sent again. An entry that leads to another page than the opened one (its parent, for
 * example) was not chosen now, so it is not reported. If two menus of a page report the same entry, it is reported
 * once.
 */
export function reportMenus(): void {
  const reported = new Set<string>();
  addEventListener(
    SUBMENU_EVENT,
    (event) => {
      const { choice, page } = (event as CustomEvent<Partial<SubmenuChoice> | null>).detail || {};
      if (typeof choice === 'string' && choice.startsWith('/')) {
        const { pathname } = new URL(choice, location.href);
        if (pathname === page && !reported.has(pathname)) {
          reported.add(pathname);
          report(pathname);
        }
      }
    },
    true,
  );
}

function report(menu: string): void {
  const token = document.querySelector<HTMLInputElement>('input[name=token]')?.value ?? '';
  const body = new URLSearchParams({ menu, token });
  if (!navigator.sendBeacon?.('/seen', body)) {
    fetch('/seen', { method: 'POST', body, keepalive: true }).catch(() => {});
  }
}
