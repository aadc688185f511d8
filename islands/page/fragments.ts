import htmx from 'htmx.org';
import { isReached } from './offline';

/** A list is searched when a person has typed nothing for this time, in milliseconds. */
export const SEARCH_MS = 250;

/** What htmx says about a request in its events. */
type Context = {
  sourceElement: Element;
  text?: string;
  request: {
    method: string;
    action: string;
    body: FormData | URLSearchParams | null;
    submitter?: HTMLButtonElement | null;
    headers: Record<string, string>;
  };
};

declare global {
  interface Window {
    /** htmx, once this script is there. */
    htmx?: typeof htmx;
  }
}

type HtmxEvent = CustomEvent<{ ctx?: Context } | null>;

/** The header of the request by which htmx shows a page again that the person comes back to. */
const RESTORE = 'HX-History-Restore-Request';

/**
 * Lets htmx put another page into `<main>` of a landing site. The markup says which links and forms do so (hx-boost,
 * hx-get). When the server sends a whole page or the request fails, the browser loads the page as without scripts.
 */
export default function watchFragments(): void {
  Element.prototype.replaceChildren ||= replaceChildren;
  const region = document.createElement('p');
  region.setAttribute('role', 'status');
  region.className = 'unseen';
  document.body.append(region);
  const main = document.querySelector('main') as HTMLElement;
  let hadFocus = false;
  let timer: ReturnType<typeof setTimeout>;

  const on = (type: string, run: (event: HtmxEvent, ctx: Context) => void) =>
    document.addEventListener(type, (event) => {
      const ctx = (event as HtmxEvent).detail?.ctx;
      if (ctx) {
        run(event as HtmxEvent, ctx);
      }
    });

  on('htmx:config:request', (event, ctx) => {
    const { method, body, headers } = ctx.request;
    if (headers[RESTORE]) {
      Object.assign(headers, { 'HX-Request': 'true', 'HX-Target': 'main#main' }); // it would ask for the whole page
      Object.assign(ctx, { select: undefined, swap: 'innerHTML' });
    } else if (buttonOf(ctx)?.name === 'lang') {
      event.preventDefault(); // all of the page is in another language then
      leave(ctx);
    } else if (method === 'GET') {
      leaveOutEmpty(body as FormData);
    }
  });
  on('htmx:before:request', (_, ctx) => {
    main.setAttribute('aria-busy', 'true');
    setBusy(buttonOf(ctx), true);
  });
  on('htmx:finally:request', (_, ctx) => {
    main.removeAttribute('aria-busy');
    setBusy(buttonOf(ctx), false);
  });
  on('htmx:after:request', (event, ctx) => {
    if (/^\s*<!doctype/i.test(ctx.text ?? '')) {
      event.preventDefault();
      leave(ctx);
    }
  });
  on('htmx:error', async (_, ctx) => {
    if (!(await isReached())) {
      dispatchEvent(new Event('offline')); // nothing is lost: the page stays, and says so
    } else if (!isSearch(ctx.sourceElement)) {
      leave(ctx);
    }
  });
  on('htmx:before:swap', () => {
    hadFocus = main.contains(document.activeElement);
  });
  on('htmx:after:swap', () => {
    if (!main.querySelector('[role=alert]')) {
      const heading = main.querySelector('h1')?.textContent ?? '';
      region.textContent = main.querySelector<HTMLElement>('[data-said]')?.dataset.said ?? heading;
    }
    for (const option of main.querySelectorAll('option')) {
      option.selected = option.defaultSelected; // renewed attributes do not change what a person chose
    }
    if (hadFocus && !main.contains(document.activeElement)) {
      main.tabIndex = -1;
      main.focus({ preventScroll: true });
    }
  });

  // Text that an input method is still composing is not searched for.
  function search({ target, isComposing }: Event & { isComposing?: boolean }): void {
    clearTimeout(timer);
    if (isSearch(target) && !isComposing) {
      timer = setTimeout(() => htmx.trigger(target, 'typed'), SEARCH_MS);
    }
  }
  document.addEventListener('input', search);
  document.addEventListener('compositionend', search);
  document.addEventListener('submit', () => clearTimeout(timer), true);
  for (const field of document.querySelectorAll<HTMLInputElement>('[hx-trigger=typed]')) {
    if (field.value !== field.defaultValue) {
      timer = setTimeout(() => htmx.trigger(field, 'typed'), SEARCH_MS); // typed before this script was there
    }
  }
}

const isSearch = (target: unknown): target is Element =>
  target instanceof Element && target.getAttribute('hx-trigger') === 'typed';

/** Keeps empty fields out of an address. */
function leaveOutEmpty(fields: FormData): void {
  for (const [name, value] of [...fields]) {
    if (typeof value === 'string' && !value.trim()) {
      fields.delete(name);
    }
  }
}

/** The button that sends a form. */
function buttonOf({ request, sourceElement }: Context): HTMLButtonElement | undefined {
  return request.submitter ?? (sourceElement instanceof HTMLButtonElement ? sourceElement : undefined);
}

function setBusy(button: HTMLButtonElement | undefined, isBusy: boolean): void {
  button?.classList.toggle('busy', isBusy);
  if (isBusy) {
    button?.setAttribute('aria-busy', 'true');
  } else {
    button?.removeAttribute('aria-busy');
  }
}

/** Does what the link or form would do without scripts. */
function leave(ctx: Context): void {
  const { request, sourceElement } = ctx;
  if (request.headers[RESTORE]) {
    location.reload();
    return;
  }
  if (request.method === 'GET') {
    location.assign(request.action);
    return;
  }
  const button = buttonOf(ctx);
  const form = button?.form ?? (sourceElement as HTMLFormElement);
  if (button?.name) {
    const field = document.createElement('input');
    field.type = 'hidden';
    field.name = button.name;
    field.value = button.value;
    form.append(field);
  }
  HTMLFormElement.prototype.submit.call(form); // a field can have the name "submit"
}

/** Element.replaceChildren for browsers before Chromium 86 and Safari 14. */
function replaceChildren(this: Element, ...nodes: (Node | string)[]): void {
  this.textContent = '';
  this.append(...nodes);
}
