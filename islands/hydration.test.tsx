import { cleanup, render } from '@testing-library/react';
import { type ComponentType, type ReactNode, useLayoutEffect } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as region from './application/region';
import * as upload from './application/upload';
import { type Island, propsOf } from './loader';
import * as phone from './signin/phone-input';
import { hydrate, show } from './testing';
import * as code from './verification/code';

const islands: [string, Island][] = [
  ['phone-input', phone],
  ['phone-input-refused', phone],
  ['code', code],
  ['code-waiting', code],
  ['code-refused', code],
  ['region', region],
  ['region-chosen', region],
  ['upload', upload],
  ['upload-attached', upload],
];

const container = () => document.querySelector('[data-island]') as HTMLElement;
const nodes = () => [...container().querySelectorAll('*')];

let hydrated: { markup: string; nodes: Element[] };

/** Records in `hydrated` the markup right after hydration, before the island's effects change it. */
function Recorder({ children }: { children: ReactNode }) {
  useLayoutEffect(() => {
    hydrated = { markup: container().innerHTML, nodes: nodes() };
  }, []);
  return children;
}

beforeEach(() => {
  vi.stubGlobal('matchMedia', () => ({ matches: true, addListener() {}, removeListener() {} }));
  vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.reject(new Error('no request was expected'))),
  );
  vi.spyOn(console, 'error');
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test.each(islands)('%s: hydration keeps the markup and the elements of the server', (name, island) => {
  show(name);
  const markup = container().innerHTML;
  const before = nodes();
  hydrate(container().dataset.island as string, island, Recorder);
  expect(hydrated.markup).toBe(markup);
  expect(hydrated.nodes.map((node, i) => node === before[i])).toEqual(before.map(() => true));
  expect(console.error).not.toHaveBeenCalled();
  expect(fetch).not.toHaveBeenCalled();
});

/** The markup with sorted attributes, without those that components set as properties. */
function sortAttributes(markup: string): string {
  const template = document.createElement('div');
  template.innerHTML = markup;
  for (const element of template.querySelectorAll('*')) {
    const attributes = [...element.attributes].map(({ name, value }) => [name, value] as const);
    for (const [name] of attributes) {
      element.removeAttribute(name);
    }
    for (const [name, value] of attributes.sort(([a], [b]) => a.localeCompare(b))) {
      if (name !== 'selected' && (name !== 'value' || value)) {
        element.setAttribute(name, value);
      }
    }
  }
  return template.innerHTML;
}

// Preact does not compare attributes when it hydrates, so a wrong one would show only at the next render.
test.each(islands)('%s: rendered in the browser, the island has the markup of the server', (name, island) => {
  show(name);
  const Component = island.default as ComponentType;
  const rendered = () => document.querySelector('#rendered') as HTMLElement;
  const props = propsOf(container(), island);
  let markup = '';
  function Reader() {
    useLayoutEffect(() => {
      markup = rendered().innerHTML;
    }, []);
    return null;
  }
  const form = document.createElement('form');
  form.id = 'rendered';
  render(
    <>
      <Component {...props} />
      <Reader />
    </>,
    { container: document.body.appendChild(form) },
  );
  expect(sortAttributes(markup)).toBe(sortAttributes(container().innerHTML));
});

describe.each([
  ['phone-input', 'phone', phone, '1380013', '138 0013'],
  ['code', 'code', code, '1234', '1234'],
])('%s', (name, id, island, typed, shown) => {
  test('text typed before the script loaded stays, with focus and caret', () => {
    show(name);
    const input = document.getElementById(id) as HTMLInputElement;
    input.focus();
    input.value = typed;
    input.setSelectionRange(2, 2);
    hydrate(name, island);
    expect([input.value, input.selectionStart]).toEqual([shown, 2]);
    expect(document.activeElement).toBe(input);
    expect(document.querySelectorAll(`[name=${id}]`)).toHaveLength(1);
  });

  test('text typed over the server’s value stays, and a reset restores that value', () => {
    show(`${name}-refused`);
    const input = document.getElementById(id) as HTMLInputElement;
    const refused = input.value;
    input.value = '19';
    hydrate(name, island);
    expect([input.value, input.defaultValue]).toEqual(['19', refused]);
  });
});

test('a caret in the right place is not moved', () => {
  show('phone-input');
  const input = document.getElementById('phone') as HTMLInputElement;
  input.focus();
  input.value = '138 0013';
  input.setSelectionRange(0, 8);
  hydrate('phone-input', phone);
  expect([input.selectionStart, input.selectionEnd]).toEqual([0, 8]);
});
