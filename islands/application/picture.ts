import { type Answer, NotDelivered, Refused, send, uploadForm } from './send-picture';

/** Whether both files have the same content. */
export async function isSame(first: File, second: File): Promise<boolean> {
  if (first.size !== second.size) {
    return false;
  }
  const { digestOf } = await import('./digest');
  const digest = async (file: File) => digestOf(new Uint8Array(await new Response(file).arrayBuffer()));
  return (await digest(first)) === (await digest(second));
}

/** Returns the picture as a data: address, because the page's policy allows no blob: images. */
export function addressOf(picture: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = reject;
    reader.readAsDataURL(picture);
  });
}

/** Puts the picture back into the control, so that the form sends it; false if the browser cannot. */
export function leaveToForm(input: HTMLInputElement, picture: Blob, fileName: string): boolean {
  try {
    const files = new DataTransfer();
    files.items.add(new File([picture], fileName, { type: picture.type }));
    input.files = files.files;
  } catch {
    return false; // Safari before 14.1
  }
  return !!input.files?.length;
}

/**
 * Sends pictures, each with the token that came with the last answer. A picture is sent again if its token was used
 * by an earlier try whose response was lost.
 */
export function sender(url: string, firstToken: string) {
  let token = firstToken;
  return async (
    picture: Blob,
    fileName: string,
    show: (percent: number) => void,
    signal: AbortSignal,
  ): Promise<Answer> => {
    for (let tries = 1; ; tries++) {
      try {
        const answer = await send(url, uploadForm(token, picture, fileName), show, signal);
        token = answer.token || token;
        return answer;
      } catch (error) {
        const newToken = error instanceof NotDelivered && error.token;
        token = newToken || token;
        if (!newToken || error instanceof Refused || tries > 1 || signal.aborted) {
          throw error;
        }
      }
    }
  };
}
