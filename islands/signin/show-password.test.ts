import { beforeEach, expect, test } from 'vitest';
import { watchShowPassword } from './show-password';

const page = () => {
  document.body.innerHTML = `<form><input id="password" type="password" value="typed"><button type="button" hidden
    data-peek="password" data-hide="Hide" aria-label="Show"></button><button>send</button></form>
    <button hidden data-peek="nothing"></button>`;
  watchShowPassword();
  return {
    field: document.querySelector('input') as HTMLInputElement,
    eye: document.querySelector('[data-peek=password]') as HTMLButtonElement,
    form: document.querySelector('form') as HTMLFormElement,
  };
};

beforeEach(() => {
  document.body.innerHTML = '';
});

test('the eye button shows the password, and hides it again', () => {
  const { field, eye } = page();
  expect(eye.hidden).toBe(false);
  eye.click();
  expect([field.type, field.value, eye.getAttribute('aria-label')]).toEqual(['text', 'typed', 'Hide']);
  expect(document.activeElement).toBe(field);
  eye.click();
  expect([field.type, eye.getAttribute('aria-label')]).toEqual(['password', 'Show']);
});

test('a shown password is hidden when the form is sent', () => {
  const { field, eye, form } = page();
  eye.click();
  form.dispatchEvent(new Event('submit'));
  expect(field.type).toBe('password');
});

test('an eye button without its field stays hidden', () => {
  page();
  expect((document.querySelector('[data-peek=nothing]') as HTMLButtonElement).hidden).toBe(true);
});
