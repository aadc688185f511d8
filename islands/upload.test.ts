import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { digestOf } from './digest';
import { sizeFor } from './shrink';
import takeOver from './upload';

const NAMES =
  'attached choose replace preparing progress finishing done removed cancelled wrongType tooLarge already failed withForm waiting notSent again';
const TEXTS = Object.fromEntries(NAMES.split(' ').map((name) => [name, name === 'progress' ? '{num} %' : name]));
const PROPS = { url: '/upload', token: 'first', max: 1000, texts: TEXTS } as never;

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
  answer(status: number, body: object | string) {
    this.status = status;
    this.responseText = typeof body === 'string' ? body : JSON.stringify(body);
    this.onloadend();
  }
}

function page({ attached = false, enctype = 'multipart/form-data' } = {}): void {
  document.body.innerHTML = `<form enctype="${enctype}"><div class="field upload">
    <label for="licence" id="licence-label">Licence</label>
    ${attached ? '<img src="/files/1"><label><input type="checkbox" name="licence_remove" value="1"> Remove</label>' : ''}
    <input class="input" id="licence" name="licence" type="file" accept="image/jpeg,image/png,image/webp" required>
    <input type="hidden" name="licence_key" value="${attached ? 'old' : ''}">
    <template><div class="shown"><progress max="100"></progress><span></span></div>
      <div class="tools"><button type="button" data-do="camera">Photo</button><button type="button" data-do="choose"><span></span></button>
      <button type="button" data-do="cancel">Cancel</button><button type="button" data-do="remove">Remove</button></div>
      <p role="status"></p></template>
    </div><button id="main">Send</button></form>`;
  takeOver(document.querySelector('.upload') as HTMLElement, PROPS);
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

function choose(file: File): void {
  Object.defineProperty(input(), 'files', { configurable: true, writable: true, value: [file] });
  input().dispatchEvent(new Event('change', { bubbles: true }));
  Object.defineProperty(input(), 'files', { configurable: true, writable: true, value: [] });
}

async function sent(n = 0): Promise<FakeRequest> {
  await vi.waitFor(() => expect(FakeRequest.sent.length).toBe(n + 1));
  return request(n);
}

async function attach(): Promise<void> {
  choose(picture());
  (await sent()).answer(200, { key: 'k1', width: 1, height: 1, size: 7 });
  await vi.waitFor(() => expect(key().value).toBe('k1'));
}

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
  page();
  expect(seen()).toEqual(['camera', 'choose']);
  choose(picture());
  const asked = await sent();
  expect(asked.body.get('token')).toBe('first');
  expect((asked.body.get('file') as File).name).toBe('licence.jpg');
  expect(seen()).toEqual(['cancel']);
  expect(image().src).toMatch(/^data:image\/jpeg/);
  asked.upload.onprogress?.({ loaded: 45, total: 100 });
  expect([document.querySelector('progress')?.value, document.querySelector('.shown span')?.textContent]).toEqual([
    45,
    '45 %',
  ]);
  asked.upload.onprogress?.({ loaded: 100, total: 100 });
  expect(document.querySelector('.shown span')?.textContent).toBe('finishing');
  asked.answer(200, { key: 'k1', width: 1, height: 1, size: 7 });
  await vi.waitFor(() => expect(key().value).toBe('k1'));
  expect([input().name, input().required, status(), message()]).toEqual(['', false, 'done', undefined]);
  expect(seen()).toEqual(['camera', 'choose', 'remove']);
  expect(tool('choose').textContent).toBe('replace');
});

test('the same file again is not sent again; another takes its place', async () => {
  page();
  await attach();
  choose(picture());
  await vi.waitFor(() => expect(status()).toBe('already'));
  expect(FakeRequest.sent).toHaveLength(1);
  choose(picture('another'));
  (await sent(1)).answer(200, { key: 'k2' });
  await vi.waitFor(() => expect(key().value).toBe('k2'));
});

