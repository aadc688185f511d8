import { afterEach, describe, expect, test } from 'vitest';
import { CARD_GROUP } from '../constants';
import keepDigits, { digitsIn, editDigits, grouped } from './digits';

const CARD = { group: CARD_GROUP, max: 19 };
const NUMBER = { group: 0, max: 4 };

/** An edit as a person sees it: `|` is the caret. */
const edit = (before: string, after: string, props = CARD, type = 'insertText') => {
  const { text, caret } = editDigits(before.replace('|', ''), after.replace('|', ''), after.indexOf('|'), props, type);
  return `${text.slice(0, caret)}|${text.slice(caret)}`;
};

describe('digits', () => {
  test.each([
    ['', ''],
    ['6222', '6222'],
    ['62220', '6222 0'],
    ['62220212', '6222 0212'],
    ['6222021234567890123', '6222 0212 3456 7890 123'],
  ])('%j of a card is shown as %j', (digits, shown) => {
    expect(grouped(digits, CARD_GROUP)).toBe(shown);
  });

  test('of a number without groups are not grouped', () => {
    expect(grouped('123456', 0)).toBe('123456');
  });

  test('are found between other characters', () => {
    expect(digitsIn('６222-0212 x')).toBe('62220212');
  });
});

describe('an edit', () => {
  test.each([
    ['6222|', '62220|', '6222 0|'],
    ['6222 0|', '6222 0a|', '6222 0|'],
    ['62|22 0212', '629|22 0212', '629|2 2021 2'],
    ['6222| 0212', '62229| 0212', '6222 9|021 2'],
    ['6222 0212 3456 7890 123|', '6222 0212 3456 7890 1234|', '6222 0212 3456 7890 123|'],
    ['|', '6222-0212-3456-7890|', '6222 0212 3456 7890|'],
  ])('of %j to %j shows %j', (before, after, shown) => {
    expect(edit(before, after)).toBe(shown);
  });

  test('that deletes a space also deletes the digit beyond it', () => {
    expect(edit('6222 |0212', '6222|0212', CARD, 'deleteContentBackward')).toBe('622|0 212');
    expect(edit('6222| 0212', '6222|0212', CARD, 'deleteContentForward')).toBe('6222| 212');
  });

  test('of a number keeps only digits, up to the maximum', () => {
    expect(edit('1|', '1.5|', NUMBER)).toBe('15|');
    expect(edit('|', 'abc|', NUMBER)).toBe('|');
    expect(edit('1234|', '12345|', NUMBER)).toBe('1234|');
  });
});

describe('a field', () => {
  afterEach(() => {
    document.body.innerHTML = '';
  });

  function field(value = '', more = ''): HTMLInputElement {
    document.body.innerHTML = `<form><div class="field">
      <input name="bank_card" maxlength="23" value="${value}" ${more}></div></form>`;
    keepDigits(document.querySelector('.field') as HTMLElement, CARD);
    return document.querySelector('input') as HTMLInputElement;
  }

  function type(input: HTMLInputElement, value: string, caret = value.length): void {
    input.focus();
    input.value = value;
    input.setSelectionRange(caret, caret);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }

  test('groups what is typed and keeps the caret', () => {
    const input = field();
    type(input, '622202');
    expect([input.value, input.selectionStart]).toEqual(['6222 02', 7]);
    type(input, '62922 02', 3);
    expect([input.value, input.selectionStart]).toEqual(['6292 202', 3]);
  });

  test('takes the digits of a pasted number with other characters', () => {
    const input = field('1');
    input.focus();
    input.setSelectionRange(0, 1);
    const event = new Event('paste', { bubbles: true, cancelable: true });
    Object.assign(event, { clipboardData: { getData: () => 'No. 6222-0212-3456-7890' } });
    input.dispatchEvent(event);
    expect(event.defaultPrevented).toBe(true);
    expect(input.value).toBe('6222 0212 3456 7890');
  });

  test('changes nothing while an input method composes', () => {
    const input = field();
    input.value = 'six';
    input.dispatchEvent(Object.assign(new Event('input'), { isComposing: true }));
    expect(input.value).toBe('six');
    input.dispatchEvent(new Event('compositionend'));
    expect(input.value).toBe('');
  });

  test('groups a value typed before the script loaded, but not a refused value', () => {
    expect(field('62220212').value).toBe('6222 0212');
    expect(field('6222x', 'aria-invalid="true"').value).toBe('6222x');
  });
});
