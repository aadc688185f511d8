import { TOAST_SHORT_MS } from './constants';
import { holdWhile } from './hold';
import { type Answer, bodyOf, NotTaken, Refused, send } from './send';
import { shrink } from './shrink';
import { toast } from './toast';
import { unsent } from './unsent';

/** What the server says of an upload field. */
export type UploadProps = {
  /** Where a picture is sent to, and what lets it. */
  url: string;
  token: string;
  /** The largest picture, in bytes. */
  max: number;
  /** `progress` holds `{num}`, the percent. */
  texts: Record<
    | 'attached'
    | 'choose'
    | 'replace'
    | 'preparing'
    | 'progress'
    | 'finishing'
    | 'done'
    | 'removed'
    | 'cancelled'
    | 'wrongType'
    | 'tooLarge'
    | 'already'
    | 'failed'
    | 'withForm'
    | 'waiting'
    | 'notSent'
    | 'again',
    string
  >;
};

/**
 * Takes one picture ahead of the form: from the camera or a file, made smaller here, with a preview and its progress. Its key
 * goes into the hidden `…_key`, and the file control sends nothing more. A picture that does not arrive is left to the form
 * itself. The form waits while a picture is being sent. If several are chosen meanwhile, the last one counts.
 */
export default function takeOver(field: HTMLElement, props: UploadProps): void {
  const { url, max, texts } = props;
  let { token } = props;
  const input = field.querySelector('input[type=file]') as HTMLInputElement;
  const { id, name, required } = input;
  const form = input.form as HTMLFormElement;
  const key = field.querySelector(`[name="${name}_key"]`) as HTMLInputElement;
  const box = field.querySelector<HTMLInputElement>(`[name="${name}_remove"]`);
  const parts = layOut(field, input, box, texts.attached);
  const { image, progress, words, camera, choose, cancel, remove, status } = parts;
  const message = messageOf(field, choose, id);
  const wait = holdWhile(form, () => say(texts.waiting));
  const mayKeep = form.enctype === 'multipart/form-data';
  let attached: File | undefined; // what is behind the key, as far as this page knows
  let limit: AbortController | undefined;
  let next: File | undefined; // chosen while another one was being sent
  const mark = unsent(name);

  function say(text: string): void {
    status.textContent = text;
  }

  /** Shows that a picture is on its way, or whether there is one. */
  function look(isBusy: boolean): void {
    const has = isBusy || !!key.value || !!input.files?.length;
    parts.shown.hidden = !has;
    progress.hidden = words.hidden = cancel.hidden = !isBusy;
    choose.hidden = isBusy;
    camera.hidden = isBusy || !hasCamera();
    remove.hidden = isBusy || !has;
    (choose.querySelector('span') as Element).textContent = has ? texts.replace : texts.choose;
    input.required = required && !has;
    field.classList.toggle('has', has);
  }

  function show(percent: number): void {
    progress.value = percent;
    words.textContent = percent < 100 ? texts.progress.replace('{num}', `${percent}`) : texts.finishing;
  }

  async function take(file: File): Promise<void> {
    message('');
    say('');
    if (!input.accept.split(',').includes(file.type)) {
      message(texts.wrongType);
      return;
    }
    if (attached && (await isSame(attached, file))) {
      say(texts.already);
      return;
    }
    mark.note(true);
    const before = image.src;
    const mine = new AbortController();
    limit = mine;
    image.removeAttribute('src');
    progress.removeAttribute('value');
    words.textContent = texts.preparing;
    look(true);
    cancel.focus();
    let picture: Blob = file;
    try {
      picture = await shrink(file);
      if (picture.size > max) {
        throw new Refused(texts.tooLarge);
      }
      image.src = await addressOf(picture);
      if (mine.signal.aborted) {
        throw mine.signal;
      }
      show(0);
      const answer = await deliver(picture, file.name, mine.signal);
      key.value = answer.key as string;
      attached = file;
      settle('');
      mark.note(false);
      say(answer.message || texts.done);
      toast(answer.message || texts.done, { time: TOAST_SHORT_MS, isHeard: true }); // it stays below the picture
    } catch (error) {
      mark.note(false);
      if (mine.signal.aborted) {
        image.src = before;
        say(next ? '' : texts.cancelled);
      } else if (!(error instanceof Refused) && mayKeep && leaveToForm(input, name, picture, file.name)) {
        attached = undefined;
        mark.note(true); // until the form is sent
        say(texts.withForm);
      } else {
        image.src = before;
        message(error instanceof Refused ? error.message : texts.failed);
      }
    }
    const following = next;
    next = undefined;
    if (following) {
      await take(following);
    } else {
      finish(mine.signal.aborted);
    }
  }

  /** Sends the picture. Sends it again if the token was used by an earlier try whose response was lost. */
  async function deliver(picture: Blob, fileName: string, signal: AbortSignal): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      try {
        const answer = await send(url, bodyOf(token, picture, fileName), show, signal);
        token = answer.token || token;
        return answer;
      } catch (error) {
        const fresh = error instanceof NotTaken && error.token;
        token = fresh || token;
        if (!fresh || error instanceof Refused || tries > 1 || signal.aborted) {
          throw error;
        }
      }
    }
  }

  /** The control sends nothing (name '') or the file it holds. */
  function settle(controlName: string): void {
    if (box) {
      box.checked = false;
    }
    input.name = controlName;
    field.dispatchEvent(new Event('input', { bubbles: true })); // for who keeps a draft
  }

  function finish(isCancelled: boolean): void {
    limit = undefined;
    look(false);
    const hasFocus = !document.activeElement || document.activeElement === document.body;
    const isRefused = message.isSaid();
    if (wait.isWaiting()) {
      if (isRefused) {
        say(texts.notSent);
      }
      wait.end(!isCancelled && !isRefused);
    } else if (hasFocus || document.activeElement === cancel) {
      choose.focus();
    }
  }

  function drop(): void {
    message('');
    key.value = '';
    input.value = '';
    attached = undefined;
    settle('');
    if (box) {
      box.checked = true;
    }
    mark.note(false);
    image.removeAttribute('src');
    say(texts.removed);
    look(false);
    choose.focus();
  }

  /** Opens the camera, or the files. */
  function open(isCamera: boolean): void {
    if (isCamera) {
      input.setAttribute('capture', 'environment');
    } else {
      input.removeAttribute('capture');
    }
    input.click();
  }

  input.addEventListener('change', () => {
    const file = input.files?.[0];
    if (!file) {
      return;
    }
    input.value = ''; // otherwise choosing the same file again fires no event
    if (limit) {
      next = file;
      limit.abort();
    } else {
      take(file);
    }
  });
  form.addEventListener('submit', ({ defaultPrevented }) => defaultPrevented || mark.note(false));
  camera.addEventListener('click', () => open(true));
  choose.addEventListener('click', () => open(false));
  cancel.addEventListener('click', () => limit?.abort());
  remove.addEventListener('click', drop);
  wait.when(() => !!limit);
  const chosen = input.files?.[0];
  look(false);
  if (mark.was() && !chosen) {
    mark.note(false);
    say(texts.again);
  }
  if (chosen) {
    input.value = '';
    take(chosen); // before this script came
  }
}

