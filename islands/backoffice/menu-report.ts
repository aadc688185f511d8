import { SUBMENU_EVENT } from '../constants';
import type { SubmenuChoice } from './submenu';

/**
 * Reports each choice in a menu to the server (POST /seen), which counts those it knows. Nothing waits for it, and a lost one is
 * lost. An entry that one is below of was not chosen now, and what two menus of a page say alike was chosen once.
 */
export function reportMenus(): void {
  const told = new Set<string>();
  addEventListener(
    SUBMENU_EVENT,
    (event) => {
      const { choice, at } = (event as CustomEvent<Partial<SubmenuChoice> | null>).detail || {};
      if (typeof choice === 'string' && choice.startsWith('/')) {
        const { pathname } = new URL(choice, location.href);
        if (pathname === at && !told.has(pathname)) {
          told.add(pathname);
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
