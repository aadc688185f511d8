import { createHash } from 'node:crypto';
import { act, cleanup } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { foreignIcons, hydrate, inOneLine, rendered } from '../testing';
import { digestOf } from './digest';
import { sizeFor } from './shrink-picture';
import * as island from './upload';

const NAMES =
  'optional attached removeBox camera choose drag replace cancel remove preparing progress finishing done removed ' +
  'cancelled wrongType tooLarge already failed withForm waiting notSent again';
const TEXTS = Object.fromEntries(NAMES.split(' ').map((name) => [name, name === 'progress' ? '{num} %' : name]));
const PROPS = {
  ...{
    id: 'licence',
    label: 'Licence',
    hint: '',
    message: '',
    isRequired: true,
    accept: 'image/jpeg,image/png,image/webp',
  },
  ...{ url: '/upload', token: 'first', max: 1000, texts: { ...TEXTS, optional: '' } },
};

/** An XMLHttpRequest that records what is sent, and that the test answers. */
class FakeRequest {
  static sent: FakeRequest[] = [];
  upload: { onprogress?: (event: object) => void } = {};
  status = 0;
  responseText = '';
  body = new FormData();
  onloadend = () => {};
  open() {}
  setRequestHeader() {}
  send(body: FormData) {
    this.body = body;
    FakeRequest.sent.push(this);
  }
  abort() {
    this.onloadend();
  }
  async answer(status: number, body: object | string) {
    this.status = status;
    this.responseText = typeof body === 'string' ? body : JSON.stringify(body);
    await rendered(() => this.onloadend());
  }
}

/** The page as the server writes it. */
async function page({ attached = false, enctype = 'multipart/form-data', before = () => {} } = {}): Promise<void> {
  cleanup();
  const attachedMarkup = `<img src="/files/1" alt="attached">${' '}
    <label class="check"><input type="checkbox" name="licence_remove" value="1"> removeBox</label> `;
  const required = attached ? '' : 'required';
  document.body.innerHTML = inOneLine(`
    <form enctype="${enctype}"><div data-island="upload"><div class="field upload">
    <label for="licence" id="licence-label">Licence </label> ${attached ? attachedMarkup : ''}
    <input class="input" id="licence" name="licence" type="file" accept="${PROPS.accept}" ${required}>${' '}
    <input type="hidden" name="licence_key" value="${attached ? 'old' : ''}"> </div></div>
    <button id="main">Send</button></form>`);
  const container = document.querySelector('[data-island]') as HTMLElement;
  container.dataset.props = JSON.stringify({
    ...PROPS,
    attached: attached ? 'old' : '',
    preview: attached ? '/files/1' : '',
  });
  before();
  await rendered(() => hydrate('upload', island));
}

const input = () => document.querySelector('[type=file]') as HTMLInputElement;
const key = () => document.querySelector('[name=licence_key]') as HTMLInputElement;
const removeBox = () => document.querySelector('[name=licence_remove]') as HTMLInputElement;
const button = (name: string) => document.querySelector(`[data-do=${name}]`) as HTMLButtonElement;
const image = () => document.querySelector('img') as HTMLImageElement;
const status = () => document.querySelector('[role=status]')?.textContent;
const message = () => document.querySelector('#licence-msg')?.textContent;
const request = (n = 0) => FakeRequest.sent[n] as FakeRequest;
const picture = (content = 'picture', type = 'image/jpeg') => new File([content], 'licence.jpg', { type });
const visibleTools = () => ['camera', 'choose', 'cancel', 'remove'].filter((name) => !button(name).hidden);

function setFiles(files: File[]): void {
  Object.defineProperty(input(), 'files', { configurable: true, writable: true, value: files });
}

async function choose(file: File): Promise<void> {
  await rendered(() => {
    setFiles([file]);
    input().dispatchEvent(new Event('change', { bubbles: true }));
    setFiles([]);
  });
  await settle();
}

/** Waits until files are read, answers have arrived and the component has rendered. */
const settle = () => act(() => new Promise((done) => setTimeout(done, 20)));
const press = (button: HTMLElement | null) => rendered(() => button?.click());

/** Waits until the n-th request, counted from 0, was sent, and returns it. */
async function sentRequest(n = 0): Promise<FakeRequest> {
  await vi.waitFor(() => expect(FakeRequest.sent.length).toBe(n + 1));
  return request(n);
}

/** Drags files over the page, then drops them. */
async function drop(files: File[], types = ['Files']): Promise<{ isKept: boolean }> {
  let isKept = true;
  for (const type of ['dragover', 'drop']) {
    const event = new Event(type, { bubbles: true, cancelable: true });
    Object.assign(event, { dataTransfer: { types, files } });
    await rendered(() => {
      isKept = !document.body.dispatchEvent(event) && isKept;
    });
  }
  await settle();
  return { isKept };
}

