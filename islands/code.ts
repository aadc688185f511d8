import { TOAST_SHORT_MS } from './constants';
import { during, toast } from './toast';
import { type Proof, work } from './work';

/** What the server says of a code field. */
export type CodeProps = {
  /** Where codes are asked for. */
  url: string;
  /** What the code is for. */
  purpose: string;
  /** Names of the form's controls that go with the question. */
  send: string[];
  /** How long until the next code, in seconds; 0 when none was sent. */
  seconds: number;
  /** The button's words, and what the hint says during the proof. `wait` holds `{num}`, the seconds left. */
  texts: { send: string; wait: string; working: string; proving: string };
};

/** What the server answers, `message` always but where a proof is all it wants. */
type Answer = {
  /** A code is on its way: the status was 2xx. */
  sent: boolean;
  message?: string;
  /** How long until the next code, in seconds. */
  resend_after?: number;
  /** Messages by the names of their controls. */
  fields?: Record<string, string>;
  proof?: Proof;
};

/** How long asking may take, a proof included, in milliseconds; then the form is sent the plain way. */
const TIMEOUT_MS = 15_000;

/** Where the tabs of one browser tell each other of a Rest. */
const CHANNEL = 'portico-code';

/** No code for `purpose` before `until`, as Date.now() counts. */
type Rest = { purpose: string; until: number };

/**
 * Brings every `<div data-island="code" data-props="{json}">` to life and marks it `data-ready`. There is no component:
 * the server's markup stays, and what is pressed or typed in it is answered here.
 */
export function watchCodes(): void {
  for (const field of document.querySelectorAll<HTMLElement>('[data-island=code]')) {
    takeOver(field, JSON.parse(field.dataset.props as string));
    field.dataset.ready = '';
  }
}

function takeOver(field: HTMLElement, { url, purpose, send, seconds, texts }: CodeProps): void {
  const input = field.querySelector('input') as HTMLInputElement;
  const button = field.querySelector('button') as HTMLButtonElement;
  const hint = field.querySelector('[role=status]') as HTMLElement;
  const form = input.form as HTMLFormElement;
  const look = looks(button, texts);
  const message = textMessage(input);
  let asking = false;
  let leaving = !url; // the form is on its way, and what is pressed now is its own
  let limit = new AbortController();

  const tellTabs = otherTabs((rest) => {
    if (rest.purpose === purpose && !asking) {
      look.resting(rest.until);
    }
  });

  async function press(): Promise<void> {
    asking = true;
    limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), TIMEOUT_MS);
    look.working();
    message.wait();
    try {
      show(await during(texts.working, ask(limit.signal)));
    } catch {
      look.ready();
      say('');
      if (!leaving) {
        leaving = true;
        button.click(); // not intercepted now: the form goes with this button, in every browser
      }
    }
    clearTimeout(timer);
    asking = false;
  }

  async function ask(signal: AbortSignal): Promise<Answer> {
    const body = question(form, send);
    body.set('purpose', purpose);
    let answer = await answerTo(url, body, signal);
    if (answer.proof) {
      say(texts.proving);
      body.set('proof', answer.proof.token);
      body.set('work', await work(answer.proof, signal));
      answer = await answerTo(url, body, signal);
    }
    if (answer.proof || !(answer.message || answer.resend_after)) {
      throw answer;
    }
    return answer;
  }

  function show({ sent, message = '', fields = {}, resend_after }: Answer): void {
    const named = (name: string) => controls(form).find((control) => control.name === name);
    for (const name of [...send, input.name]) {
      tell(named(name), '');
    }
    const [refused] = Object.keys(fields).filter((name) => tell(named(name), fields[name] as string));
    say(refused ? '' : message, !sent && !refused);
    (refused ? (named(refused) as HTMLInputElement) : sent || resend_after ? input : button).focus();
    if (sent) {
      input.select(); // an older code is worth nothing now
      toast(message, { time: TOAST_SHORT_MS, isHeard: true }); // it stays in the hint
    }
    look.ready();
    if (resend_after) {
      const until = Date.now() + resend_after * 1000;
      look.resting(until);
      tellTabs({ purpose, until });
    }
  }

  function say(text: string, isRefusal = false): void {
    hint.textContent = text;
    hint.classList.toggle('msg', isRefusal);
  }

  button.addEventListener('click', (event) => {
    if (!leaving) {
      event.preventDefault();
      if (!asking) {
        press();
      }
    }
  });
  function leave(): void {
    leaving = true;
    limit.abort();
    message.forget();
  }

  form.addEventListener('submit', leave);
  addEventListener('pagehide', leave); // what is given up then is not to be sent the plain way, nor its mask to come back
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) {
      leaving = !url;
    }
  });
  enterPressesMain(form);
  keepDigits(input, () => mainButton(form)?.click());
  if (seconds > 0) {
    look.resting(Date.now() + seconds * 1000);
    message.wait();
  } else if (button.disabled) {
    look.ready(); // Firefox keeps buttons disabled across a reload
  }
}