/** Puts the template's parts in place of the plain control, which stays, out of sight. */
function layOut(field: HTMLElement, input: HTMLInputElement, box: HTMLInputElement | null, alt: string) {
  const template = field.querySelector('template') as HTMLTemplateElement;
  const image = field.querySelector('img') || new Image();
  image.alt = alt;
  template.after(template.content.cloneNode(true));
  const find = <T extends HTMLElement>(selector: string) => field.querySelector(selector) as T;
  const tool = (name: string) => find<HTMLButtonElement>(`[data-do=${name}]`);
  const parts = {
    shown: find('.shown'),
    image,
    progress: find<HTMLProgressElement>('progress'),
    words: find('.shown span'),
    status: find('[role=status]'),
    camera: tool('camera'),
    choose: tool('choose'),
    cancel: tool('cancel'),
    remove: tool('remove'),
  };
  parts.shown.prepend(image);
  const line = box?.closest('label');
  if (line) {
    line.hidden = true;
  }
  // The label, and links to the field, lead to the button now.
  const { id } = input;
  input.id = `${id}-file`;
  input.hidden = true;
  parts.choose.id = id;
  parts.choose.setAttribute('aria-labelledby', `${id}-label ${id}`);
  const notes = input.getAttribute('aria-describedby');
  if (notes) {
    parts.choose.setAttribute('aria-describedby', notes);
  }
  return parts;
}

function hasCamera(): boolean {
  return matchMedia('(pointer: coarse)').matches;
}

async function isSame(one: File, other: File): Promise<boolean> {
  if (one.size !== other.size) {
    return false;
  }
  const { digestOf } = await import('./digest');
  const digest = async (file: File) => digestOf(new Uint8Array(await new Response(file).arrayBuffer()));
  return (await digest(one)) === (await digest(other));
}

/** The picture as an address for an image: pages show nothing from elsewhere, blob: included. */
function addressOf(picture: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = reject;
    reader.readAsDataURL(picture);
  });
}

/** Puts the picture back into the control, for the form to take along; false where the browser cannot. */
function leaveToForm(input: HTMLInputElement, name: string, picture: Blob, fileName: string): boolean {
  try {
    const files = new DataTransfer();
    files.items.add(new File([picture], fileName, { type: picture.type }));
    input.files = files.files;
    input.name = name;
  } catch {
    return false; // Safari before 14.1
  }
  return !!input.files?.length;
}

/** Says the field's message where the server does, and aloud; '' takes it away. */
function messageOf(field: HTMLElement, control: HTMLElement, id: string) {
  const isSaid = () => !!document.getElementById(`${id}-msg`);

  function message(text: string): void {
    const notes = (control.getAttribute('aria-describedby') || '')
      .split(' ')
      .filter((note) => note && note !== `${id}-msg`);
    document.getElementById(`${id}-msg`)?.remove();
    if (text) {
      const note = document.createElement('p');
      note.className = 'msg';
      note.id = `${id}-msg`;
      note.setAttribute('role', 'alert');
      note.textContent = text;
      field.append(note);
      notes.push(note.id);
    }
    control.setAttribute('aria-describedby', notes.join(' '));
  }

  return Object.assign(message, { isSaid });
}
