import { afterEach, expect, test, vi } from 'vitest';
import watchShare from './share';

const page = (attributes: string) => {
  document.body.innerHTML = `<button type="button" hidden data-title="Your account" ${attributes}>Share</button>`;
  const button = document.querySelector('button') as HTMLButtonElement;
  watchShare(button);
  return button;
};

afterEach(() => vi.unstubAllGlobals());

test('the button shares its text or its link', () => {
  const share = vi.fn().mockResolvedValue(undefined);
  vi.stubGlobal('navigator', { share });
  for (const [attributes, shared] of [
    ['data-link="https://a.example/1" data-text=""', { title: 'Your account', url: 'https://a.example/1' }],
    ['data-text="Account: a"', { title: 'Your account', text: 'Account: a' }],
  ] as const) {
    const button = page(attributes);
    expect(button.hidden).toBe(false);
    button.click();
    expect(share).toHaveBeenLastCalledWith(shared);
  }
});

test('closing the share sheet is no error', async () => {
  const share = vi.fn().mockRejectedValue(new DOMException('closed', 'AbortError'));
  vi.stubGlobal('navigator', { share });
  page('data-text="a"').click();
  await vi.waitFor(() => expect(share).toHaveBeenCalled());
});

test('the button stays hidden where nothing can be shared', () => {
  vi.stubGlobal('navigator', {});
  expect(page('data-text="a"').hidden).toBe(true);
});
