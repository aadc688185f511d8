import { describe, expect, test } from 'vitest';
import { editPhone, groupPhone, phoneDigits } from './phone';

describe('the digits of a phone number', () => {
  test.each([
    ['13800138000', '13800138000'],
    ['138 0013 8000', '13800138000'],
    ['+86 138-0013-8000', '13800138000'],
    ['0086 138 0013 8000', '13800138000'],
    ['8613800138000', '13800138000'],
    ['１３８００１３８０００', '13800138000'],
    ['+８６ １３８ 0013 8000', '13800138000'],
    ['138001380001234', '13800138000'],
    ['86138', '86138'],
    ['8613800138', '8613800138'],
    ['tel. none', ''],
    ['', ''],
  ])('of %j are %j', (text, digits) => {
    expect(phoneDigits(text)).toBe(digits);
  });
});

test.each([
  ['', ''],
  ['138', '138'],
  ['1380', '138 0'],
  ['1380013', '138 0013'],
  ['13800138', '138 0013 8'],
  ['13800138000', '138 0013 8000'],
])('%j is shown as %j', (digits, text) => {
  expect(groupPhone(digits)).toBe(text);
});

/** Returns the text after an edit, with a bar at the caret: `138| 00`. */
function edit(before: string, after: string, inputType?: string, data?: string): string {
  const { text, caret } = editPhone(before, after.replace('|', ''), after.indexOf('|'), { inputType, data });
  return `${text.slice(0, caret)}|${text.slice(caret)}`;
}

describe('the caret', () => {
  test.each([
    ['typing at the end', '138', '1380|', 'insertText', '138 0|'],
    ['typing before a space', '138 0013', '1385| 0013', 'insertText', '138 5|001 3'],
    ['typing at the start', '380 0138', '1|380 0138', 'insertText', '1|38 0013 8'],
    ['typing a letter', '138 0013', '138 x|0013', 'insertText', '138| 0013'],
    ['typing a twelfth digit, which is dropped', '138 0013 8000', '138 90|013 8000', 'insertText', '138 0|013 8000'],
    ['deleting the last digit of a group', '138 0', '138 |', 'deleteContentBackward', '138|'],
    ['deleting in the middle', '138 0013 8000', '138 0|13 8000', 'deleteContentBackward', '138 0|138 000'],
    ['deleting only a space takes the digit before it', '138 0013', '138|0013', 'deleteContentBackward', '13|0 013'],
    [
      'deleting only a space forward takes the digit after it',
      '138 0013',
      '138|0013',
      'deleteContentForward',
      '138| 013',
    ],
    ['deleting everything', '138 0013 8000', '|', 'deleteContentBackward', '|'],
    ['typing the same digits over a selection', '138 0', '1380|', 'insertText', '138 0|'],
    ['a country code before the caret', '', '+86 138|00138000', undefined, '138| 0013 8000'],
    ['a country code around the caret', '', '+8|613800138000', undefined, '|138 0013 8000'],
    ['full-width digits', '138', '138０|', 'insertText', '138 0|'],
  ])('after %s', (_, before, after, inputType, shown) => {
    expect(edit(before, after, inputType)).toBe(shown);
  });
});

describe('a number that is inserted at once', () => {
  test.each([
    ['in an empty field', '', '+86 138-0013-8000|', '+86 138-0013-8000'],
    ['after other digits', '139', '139+86 138 0013 8000|', '+86 138 0013 8000'],
    ['into a full field', '139 0013 9000', '139 0013 90008613800138|', '8613800138000'],
    ['cut at the maximum length', '', '0086 (138) 0013-800|', '0086 (138) 0013-8000'],
  ])('%s becomes the value', (_, before, after, data) => {
    expect(edit(before, after, 'insertText', data)).toBe('138 0013 8000|');
  });
});
