import { afterEach, expect, test, vi } from 'vitest';
import { watchCopies } from './copy';

const page = () => {
  document.body.innerHTML = `<a id="address">http://store7.example.com/register</a>
    <button type="button" hidden data-copy="address" data-copied="Copied">Copy</button><button hidden data-copy="nothing"></button>`;
  watchCopies();
  return document.querySelector('button') as HTMLButtonElement;
};

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('the button copies the text and says so for a while', async () => {
  vi.useFakeTimers();
  const writeText = vi.fn().mockResolvedValue(undefined);
  vi.stubGlobal('navigator', { clipboard: { writeText } });
  const button = page();
  expect(button.hidden).toBe(false);
  button.click();
  await vi.advanceTimersByTimeAsync(10);
  expect(writeText).toHaveBeenCalledWith('http://store7.example.com/register');
  expect(button.textContent).toBe('Copied');
  await vi.advanceTimersByTimeAsync(3_000);
  expect(button.textContent).toBe('Copy');
});

test('without a clipboard nothing is offered', () => {
  vi.stubGlobal('navigator', {});
  expect(page().hidden).toBe(true);
});
