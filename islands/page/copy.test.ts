import { afterEach, expect, test, vi } from 'vitest';
import { TOAST_MS } from '../constants';
import watchCopy from './copy';

const page = () => {
  document.body.innerHTML = `<a id="address">http://store7.example.com/register</a>
    <button type="button" hidden data-copy="address" data-copied="Copied">Copy</button>
  <button hidden data-copy="nothing"></button>`;
  const [button, withoutSource] = [...document.querySelectorAll('button')] as [HTMLButtonElement, HTMLButtonElement];
  watchCopy(button);
  watchCopy(withoutSource);
  expect(withoutSource.hidden).toBe(true);
  return button;
};

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const toastText = () => document.querySelector('.toast:not([hidden])')?.textContent;

test('the button copies the text, and a toast says so for 1.5 s', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
  const writeText = vi.fn().mockResolvedValue(undefined);
  vi.stubGlobal('navigator', { clipboard: { writeText } });
  const button = page();
  expect(button.hidden).toBe(false);
  button.click();
  await vi.advanceTimersByTimeAsync(10);
  expect(writeText).toHaveBeenCalledWith('http://store7.example.com/register');
  expect([toastText(), button.textContent]).toEqual(['Copied', 'Copy']);
  await vi.advanceTimersByTimeAsync(TOAST_MS);
  expect(toastText()).toBeUndefined();
});

test('only the digits of a grouped number are copied', async () => {
  const writeText = vi.fn().mockResolvedValue(undefined);
  vi.stubGlobal('navigator', { clipboard: { writeText } });
  document.body.innerHTML =
    `<span id="card">6222 0000 0000 0001</span>` +
    `<button hidden data-copy="card" data-copied="Copied" data-digits></button>`;
  const button = document.querySelector('button') as HTMLButtonElement;
  watchCopy(button);
  button.click();
  await vi.waitFor(() => expect(writeText).toHaveBeenCalledWith('6222000000000001'));
});

test('without a clipboard the button stays hidden', () => {
  vi.stubGlobal('navigator', {});
  expect(page().hidden).toBe(true);
});
