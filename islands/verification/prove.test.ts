import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import prove, { PROVE_LIMIT_MS } from './prove';
import { work } from './work';

vi.mock('./work');

function page(): HTMLElement {
  document.body.innerHTML = `<form><input id="password"><div id="prove">
    <div class="field"><input id="answer" name="answer"></div>
    <input type="hidden" name="proof" value="token"><input type="hidden" name="work">
  </div></form>`;
  return document.getElementById('prove') as HTMLElement;
}

const field = () => document.querySelector('.field') as HTMLElement;
const workValue = () => (document.querySelector('[name=work]') as HTMLInputElement).value;

beforeEach(() => vi.useFakeTimers());

afterEach(() => {
  vi.useRealTimers();
  vi.resetAllMocks();
});

test('the finished proof of work hides the question', async () => {
  vi.mocked(work).mockResolvedValue('4711');
  prove(page(), { token: 'token', bits: 17 });
  expect(field().hidden).toBe(false);
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.mocked(work).mock.calls[0]?.[0]).toEqual({ token: 'token', bits: 17 });
  expect([workValue(), field().hidden]).toEqual(['4711', true]);
});

test('a question with the focus stays', async () => {
  vi.mocked(work).mockResolvedValue('4711');
  const element = page();
  document.getElementById('answer')?.focus();
  prove(element, { token: 'token', bits: 17 });
  await vi.advanceTimersByTimeAsync(0);
  expect([workValue(), field().hidden]).toEqual(['4711', false]);
});

test('the question stays if the proof of work takes too long', async () => {
  vi.mocked(work).mockImplementation(
    (_, signal) => new Promise((_, fail) => signal.addEventListener('abort', () => fail(Error('work')))),
  );
  prove(page(), { token: 'token', bits: 17 });
  await vi.advanceTimersByTimeAsync(PROVE_LIMIT_MS - 1);
  expect(vi.mocked(work).mock.calls[0]?.[1].aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(vi.mocked(work).mock.calls[0]?.[1].aborted).toBe(true);
  expect([workValue(), field().hidden]).toEqual(['', false]);
});
