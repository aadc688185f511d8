import { beforeEach, expect, test, vi } from 'vitest';
import watchDropFile from './dropfile';

const frame = () => document.querySelector('.drop-file') as HTMLElement;
const input = () => document.querySelector('input') as HTMLInputElement;
const name = () => document.querySelector('[data-file]')?.textContent;

function choose(...files: File[]): void {
  Object.defineProperty(input(), 'files', { value: files, configurable: true });
  input().dispatchEvent(new Event('change'));
}

beforeEach(() => {
  document.body.innerHTML = `<div class="drop-file"><span class="drop-shown"><i></i></span>
    <span class="drop-words" hidden><strong data-file>Choose a file</strong></span><input type="file"></div>`;
  watchDropFile(frame());
});

test('the name of the chosen file stands in the frame, and a picture is shown', async () => {
  choose(new File(['x'], 'rice.png', { type: 'image/png' }));
  expect(name()).toBe('rice.png');
  await vi.waitFor(() =>
    expect(document.querySelector('.drop-shown img')?.getAttribute('src')).toBe('data:image/png;base64,eA=='),
  );
  choose(new File(['x'], 'list.csv', { type: 'text/csv' }));
  expect(name()).toBe('list.csv');
  expect(document.querySelector('.drop-shown img')).toBeNull();
  choose();
  expect([name(), document.querySelectorAll('.drop-shown i').length]).toEqual(['Choose a file', 1]);
});

test('the frame shows that a file is held over it', () => {
  frame().dispatchEvent(new Event('dragover'));
  expect(frame().classList.contains('over')).toBe(true);
  frame().dispatchEvent(new Event('drop'));
  expect(frame().classList.contains('over')).toBe(false);
});
