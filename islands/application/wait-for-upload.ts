import { mainButton } from '../page/form';

/**
 * Cancels the form's submission while `isUploading` says that a picture is being sent, and calls `announce` to tell the
 * person. When the upload is over, the caller calls `end`, which presses the same button again if the form may be
 * submitted.
 */
export function delayWhileUploading(form: HTMLFormElement, isUploading: () => boolean, announce: () => void) {
  let pressed: HTMLElement | null = null;
  let isWaiting = false;

  function showBusy(isBusy: boolean): void {
    pressed?.classList.toggle('busy', isBusy);
    if (isBusy) {
      pressed?.setAttribute('aria-busy', 'true');
    } else {
      pressed?.removeAttribute('aria-busy');
    }
  }

  function delay(event: SubmitEvent): void {
    if (isUploading()) {
      event.preventDefault();
      event.stopImmediatePropagation();
      showBusy(false);
      pressed = event.submitter || mainButton(form) || null;
      isWaiting = true;
      showBusy(true);
      announce();
    }
  }

  form.addEventListener('submit', delay, true);
  return {
    isWaiting: () => isWaiting,
    end(shouldSubmit: boolean): void {
      isWaiting = false;
      showBusy(false);
      pressed?.focus();
      if (shouldSubmit) {
        pressed?.click();
      }
    },
    stop: () => form.removeEventListener('submit', delay, true),
  };
}
