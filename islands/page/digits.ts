/** The number of digits in a group (0: no groups), and the largest number of digits. */
export type DigitsProps = { group: number; max: number };

/** A text and the position of the caret in it, in UTF-16 units. */
export type Edit = { text: string; caret: number };

/** The ASCII digits in `text`, full-width ones (６２２２) included, in order. */
export function digitsIn(text: string): string {
  return text.replace(/[０-９]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0xfee0)).replace(/\D/g, '');
}

/** `digits` in groups of so many, with spaces between them: `6222 0212 34`. */
export function grouped(digits: string, group: number): string {
  return group ? digits.replace(new RegExp(`(\\d{${group}})(?=\\d)`, 'g'), '$1 ') : digits;
}

/**
 * What the field shows after an edit turned `before` into `after` and left the caret at `caret`. `inputType` is that of
 * the input event. Deleting only a space also deletes the digit beyond it, or the space would come back.
 * signin/phone.ts finds the digits around the caret the same way; a shared module would be one more request on every
 * sign-in page.
 */
export function editDigits(
  before: string,
  after: string,
  caret: number,
  { group, max }: DigitsProps,
  inputType = '',
): Edit {
  let head = digitsIn(after.slice(0, caret));
  let tail = digitsIn(after.slice(caret));
  if (/^delete/.test(inputType) && after.length < before.length && head + tail === digitsIn(before)) {
    if (/Forward$/.test(inputType)) {
      tail = tail.slice(1);
    } else {
      head = head.slice(0, -1);
    }
  }
  const kept = (head + tail).slice(0, max);
  const ahead = Math.min(head.length, kept.length);
  const shown = grouped(kept, group);
  return { text: shown, caret: grouped(kept.slice(0, ahead), group).length };
}

/** Removes everything but digits from a field as the person types or pastes, and groups those of a bank card number. */
export default function keepDigits(field: HTMLElement, props: DigitsProps): void {
  const input = field.querySelector('input:not([type=hidden])') as HTMLInputElement;
  let shown = input.value;

  function tidy(event?: Event): void {
    const { isComposing, inputType } = (event || {}) as InputEvent;
    if (isComposing) {
      return; // an input method is composing; compositionend follows
    }
    const { text, caret } = editDigits(shown, input.value, input.selectionStart as number, props, inputType);
    shown = text;
    if (input.value !== text) {
      input.value = text;
      if (document.activeElement === input) {
        input.setSelectionRange(caret, caret);
      }
    }
  }

  // The browser would cut 6222-0212-3456-7890 at maxlength before anyone could read it.
  function paste(event: ClipboardEvent): void {
    const digits = digitsIn(event.clipboardData?.getData('text') || '');
    if (digits) {
      event.preventDefault();
      input.setRangeText(digits, input.selectionStart as number, input.selectionEnd as number, 'end');
      input.dispatchEvent(new Event('input', { bubbles: true }));
    }
  }

  input.addEventListener('input', tidy);
  input.addEventListener('compositionend', tidy);
  input.addEventListener('paste', paste);
  input.form?.addEventListener('reset', () => setTimeout(tidy));
  // A refused value stays as it is until the person types, because the message refers to it.
  if (!input.getAttribute('aria-invalid')) {
    tidy();
  }
}
