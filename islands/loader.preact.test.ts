// Runs on Preact alone: React reports an error of a component only after the hydrating function has returned.
import { expect, test, vi } from 'vitest';
import { mountIslands } from './loader';

test('the control of the server stays when the island throws', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  document.body.innerHTML = '<div data-island="thing" data-load="load"><input name="x"></div>';
  mountIslands({
    thing: async () => ({
      default: () => {
        throw new Error('bug');
      },
    }),
  });
  await vi.waitFor(() => expect(console.warn).toHaveBeenCalled());
  const element = document.querySelector('div') as HTMLElement;
  expect(element.innerHTML).toBe('<input name="x">');
  expect(element.dataset.ready).toBeUndefined();
});
