import { fireEvent } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RENEWED_EVENT } from '../renewed';
import { hydrate, inOneLine, rendered } from '../testing';
import * as island from './list';

const WORDS: island.ListProps = {
  count: '{num} selected',
  all: 'Select all',
  none: 'Clear',
  heading: 'Keys',
  close: 'Close',
  keys: [['j', 'Next row']],
};

const row = (id: number) => `<tr>
  <td class="pick"><label><input type="checkbox" name="id" value="${id}"></label></td>
  <th><a href="/mgr/orders/${id}">Order ${id}</a></th></tr>`;

const main = (ids: number[]) => `<main>
  <form class="finder" action="/mgr/orders">
    <input type="hidden" name="state" value="new"><input type="search" id="q" name="q">
    <input type="date" name="from">
    <div data-island="list"></div>
  </form>
  <nav class="states"><a aria-current="page">New <span class="num">${ids.length}</span></a></nav>
  <div class="pull"><div class="pulled"><div class="listed">
    <form class="choosing">
    <table><thead><tr><td class="pick"><a class="all box" href="?chosen=all" aria-label="Select all"></a>
    <label hidden><input type="checkbox" data-all></label></td></tr></thead>
    <tbody>${ids.map(row).join('')}</tbody></table>
    <div class="actbar"><p role="status">Select rows.</p><a class="all" href="?chosen=all">Select all</a></div></form>
  </div></div><a class="way" href="/mgr/orders">Refresh</a></div></main>`;

let remove = () => {};

beforeEach(async () => {
  document.body.innerHTML = inOneLine(main([1, 2, 3, 4, 5]));
  const container = document.querySelector('[data-island=list]') as HTMLElement;
  container.dataset.props = JSON.stringify(WORDS);
  await rendered(() => {
    remove = hydrate('list', island);
  });
});

afterEach(() => remove());

const boxes = () => [...document.querySelectorAll<HTMLInputElement>('[name=id]')];
const chosen = () => boxes().flatMap((box) => (box.checked ? [box.value] : []));
const status = () => document.querySelector('.actbar p')?.textContent;
const search = () => document.querySelector('#q') as HTMLInputElement;
const focused = () => document.activeElement?.getAttribute('href');
const key = (name: string, target: Element | null = document.activeElement, more = {}) =>
  fireEvent.keyDown(target ?? document.body, { key: name, ...more });

test('chosen rows are counted aloud', () => {
  boxes()[1]?.click();
  expect(status()).toBe('1 selected');
  boxes()[1]?.click();
  expect(status()).toBe('Select rows.');
});

test('a click with shift chooses or frees the rows between', () => {
  boxes()[1]?.click();
  fireEvent.click(boxes()[3] as Element, { shiftKey: true });
  expect(chosen()).toEqual(['2', '3', '4']);
  fireEvent.click(boxes()[1] as Element, { shiftKey: true });
  expect(chosen()).toEqual([]);
});

test('the link in the bar chooses all rows and frees them again', () => {
  const link = document.querySelector('.actbar .all') as HTMLElement;
  link.click();
  expect(chosen()).toHaveLength(5);
  expect(link.textContent).toBe('Clear');
  link.click();
  expect(chosen()).toHaveLength(0);
  expect(link.textContent).toBe('Select all');
});

test('the box in the head chooses all rows, and shows when only some are chosen', () => {
  const head = document.querySelector('[data-all]') as HTMLInputElement;
  expect(head.parentElement?.hidden).toBe(false);
  expect(document.querySelector<HTMLElement>('.box')?.hidden).toBe(true);
  boxes()[1]?.click();
  expect([head.checked, head.indeterminate]).toEqual([false, true]);
  head.click();
  expect(chosen()).toHaveLength(5);
  expect(status()).toBe('5 selected');
  head.click();
  expect(chosen()).toHaveLength(0);
  expect([head.checked, head.indeterminate]).toEqual([false, false]);
});

test('j and k move through the rows, x and space choose', () => {
  key('j');
  key('j');
  expect(focused()).toBe('/mgr/orders/2');
  key('x');
  key('k');
  key(' ');
  expect(chosen()).toEqual(['1', '2']);
  for (let i = 0; i < 9; i++) {
    key('j');
  }
  expect(focused()).toBe('/mgr/orders/5');
});

test('a slash goes to the search, where letters are text', () => {
  key('/');
  expect(document.activeElement).toBe(search());
  expect(key('j', search())).toBe(true); // not prevented
  expect(document.activeElement).toBe(search());
});

test('keys with a modifier are the browser’s', () => {
  key('j');
  expect(key('k', document.activeElement, { ctrlKey: true })).toBe(true);
  expect(key('x', document.activeElement, { metaKey: true })).toBe(true);
  expect(chosen()).toEqual([]);
});

test('a question mark opens the list of keys, in which the other keys rest', () => {
  key('?');
  const dialog = document.querySelector('dialog') as HTMLDialogElement;
  expect(dialog.open).toBe(true);
  expect(dialog.textContent).toContain('Next row');
  key('j', document.body);
  expect(focused()).toBeNull();
});

test('the chosen rows are counted anew when the list is renewed', async () => {
  boxes()[1]?.click();
  boxes()[1]?.closest('tr')?.remove();
  await rendered(() => document.dispatchEvent(new CustomEvent(RENEWED_EVENT)) as unknown as undefined);
  expect(status()).toBe('Select rows.');
});
