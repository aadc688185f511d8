import { beforeEach, expect, test, vi } from 'vitest';
import { forgetWhenRestored } from './restored';

const reload = vi.fn();

beforeEach(() => {
  reload.mockClear();
  vi.spyOn(location, 'reload').mockImplementation(reload);
  document.documentElement.hidden = false;
});

forgetWhenRestored();

/** Fires the event of a page that is shown; `persisted`: from the back-forward cache. */
function firePageshow(persisted: boolean): void {
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
}

test('a restored form loses its password and nothing else', () => {
  document.body.innerHTML =
    '<input id="phone" autocomplete="tel"><input id="password" autocomplete="current-password">';
  const [phone, password] = document.querySelectorAll('input') as unknown as [HTMLInputElement, HTMLInputElement];
  phone.value = '138';
  password.value = 'Demo2026';
  firePageshow(false);
  expect(password.value).toBe('Demo2026');
  firePageshow(true);
  expect([phone.value, password.value]).toEqual(['138', '']);
  expect(reload).not.toHaveBeenCalled();
});

test('a restored page of a signed-in person is hidden and loaded again', () => {
  document.body.innerHTML = '<form method="post" action="/logout"></form>';
  firePageshow(false);
  expect(reload).not.toHaveBeenCalled();
  firePageshow(true);
  expect(reload).toHaveBeenCalledOnce();
  expect(document.documentElement.hidden).toBe(true);
});
