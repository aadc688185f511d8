import { expect, test, vi } from 'vitest';

test('the first script starts everything that the page needs', async () => {
  history.replaceState(null, '', '/login?u=7');
  document.body.innerHTML = `
    <div data-mirror='{"lang":"es"}'></div>
    <form>
      <input type="hidden" name="width">
      <div data-island="phone-input" data-load="load"
        data-props='{"id":"p","name":"phone","autoComplete":"tel","maxLength":20}'><input class="input tel" id="p"
        name="phone" type="tel" inputmode="numeric" autocomplete="tel" maxlength="20" enterkeyhint="next"></div>
      <button>ok</button>
    </form>`;
  const phone = document.getElementById('p') as HTMLInputElement;
  phone.value = '13800138000';

  await import('./index');

  await vi.waitFor(() => expect(phone.value).toBe('138 0013 8000'));
  expect(document.getElementById('p')).toBe(phone);
  expect(document.querySelector<HTMLInputElement>('[name=width]')?.value).toBe(`${innerWidth}`);
  expect(localStorage.getItem('lang')).toBe('es');
  expect(localStorage.getItem('shareUserId')).toBe('7');
  const submitter = document.querySelector('button') as HTMLButtonElement;
  document.forms[0]?.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true, submitter }));
  expect(submitter.getAttribute('aria-busy')).toBe('true');
});