test('another token comes with the answer where one is good for one picture', async () => {
  page();
  choose(picture());
  (await sent()).answer(200, { key: 'k1', token: 'second' });
  await vi.waitFor(() => expect(key().value).toBe('k1'));
  choose(picture('another'));
  expect((await sent(1)).body.get('token')).toBe('second');
});

test('a token that came with a refusal is used for the next picture', async () => {
  page();
  choose(picture());
  (await sent()).answer(422, { message: 'Not a picture.', token: 'second' });
  await vi.waitFor(() => expect(message()).toBe('Not a picture.'));
  choose(picture('better'));
  expect((await sent(1)).body.get('token')).toBe('second');
});

test('a picture whose token was used by a lost try is sent again with the new token', async () => {
  page();
  choose(picture());
  (await sent()).answer(403, { message: 'Forbidden.', token: 'second' });
  const again = await sent(1);
  expect([again.body.get('token'), (again.body.get('file') as File).name]).toEqual(['second', 'licence.jpg']);
  again.answer(200, { key: 'k1', token: 'third' });
  await vi.waitFor(() => expect(key().value).toBe('k1'));
  expect([status(), message()]).toEqual(['done', undefined]);
});

test('a picture that is refused again with the new token is not sent a third time', async () => {
  page({ enctype: 'application/x-www-form-urlencoded' });
  choose(picture());
  (await sent()).answer(403, { token: 'second' });
  (await sent(1)).answer(403, { token: 'third' });
  await vi.waitFor(() => expect(message()).toBe('failed'));
  expect(FakeRequest.sent).toHaveLength(2);
});

test('when two pictures are chosen one after the other, the last one counts', async () => {
  page();
  choose(picture());
  const first = await sent();
  choose(picture('another'));
  const second = await sent(1);
  expect(await (second.body.get('file') as File).text()).toBe('another');
  first.answer(200, { key: 'late' }); // this upload was aborted
  expect(status()).toBe('');
  second.answer(200, { key: 'k2' });
  await vi.waitFor(() => expect(key().value).toBe('k2'));
  expect(status()).toBe('done');
});

test('the form waits for the last of two pictures', async () => {
  page();
  const gone = vi.fn((event: Event) => event.preventDefault());
  document.forms[0]?.addEventListener('submit', gone);
  choose(picture());
  await sent();
  document.getElementById('main')?.click();
  choose(picture('another'));
  const second = await sent(1);
  expect(gone).not.toHaveBeenCalled();
  second.answer(200, { key: 'k2' });
  await vi.waitFor(() => expect(gone).toHaveBeenCalledTimes(1));
  expect(key().value).toBe('k2');
});

describe('a page that is loaded again', () => {
  test('says once that a picture that was being sent has to be chosen again', async () => {
    page();
    choose(picture());
    await sent();
    page();
    expect(status()).toBe('again');
    page();
    expect(status()).toBe('');
  });

  test('says nothing once the picture has arrived, was cancelled or refused', async () => {
    page();
    await attach();
    page();
    expect(status()).toBe('');
    choose(picture('another'));
    (await sent(1)).answer(422, { message: 'Not a picture.' });
    await vi.waitFor(() => expect(message()).toBe('Not a picture.'));
    page();
    expect(status()).toBe('');
    choose(picture('a third'));
    await sent(2);
    tool('cancel').click();
    await vi.waitFor(() => expect(status()).toBe('cancelled'));
    page();
    expect(status()).toBe('');
  });
});

describe('refused before anything is sent:', () => {
  test.each([
    ['another kind of file', picture('x', 'application/pdf'), 'wrongType'],
    ['a file over the limit', picture('x'.repeat(1001)), 'tooLarge'],
  ])('%s', async (_, file, text) => {
    page();
    choose(file);
    await vi.waitFor(() => expect(message()).toBe(text));
    expect(FakeRequest.sent).toHaveLength(0);
    expect(seen()).toEqual(['camera', 'choose']);
    expect(tool('choose').getAttribute('aria-describedby')).toBe('licence-msg');
    expect([input().name, input().required]).toEqual(['licence', true]);
  });
});

