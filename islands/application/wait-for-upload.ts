import { mainButton } from '../page/form';

/**
 * Delays the form's submission while `isOnItsWay` says that a picture is being sent, and calls `say` to tell the
 * person. `end` presses the same button again if the form may be submitted.
 */
export function delayWhileUploading(form: HTMLFormElement, isOnItsWay: () => boolean, say: () => void) {
  let pressed: HTMLElement | null = null;
  let isWaiting = false;

  function look(isBusy: boolean): void {
    pressed?.classList.toggle('busy', isBusy);
    if (isBusy) {
      pressed?.setAttribute('aria-busy', 'true');
    } else {
      pressed?.removeAttribute('aria-busy');
    }
  }

  function delay(event: SubmitEvent): void {
    if (isOnItsWay()) {
      event.preventDefault();
      event.stopImmediatePropagation();
      look(false);
      pressed = event.submitter || mainButton(form) || null;
      isWaiting = true;
      look(true);
      say();
    }
  }

  form.addEventListener('submit', delay, true);
  return {
    isWaiting: () => isWaiting,
    end(goesOn: boolean): void {
      isWaiting = false;
      look(false);
      pressed?.focus();
      if (goesOn) {
        pressed?.click();
      }
    },
    stop: () => form.removeEventListener('submit', delay, true),
  };
}
