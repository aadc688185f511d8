import { beforeEach, expect, test } from 'vitest';
import watchMenu from './menu';

let details: HTMLDetailsElement;
const summary = () => details.querySelector('summary') as HTMLElement;

beforeEach(() => {
  document.body.innerHTML =
    '<button id="elsewhere">x</button><details><summary tabindex="0">menu</summary><a href="/x">entry</a></details>';
  details = document.querySelector('details') as HTMLDetailsElement;
  watchMenu(details);
  details.open = true;
});

test('Escape closes the menu and returns the focus to its button', () => {
  details.querySelector('a')?.focus();
  details.querySelector('a')?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  expect(details.open).toBe(false);
  expect(document.activeElement).toBe(summary());
});

test('Escape in a closed menu does nothing', () => {
  details.open = false;
  const before = document.activeElement;
  summary().dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  expect(document.activeElement).toBe(before);
});

test('a press elsewhere closes the menu, a press inside does not', () => {
  details.querySelector('a')?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  expect(details.open).toBe(true);
  document.querySelector<HTMLElement>('#elsewhere')?.click();
  expect(details.open).toBe(false);
});

test('moving the focus elsewhere closes the menu', () => {
  document.querySelector<HTMLElement>('#elsewhere')?.focus();
  expect(details.open).toBe(false);
});
