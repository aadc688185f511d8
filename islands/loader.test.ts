import { setImmediate as nextTurn } from 'node:timers/promises';
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

/** How many turns of Node's loop React gets to end what it has scheduled. It takes one or two. */
const TURNS = 10;

afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  for (let turn = 0; turn < TURNS; turn++) await nextTurn();
});

function showIsland(load = '', props = '{}'): HTMLElement {
  document.body.innerHTML = `<div data-island="thing" data-props='${props}' data-load="${load}">${HTML}</div>`;
  return document.body.firstElementChild as HTMLElement;
}

const untilReady = (element: HTMLElement) => vi.waitFor(() => expect(element.dataset.ready).toBe(''));

describe('a script', () => {
  test('is requested once when it loads', async () => {
    const load = vi.fn(async () => 'here');
    await expect(fetchModule('thing', load)).resolves.toBe('here');
    expect(load).toHaveBeenCalledTimes(1);
    expect(importAgain).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is requested once more, a second later, when it fails', async () => {
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

  test('that does not load within 120 seconds is given up', async () => {
    expect(CHUNK_TIMEOUT_MS).toBe(120_000);
    let isGivenUp = false;
    const outcome = fetchModule('thing', () => new Promise(() => {})).catch(() => {
      isGivenUp = true;
    });
    await vi.advanceTimersByTimeAsync(119_999);
    expect(isGivenUp).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await outcome;
    expect(isGivenUp).toBe(true);
  });

  test('and its retry have 120 seconds together', async () => {
    vi.mocked(importAgain).mockReturnValue(new Promise(() => {}));
    const load = vi.fn(() => new Promise((_, fail) => setTimeout(fail, 100_000)));
    const outcome = expect(fetchModule('thing', load)).rejects.toThrow('timeout');
    await vi.advanceTimersByTimeAsync(120_000);
    await outcome;
    expect(importAgain).toHaveBeenCalledTimes(1);
  });
});

describe('the control of the server stays', () => {
  test('when the script fails', async () => {
    const element = showIsland('load');
    mountIslands({ thing: () => Promise.reject(new Error('offline')) });
    await vi.runAllTimersAsync();
    expect(console.warn).toHaveBeenCalledTimes(1);
    expect(element.innerHTML).toBe(HTML);
    expect(element.dataset.ready).toBeUndefined();
  });

  test('when the script loads after 120 seconds', async () => {
    const element = showIsland('load');
    mountIslands({ thing: () => new Promise((come) => setTimeout(come, CHUNK_TIMEOUT_MS + 1, island)) });
    await vi.runAllTimersAsync();
    expect(element.innerHTML).toBe(HTML);
    expect(element.dataset.ready).toBeUndefined();
  });

  test('when the props are not JSON', async () => {
    const element = showIsland('load', '{oops');
    mountIslands({ thing: async () => island });
    await vi.waitFor(() => expect(console.warn).toHaveBeenCalled());
    expect(element.innerHTML).toBe(HTML);
  });

  test('when no island has that name', () => {
    const element = showIsland('load');
    mountIslands({});
    expect(element.innerHTML).toBe(HTML);
  });

  test('when the browser is too old for Preact', () => {
    vi.stubGlobal('queueMicrotask', undefined);
    Reflect.deleteProperty(window, 'queueMicrotask');
    showIsland('load');
    const load = vi.fn(async () => island);
    mountIslands({ thing: load });
    expect(load).not.toHaveBeenCalled();
  });
});

describe('a control that is much harder to use without its script', () => {
  test('gets a message and a retry button when the script failed twice', async () => {
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
    button.click(); // it is loading already
    expect(button.classList.contains('busy')).toBe(true);
    await vi.runAllTimersAsync();
    expect(importAgain).toHaveBeenCalledTimes(3); // for two islands and the button
    expect([note.isConnected, button.classList.contains('busy')]).toEqual([true, false]);
    vi.mocked(importAgain).mockResolvedValue(island);
    button.click();
    await vi.runAllTimersAsync();
    await untilReady(element);
    expect(note.isConnected).toBe(false);
  });
});

describe('data-load', () => {
  test('load: loads the island at once', async () => {
    const element = showIsland('load');
    const load = vi.fn(async () => island);
    mountIslands({ thing: load });
    expect(load).toHaveBeenCalledTimes(1);
    await untilReady(element);
  });

  test('missing: loads the island when the browser is idle', () => {
    showIsland();
    const idle = vi.fn();
    vi.stubGlobal('requestIdleCallback', idle);
    const load = vi.fn(async () => island);
    mountIslands({ thing: load });
    expect(load).not.toHaveBeenCalled();
    expect(idle.mock.calls[0]?.[1]).toEqual({ timeout: IDLE_LIMIT_MS });
    idle.mock.calls[0]?.[0]();
    expect(load).toHaveBeenCalledTimes(1);
  });

  test('idle: without requestIdleCallback, loads the island after the page’s own scripts', async () => {
    showIsland('idle');
    vi.stubGlobal('requestIdleCallback', undefined);
    Reflect.deleteProperty(window, 'requestIdleCallback');
    const load = vi.fn(async () => island);
    mountIslands({ thing: load });
    expect(load).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(load).toHaveBeenCalledTimes(1);
  });

  test('visible: loads the island once, when it comes into view', () => {
    const element = showIsland('visible');
    const observer = { observe: vi.fn(), disconnect: vi.fn() };
    let notify = (_: { isIntersecting: boolean }[]) => {};
    vi.stubGlobal(
      'IntersectionObserver',
      class {
        constructor(callback: typeof notify) {
          notify = callback;
          Object.assign(this, observer);
        }
      },
    );
    const load = vi.fn(async () => island);
    mountIslands({ thing: load });
    expect(observer.observe).toHaveBeenCalledWith(element);
    notify([{ isIntersecting: false }]);
    expect(load).not.toHaveBeenCalled();
    notify([{ isIntersecting: true }]);
    expect(load).toHaveBeenCalledTimes(1);
    expect(observer.disconnect).toHaveBeenCalledTimes(1);
  });

  test('focus: loads the island once, when it gets the focus', () => {
    const element = showIsland('focus');
    const load = vi.fn(async () => island);
    mountIslands({ thing: load });
    expect(load).not.toHaveBeenCalled();
    element.querySelector('input')?.dispatchEvent(new Event('focusin', { bubbles: true }));
    element.querySelector('input')?.dispatchEvent(new Event('focusin', { bubbles: true }));
    expect(load).toHaveBeenCalledTimes(1);
  });

  test('focus: loads the island at once if it has the focus already', () => {
    const element = showIsland('focus');
    element.querySelector('input')?.focus();
    const load = vi.fn(async () => island);
    mountIslands({ thing: load });
    expect(load).toHaveBeenCalledTimes(1);
  });
});
