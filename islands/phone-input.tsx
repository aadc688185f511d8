import { PHONE_DIGITS } from './constants';
import { editPhone, phoneDigits } from './phone';

/** What the server says of the field; the same values make its own markup. */
export type PhoneInputProps = {
  id: string;
  name: string;
  autoComplete: string;
  /** In characters, the two spaces included. */
  maxLength: number;
  enterKeyHint?: 'next' | 'done' | 'go' | 'send';
  /** A regular expression that allows the spaces. */
  pattern?: string;
  required?: boolean;
  invalid?: boolean;
  /** Ids of the hint and the message, separated by spaces. */
  describedBy?: string;
  value?: string;
};

/**
 * A phone number that shows itself in groups while it is typed: 138 0013 8000. The same input as the
 * server's, and never controlled: what a person typed before the script came stays.
 */
export default function PhoneInput(props: PhoneInputProps) {
  return (
    <input
      ref={keepGrouped}
      className="input tel"
      id={props.id}
      name={props.name}
      type="tel"
      inputMode="numeric"
      autoComplete={props.autoComplete}
      maxLength={props.maxLength}
      enterKeyHint={props.enterKeyHint || 'next'}
      pattern={props.pattern}
      required={props.required}
      aria-invalid={props.invalid || undefined}
      aria-describedby={props.describedBy}
      defaultValue={props.value}
    />
  );
}

function keepGrouped(input: HTMLInputElement | null) {
  if (!input) {
    return;
  }
  let shown = input.value;

  function regroup(event?: Event) {
    const { isComposing, inputType } = (event || {}) as InputEvent;
    if (!input || isComposing) {
      return; // an input method is still choosing; compositionend comes
    }
    const { text, caret } = editPhone(shown, input.value, input.selectionStart as number, inputType);
    shown = text;
    if (input.value !== text) {
      input.value = text;
      if (document.activeElement === input) {
        input.setSelectionRange(caret, caret);
      }
    }
  }

  // The browser would cut +86 138-0013-8000 at maxlength before anyone could read it.
  function paste(event: ClipboardEvent) {
    const digits = phoneDigits(event.clipboardData?.getData('text') || '');
    if (!input || !digits) {
      return;
    }
    event.preventDefault();
    if (digits.length === PHONE_DIGITS) {
      input.select();
    }
    input.setRangeText(digits, input.selectionStart as number, input.selectionEnd as number, 'end');
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }

  const afterReset = () => setTimeout(regroup);
  const form = input.form;
  input.addEventListener('input', regroup);
  input.addEventListener('compositionend', regroup);
  input.addEventListener('paste', paste);
  form?.addEventListener('reset', afterReset);
  regroup();
  return () => {
    input.removeEventListener('input', regroup);
    input.removeEventListener('compositionend', regroup);
    input.removeEventListener('paste', paste);
    form?.removeEventListener('reset', afterReset);
  };
}