/** The three looks of the send button; between the other two it is made ready. */
function looks(button: HTMLButtonElement, texts: CodeProps['texts']) {
  let timer: ReturnType<typeof setTimeout>;

  function ready(): void {
    clearTimeout(timer);
    button.disabled = false;
    button.classList.remove('busy');
    for (const name of ['aria-busy', 'aria-disabled']) {
      button.removeAttribute(name);
    }
    button.textContent = texts.send;
  }

  /** Like sendOnce's; never disabled, which would take the focus away. */
  function working(): void {
    button.classList.add('busy');
    button.setAttribute('aria-busy', 'true');
    button.textContent = texts.working;
  }

  /** Counts down by the clock, which goes on while a phone sleeps; set back, it makes nobody wait longer than `most`. */
  function resting(until: number, most = until - Date.now()): void {
    const left = until - Date.now();
    if (left > most) {
      resting(Date.now() + most);
      return;
    }
    if (left <= 0) {
      ready();
    } else {
      clearTimeout(timer);
      button.disabled = true;
      button.setAttribute('aria-disabled', 'true');
      // Its name is what it shows (WCAG 2.5.3). It is no live region: it is heard when one comes to it, and how long it
      // takes is in the message, which is said once.
      button.textContent = texts.wait.replace('{num}', `${Math.ceil(left / 1000)}`);
      timer = setTimeout(resting, left % 1000 || 1000, until, left);
    }
  }

  return { ready, working, resting };
}

/** What the server answers to `body`. Rejects when nothing comes, or nothing one can read. */
async function answerTo(url: string, body: URLSearchParams, signal: AbortSignal): Promise<Answer> {
  const headers = { Accept: 'application/json' };
  const response = await fetch(url, { method: 'POST', credentials: 'same-origin', headers, body, signal });
  return { ...(await response.json()), sent: response.ok };
}

/** The form's hidden values and those of the controls in `names`; a password never. */
function question(form: HTMLFormElement, names: string[]): URLSearchParams {
  const body = new URLSearchParams();
  for (const { name, type, value, checked, disabled, autocomplete } of controls(form)) {
    const isAsked = type === 'hidden' || names.includes(name);
    if (isAsked && !disabled && (checked || !/checkbox|radio/.test(type)) && !/password/.test(type + autocomplete)) {
      body.append(name, value);
    }
  }
  return body;
}

function controls(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.elements] as HTMLInputElement[];
}

/** The button that sends the form for good. A hidden one, which only keeps Enter right without scripts, is passed by. */
function mainButton(form: HTMLFormElement): HTMLInputElement | undefined {
  return controls(form).find(
    ({ type, formNoValidate, tabIndex }) => type === 'submit' && !formNoValidate && tabIndex >= 0,
  );
}

/** Says the message beside the control as components/field.templ does, until someone types; '' takes it away. */
function tell(control: HTMLInputElement | undefined, message: string): boolean {
  if (!control) {
    return false;
  }
  const id = `${control.id}-msg`;
  document.getElementById(id)?.remove();
  const notes = (control.getAttribute('aria-describedby') || '').split(' ').filter((note) => note && note !== id);
  if (message) {
    const note = document.createElement('p');
    note.className = 'msg';
    note.id = id;
    note.textContent = message;
    (control.closest('.field') as Element).append(note);
    notes.push(id);
    control.addEventListener('input', () => tell(control, ''), { once: true });
  }
  mark(control, 'aria-invalid', message && 'true');
  mark(control, 'aria-describedby', notes.join(' '));
  return true;
}

