import { beforeEach, expect, test, vi } from 'vitest';
import watchRejection from './reject';

let details: HTMLDetailsElement;
const scrolled = vi.fn();
const text = () => document.getElementById('reason');

function toggle(open: boolean): void {
  details.open = open;
  details.dispatchEvent(new Event('toggle'));
}

beforeEach(() => {
  document.body.innerHTML = '<details><summary>reject…</summary><textarea id="reason"></textarea></details>';
  details = document.querySelector('details') as HTMLDetailsElement;
  details.scrollIntoView = scrolled.mockClear();
  watchRejection(details);
});

test('opening the form puts the cursor into its text and the form into view', () => {
  toggle(true);
  expect(document.activeElement).toBe(text());
  expect(scrolled).toHaveBeenCalled();
});

test('closing the form leaves the focus where it is', () => {
  toggle(false);
  expect(document.activeElement).not.toBe(text());
  expect(scrolled).not.toHaveBeenCalled();
});
