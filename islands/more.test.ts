import { afterEach, expect, test, vi } from 'vitest';
import { RETRY_DELAY_MS } from './loader';
import { bringMore } from './more';

test('each island without a component comes by its own script, and a name that is unknown hurts nothing', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const words = JSON.stringify({ deactivate: 'a', activate: 'b', release: 'c', finish: 'd' });
  document.body.innerHTML = `
    <div id="unknown" data-island="unknown" data-load="more"></div>
    <div id="pull" data-island="pull" data-load="more" data-props='${words}'><template><p class="pulling"></p></template>
      <a href="/list">Refresh</a><div class="pulled"></div></div>
    <form id="draft" data-draft action="/register/more"><input name="company_name"></form>`;
  bringMore();
  const isReady = (id: string) => document.getElementById(id)?.dataset.ready;
  await vi.waitFor(() => expect([isReady('pull'), isReady('draft')]).toEqual(['', '']));
  expect(document.querySelector('.pulling')).not.toBeNull();
  expect(isReady('unknown')).toBeUndefined();
  await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(1), 3000);
});

afterEach(() => {
  vi.doUnmock('./region');
  vi.useRealTimers();
});

test('where the plain control is much harder to use, a script that failed in the end can be fetched again', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  vi.useFakeTimers();
  const takeOver = vi.fn();
  let isOnline = false;
  vi.doMock('./region', () => {
    if (!isOnline) {
      throw new Error('offline');
    }
    return { default: takeOver };
  });
  document.body.innerHTML = `<fieldset data-island="region" data-load="more" data-failed="Only the plain lists are here." data-again="Try again"></fieldset>
    <div data-island="nothing" data-load="more"></div>`;
  bringMore();
  const [region, quiet] = [...document.querySelectorAll('[data-load]')] as [HTMLElement, HTMLElement];
  const pass = () => vi.advanceTimersByTimeAsync(RETRY_DELAY_MS);
  await vi.waitFor(async () => {
    await pass();
    expect(region.textContent).toBe('Only the plain lists are here. Try again');
  });
  expect(quiet.textContent).toBe('');
  const button = region.querySelector('button') as HTMLButtonElement;
  expect([button.type, region.querySelector('[role=status]')?.contains(button)]).toEqual(['button', true]);
  button.click();
  await vi.waitFor(async () => {
    await pass();
    expect(button.classList.contains('busy')).toBe(false);
  });
  expect(region.contains(button)).toBe(true);
  isOnline = true;
  button.click();
  await vi.waitFor(async () => {
    await pass();
    expect(region.dataset.ready).toBe('');
  });
  expect(takeOver).toHaveBeenCalledTimes(1);
  expect(region.contains(button)).toBe(false);
});
