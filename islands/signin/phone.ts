import { PHONE_DIGITS } from '../constants';

/** A text and the position of the caret in it, in UTF-16 units. */
export type Edit = { text: string; caret: number };

/** The ASCII digits in `text`, full-width ones (１３８) included, in order. */
function digitsIn(text: string): string {
  return text.replace(/[０-９]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0xfee0)).replace(/\D/g, '');
}

/** `digits` without the country code, which only a whole number shows: 86 or 0086 and eleven more. */
function withoutCountry(digits: string): string {
  return digits.replace(/^(00)?86(?=\d{11}$)/, '');
}

/** The phone number in what was typed or pasted: at most eleven ASCII digits, no country code. */
export function phoneDigits(text: string): string {
  return withoutCountry(digitsIn(text)).slice(0, PHONE_DIGITS);
}

/** `digits` in groups of 3, 4 and 4: `138 0013 8000`. */
export function groupPhone(digits: string): string {
  return digits.replace(/^(\d{3})(\d)/, '$1 $2').replace(/^(\d{3} \d{4})(\d)/, '$1 $2');
}

/** The fields of an input event that describe an edit. Keyboards and autofill insert many characters at once. */
export type InputHint = { inputType?: string; data?: string | null };

/**
 * What the field shows after an edit turned `before` into `after` and left the caret at `caret`. A whole number that
 * was inserted at once replaces what was there, and a full field takes no further digit. Deleting only a space
 * also deletes the digit beyond it, or the space would come back. A country code that is typed key by key stays as it
 * is: +86 until a digit follows it, 86 and 0086 until the number is whole.
 */
export function editPhone(
  before: string,
  after: string,
  caret: number,
  { inputType = '', data }: InputHint = {},
): Edit {
  const inserted = phoneDigits(data || '');
  if (inserted.length === PHONE_DIGITS) {
    const text = groupPhone(inserted);
    return { text, caret: text.length };
  }
  let head = digitsIn(after.slice(0, caret));
  let tail = digitsIn(after.slice(caret));
  if (/^delete/.test(inputType) && after.length < before.length && head + tail === digitsIn(before)) {
    if (/Forward$/.test(inputType)) {
      tail = tail.slice(1);
    } else {
      head = head.slice(0, -1);
    }
  }
  const typed = head + tail;
  if (/^[+＋]/.test(after) && '86'.startsWith(typed)) {
    return { text: `+${typed}`, caret };
  }
  const digits = withoutCountry(before === '+86' ? typed.replace(/^86/, '') : typed);
  const most = /^1/.test(digits) ? PHONE_DIGITS : PHONE_DIGITS + 4; // with a country code in front
  if (digits.length > most && digitsIn(before).length === most) {
    return { text: before, caret: Math.max(0, caret - (after.length - before.length)) };
  }
  const ahead = Math.max(0, head.length - (typed.length - digits.length));
  const kept = digits.slice(0, most);
  return { text: groupPhone(kept), caret: groupPhone(kept.slice(0, ahead)).length };
}
