/** An upload is cancelled after this time without progress, in milliseconds. */
export const STALLED_MS = 60_000;

/**
 * The server's answer. `key` names the stored picture, and `message` says that the server had the picture before.
 * `token` is for the next upload, even if the server refused this one.
 */
export type Answer = { key?: string; token?: string; message?: string };

/** The server did not store the picture. `token` is for another try, if the server sent one. */
export class NotDelivered extends Error {
  constructor(
    message = '',
    readonly token?: string,
  ) {
    super(message);
  }
}

/** A refusal with a message from the server. */
export class Refused extends NotDelivered {}

/** The form data that uploads a picture before the form is submitted. */
export function uploadForm(token: string, picture: Blob, name: string): FormData {
  const body = new FormData();
  body.append('token', token);
  body.append('file', picture, name);
  return body;
}

/** Sends the picture. Rejects with Refused and the server's message, or with NotDelivered if it did not arrive. */
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
        // An expired token and a failure of the server are not the picture's fault.
        const isRefused = /^(400|409|413|415|422|429)$/.test(`${request.status}`) && answer.message;
        reject(isRefused ? new Refused(answer.message, answer.token) : new NotDelivered('', answer.token));
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
