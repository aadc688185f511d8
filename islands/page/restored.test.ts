import { beforeEach, expect, test, vi } from 'vitest';
import { forgetWhenRestored } from './restored';

const reload = vi.fn();

beforeEach(() => {
  reload.mockClear();
  vi.spyOn(location, 'reload').mockImplementation(reload);
  document.documentElement.hidden = false;
});

forgetWhenRestored();

function comeBack(persisted: boolean): void {
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
}

test('a form that comes back has lost its password and nothing else', () => {
  document.body.innerHTML =
    '<input id="phone" autocomplete="tel"><input id="password" autocomplete="current-password">';
  const [phone, password] = document.querySelectorAll('input') as unknown as [HTMLInputElement, HTMLInputElement];
  phone.value = '138';
  password.value = 'Demo2026';
  comeBack(false);
  expect(password.value).toBe('Demo2026');
  comeBack(true);
  expect([phone.value, password.value]).toEqual(['138', '']);
  expect(reload).not.toHaveBeenCalled();
});

test('a page of someone signed in is asked for anew, and shows nothing meanwhile', () => {
  document.body.innerHTML = '<form method="post" action="/logout"></form>';
  comeBack(false);
  expect(reload).not.toHaveBeenCalled();
  comeBack(true);
  expect(reload).toHaveBeenCalledOnce();
  expect(document.documentElement.hidden).toBe(true);
});
