import { afterEach, expect, test, vi } from 'vitest';
import reportView from './report';

afterEach(() => vi.unstubAllGlobals());

test('a page view is reported once, without cookies and referrer, in a keepalive request', () => {
  const sent = vi.fn().mockResolvedValue(new Response());
  vi.stubGlobal('fetch', sent);
  reportView(document.body, { url: 'https://plausible.io/api/event', body: '{"name":"pageview"}' });
  expect(sent.mock.calls).toEqual([
    [
      'https://plausible.io/api/event',
      {
        method: 'POST',
        mode: 'no-cors',
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        keepalive: true,
        headers: { 'Content-Type': 'text/plain' },
        body: '{"name":"pageview"}',
      },
    ],
  ]);
});

test('a tool that cannot be reached causes no warning', async () => {
  const warn = vi.spyOn(console, 'warn');
  vi.stubGlobal('fetch', vi.fn().mockRejectedValue(new TypeError('offline')));
  reportView(document.body, { url: 'https://plausible.io/api/event', body: '{}' });
  await Promise.resolve();
  expect(warn).not.toHaveBeenCalled();
});
