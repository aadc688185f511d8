import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { importAgain } from './chunks';
import { CHUNK_TIMEOUT_MS } from './constants';
import { fetchModule, IDLE_LIMIT_MS, type Island, mountIslands, RETRY_DELAY_MS } from './loader';

vi.mock('./chunks', () => ({ importAgain: vi.fn() }));

const HTML = '<input name="x">';
const island: Island = { default: () => null };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.spyOn(console, 'warn').mockReturnValue();
  vi.mocked(importAgain).mockReset().mockRejectedValue(new Error('offline'));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function page(load = '', props = '{}'): HTMLElement {
  document.body.innerHTML = `<div data-island="thing" data-props='${props}' data-load="${load}">${HTML}</div>`;
  return document.body.firstElementChild as HTMLElement;
}

const isReady = (element: HTMLElement) => vi.waitFor(() => expect(element.dataset.ready).toBe(''));

describe('a script that should arrive', () => {
  test('is asked for once when it does', async () => {
    const load = vi.fn(async () => 'here');
    await expect(fetchModule('thing', load)).resolves.toBe('here');
    expect(load).toHaveBeenCalledTimes(1);
    expect(importAgain).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is asked for once more, a second later, when it fails', async () => {
    vi.mocked(importAgain).mockResolvedValue('here');
    const load = vi.fn(() => Promise.reject(new Error('offline')));
    const outcome = fetchModule('thing', load);
    await vi.advanceTimersByTimeAsync(RETRY_DELAY_MS - 1);
    expect(importAgain).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await expect(outcome).resolves.toBe('here');
    expect(load).toHaveBeenCalledTimes(1);
    expect(vi.mocked(importAgain).mock.calls).toEqual([['thing']]);
  });

  test('is given up when it fails twice', async () => {
    vi.mocked(importAgain).mockRejectedValue(new Error('still offline'));
    const load = vi.fn(() => Promise.reject(new Error('offline')));
    const outcome = expect(fetchModule('thing', load)).rejects.toThrow('still offline');
    await vi.runAllTimersAsync();
    await outcome;
    expect([load.mock.calls.length, vi.mocked(importAgain).mock.calls.length]).toEqual([1, 1]);
  });

  test('is waited for 120 seconds and no longer', async () => {
    expect(CHUNK_TIMEOUT_MS).toBe(120_000);
    let given = false;
    const outcome = fetchModule('thing', () => new Promise(() => {})).catch(() => {
      given = true;
    });
    await vi.advanceTimersByTimeAsync(119_999);
    expect(given).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await outcome;
    expect(given).toBe(true);
  });

  test('has 120 seconds with its retry, not for each', async () => {
    vi.mocked(importAgain).mockReturnValue(new Promise(() => {}));
    const load = vi.fn(() => new Promise((_, fail) => setTimeout(fail, 100_000)));
    const outcome = expect(fetchModule('thing', load)).rejects.toThrow('timeout');
    await vi.advanceTimersByTimeAsync(120_000);
    await outcome;
    expect(importAgain).toHaveBeenCalledTimes(1);
  });
});

describe('the plain control stays', () => {
  test('when the script fails', async () => {
    const element = page('load');
    mountIslands({ thing: () => Promise.reject(new Error('offline')) });
    await vi.runAllTimersAsync();
    expect(console.warn).toHaveBeenCalledTimes(1);
    expect(element.innerHTML).toBe(HTML);
    expect(element.dataset.ready).toBeUndefined();
  });

  test('when the script comes after 120 seconds', async () => {
    const element = page('load');
    mountIslands({ thing: () => new Promise((come) => setTimeout(come, CHUNK_TIMEOUT_MS + 1, island)) });
    await vi.runAllTimersAsync();
    expect(element.innerHTML).toBe(HTML);
    expect(element.dataset.ready).toBeUndefined();
  });

  test('when the props are no JSON', async () => {
    const element = page('load', '{oops');
    mountIslands({ thing: async () => island });
    await vi.waitFor(() => expect(console.warn).toHaveBeenCalled());
    expect(element.innerHTML).toBe(HTML);
  });

  test('when nobody knows the island', () => {
    const element = page('load');
    mountIslands({});
    expect(element.innerHTML).toBe(HTML);
  });

  test('when the browser is too old for Preact', () => {
    vi.stubGlobal('queueMicrotask', undefined);
    Reflect.deleteProperty(window, 'queueMicrotask');
    page('load');
    const load = vi.fn(async () => island);
    mountIslands({ thing: load });
    expect(load).not.toHaveBeenCalled();
  });
});

