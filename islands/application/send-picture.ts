/** After so long without a byte a picture is given up, in milliseconds. */
export const STALLED_MS = 60_000;

/**
 * What the server answers: `key` when it has the picture, with a `message` when it had the picture before; `token` for
 * the next picture, even when it refused this one.
 */
export type Answer = { key?: string; token?: string; message?: string };

/** The picture did not arrive. `token` is the one for another try, if the server sent one. */
export class NotTaken extends Error {
  constructor(
    message = '',
    readonly token?: string,
  ) {
    super(message);
  }
}

/** A refusal with a message from the server. */
export class Refused extends NotTaken {}

/** The form that takes a picture ahead. */
export function bodyOf(token: string, picture: Blob, name: string): FormData {
  const body = new FormData();
  body.append('token', token);
  body.append('file', picture, name);
  return body;
}

/** Sends the picture. Rejects with Refused in the server's words, or with NotTaken when it did not arrive. */
export function send(
  url: string,
  body: FormData,
  show: (percent: number) => void,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let stalled: ReturnType<typeof setTimeout>;
    const alive = () => {
      clearTimeout(stalled);
      stalled = setTimeout(() => request.abort(), STALLED_MS);
    };
    request.open('POST', url);
    request.setRequestHeader('Accept', 'application/json');
    request.upload.onprogress = ({ loaded, total }) => {
      alive();
      show(total ? Math.floor((loaded / total) * 100) : 0);
    };
    request.onloadend = () => {
      clearTimeout(stalled);
      const answer = answerIn(request);
      if (answer.key) {
        resolve(answer);
      } else {
        // A token that has run out, and what is wrong with the server, is no fault of the picture.
        const isRefused = /^(400|409|413|415|422|429)$/.test(`${request.status}`) && answer.message;
        reject(isRefused ? new Refused(answer.message, answer.token) : new NotTaken('', answer.token));
      }
    };
    signal.addEventListener('abort', () => request.abort());
    alive();
    request.send(body);
  });
}

function answerIn({ responseText }: XMLHttpRequest): Answer {
  try {
    return JSON.parse(responseText);
  } catch {
    return {};
  }
}