async function attach(): Promise<void> {
  await choose(picture());
  await (await sentRequest()).answer(200, { key: 'k1', width: 1, height: 1, size: 7 });
  await vi.waitFor(() => expect(key().value).toBe('k1'));
}

afterEach(cleanup);

beforeEach(() => {
  FakeRequest.sent = [];
  history.replaceState(null, '');
  vi.stubGlobal('XMLHttpRequest', FakeRequest);
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
  vi.stubGlobal('CSS', { supports: () => false });
});

describe('a file that is dropped anywhere on the page', () => {
  beforeEach(() => vi.stubGlobal('matchMedia', () => ({ matches: false })));

  test('is sent, and the page stays', async () => {
    await page();
    expect(await drop([picture()])).toEqual({ isKept: true });
    await (await sentRequest()).answer(200, { key: 'k1', width: 1, height: 1, size: 7 });
    await vi.waitFor(() => expect(key().value).toBe('k1'));
    expect(document.querySelector('.over')).toBeNull();
  });

  test('is refused when it is no picture, and the page stays', async () => {
    await page();
    expect(await drop([picture('text', 'text/plain')])).toEqual({ isKept: true });
    expect(message()).toBe('wrongType');
    expect(FakeRequest.sent).toEqual([]);
  });

  test('shows where it goes until it leaves the page', async () => {
    await page();
    const over = Object.assign(new Event('dragover'), { dataTransfer: { types: ['Files'] } });
    await rendered(() => dispatchEvent(over));
    expect(document.querySelector('.zone.over')).not.toBeNull();
    await rendered(() => dispatchEvent(new Event('dragleave')));
    expect(document.querySelector('.over')).toBeNull();
  });

  test('is left to the browser when it is a text', async () => {
    await page();
    expect(await drop([], ['text/plain'])).toEqual({ isKept: false });
  });
});

test('digestOf returns the SHA-256 of bytes of any length', () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 1000]) {
    const bytes = new Uint8Array(length).map((_, i) => i * 7);
    expect(digestOf(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'));
  }
});

test('a picture is sent no larger than 2560 pixels, with its proportions', () => {
  expect(sizeFor(4000, 3000)).toEqual({ width: 2560, height: 1920 });
  expect(sizeFor(1000, 5120)).toEqual({ width: 500, height: 2560 });
  expect(sizeFor(800, 600)).toEqual({ width: 800, height: 600 });
  expect(sizeFor(9000, 1)).toEqual({ width: 2560, height: 1 });
});

test('a picture is uploaded at once, and the form then sends only its key', async () => {
  await page();
  expect(visibleTools()).toEqual(['camera', 'choose']);
  expect([document.querySelectorAll('svg').length, foreignIcons()]).toEqual([2, []]);
  await choose(picture());
  const firstRequest = await sentRequest();
  expect(firstRequest.body.get('token')).toBe('first');
  expect((firstRequest.body.get('file') as File).name).toBe('licence.jpg');
  expect(visibleTools()).toEqual(['cancel']);
  expect(image().src).toMatch(/^data:image\/jpeg/);
  await rendered(() => firstRequest.upload.onprogress?.({ loaded: 45, total: 100 }));
  expect([document.querySelector('progress')?.value, document.querySelector('.shown span')?.textContent]).toEqual([
    45,
    '45 %',
  ]);
  await rendered(() => firstRequest.upload.onprogress?.({ loaded: 100, total: 100 }));
  expect(document.querySelector('.shown span')?.textContent).toBe('finishing');
  await firstRequest.answer(200, { key: 'k1', width: 1, height: 1, size: 7 });
  await vi.waitFor(() => expect(key().value).toBe('k1'));
  expect([input().name, input().required, status(), message()]).toEqual(['', false, 'done', undefined]);
  expect(visibleTools()).toEqual(['camera', 'choose', 'remove']);
  expect(button('choose').textContent).toBe('replace');
});

test('the same file is not sent twice, and another file replaces it', async () => {
  await page();
  await attach();
  await choose(picture());
  await vi.waitFor(() => expect(status()).toBe('already'));
  expect(FakeRequest.sent).toHaveLength(1);
  await choose(picture('another'));
  await (await sentRequest(1)).answer(200, { key: 'k2' });
  await vi.waitFor(() => expect(key().value).toBe('k2'));
});

