// Runs on Preact and, with REAL_REACT=1, on React: keep testing-library's Preact renderer out of it.
import { beforeEach, expect, test, vi } from 'vitest';
import { mountIslands } from './loader';

const FALLBACK =
  '<input class="input tel" id="phone" name="phone" type="tel" inputmode="numeric" autocomplete="tel" maxlength="13" enterkeyhint="next" required="" aria-describedby="hint">';
const PROPS = { id: 'phone', name: 'phone', autoComplete: 'tel', maxLength: 13, required: true, describedBy: 'hint' };

function page(fallback = FALLBACK, more = {}): { island: HTMLElement; input: HTMLInputElement } {
  document.body.innerHTML = `<form><div data-island="phone-input" data-load="load">${fallback}</div></form>`;
  const island = document.querySelector('div') as HTMLElement;
  island.dataset.props = JSON.stringify({ ...PROPS, ...more });
  return { island, input: island.firstElementChild as HTMLInputElement };
}

/** Mounts the islands and waits until this one listens. */
async function mount(island: HTMLElement): Promise<void> {
  mountIslands({ 'phone-input': () => import('./phone-input') });
  await vi.waitFor(() => expect(island.dataset.ready).toBe(''));
  await new Promise((done) => setTimeout(done, 50)); // React hydrates a little later
}

beforeEach(() => {
  vi.spyOn(console, 'error');
});

test('the server’s control is taken over as it stands', async () => {
  const { island, input } = page();
  await mount(island);
  expect(island.innerHTML).toBe(FALLBACK);
  expect(island.firstElementChild).toBe(input);
  input.value = '1380';
  input.dispatchEvent(new Event('input', { bubbles: true }));
  expect(input.value).toBe('138 0');
  expect(console.error).not.toHaveBeenCalled();
});

test('what was typed before the script came stays, with focus and caret', async () => {
  const { island, input } = page();
  input.focus();
  input.value = '1380013';
  input.setSelectionRange(5, 5);
  await mount(island);
  expect(island.firstElementChild).toBe(input);
  expect(document.activeElement).toBe(input);
  expect(input.value).toBe('138 0013');
  expect(input.selectionStart).toBe(6);
  expect(island.querySelectorAll('input')).toHaveLength(1);
});

test('what was typed over the server’s value stays', async () => {
  const { island, input } = page(FALLBACK.replace('>', ' value="138 0013 8000">'), { value: '138 0013 8000' });
  input.value = '139';
  await mount(island);
  expect(input.value).toBe('139');
  expect(input.defaultValue).toBe('138 0013 8000');
});

test('a caret that stands right is not moved', async () => {
  const { island, input } = page();
  input.focus();
  input.value = '138 0013';
  input.setSelectionRange(0, 8);
  await mount(island);
  expect([input.selectionStart, input.selectionEnd]).toEqual([0, 8]);
});
