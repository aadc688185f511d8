import { expect, test } from 'vitest';
import watchUnsaved from './unsaved';

const page = (note: string) => {
  document.body.innerHTML = `<form><input name="holder" value="Lee" /><input type="checkbox" name="open" checked />
    <div data-unsaved="Not saved yet"><p role="status">${note}</p></div></form>`;
  watchUnsaved(document.querySelector('div') as HTMLElement);
  return () => document.querySelector('p')?.textContent;
};

const type = (value: string) => {
  const input = document.querySelector('[name=holder]') as HTMLInputElement;
  input.value = value;
  input.dispatchEvent(new Event('input', { bubbles: true }));
};

test('a form has unsaved changes while its values differ from the saved ones', () => {
  const note = page('');
  expect(note()).toBe('');
  type('Li');
  expect(note()).toBe('Not saved yet');
  type('Lee');
  expect(note()).toBe('');
  (document.querySelector('[name=open]') as HTMLInputElement).click();
  expect(note()).toBe('Not saved yet');
});

test('a refused form has unsaved changes, whatever is typed', () => {
  const note = page('Not saved yet');
  type('Lee');
  expect(note()).toBe('Not saved yet');
});

test('a bar outside a form does nothing', () => {
  document.body.innerHTML = '<div><p role="status"></p></div>';
  expect(() => watchUnsaved(document.querySelector('div') as HTMLElement)).not.toThrow();
});
