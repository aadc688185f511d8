import { SUBMENU_EVENT } from './constants';

/** Reports each choice in a menu to the server (POST /seen), which counts those it knows. Nothing waits for it, and a lost one is lost. */
export function reportMenus(): void {
  addEventListener(
    SUBMENU_EVENT,
    (event) => report((event as CustomEvent<{ choice?: unknown } | null>).detail?.choice),
    true,
  );
}

function report(choice: unknown): void {
  if (typeof choice !== 'string' || !choice.startsWith('/')) {
    return;
  }
  const token = document.querySelector<HTMLInputElement>('input[name=token]')?.value ?? '';
  const body = new URLSearchParams({ menu: new URL(choice, location.href).pathname, token });
  if (!navigator.sendBeacon?.('/seen', body)) {
    fetch('/seen', { method: 'POST', body, keepalive: true }).catch(() => {});
  }
}
