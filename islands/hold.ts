/** Holds the form back while a picture is on its way, and presses the same button again afterwards. */
export function holdWhile(form: HTMLFormElement, say: () => void) {
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

  return {
    isWaiting: () => isWaiting,
    when(isOnItsWay: () => boolean): void {
      form.addEventListener(
        'submit',
        (event) => {
          if (isOnItsWay()) {
            event.preventDefault();
            event.stopImmediatePropagation();
            look(false);
            pressed = event.submitter || mainButton(form) || null;
            isWaiting = true;
            look(true);
            say();
          }
        },
        true,
      );
    },
    end(goesOn: boolean): void {
      isWaiting = false;
      look(false);
      pressed?.focus();
      if (goesOn) {
        pressed?.click();
      }
    },
  };
}

function mainButton(form: HTMLFormElement): HTMLButtonElement | undefined {
  return ([...form.elements] as HTMLButtonElement[]).find(
    ({ type, formNoValidate, tabIndex }) => type === 'submit' && !formNoValidate && tabIndex >= 0,
  );
}
