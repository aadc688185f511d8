import { createHash } from 'node:crypto';
import { act, cleanup } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { doing, foreignIcons, hydrate, inOneLine } from '../testing';
import { digestOf } from './digest';
import { sizeFor } from './shrink-picture';
import * as island from './upload';

const NAMES =
  'optional attached removeBox camera choose replace cancel remove preparing progress finishing done removed ' +
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

/** What is sent, and answered by hand. */
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
    await doing(() => this.onloadend());
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
  await doing(() => hydrate('upload', island));
}

const input = () => document.querySelector('[type=file]') as HTMLInputElement;
const key = () => document.querySelector('[name=licence_key]') as HTMLInputElement;
const box = () => document.querySelector('[name=licence_remove]') as HTMLInputElement;
const tool = (name: string) => document.querySelector(`[data-do=${name}]`) as HTMLButtonElement;
const image = () => document.querySelector('img') as HTMLImageElement;
const status = () => document.querySelector('[role=status]')?.textContent;
const message = () => document.querySelector('#licence-msg')?.textContent;
const request = (n = 0) => FakeRequest.sent[n] as FakeRequest;
const picture = (content = 'picture', type = 'image/jpeg') => new File([content], 'licence.jpg', { type });
const seen = () => ['camera', 'choose', 'cancel', 'remove'].filter((name) => !tool(name).hidden);

function hold(files: File[]): void {
  Object.defineProperty(input(), 'files', { configurable: true, writable: true, value: files });
}

async function choose(file: File): Promise<void> {
  await doing(() => {
    hold([file]);
    input().dispatchEvent(new Event('change', { bubbles: true }));
    hold([]);
  });
  await settle();
}

/** Waits until files are read, answers have arrived and the component has rendered. */
const settle = () => act(() => new Promise((done) => setTimeout(done, 20)));
const press = (button: HTMLElement | null) => doing(() => button?.click());

async function sent(n = 0): Promise<FakeRequest> {
  await vi.waitFor(() => expect(FakeRequest.sent.length).toBe(n + 1));
  return request(n);
}

async function attach(): Promise<void> {
  await choose(picture());
  await (await sent()).answer(200, { key: 'k1', width: 1, height: 1, size: 7 });
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

test('the SHA-256 of some bytes', () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 1000]) {
    const bytes = new Uint8Array(length).map((_, i) => i * 7);
    expect(digestOf(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'));
  }
});

test('a picture is sent no larger than 2560 pixels, in its own shape', () => {
  expect(sizeFor(4000, 3000)).toEqual({ width: 2560, height: 1920 });
  expect(sizeFor(1000, 5120)).toEqual({ width: 500, height: 2560 });
  expect(sizeFor(800, 600)).toEqual({ width: 800, height: 600 });
  expect(sizeFor(9000, 1)).toEqual({ width: 2560, height: 1 });
});

test('a picture is sent ahead, and the form then sends its key alone', async () => {
  await page();
  expect(seen()).toEqual(['camera', 'choose']);
  expect([document.querySelectorAll('svg').length, foreignIcons()]).toEqual([2, []]);
  await choose(picture());
  const asked = await sent();
  expect(asked.body.get('token')).toBe('first');
  expect((asked.body.get('file') as File).name).toBe('licence.jpg');
  expect(seen()).toEqual(['cancel']);
  expect(image().src).toMatch(/^data:image\/jpeg/);
  await doing(() => asked.upload.onprogress?.({ loaded: 45, total: 100 }));
  expect([document.querySelector('progress')?.value, document.querySelector('.shown span')?.textContent]).toEqual([
    45,
    '45 %',
  ]);
  await doing(() => asked.upload.onprogress?.({ loaded: 100, total: 100 }));
  expect(document.querySelector('.shown span')?.textContent).toBe('finishing');
  await asked.answer(200, { key: 'k1', width: 1, height: 1, size: 7 });
  await vi.waitFor(() => expect(key().value).toBe('k1'));
  expect([input().name, input().required, status(), message()]).toEqual(['', false, 'done', undefined]);
  expect(seen()).toEqual(['camera', 'choose', 'remove']);
  expect(tool('choose').textContent).toBe('replace');
});

test('the same file again is not sent again; another takes its place', async () => {
  await page();
  await attach();
  await choose(picture());
  await vi.waitFor(() => expect(status()).toBe('already'));
  expect(FakeRequest.sent).toHaveLength(1);
  await choose(picture('another'));
  await (await sent(1)).answer(200, { key: 'k2' });
  await vi.waitFor(() => expect(key().value).toBe('k2'));
});