test('the token of the answer is used for the next picture', async () => {
  await page();
  await choose(picture());
  await (await sentRequest()).answer(200, { key: 'k1', token: 'second' });
  await vi.waitFor(() => expect(key().value).toBe('k1'));
  await choose(picture('another'));
  expect((await sentRequest(1)).body.get('token')).toBe('second');
});

test('the token of a refusal is used for the next picture', async () => {
  await page();
  await choose(picture());
  await (await sentRequest()).answer(422, { message: 'Not a picture.', token: 'second' });
  await vi.waitFor(() => expect(message()).toBe('Not a picture.'));
  await choose(picture('better'));
  expect((await sentRequest(1)).body.get('token')).toBe('second');
});

test('a picture whose token a lost request used is sent again with a new token', async () => {
  await page();
  await choose(picture());
  await (await sentRequest()).answer(403, { message: 'Forbidden.', token: 'second' });
  const again = await sentRequest(1);
  expect([again.body.get('token'), (again.body.get('file') as File).name]).toEqual(['second', 'licence.jpg']);
  await again.answer(200, { key: 'k1', token: 'third' });
  await vi.waitFor(() => expect(key().value).toBe('k1'));
  expect([status(), message()]).toEqual(['done', undefined]);
});

test('a picture that is refused twice is not sent a third time', async () => {
  await page({ enctype: 'application/x-www-form-urlencoded' });
  await choose(picture());
  await (await sentRequest()).answer(403, { token: 'second' });
  await (await sentRequest(1)).answer(403, { token: 'third' });
  await vi.waitFor(() => expect(message()).toBe('failed'));
  expect(FakeRequest.sent).toHaveLength(2);
});

test('of two pictures chosen one after the other, the last is kept', async () => {
  await page();
  await choose(picture());
  const first = await sentRequest();
  await choose(picture('another'));
  const second = await sentRequest(1);
  expect(await (second.body.get('file') as File).text()).toBe('another');
  await first.answer(200, { key: 'late' }); // this upload was aborted
  expect(status()).toBe('');
  await second.answer(200, { key: 'k2' });
  await vi.waitFor(() => expect(key().value).toBe('k2'));
  expect(status()).toBe('done');
});

test('the form waits for the last of two pictures', async () => {
  await page();
  const onSubmit = vi.fn((event: Event) => event.preventDefault());
  document.forms[0]?.addEventListener('submit', onSubmit);
  await choose(picture());
  await sentRequest();
  await press(document.getElementById('main'));
  await choose(picture('another'));
  const second = await sentRequest(1);
  expect(onSubmit).not.toHaveBeenCalled();
  await second.answer(200, { key: 'k2' });
  await vi.waitFor(() => expect(onSubmit).toHaveBeenCalledTimes(1));
  expect(key().value).toBe('k2');
});

describe('a reloaded page', () => {
  test('asks once to choose an unsent picture again', async () => {
    await page();
    await choose(picture());
    await sentRequest();
    await page();
    expect(status()).toBe('again');
    await page();
    expect(status()).toBe('');
  });

  test('asks for nothing if the picture was stored, cancelled or refused', async () => {
    await page();
    await attach();
    await page();
    expect(status()).toBe('');
    await choose(picture('another'));
    await (await sentRequest(1)).answer(422, { message: 'Not a picture.' });
    await vi.waitFor(() => expect(message()).toBe('Not a picture.'));
    await page();
    expect(status()).toBe('');
    await choose(picture('a third'));
    await sentRequest(2);
    await press(button('cancel'));
    await vi.waitFor(() => expect(status()).toBe('cancelled'));
    await page();
    expect(status()).toBe('');
  });
});

describe('a file that is refused before anything is sent:', () => {
  test.each([
    ['another file type', picture('x', 'application/pdf'), 'wrongType'],
    ['a file over the limit', picture('x'.repeat(1001)), 'tooLarge'],
  ])('%s', async (_, file, text) => {
    await page();
    await choose(file);
    await vi.waitFor(() => expect(message()).toBe(text));
    expect(FakeRequest.sent).toHaveLength(0);
    expect(visibleTools()).toEqual(['camera', 'choose']);
    expect(button('choose').getAttribute('aria-describedby')).toBe('licence-msg');
    expect([input().name, input().required]).toEqual(['licence', true]);
  });
});

test('a refusal shows the message of the server and keeps the earlier picture', async () => {
  await page({ attached: true });
  expect(visibleTools()).toEqual(['camera', 'choose', 'remove']);
  await choose(picture());
  await (await sentRequest()).answer(422, { message: 'Not a picture.' });
  await vi.waitFor(() => expect(message()).toBe('Not a picture.'));
  expect([key().value, new URL(image().src, 'http://x').pathname]).toEqual(['old', '/files/1']);
  await choose(picture('better'));
  expect(message()).toBeUndefined();
  await sentRequest(1);
});

