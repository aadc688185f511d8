import { useLayoutEffect, useRef } from 'react';

/** An icon of 24 by 24, as components.Icon prints it. */
export function Icon({ path }: { path: string }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={path} />
    </svg>
  );
}

/**
 * Calls the latest `listener` on each event of this type at the target, which is looked up when the component is
 * mounted.
 */
export function useListener<E extends Event>(
  target: () => EventTarget | null | undefined,
  type: string,
  listener: (event: E) => void,
): void {
  const latest = useRef(listener);
  latest.current = listener;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the target stays the same
  useLayoutEffect(() => {
    const found = target();
    const run = (event: Event) => latest.current(event as E);
    found?.addEventListener(type, run);
    return () => found?.removeEventListener(type, run);
  }, []);
}