describe('where the plain control is much harder to use', () => {
  test('it is said that the script failed in the end, with a button that fetches it again', async () => {
    document.body.innerHTML = `<div data-island="thing" data-load="more" data-failed="Only the plain lists are here."
      data-again="Try again">${HTML}</div><div data-island="quiet" data-load="more">${HTML}</div>`;
    const [element, quiet] = [...document.body.children] as [HTMLElement, HTMLElement];
    const failing = () => Promise.reject(new Error('offline'));
    mountIslands({ thing: failing, quiet: failing });
    await vi.runAllTimersAsync();
    const note = element.nextElementSibling as HTMLElement;
    expect([note.textContent, note.getAttribute('role')]).toEqual([
      'Only the plain lists are here. Try again',
      'status',
    ]);
    expect([element.innerHTML, quiet.nextElementSibling]).toEqual([HTML, null]);
    const button = note.querySelector('button') as HTMLButtonElement;
    expect(button.type).toBe('button');
    button.click();
    button.click(); // it is fetchModule already
    expect(button.classList.contains('busy')).toBe(true);
    await vi.runAllTimersAsync();
    expect(importAgain).toHaveBeenCalledTimes(3); // of two islands, and of the button
    expect([note.isConnected, button.classList.contains('busy')]).toEqual([true, false]);
    vi.mocked(importAgain).mockResolvedValue(island);
    button.click();
    await vi.runAllTimersAsync();
    await isReady(element);
    expect(note.isConnected).toBe(false);
  });
});

describe('the moment', () => {
  test('load: at once', async () => {
    const element = page('load');
    const load = vi.fn(async () => island);
    mountIslands({ thing: load });
    expect(load).toHaveBeenCalledTimes(1);
    await isReady(element);
  });

  test('none said: when the browser is idle', () => {
    page();
    const idle = vi.fn();
    vi.stubGlobal('requestIdleCallback', idle);
    const load = vi.fn(async () => island);
    mountIslands({ thing: load });
    expect(load).not.toHaveBeenCalled();
    expect(idle.mock.calls[0]?.[1]).toEqual({ timeout: IDLE_LIMIT_MS });
    idle.mock.calls[0]?.[0]();
    expect(load).toHaveBeenCalledTimes(1);
  });

  test('idle, where the browser cannot say: right after the page’s own scripts', async () => {
    page('idle');
    vi.stubGlobal('requestIdleCallback', undefined);
    Reflect.deleteProperty(window, 'requestIdleCallback');
    const load = vi.fn(async () => island);
    mountIslands({ thing: load });
    expect(load).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(load).toHaveBeenCalledTimes(1);
  });

  test('visible: when it comes into view, once', () => {
    const element = page('visible');
    const observer = { observe: vi.fn(), disconnect: vi.fn() };
    let look = (_: { isIntersecting: boolean }[]) => {};
    vi.stubGlobal(
      'IntersectionObserver',
      class {
        constructor(callback: typeof look) {
          look = callback;
          Object.assign(this, observer);
        }
      },
    );
    const load = vi.fn(async () => island);
    mountIslands({ thing: load });
    expect(observer.observe).toHaveBeenCalledWith(element);
    look([{ isIntersecting: false }]);
    expect(load).not.toHaveBeenCalled();
    look([{ isIntersecting: true }]);
    expect(load).toHaveBeenCalledTimes(1);
    expect(observer.disconnect).toHaveBeenCalledTimes(1);
  });

  test('focus: when the person enters it, once', () => {
    const element = page('focus');
    const load = vi.fn(async () => island);
    mountIslands({ thing: load });
    expect(load).not.toHaveBeenCalled();
    element.querySelector('input')?.dispatchEvent(new Event('focusin', { bubbles: true }));
    element.querySelector('input')?.dispatchEvent(new Event('focusin', { bubbles: true }));
    expect(load).toHaveBeenCalledTimes(1);
  });

  test('focus, when the person is there already: at once', () => {
    const element = page('focus');
    element.querySelector('input')?.focus();
    const load = vi.fn(async () => island);
    mountIslands({ thing: load });
    expect(load).toHaveBeenCalledTimes(1);
  });
});