test('a picture that the server has already is attached, with the message of the server', async () => {
  await page();
  await choose(picture());
  await (await sentRequest()).answer(409, { key: 'k0', message: 'Already there.' });
  await vi.waitFor(() => expect(status()).toBe('Already there.'));
  expect([key().value, input().name, message()]).toEqual(['k0', '', undefined]);
});

test('a picture whose upload failed is sent with the form if the browser can', async () => {
  await page();
  vi.stubGlobal(
    'DataTransfer',
    class {
      files: File[] = [];
      items = { add: (file: File) => this.files.push(file) };
    },
  );
  await choose(picture());
  await (await sentRequest()).answer(0, '');
  await vi.waitFor(() => expect(status()).toBe('withForm'));
  expect([input().name, input().files?.length, message()]).toEqual(['licence', 1, undefined]);
  expect(visibleTools()).toContain('remove');
});

test('a failed upload shows a message if the form cannot send files', async () => {
  await page({ enctype: 'application/x-www-form-urlencoded' });
  await choose(picture());
  await (await sentRequest()).answer(503, '<html>');
  await vi.waitFor(() => expect(message()).toBe('failed'));
  expect(visibleTools()).toEqual(['camera', 'choose']);
});

test('cancelling an upload restores the earlier picture', async () => {
  await page({ attached: true });
  await choose(picture());
  await sentRequest();
  await press(button('cancel'));
  await vi.waitFor(() => expect(status()).toBe('cancelled'));
  expect([key().value, new URL(image().src, 'http://x').pathname, message()]).toEqual(['old', '/files/1', undefined]);
});

test('a picture chosen before the script loaded is sent', async () => {
  await page({ before: () => setFiles([picture('early')]) });
  expect(await ((await sentRequest()).body.get('file') as File).text()).toBe('early');
});

test('a box ticked before the script loaded still removes the picture', async () => {
  await page({
    attached: true,
    before: () => {
      removeBox().checked = true;
    },
  });
  expect([removeBox().checked, key().value, button('choose').textContent]).toEqual([true, 'old', 'choose']);
});

test('the focus moves to the cancel button, and back to the choose button', async () => {
  await page();
  await choose(picture());
  expect(document.activeElement).toBe(button('cancel'));
  await (await sentRequest()).answer(200, { key: 'k1' });
  await settle();
  expect(document.activeElement).toBe(button('choose'));
});

test('storing and removing a picture fires an input event, for the draft', async () => {
  await page();
  const keys: string[] = [];
  document.forms[0]?.addEventListener('input', () => keys.push(key().value));
  await attach();
  await press(button('remove'));
  expect(keys).toEqual(['k1', '']);
});

test('the remove button removes the picture', async () => {
  await page({ attached: true });
  await press(button('remove'));
  expect([key().value, removeBox().checked, status(), image()]).toEqual(['', true, 'removed', null]);
  expect(visibleTools()).toEqual(['camera', 'choose']);
});

test('only the camera button opens the camera', async () => {
  await page();
  const click = vi.spyOn(input(), 'click').mockImplementation(() => {});
  await press(button('camera'));
  expect(input().getAttribute('capture')).toBe('environment');
  await press(button('choose'));
  expect(input().hasAttribute('capture')).toBe(false);
  expect(click).toHaveBeenCalledTimes(2);
});

test('the form waits for a running upload, and is then submitted with the same button', async () => {
  await page();
  const onSubmit = vi.fn((event: Event) => event.preventDefault());
  document.forms[0]?.addEventListener('submit', onSubmit);
  await choose(picture());
  await sentRequest();
  const main = document.getElementById('main') as HTMLButtonElement;
  await press(main);
  expect(onSubmit).not.toHaveBeenCalled();
  expect([main.getAttribute('aria-busy'), status()]).toEqual(['true', 'waiting']);
  await request().answer(200, { key: 'k1' });
  await vi.waitFor(() => expect(onSubmit).toHaveBeenCalledTimes(1));
  expect(main.hasAttribute('aria-busy')).toBe(false);
});

test('the form is not submitted if the picture it waited for was refused', async () => {
  await page();
  const onSubmit = vi.fn((event: Event) => event.preventDefault());
  document.forms[0]?.addEventListener('submit', onSubmit);
  await choose(picture());
  await sentRequest();
  await press(document.getElementById('main'));
  await request().answer(422, { message: 'Not a picture.' });
  await vi.waitFor(() => expect(message()).toBe('Not a picture.'));
  expect(onSubmit).not.toHaveBeenCalled();
  expect(status()).toBe('notSent');
});
