type Button = HTMLButtonElement | HTMLInputElement;

const BUTTONS = 'button, input[type=submit], input[type=image]';

/** Forms on their way to the server, each with what puts its button back. */
const sent = new Map<EventTarget, () => void>();

/** The button pressed last, for browsers without `SubmitEvent.submitter` (before Chrome 81, Safari 15.4). */
let pressed: Button | null = null;

/** Says what a button works at to those who do not see it. It is in the page before it has anything to say, or nothing is said. */
const spoken = document.createElement('p');

/**
 * A form is sent once: the pressed button shows at once that it works (`aria-busy`, class `busy`, the
 * words in its `data-busy`, which are spoken, too) and further submits are dropped until the page goes, comes back from the
 * back-forward cache, or proves not to go. The button is never disabled: its name and value belong to what is sent.
 */
export function sendOnce(): void {
  spoken.setAttribute('role', 'status');
  spoken.className = 'skip';
  document.body.append(spoken);
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
    navigation.addEventListener('navigateerror', release); // the person pressed the browser's stop
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

/** Not so: a form in a dialog, or one whose answer opens elsewhere. */
function leavesPage(form: HTMLFormElement, button: Button | null): boolean {
  const said = (name: string) => button?.getAttribute(`form${name}`) || form.getAttribute(name);
  return said('method') !== 'dialog' && /^(_self)?$/.test(said('target') || '');
}

function showBusy(button: Button): () => void {
  const label = [...button.childNodes];
  const words = button.dataset.busy;
  button.setAttribute('aria-busy', 'true');
  button.classList.add('busy');
  if (words) {
    button.textContent = spoken.textContent = words;
  }
  return () => {
    spoken.textContent = '';
    button.removeAttribute('aria-busy');
    button.classList.remove('busy');
    if (words) {
      button.textContent = '';
      button.append(...label);
    }
  };
}
