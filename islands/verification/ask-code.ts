import { controls } from '../page/form';
import { type Proof, work } from './work';

/** What the server answers. An empty `message` means that the form must be submitted: only a page shows the refusal. */
export type Answer = {
  /** The server has sent a code: the status was 2xx. */
  isSent: boolean;
  message?: string;
  /** Seconds until the server sends the next code. */
  resend_after?: number;
  /** Messages by the names of their controls. */
  fields?: Record<string, string>;
  proof?: Proof;
};

/**
 * Asks for a code: sends the form's hidden values and those of the controls in `names`, and does the proof of
 * work if the server asks for one. Rejects if no answer arrives or it cannot be read, if the server asks for work
 * again, and if the answer has neither a `message` nor `resend_after`.
 */
export async function askForCode(
  url: string,
  form: HTMLFormElement,
  names: string[],
  purpose: string,
  signal: AbortSignal,
  onProof: () => void,
): Promise<Answer> {
  const body = requestBody(form, names);
  body.set('purpose', purpose);
  let answer = await postForm(url, body, signal);
  if (answer.proof) {
    onProof();
    body.set('proof', answer.proof.token);
    body.set('work', await work(answer.proof, signal));
    answer = await postForm(url, body, signal);
  }
  if (answer.proof || !(answer.message || answer.resend_after)) {
    throw answer;
  }
  return answer;
}

async function postForm(url: string, body: URLSearchParams, signal: AbortSignal): Promise<Answer> {
  const headers = { Accept: 'application/json' };
  const response = await fetch(url, { method: 'POST', credentials: 'same-origin', headers, body, signal });
  return { ...(await response.json()), isSent: response.ok };
}

/** The form's hidden values and those of the controls in `names`; a password never. */
function requestBody(form: HTMLFormElement, names: string[]): URLSearchParams {
  const body = new URLSearchParams();
  for (const { name, type, value, checked, disabled, autocomplete } of controls(form)) {
    const isWanted = type === 'hidden' || names.includes(name);
    if (isWanted && !disabled && (checked || !/checkbox|radio/.test(type)) && !/password/.test(type + autocomplete)) {
      body.append(name, value);
    }
  }
  return body;
}

/** The code in a message: the first group of that many digits, or all digits if the message has exactly as many. */
export function codeIn(text: string, length: number): string {
  const [, code = ''] = RegExp(`(?:^|\\D)(\\d{${length}})(?!\\d)`).exec(text.normalize('NFKC')) || [];
  return digitsIn(text).length === length ? digitsIn(text) : code;
}

/** The digits in `text`, full-width ones (１２３) included. */
export function digitsIn(text: string): string {
  return text.normalize('NFKC').replace(/\D/g, '');
}
