/**
 * The part of React that the islands use, filled by Preact (vite.config.ts points `react`,
 * `react/jsx-runtime` and `react-dom/client` here). preact/compat would do the same and cost 2 KB more.
 * Everything exported here is shipped to every island: add a function when an island first needs it.
 */
import { type ComponentChild, type ComponentType, createElement, hydrate } from 'preact';

export type { ComponentType };
export { createElement };

/** React's automatic JSX runtime: children come inside `props`. */
export function jsx(type: ComponentType, props: object, key?: string) {
  return createElement(type, key === undefined ? props : { ...props, key });
}

export { jsx as jsxs };

/** Takes over the server's markup inside `container`. Unlike React's own it is done when it returns. */
export function hydrateRoot(container: Element, element: ComponentChild): void {
  hydrate(element, container);
}
