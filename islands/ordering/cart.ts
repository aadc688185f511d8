import type { HtmxRequestCtx } from 'htmx.org';

/**
 * What the server answers to a change of the cart. `counted` is what screen readers say about `count` in the menu.
 * `lines` has the products in the cart by their ids.
 */
export type CartAnswer = {
  count: number;
  counted: string;
  goods: string;
  total: string;
  lines: Record<string, { quantity: number; total: string }>;
  message?: string;
};

/** How long the person may press again before a quantity is sent, in milliseconds. */
export const PAUSE = 300;

/**
 * Sends the quantities of the steppers in `root` without loading the page again. The number stays a field: a typed one
 * is sent, too. If a quantity cannot be sent, its form goes as it would without scripts.
 */
export default function watchCart(root: HTMLElement): void {
  const waiting = new Map<HTMLInputElement, number>(); // the quantities to send, and their timers
  const told = new Map<HTMLInputElement, string>(); // what the server was told last
  const queued = new Set<HTMLInputElement>(); // those whose turn has not come yet
  let turn: Promise<unknown> = Promise.resolve(); // requests go one after the other

  const stepperOf = (target: EventTarget | null) => (target as Element | null)?.closest<HTMLElement>('.stepper');
  const fieldOf = (stepper: HTMLElement) => stepper.querySelector('input') as HTMLInputElement;

  root.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>('.step-by');
    const stepper = stepperOf(button);
    if (button && stepper) {
      event.preventDefault();
      const field = fieldOf(stepper);
      const by = button.name === 'more' ? 1 : -1;
      const most = 10 ** field.maxLength - 1;
      field.value = `${Math.min(Math.max((Number.parseInt(field.value, 10) || 0) + by, 0), most)}`;
      showNone(field);
      send(field, PAUSE);
    }
  });
  root.addEventListener('change', (event) => {
    const stepper = stepperOf(event.target);
    const field = stepper && fieldOf(stepper);
    if (field && told.get(field) !== field.value) {
      send(field, 0);
    }
  });
  // Enter in a quantity sends that quantity.
  root.addEventListener('keydown', (event) => {
    const stepper = event.key === 'Enter' && (event.target as Element).matches('input') && stepperOf(event.target);
    if (stepper) {
      event.preventDefault();
      send(fieldOf(stepper), 0);
    }
  });
  // The cart is shown with the quantities that were pressed last.
  root.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('.cart-bar a');
    if (link && !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      flush();
      turn.then(() => location.assign(link.href));
    }
  });
  // Another part of the shop takes the place of this one, with what is in the cart then.
  document.addEventListener('htmx:before:request', function sendFirst(event) {
    flush();
    if (!root.isConnected) {
      document.removeEventListener('htmx:before:request', sendFirst);
      return;
    }
    const ctx = event.detail.ctx as HtmxRequestCtx & { fetch: typeof fetch };
    const ask = ctx.fetch;
    const sent = turn;
    ctx.fetch = (...request) => sent.then(() => ask(...request));
  });
  // A page that goes away cannot wait for the answers to earlier requests.
  addEventListener('pagehide', () => {
    flush();
    for (const field of queued) {
      post(field).catch(() => {});
    }
    queued.clear();
  });
  // An order has the quantities of its form.
  root.addEventListener('submit', () => {
    for (const timer of waiting.values()) {
      clearTimeout(timer);
    }
    waiting.clear();
  });

  // A product that is not in the cart has only the button that adds one.
  function showNone(field: HTMLInputElement): void {
    const stepper = stepperOf(field) as HTMLElement;
    const isNone = field.value === '0';
    const hadFocus = isNone && stepper.contains(document.activeElement);
    stepper.classList.toggle('none', isNone);
    if (hadFocus) {
      stepper.querySelector<HTMLElement>('[name=more]')?.focus();
    }
  }

  function send(field: HTMLInputElement, after: number): void {
    clearTimeout(waiting.get(field));
    waiting.set(
      field,
      window.setTimeout(() => deliver(field), after),
    );
  }

  function flush(): void {
    for (const [field, timer] of waiting) {
      clearTimeout(timer);
      deliver(field);
    }
  }

  function deliver(field: HTMLInputElement): void {
    waiting.delete(field);
    queued.add(field);
    turn = turn
      .then(async () => {
        if (queued.delete(field)) {
          show(field, await post(field));
        }
      })
      .catch(() => field.form?.submit());
  }

  async function post(field: HTMLInputElement): Promise<CartAnswer> {
    told.set(field, field.value);
    const form = field.form as HTMLFormElement;
    const body = new URLSearchParams({ [field.name]: field.value.trim() || '0' });
    for (const name of ['token', 'form']) {
      body.set(name, form.querySelector<HTMLInputElement>(`[name=${name}]`)?.value ?? '');
    }
    const address = form.getAttribute('action') as string; // form.action can be a button of that name
    const answer = await fetch(address, {
      method: 'POST',
      body,
      headers: { Accept: 'application/json' },
      keepalive: true,
    });
    return answer.json();
  }

  function show(field: HTMLInputElement, answer: CartAnswer): void {
    if (typeof answer.count !== 'number') {
      throw new Error('no cart');
    }
    const item = field.closest('li') as HTMLElement;
    const message = item.querySelector('.msg') as HTMLElement;
    message.textContent = answer.message || '';
    message.hidden = !answer.message;
    message.classList.remove('noted');
    if (answer.message) {
      field.setAttribute('aria-invalid', 'true');
      message.setAttribute('role', 'alert');
    } else {
      field.removeAttribute('aria-invalid');
      const line = answer.lines[field.closest<HTMLElement>('.stepper')?.dataset.product as string];
      // What was pressed or typed while the answer was on its way stays, and goes next.
      if (field.value === told.get(field)) {
        field.value = `${line ? line.quantity : 0}`;
        showNone(field);
      }
    }
    for (const cell of document.querySelectorAll<HTMLElement>('[data-line]')) {
      cell.textContent = answer.lines[cell.dataset.line as string]?.total ?? '';
    }
    for (const [name, text] of [
      ['goods', answer.goods],
      ['total', answer.total],
    ]) {
      for (const place of document.querySelectorAll(`[data-${name}]`)) {
        place.textContent = text as string;
      }
    }
    const bar = document.querySelector<HTMLElement>('.cart-bar');
    if (bar?.querySelector('a')) {
      bar.hidden = !answer.count;
    }
    showInMenu(answer);
  }
}

/** Shows in the menu how many products are in the cart, as waitingCount in pages/site/frame.templ does. */
function showInMenu({ count, counted }: CartAnswer): void {
  const place = document.getElementById('waiting-cart');
  if (!place) {
    return;
  }
  place.textContent = '';
  if (count) {
    const number = place.appendChild(document.createElement('span'));
    number.className = 'count num';
    number.setAttribute('aria-hidden', 'true');
    number.textContent = `${count}`;
    const words = place.appendChild(document.createElement('span'));
    words.className = 'unseen';
    words.textContent = counted;
  }
}