function mark(control: Element, attribute: string, value: string): void {
  if (value) {
    control.setAttribute(attribute, value);
  } else {
    control.removeAttribute(attribute);
  }
}

/** Reads the code out of the text message where the browser offers it (WebOTP: Chrome on Android). */
function textMessage(input: HTMLInputElement) {
  let waiting = new AbortController();
  const forget = () => waiting.abort();

  function wait(): void {
    forget();
    if ('OTPCredential' in window) {
      waiting = new AbortController();
      const asked = { otp: { transport: ['sms'] }, signal: waiting.signal };
      (navigator.credentials.get(asked) as Promise<{ code: string } | null>).then(
        (found) => found && fill(input, found.code),
        () => {}, // none came, or it was not wanted
      );
    }
  }

  return { wait, forget };
}

/** Hears what other tabs tell, and returns what tells them. */
function otherTabs(hear: (rest: Rest) => void): (rest: Rest) => void {
  let channel: BroadcastChannel | undefined;

  function open(): void {
    try {
      channel = new BroadcastChannel(CHANNEL);
      channel.onmessage = ({ data }) => hear(data);
    } catch {
      // Safari before 15.4, or storage switched off: each tab learns it from the server
    }
  }

  open();
  addEventListener('pagehide', () => channel?.close()); // an open one keeps the page from being kept to go back to
  addEventListener('pageshow', ({ persisted }) => persisted && open());
  return (rest) => channel?.postMessage(rest);
}

/** Enter presses a form's first button, which would be the one beside the code; here it presses the main one. */
function enterPressesMain(form: HTMLFormElement): void {
  // keypress: no input method composes then, and it is what browsers submit on
  form.addEventListener('keypress', (event) => {
    const { tagName, type } = event.target as HTMLInputElement;
    const main = mainButton(form);
    if (event.key === 'Enter' && tagName === 'INPUT' && type !== 'submit' && main) {
      event.preventDefault();
      main.click();
    }
  });
}

/** Keeps the field to digits, whatever is typed or pasted, and says once when a new code is all a form still lacked. */
function keepDigits(input: HTMLInputElement, complete: () => void): void {
  const length = input.maxLength;
  let tried = input.defaultValue; // after a refusal, the refused one

  function tidy(event: Event): void {
    if ((event as InputEvent).isComposing) {
      return; // compositionend comes
    }
    const { value, selectionStart } = input;
    const digits = digitsIn(value).slice(0, length);
    if (digits !== value) {
      const caret = digitsIn(value.slice(0, selectionStart as number)).length;
      input.value = digits;
      input.setSelectionRange(caret, caret);
    }
    if (digits.length === length && digits !== tried && !controls(input.form as HTMLFormElement).some(isMissing)) {
      tried = digits;
      complete();
    }
  }

  // The browser would cut the message at maxlength before anyone could find the code in it.
  function paste(event: ClipboardEvent): void {
    const code = codeIn(event.clipboardData?.getData('text') || '', length);
    if (code) {
      event.preventDefault();
      fill(input, code);
    }
  }

  input.addEventListener('input', tidy);
  input.addEventListener('compositionend', tidy);
  input.addEventListener('paste', paste);
}

function isMissing({ validity }: HTMLInputElement): boolean {
  return validity.valueMissing;
}

function fill(input: HTMLInputElement, code: string): void {
  input.value = code;
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

/** The code in a message: the first that stands by itself, or all digits there are, when those are as many. */
function codeIn(text: string, length: number): string {
  const [, code = ''] = RegExp(`(?:^|\\D)(\\d{${length}})(?!\\d)`).exec(text.normalize('NFKC')) || [];
  return digitsIn(text).length === length ? digitsIn(text) : code;
}

/** The digits in `text`, full-width ones (１２３) included. */
function digitsIn(text: string): string {
  return text.normalize('NFKC').replace(/\D/g, '');
}
