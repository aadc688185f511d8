import { type ClipboardEvent, type SyntheticEvent, useLayoutEffect, useRef } from 'react';
import { PHONE_DIGITS } from '../constants';
import { editPhone, phoneDigits } from './phone';

/** The attributes of the field, as the server writes them. */
export type PhoneInputProps = {
  id: string;
  name: string;
  autoComplete: string;
  /**
   * The longest value, in characters. It is more than a grouped number has, because keyboards and autofill insert +86
   * and hyphens.
   */
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
 * A phone field that groups the digits while the person types: 138 0013 8000. It renders the server's input,
 * uncontrolled, so that what the person typed before the script loaded stays.
 */
export default function PhoneInput(props: PhoneInputProps) {
  const field = useRef<HTMLInputElement>(null);
  const shown = useRef<string>(undefined);

  function regroup(event?: InputEvent): void {
    const input = field.current;
    if (!input || event?.isComposing) {
      return; // an input method is composing; compositionend follows
    }
    const { text, caret } = editPhone(shown.current ?? input.value, input.value, input.selectionStart as number, event);
    shown.current = text;
    if (input.value !== text) {
      input.value = text;
      if (document.activeElement === input) {
        input.setSelectionRange(caret, caret);
      }
    }
  }

  function paste(event: ClipboardEvent<HTMLInputElement>): void {
    const input = event.currentTarget;
    const digits = phoneDigits(event.clipboardData.getData('text'));
    if (digits) {
      event.preventDefault();
      if (digits.length === PHONE_DIGITS) {
        input.select();
      }
      input.setRangeText(digits, input.selectionStart as number, input.selectionEnd as number, 'end');
      input.dispatchEvent(new Event('input', { bubbles: true }));
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed early is grouped once
  useLayoutEffect(() => {
    const form = field.current?.form;
    const afterReset = () => setTimeout(regroup);
    regroup();
    form?.addEventListener('reset', afterReset);
    return () => form?.removeEventListener('reset', afterReset);
  }, []);

  const onEdit = ({ nativeEvent }: SyntheticEvent) => regroup(nativeEvent as InputEvent);
  return (
    <input
      ref={field}
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
      aria-describedby={props.describedBy || undefined}
      defaultValue={props.value}
      onInput={onEdit}
      onCompositionEnd={onEdit}
      onPaste={paste}
    />
  );
}