test('another token comes with the answer where one is good for one picture', async () => {
  await page();
  await choose(picture());
  await (await sent()).answer(200, { key: 'k1', token: 'second' });
  await vi.waitFor(() => expect(key().value).toBe('k1'));
  await choose(picture('another'));
  expect((await sent(1)).body.get('token')).toBe('second');
});

test('a token that came with a refusal is used for the next picture', async () => {
  await page();
  await choose(picture());
  await (await sent()).answer(422, { message: 'Not a picture.', token: 'second' });
  await vi.waitFor(() => expect(message()).toBe('Not a picture.'));
  await choose(picture('better'));
  expect((await sent(1)).body.get('token')).toBe('second');
});

test('a picture whose token was used by a lost try is sent again with the new token', async () => {
  await page();
  await choose(picture());
  await (await sent()).answer(403, { message: 'Forbidden.', token: 'second' });
  const again = await sent(1);
  expect([again.body.get('token'), (again.body.get('file') as File).name]).toEqual(['second', 'licence.jpg']);
  await again.answer(200, { key: 'k1', token: 'third' });
  await vi.waitFor(() => expect(key().value).toBe('k1'));
  expect([status(), message()]).toEqual(['done', undefined]);
});

test('a picture that is refused again with the new token is not sent a third time', async () => {
  await page({ enctype: 'application/x-www-form-urlencoded' });
  await choose(picture());
  await (await sent()).answer(403, { token: 'second' });
  await (await sent(1)).answer(403, { token: 'third' });
  await vi.waitFor(() => expect(message()).toBe('failed'));
  expect(FakeRequest.sent).toHaveLength(2);
});

test('when two pictures are chosen one after the other, the last one counts', async () => {
  await page();
  await choose(picture());
  const first = await sent();
  await choose(picture('another'));
  const second = await sent(1);
  expect(await (second.body.get('file') as File).text()).toBe('another');
  await first.answer(200, { key: 'late' }); // this upload was aborted
  expect(status()).toBe('');
  await second.answer(200, { key: 'k2' });
  await vi.waitFor(() => expect(key().value).toBe('k2'));
  expect(status()).toBe('done');
});

test('the form waits for the last of two pictures', async () => {
  await page();
  const gone = vi.fn((event: Event) => event.preventDefault());
  document.forms[0]?.addEventListener('submit', gone);
  await choose(picture());
  await sent();
  await press(document.getElementById('main'));
  await choose(picture('another'));
  const second = await sent(1);
  expect(gone).not.toHaveBeenCalled();
  await second.answer(200, { key: 'k2' });
  await vi.waitFor(() => expect(gone).toHaveBeenCalledTimes(1));
  expect(key().value).toBe('k2');
});

describe('a page that is loaded again', () => {
  test('says once that a picture that was being sent has to be chosen again', async () => {
    await page();
    await choose(picture());
    await sent();
    await page();
    expect(status()).toBe('again');
    await page();
    expect(status()).toBe('');
  });

  test('says nothing once the picture has arrived, was cancelled or refused', async () => {
    await page();
    await attach();
    await page();
    expect(status()).toBe('');
    await choose(picture('another'));
    await (await sent(1)).answer(422, { message: 'Not a picture.' });
    await vi.waitFor(() => expect(message()).toBe('Not a picture.'));
    await page();
    expect(status()).toBe('');
    await choose(picture('a third'));
    await sent(2);
    await press(tool('cancel'));
    await vi.waitFor(() => expect(status()).toBe('cancelled'));
    await page();
    expect(status()).toBe('');
  });
});

describe('refused before anything is sent:', () => {
  test.each([
    ['another kind of file', picture('x', 'application/pdf'), 'wrongType'],
    ['a file over the limit', picture('x'.repeat(1001)), 'tooLarge'],
  ])('%s', async (_, file, text) => {
    await page();
    await choose(file);
    await vi.waitFor(() => expect(message()).toBe(text));
    expect(FakeRequest.sent).toHaveLength(0);
    expect(seen()).toEqual(['camera', 'choose']);
    expect(tool('choose').getAttribute('aria-describedby')).toBe('licence-msg');
    expect([input().name, input().required]).toEqual(['licence', true]);
  });
});

test('what the server refuses is said in its words, and the picture before stays', async () => {
  await page({ attached: true });
  expect(seen()).toEqual(['camera', 'choose', 'remove']);
  await choose(picture());
  await (await sent()).answer(422, { message: 'Not a picture.' });
  await vi.waitFor(() => expect(message()).toBe('Not a picture.'));
  expect([key().value, new URL(image().src, 'http://x').pathname]).toEqual(['old', '/files/1']);
  await choose(picture('better'));
  expect(message()).toBeUndefined();
  await sent(1);
});

