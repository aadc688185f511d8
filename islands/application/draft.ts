/** How long after the last key the draft is sent, in milliseconds. */
export const DRAFT_DELAY_MS = 800;

/** Controls that a draft never contains. */
const NEVER = ['code', 'phone', 'action', 'lang'];

/**
 * Keeps what is typed in `<form data-draft>`: sends it to the form's own address with action=draft a moment after the
 * last key, when the page is hidden, and when it is shown again with text that the server does not have. It sends one
 * draft at a time and shows only the text of `[data-draft-status]`. It stores nothing on the device, and sends nothing
 * after the form itself was sent.
 */
export default function keepDraft(form: HTMLElement): void {
  keep(form as HTMLFormElement);
}

function keep(form: HTMLFormElement): void {
  const status = form.querySelector<HTMLElement>('[data-draft-status]');
  let savedContent = servedContentOf(form);
  let sending: AbortController | undefined;
  let isSent = false;
  let timer: ReturnType<typeof setTimeout>;

  async function send(keepalive = false): Promise<void> {
    clearTimeout(timer);
    const content = contentOf(form);
    if (isSent || content === savedContent || (sending && !keepalive)) {
      return;
    }
    sending?.abort(); // the page is being left: only the last state counts
    const limit = new AbortController();
    sending = limit;
    try {
      const body = new URLSearchParams(`${content}&action=draft`);
      const address = form.getAttribute('action') || location.href;
      const { signal } = limit;
      const answer = await fetch(address, { method: 'POST', credentials: 'same-origin', body, keepalive, signal });
      if (answer.status === 204) {
        savedContent = content;
        showSaved();
      }
    } catch {
      // the next change sends it again
    }
    if (sending === limit) {
      sending = undefined;
      if (contentOf(form) !== content) {
        sendLater();
      }
    }
  }

  function sendLater(): void {
    clearTimeout(timer);
    timer = setTimeout(send, DRAFT_DELAY_MS);
  }

  function showSaved(): void {
    const { draftStatus = '' } = status?.dataset || {};
    if (status && status.textContent !== draftStatus) {
      status.textContent = draftStatus; // only if it changes: screen readers would announce it again
    }
  }

  form.addEventListener('input', sendLater);
  form.addEventListener('change', sendLater);
  form.addEventListener('submit', ({ defaultPrevented }) => {
    if (!defaultPrevented) {
      isSent = true;
      sending?.abort();
    }
  });
  // A form whose request was lost comes back with the typed text: from the browser's page cache, or restored by the
  // browser.
  function shown(): void {
    isSent = false;
    if (contentOf(form) !== savedContent) {
      sendLater();
    }
  }

  shown();
  addEventListener('pageshow', shown);
  addEventListener('pagehide', () => send(true));
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && send(true));
}

/** The form's fields as they are submitted, without files, passwords, codes and the phone that was verified. */
export function contentOf(form: HTMLFormElement, textOf = (control: HTMLInputElement) => control.value): string {
  const content = new URLSearchParams();
  for (const control of [...form.elements] as HTMLInputElement[]) {
    const { name, type, checked, disabled, autocomplete } = control;
    const isTyped = !/^(file|password|submit|button|reset|image|fieldset|output)$/.test(type);
    const isChosen = checked || !/^(checkbox|radio)$/.test(type);
    if (name && isTyped && isChosen && !disabled && !/password/.test(autocomplete || '') && !NEVER.includes(name)) {
      content.append(name, textOf(control));
    }
  }
  return `${content}`;
}

/** What the server has: the values in its HTML, even if the browser has restored others. */
function servedContentOf(form: HTMLFormElement): string {
  return contentOf(form, ({ type, value, defaultValue }) =>
    /^(select|checkbox|radio)/.test(type) ? value : defaultValue,
  );
}
