import { beforeAll, beforeEach, expect, test } from 'vitest';
import { reportWidth } from './width';

beforeEach(() => {
  document.body.innerHTML = `
    <form><input type="hidden" name="width" value=""><input type="hidden" name="other"></form>
    <form><input type="hidden" name="width"><input type="text" name="width"></form>`;
});

beforeAll(() => {
  document.body.innerHTML = '<input type="hidden" name="width" id="early">';
  resizeTo(360);
  reportWidth();
  expect((document.getElementById('early') as HTMLInputElement).value).toBe('360');
});

function resizeTo(width: number): void {
  Object.defineProperty(window, 'innerWidth', { value: width, configurable: true });
}

const values = () => [...document.querySelectorAll('input')].map((input) => input.value);

test('a resize updates the width field of every form, and no other field', () => {
  resizeTo(749);
  dispatchEvent(new Event('resize'));
  expect(values()).toEqual(['749', '', '749', '']);
});

test('a form added later gets the width before it is sent', () => {
  resizeTo(1280);
  let sent = '';
  const form = document.forms[1] as HTMLFormElement;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    sent = new FormData(form).get('width') as string;
  });
  form.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
  expect(sent).toBe('1280');
});