test('a picture the server had before is attached, and that is said', async () => {
  await page();
  await choose(picture());
  await (await sent()).answer(409, { key: 'k0', message: 'Already there.' });
  await vi.waitFor(() => expect(status()).toBe('Already there.'));
  expect([key().value, input().name, message()]).toEqual(['k0', '', undefined]);
});

test('a picture that does not arrive goes with the form, where the browser can', async () => {
  await page();
  vi.stubGlobal(
    'DataTransfer',
    class {
      files: File[] = [];
      items = { add: (file: File) => this.files.push(file) };
    },
  );
  await choose(picture());
  await (await sent()).answer(0, '');
  await vi.waitFor(() => expect(status()).toBe('withForm'));
  expect([input().name, input().files?.length, message()]).toEqual(['licence', 1, undefined]);
  expect(seen()).toContain('remove');
});

test('in a form that takes no files it is said that it did not arrive', async () => {
  await page({ enctype: 'application/x-www-form-urlencoded' });
  await choose(picture());
  await (await sent()).answer(503, '<html>');
  await vi.waitFor(() => expect(message()).toBe('failed'));
  expect(seen()).toEqual(['camera', 'choose']);
});

test('cancelling brings the picture before back', async () => {
  await page({ attached: true });
  await choose(picture());
  await sent();
  await press(tool('cancel'));
  await vi.waitFor(() => expect(status()).toBe('cancelled'));
  expect([key().value, new URL(image().src, 'http://x').pathname, message()]).toEqual(['old', '/files/1', undefined]);
});

test('a picture that was chosen before the script came is sent', async () => {
  await page({ before: () => hold([picture('early')]) });
  expect(await ((await sent()).body.get('file') as File).text()).toBe('early');
});

test('a box that was ticked before the script came still removes the picture', async () => {
  await page({
    attached: true,
    before: () => {
      box().checked = true;
    },
  });
  expect([box().checked, key().value, tool('choose').textContent]).toEqual([true, 'old', 'choose']);
});

test('the focus goes to the button that cancels, and back to the one that chooses', async () => {
  await page();
  await choose(picture());
  expect(document.activeElement).toBe(tool('cancel'));
  await (await sent()).answer(200, { key: 'k1' });
  await settle();
  expect(document.activeElement).toBe(tool('choose'));
});

test('who keeps a draft hears that a picture has arrived, and that it was removed', async () => {
  await page();
  const heard: string[] = [];
  document.forms[0]?.addEventListener('input', () => heard.push(key().value));
  await attach();
  await press(tool('remove'));
  expect(heard).toEqual(['k1', '']);
});

test('a picture is removed', async () => {
  await page({ attached: true });
  await press(tool('remove'));
  expect([key().value, box().checked, status(), image()]).toEqual(['', true, 'removed', null]);
  expect(seen()).toEqual(['camera', 'choose']);
});

test('the camera is asked for by its own button', async () => {
  await page();
  const click = vi.spyOn(input(), 'click').mockImplementation(() => {});
  await press(tool('camera'));
  expect(input().getAttribute('capture')).toBe('environment');
  await press(tool('choose'));
  expect(input().hasAttribute('capture')).toBe(false);
  expect(click).toHaveBeenCalledTimes(2);
});

test('the form waits for a picture on its way, and then goes by the same button', async () => {
  await page();
  const gone = vi.fn((event: Event) => event.preventDefault());
  document.forms[0]?.addEventListener('submit', gone);
  await choose(picture());
  await sent();
  const main = document.getElementById('main') as HTMLButtonElement;
  await press(main);
  expect(gone).not.toHaveBeenCalled();
  expect([main.getAttribute('aria-busy'), status()]).toEqual(['true', 'waiting']);
  await request().answer(200, { key: 'k1' });
  await vi.waitFor(() => expect(gone).toHaveBeenCalledTimes(1));
  expect(main.hasAttribute('aria-busy')).toBe(false);
});

test('the form does not go when the picture it waited for was refused', async () => {
  await page();
  const gone = vi.fn((event: Event) => event.preventDefault());
  document.forms[0]?.addEventListener('submit', gone);
  await choose(picture());
  await sent();
  await press(document.getElementById('main'));
  await request().answer(422, { message: 'Not a picture.' });
  await vi.waitFor(() => expect(message()).toBe('Not a picture.'));
  expect(gone).not.toHaveBeenCalled();
  expect(status()).toBe('notSent');
});
