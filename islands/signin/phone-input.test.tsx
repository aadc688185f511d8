import { cleanup, fireEvent, render } from '@testing-library/react';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import PhoneInput, { type PhoneInputProps } from './phone-input';

const props: PhoneInputProps = { id: 'phone', name: 'phone', autoComplete: 'tel', maxLength: 20 };

// happy-dom takes the whole value's length for the replacement's, so its caret always ends up last.
beforeAll(() => {
  Object.assign(HTMLInputElement.prototype, {
    setRangeText(this: HTMLInputElement, text: string, start: number, end: number) {
      this.value = this.value.slice(0, start) + text + this.value.slice(end);
      this.setSelectionRange(start + text.length, start + text.length);
    },
  });
});

afterEach(cleanup);

function renderField(more: Partial<PhoneInputProps> = {}): HTMLInputElement {
  const { container } = render(
    <form>
      <PhoneInput {...props} {...more} />
    </form>,
  );
  const input = container.querySelector('input') as HTMLInputElement;
  input.focus();
  return input;
}

/** Puts `text` where the caret is, as a keyboard does. */
function type(input: HTMLInputElement, text: string): void {
  for (const key of text) {
    input.setRangeText(key, input.selectionStart as number, input.selectionEnd as number, 'end');
    fireEvent(input, new InputEvent('input', { bubbles: true, inputType: 'insertText', data: key }));
  }
}

function backspace(input: HTMLInputElement): void {
  const end = input.selectionEnd as number;
  const start = input.selectionStart === end ? end - 1 : (input.selectionStart as number);
  input.setRangeText('', start, end, 'end');
  fireEvent(input, new InputEvent('input', { bubbles: true, inputType: 'deleteContentBackward' }));
}

function paste(input: HTMLInputElement, text: string): Event {
  const event = new Event('paste', { bubbles: true, cancelable: true });
  Object.assign(event, { clipboardData: { getData: () => text } });
  fireEvent(input, event);
  return event;
}

/** The value with a bar where the caret is. */
function valueWithCaret(input: HTMLInputElement): string {
  const caret = input.selectionStart as number;
  return `${input.value.slice(0, caret)}|${input.value.slice(caret)}`;
}

describe('typing', () => {
  test('groups the digits and leaves the caret behind them', () => {
    const input = renderField();
    type(input, '13800138000');
    expect(valueWithCaret(input)).toBe('138 0013 8000|');
  });

  test('in the middle keeps the caret behind the new digit', () => {
    const input = renderField({ value: '138 001' });
    input.setSelectionRange(1, 1);
    type(input, '99');
    expect(valueWithCaret(input)).toBe('199| 3800 1');
  });

  test('drops other characters than digits', () => {
    const input = renderField();
    type(input, '1a3-8');
    expect(valueWithCaret(input)).toBe('138|');
  });

  test('replaces the value when a keyboard inserts a whole number', () => {
    const input = renderField({ value: '139' });
    const data = '+86 138-0013-8000';
    input.value += data;
    fireEvent(input, new InputEvent('input', { bubbles: true, inputType: 'insertText', data }));
    expect(valueWithCaret(input)).toBe('138 0013 8000|');
  });

  test('a country code key by key keeps what is half-typed, and ends with the number', () => {
    const input = renderField();
    const shown = [...'+8613800138000'].map((key) => {
      type(input, key);
      return valueWithCaret(input);
    });
    expect(shown.slice(0, 5)).toEqual(['+|', '+8|', '+86|', '1|', '13|']);
    expect(shown.at(-1)).toBe('138 0013 8000|');
  });

  test.each(['8613800138000', '008613800138000', '+86 138 0013 8000', '＋８６13800138000'])(
    '%s key by key is the number without its country code',
    (text) => {
      const input = renderField();
      type(input, text);
      expect(valueWithCaret(input)).toBe('138 0013 8000|');
      type(input, '9');
      expect(valueWithCaret(input)).toBe('138 0013 8000|');
    },
  );

  test('a half-typed country code is deleted key by key', () => {
    const input = renderField();
    type(input, '+86');
    const shown = [1, 2, 3].map(() => {
      backspace(input);
      return input.value;
    });
    expect(shown).toEqual(['+8', '+', '']);
  });

  test('changes nothing while an input method composes', () => {
    const input = renderField();
    input.value = '１３８０';
    fireEvent(input, new InputEvent('input', { bubbles: true, isComposing: true }));
    expect(input.value).toBe('１３８０');
    fireEvent(input, new Event('compositionend', { bubbles: true }));
    expect(valueWithCaret(input)).toBe('138 0|');
  });

  test('groups what the browser fills in', () => {
    const input = renderField();
    input.value = '13800138000';
    fireEvent(input, new Event('input', { bubbles: true }));
    expect(input.value).toBe('138 0013 8000');
  });
});

test('each backspace deletes one digit until the field is empty', () => {
  const input = renderField({ value: '138 0013 8000' });
  input.setSelectionRange(13, 13);
  for (let left = 10; left >= 0; left--) {
    backspace(input);
    expect(input.value.replace(/ /g, '')).toHaveLength(left);
  }
});

test('a backspace after a space deletes the digit before it', () => {
  const input = renderField({ value: '138 0013' });
  input.setSelectionRange(4, 4);
  backspace(input);
  expect(valueWithCaret(input)).toBe('13|0 013');
});

describe('pasting', () => {
  test('a whole number in any format replaces the value', () => {
    const input = renderField({ value: '139' });
    input.setSelectionRange(3, 3);
    expect(paste(input, ' +86 138-0013-8000 ').defaultPrevented).toBe(true);
    expect(valueWithCaret(input)).toBe('138 0013 8000|');
  });

  test('a few digits inserts them at the caret', () => {
    const input = renderField({ value: '138 8000' });
    input.setSelectionRange(3, 3);
    paste(input, '０0-13');
    expect(valueWithCaret(input)).toBe('138 0013| 8000');
  });

  test('fires an input event', () => {
    const input = renderField();
    let inputCount = 0;
    input.form?.addEventListener('input', () => inputCount++);
    paste(input, '13800138000');
    expect(inputCount).toBe(1);
  });

  test('text without digits is left to the browser', () => {
    expect(paste(renderField(), 'hello').defaultPrevented).toBe(false);
  });
});

test('a reset restores the first value, grouped', async () => {
  const input = renderField({ value: '13800138000' });
  expect(input.value).toBe('138 0013 8000');
  backspace(input);
  input.form?.reset();
  await new Promise((done) => setTimeout(done));
  expect(input.value).toBe('138 0013 8000');
});

test('a field without focus is grouped and does not take the focus', () => {
  const other = document.body.appendChild(document.createElement('input'));
  other.focus();
  const { container } = render(<PhoneInput {...props} value="13800138000" />);
  expect(container.querySelector('input')?.value).toBe('138 0013 8000');
  expect(document.activeElement).toBe(other);
  other.remove();
});
