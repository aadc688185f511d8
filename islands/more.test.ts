import { expect, test, vi } from 'vitest';
import { startMore } from './more';

test('each island loads its own script, and an unknown name is ignored', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const words = JSON.stringify({ deactivate: 'a', activate: 'b', release: 'c', finish: 'd' });
  document.body.innerHTML = `
    <div id="unknown" data-island="unknown" data-load="more"></div>
    <div id="pull" data-island="pull" data-load="more" data-props='${words}'>
      <template><p class="pulling"></p></template>
      <div class="pulled"></div><a class="way" href="/list">Refresh</a></div>
    <form id="draft" data-draft action="/register/more"><input name="company_name"></form>`;
  startMore();
  const isReady = (id: string) => document.getElementById(id)?.dataset.ready;
  await vi.waitFor(() => expect([isReady('pull'), isReady('draft')]).toEqual(['', '']));
  expect(document.querySelector('.pulling')).not.toBeNull();
  expect(isReady('unknown')).toBeUndefined();
  expect(warn).not.toHaveBeenCalled();
});
