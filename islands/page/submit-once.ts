type Button = HTMLButtonElement | HTMLInputElement;

const BUTTONS = 'button, input[type=submit], input[type=image]';

/** The forms that are being submitted, each with the function that restores its button. */
const sent = new Map<EventTarget, () => void>();

/** The button pressed last, for browsers without `SubmitEvent.submitter` (before Chrome 81, Safari 15.4). */
let pressed: Button | null = null;

/**
 * Announces to screen readers what a busy button does. It is in the page from the start, because only changes are
 * announced.
 */
const liveRegion = document.createElement('p');

/**
 * Makes sure that a form is submitted once. The pressed button becomes busy (`aria-busy`, class `busy`, and the text in
 * its `data-busy`, which is announced too). Further submits are dropped until the page is left, comes back from the
 * back-forward cache, or the navigation fails. The button is never disabled, because its name and value are submitted.
 */
export function submitOnce(): void {
  liveRegion.setAttribute('role', 'status');
  liveRegion.className = 'skip';
  document.body.append(liveRegion);
  document.addEventListener(
    'click',
    (event) => {
      pressed = (event.target as Element).closest<Button>(BUTTONS);
    },
    true,
  );
  document.addEventListener('submit', refuseSecond, true);
  document.addEventListener('submit', markSent);
  addEventListener('pageshow', (event) => event.persisted && release());
  if ('navigation' in window) {
    navigation.addEventListener('navigateerror', release); // the person pressed the browser's stop button
  }
}

function release(): void {
  for (const restore of sent.values()) {
    restore();
  }
  sent.clear();
}

function refuseSecond(event: Event): void {
  if (sent.has(event.target as EventTarget)) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}

function markSent(event: SubmitEvent): void {
  const form = event.target as HTMLFormElement;
  const button = 'submitter' in event ? (event.submitter as Button | null) : pressed?.form === form ? pressed : null;
  if (!event.defaultPrevented && leavesPage(form, button)) {
    sent.set(form, button ? showBusy(button) : () => {});
  }
}

/** Reports whether submitting replaces the page: not for a form in a dialog, or one whose answer opens elsewhere. */
function leavesPage(form: HTMLFormElement, button: Button | null): boolean {
  const attribute = (name: string) => button?.getAttribute(`form${name}`) || form.getAttribute(name);
  return attribute('method') !== 'dialog' && /^(_self)?$/.test(attribute('target') || '');
}

function showBusy(button: Button): () => void {
  const label = [...button.childNodes];
  const words = button.dataset.busy;
  button.setAttribute('aria-busy', 'true');
  button.classList.add('busy');
  if (words) {
    button.textContent = liveRegion.textContent = words;
  }
  return () => {
    liveRegion.textContent = '';
    button.removeAttribute('aria-busy');
    button.classList.remove('busy');
    if (words) {
      button.textContent = '';
      button.append(...label);
    }
  };
}
