import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { act, render } from '@testing-library/react';
import type { ComponentType, ReactNode } from 'react';
import { type Island, propsOf } from './loader';

/** Shows the markup of a control in the page. components/islands_test.go writes it to testdata/. */
export function show(name: string): void {
  document.body.innerHTML = readFileSync(join(import.meta.dirname, 'testdata', `${name}.html`), 'utf8').trim();
  for (const option of document.querySelectorAll<HTMLOptionElement>('option[selected]')) {
    option.selected = true; // happy-dom chooses another one
  }
}

type Wrapper = ComponentType<{ children: ReactNode }>;

/** Hydrates the island over its markup in the page. Returns a function that removes it again. */
export function hydrate(name: string, island: Island, wrapper?: Wrapper): () => void {
  const container = document.querySelector(`[data-island=${name}]`) as HTMLElement;
  const Component = island.default as ComponentType;
  return render(<Component {...propsOf(container, island)} />, { container, hydrate: true, wrapper }).unmount;
}

/** Markup as the server prints it, without the line breaks of the test. */
export function inOneLine(markup: string): string {
  return markup.replace(/\n\s*/g, '').trim();
}

/** Runs `change`, and waits until the components have rendered. */
export const rendered = (change: () => void): Promise<void> => act(async () => change());

/** The paths of the icons in the page that are not among the server's icons. */
export function foreignIcons(): (string | null)[] {
  const icons = readFileSync(join(import.meta.dirname, '../assets/icons.svg'), 'utf8');
  const paths = [...document.querySelectorAll('svg path')].map((path) => path.getAttribute('d'));
  return paths.filter((path) => !icons.includes(`viewBox="0 0 24 24"><path d="${path}"/></symbol>`));
}