test('what the server refuses is said in its words, and the picture before stays', async () => {
  page({ attached: true });
  expect(seen()).toEqual(['camera', 'choose', 'remove']);
  choose(picture());
  (await sent()).answer(422, { message: 'Not a picture.' });
  await vi.waitFor(() => expect(message()).toBe('Not a picture.'));
  expect([key().value, new URL(image().src, 'http://x').pathname]).toEqual(['old', '/files/1']);
  choose(picture('better'));
  expect(message()).toBeUndefined();
  await sent(1);
});

test('a picture the server had before is attached, and that is said', async () => {
  page();
  choose(picture());
  (await sent()).answer(409, { key: 'k0', message: 'Already there.' });
  await vi.waitFor(() => expect(status()).toBe('Already there.'));
  expect([key().value, input().name, message()]).toEqual(['k0', '', undefined]);
});

test('a picture that does not arrive goes with the form, where the browser can', async () => {
  page();
  vi.stubGlobal(
    'DataTransfer',
    class {
      files: File[] = [];
      items = { add: (file: File) => this.files.push(file) };
    },
  );
  choose(picture());
  (await sent()).answer(0, '');
  await vi.waitFor(() => expect(status()).toBe('withForm'));
  expect([input().name, input().files?.length, message()]).toEqual(['licence', 1, undefined]);
  expect(seen()).toContain('remove');
});

test('in a form that takes no files it is said that it did not arrive', async () => {
  page({ enctype: 'application/x-www-form-urlencoded' });
  choose(picture());
  (await sent()).answer(503, '<html>');
  await vi.waitFor(() => expect(message()).toBe('failed'));
  expect(seen()).toEqual(['camera', 'choose']);
});

test('cancelling brings the picture before back', async () => {
  page({ attached: true });
  choose(picture());
  await sent();
  tool('cancel').click();
  await vi.waitFor(() => expect(status()).toBe('cancelled'));
  expect([key().value, new URL(image().src, 'http://x').pathname, message()]).toEqual(['old', '/files/1', undefined]);
});

test('a picture is removed', () => {
  page({ attached: true });
  tool('remove').click();
  expect([key().value, box().checked, status(), image().hasAttribute('src')]).toEqual(['', true, 'removed', false]);
  expect(seen()).toEqual(['camera', 'choose']);
});

test('the camera is asked for by its own button', () => {
  page();
  const click = vi.spyOn(input(), 'click').mockImplementation(() => {});
  tool('camera').click();
  expect(input().getAttribute('capture')).toBe('environment');
  tool('choose').click();
  expect(input().hasAttribute('capture')).toBe(false);
  expect(click).toHaveBeenCalledTimes(2);
});

test('the form waits for a picture on its way, and then goes by the same button', async () => {
  page();
  const gone = vi.fn((event: Event) => event.preventDefault());
  document.forms[0]?.addEventListener('submit', gone);
  choose(picture());
  await sent();
  const main = document.getElementById('main') as HTMLButtonElement;
  main.click();
  expect(gone).not.toHaveBeenCalled();
  expect([main.getAttribute('aria-busy'), status()]).toEqual(['true', 'waiting']);
  request().answer(200, { key: 'k1' });
  await vi.waitFor(() => expect(gone).toHaveBeenCalledTimes(1));
  expect(main.hasAttribute('aria-busy')).toBe(false);
});

test('the form does not go when the picture it waited for was refused', async () => {
  page();
  const gone = vi.fn((event: Event) => event.preventDefault());
  document.forms[0]?.addEventListener('submit', gone);
  choose(picture());
  await sent();
  document.getElementById('main')?.click();
  request().answer(422, { message: 'Not a picture.' });
  await vi.waitFor(() => expect(message()).toBe('Not a picture.'));
  expect(gone).not.toHaveBeenCalled();
  expect(status()).toBe('notSent');
});
