import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import watchAppearance, { PALETTE_DELAY_MS } from './appearance';

const palette = {
  light: { '--brand': '#d9480f', '--brand-ink': '#ffffff' },
  dark: { '--brand': '#d9480f', '--brand-ink': '#000000' },
  ratios: ['Text on the button 4.6:1', 'Links 4.9:1'],
};
const fetchPalette = vi.fn();

const showForm = (typed = '20ade5') => {
  document.body.innerHTML = `<form data-island="appearance">
    <input type="hidden" name="token" value="t0"><input name="name" value="金穗粮油"><input name="theme" value="20ade5">
    <input type="color" hidden data-picker="theme" value="#20ade5">
    <input name="shop_skin" value=""><input type="color" hidden data-picker="shop_skin" value="#20ade5">
    <section class="preview"><span class="mark">金</span><strong data-name>金穗粮油</strong>
      <ul class="ratios"><li>old</li><li>old</li></ul>
    <div class="preview-shop"></div></section>
    <button name="action" value="save">save</button>
      <button name="action" value="preview" data-preview>preview</button></form>`;
  const find = <T extends Element>(selector: string) => document.querySelector(selector) as T;
  const theme = find<HTMLInputElement>('[name=theme]');
  theme.value = typed;
  watchAppearance(find('form'), { url: '/mgr/settings/appearance/preview' });
  const type = (input: HTMLInputElement, value: string) => {
    input.value = value;
    input.dispatchEvent(new Event('input', { bubbles: true }));
  };
  return {
    theme,
    type,
    find,
    picker: find<HTMLInputElement>('[data-picker=theme]'),
    preview: find<HTMLElement>('.preview'),
  };
};

beforeEach(() => {
  vi.useFakeTimers();
  fetchPalette.mockReset().mockImplementation(() => Promise.resolve(new Response(JSON.stringify(palette))));
  vi.stubGlobal('fetch', fetchPalette);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('the palette of a colour is requested when the typing pauses, and shown in the preview', async () => {
  const { theme, type, picker, preview, find } = showForm();
  expect([picker.hidden, find<HTMLButtonElement>('[data-preview]').hidden]).toEqual([false, true]);
  type(theme, '#D9480');
  type(theme, '#D9480F');
  expect(picker.value).toBe('#d9480f');
  await vi.advanceTimersByTimeAsync(PALETTE_DELAY_MS - 1);
  expect(fetchPalette).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(10);
  expect(fetchPalette).toHaveBeenCalledTimes(1);
  const [url, { method, body }] = fetchPalette.mock.calls[0] as [string, RequestInit];
  expect([url, method, `${body}`]).toEqual(['/mgr/settings/appearance/preview', 'POST', 'theme=%23D9480F&token=t0']);
  expect(preview.style.getPropertyValue('--brand')).toBe('#d9480f');
  expect(preview.style.getPropertyValue('--brand-ink')).toBe('#ffffff');
  expect([...document.querySelectorAll('li')].map((line) => line.textContent)).toEqual(palette.ratios);
});

test('the colour picker fills the field', async () => {
  const { theme, type, picker } = showForm();
  type(picker, '#1c7ed6');
  expect(theme.value).toBe('1c7ed6');
  await vi.advanceTimersByTimeAsync(PALETTE_DELAY_MS);
  expect(fetchPalette).toHaveBeenCalledTimes(1);
});

test('in the dark scheme the preview shows the dark palette', async () => {
  vi.stubGlobal('matchMedia', () => ({ matches: true, addEventListener: () => {} }));
  const { theme, type, preview } = showForm();
  type(theme, 'd9480f');
  await vi.advanceTimersByTimeAsync(PALETTE_DELAY_MS);
  expect(preview.style.getPropertyValue('--brand-ink')).toBe('#000000');
});

test('an incomplete colour, a refusal or a lost response keeps the last palette', async () => {
  const { theme, type, preview } = showForm();
  type(theme, 'd94');
  await vi.advanceTimersByTimeAsync(PALETTE_DELAY_MS);
  expect(fetchPalette).not.toHaveBeenCalled();
  for (const answer of [
    () => Promise.resolve(new Response('{}', { status: 422 })),
    () => Promise.reject(Error('gone')),
  ]) {
    fetchPalette.mockImplementationOnce(answer);
    type(theme, 'd9480f');
    await vi.advanceTimersByTimeAsync(PALETTE_DELAY_MS);
    expect(preview.style.getPropertyValue('--brand')).toBe('');
  }
});

test('a colour typed before the script loaded is requested, and the preview shows the typed name', async () => {
  const { type, find } = showForm('d9480f');
  await vi.advanceTimersByTimeAsync(PALETTE_DELAY_MS);
  expect(fetchPalette).toHaveBeenCalledTimes(1);
  type(find<HTMLInputElement>('[name=name]'), '𠮷野家');
  expect([find('[data-name]').textContent, find('.mark').textContent]).toEqual(['𠮷野家', '𠮷']);
  type(find<HTMLInputElement>('[name=name]'), ' ');
  expect(find('[data-name]').textContent).toBe('金穗粮油');
});

test("the shop's colour has its own sample, which shows the company's colour while the field is empty", async () => {
  const { theme, type, find } = showForm();
  const shop = find<HTMLElement>('.preview-shop');
  const bodies = () => fetchPalette.mock.calls.map(([, { body }]) => `${body}`);
  type(theme, 'd9480f');
  await vi.advanceTimersByTimeAsync(PALETTE_DELAY_MS);
  await vi.advanceTimersByTimeAsync(PALETTE_DELAY_MS);
  expect(bodies()).toEqual(['theme=d9480f&token=t0', 'theme=d9480f&token=t0']);
  expect(shop.style.getPropertyValue('--brand')).toBe('#d9480f');
  type(find<HTMLInputElement>('[data-picker=shop_skin]'), '#112233');
  await vi.advanceTimersByTimeAsync(PALETTE_DELAY_MS);
  expect(bodies()[2]).toBe('theme=112233&token=t0');
  type(theme, '000000');
  await vi.advanceTimersByTimeAsync(3 * PALETTE_DELAY_MS);
  expect(bodies()).toHaveLength(4);
});
