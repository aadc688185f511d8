import { beforeEach, expect, test, vi } from 'vitest';
import takeOver from './region';
import type { Region } from './sheet';

const TEXTS = {
  open: 'Choose',
  loading: 'Loading…',
  failed: 'Not loaded.',
  steps: ['A province', 'A city', 'A district'],
};
const GUANGDONG: Region[] = [
  {
    code: '440100',
    name: 'Guangzhou',
    children: [
      { code: '440103', name: 'Liwan' },
      { code: '440106', name: 'Tianhe' },
    ],
  },
  {
    code: '440300',
    name: 'Shenzhen',
    children: [
      { code: '440303', name: 'Luohu' },
      { code: '440305', name: 'Nanshan' },
    ],
  },
];
const BEIJING: Region[] = [
  {
    code: '110100',
    name: 'Beijing',
    children: [
      { code: '110101', name: 'Dongcheng' },
      { code: '110102', name: 'Xicheng' },
    ],
  },
];

const select = (name: string, options: string) =>
  `<div><select name="${name}"><option value="">Choose</option>${options}</select></div>`;
const PROVINCES = '<option value="110000">Beijing</option><option value="440000">Guangdong</option>';

let narrow: { matches: boolean; addListener: (run: () => void) => void };
let turn: () => void;

function page({ isNarrow = false, before = () => {} } = {}) {
  narrow = {
    matches: isNarrow,
    addListener: (run) => {
      turn = run;
    },
  };
  vi.stubGlobal('matchMedia', () => narrow);
  document.body.innerHTML = `<form><fieldset id="region"><legend>Region</legend>
    <template><button class="opener" type="button"><span></span></button>
      <dialog><button type="button">back</button><h2></h2><button type="button">close</button><p class="hint"></p><p class="msg"></p><ul lang="zh"></ul></dialog></template>
    <div class="selects">${select('province', PROVINCES)}${select('city', '')}${select('district', '')}</div>
    <button name="action" value="region">Show</button></fieldset></form>`;
  before();
  const field = document.querySelector('fieldset') as HTMLElement;
  takeOver(field, { url: '/regions.json', texts: TEXTS });
  return field;
}

const control = (name: string) => document.querySelector(`[name=${name}]`) as HTMLSelectElement;
const values = () => ['province', 'city', 'district'].map((name) => control(name).value);
const names = (name: string) => [...control(name).options].slice(1).map(({ text }) => text);
const plain = () => document.querySelector('[name=action]') as HTMLButtonElement;
const opener = () => document.querySelector('.opener') as HTMLButtonElement;
const dialog = () => document.querySelector('dialog') as HTMLDialogElement;
const title = () => document.querySelector('h2')?.textContent;
const rows = () => [...document.querySelectorAll<HTMLElement>('li button')];
const row = (name: string) => rows().find(({ textContent }) => textContent === name) as HTMLElement;

function choose(name: string, value: string): void {
  control(name).value = value;
  control(name).dispatchEvent(new Event('change', { bubbles: true }));
}

beforeEach(() => {
  vi.stubGlobal(
    'fetch',
    vi.fn(async (url: string) => new Response(JSON.stringify(url.endsWith('110000') ? BEIJING : GUANGDONG))),
  );
});

test('a province brings its cities, and a city its districts, in one answer', async () => {
  page();
  expect(plain().hidden).toBe(true);
  choose('province', '440000');
  await vi.waitFor(() => expect(names('city')).toEqual(['Guangzhou', 'Shenzhen']));
  expect(names('district')).toEqual([]);
  choose('city', '440300');
  await vi.waitFor(() => expect(names('district')).toEqual(['Luohu', 'Nanshan']));
  choose('city', '440100');
  await vi.waitFor(() => expect(names('district')).toEqual(['Liwan', 'Tianhe']));
  expect(fetch).toHaveBeenCalledTimes(1);
  expect(fetch).toHaveBeenCalledWith('/regions.json?parent=440000', expect.anything());
});

test('a province that is chosen again is not asked for again', async () => {
  page();
  for (const code of ['440000', '110000', '440000']) {
    choose('province', code);
    await vi.waitFor(() => expect(control('city').options[1]?.value.slice(0, 2)).toBe(code.slice(0, 2)));
  }
  expect(fetch).toHaveBeenCalledTimes(2);
});

test('where there is one city alone it is chosen, and its districts are there', async () => {
  page();
  choose('province', '110000');
  await vi.waitFor(() => expect(names('district')).toEqual(['Dongcheng', 'Xicheng']));
  expect(values()).toEqual(['110000', '110100', '']);
});

test('an answer that comes after another province was chosen changes nothing', async () => {
  page();
  let answer: (response: Response) => void = () => {};
  vi.mocked(fetch).mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  choose('province', '440000');
  choose('province', '110000');
  await vi.waitFor(() => expect(names('city')).toEqual(['Beijing']));
  answer(new Response(JSON.stringify(GUANGDONG)));
  await new Promise((done) => setTimeout(done));
  expect(names('city')).toEqual(['Beijing']);
});

test('what does not come is said, the button without scripts stands again, and trying again asks again', async () => {
  page();
  vi.mocked(fetch).mockRejectedValueOnce(new TypeError('offline'));
  choose('province', '440000');
  await vi.waitFor(() => expect(document.querySelector('#region-msg')?.textContent).toBe(TEXTS.failed));
  expect(plain().hidden).toBe(false);
  expect(control('city').options[0]?.text).toBe('Choose');
  choose('province', '440000');
  await vi.waitFor(() => expect(names('city')).toEqual(['Guangzhou', 'Shenzhen']));
  expect(document.querySelector('#region-msg')).toBeNull();
  expect(plain().hidden).toBe(true);
});

test('what was chosen before the script came stays, and gets its lists', async () => {
  page({
    before: () => {
      control('province').value = '440000';
    },
  });
  await vi.waitFor(() => expect(names('city')).toEqual(['Guangzhou', 'Shenzhen']));
  expect(values()).toEqual(['440000', '', '']);
});

test('lists that the server filled are left alone', async () => {
  page({
    before: () => {
      control('province').value = '440000';
      control('city').insertAdjacentHTML('beforeend', '<option value="440100" selected>Guangzhou</option>');
      control('district').insertAdjacentHTML('beforeend', '<option value="440103" selected>Liwan</option>');
    },
  });
  expect(fetch).not.toHaveBeenCalled();
  expect(values()).toEqual(['440000', '440100', '440103']);
  expect(opener().textContent).toBe('Guangdong / Guangzhou / Liwan');
});

test('on a phone a sheet of three steps fills the same selects', async () => {
  const field = page({ isNarrow: true });
  const heard = vi.fn();
  document.querySelector('form')?.addEventListener('input', heard);
  expect([opener().hidden, field.querySelector<HTMLElement>('.selects')?.hidden]).toEqual([false, true]);
  expect(opener().textContent).toBe('Choose');
  opener().click();
  expect([dialog().open, title()]).toEqual([true, 'A province']);
  row('Guangdong').click();
  expect(title()).toBe('Loading…');
  await vi.waitFor(() => expect(title()).toBe('A city'));
  expect(document.activeElement).toBe(row('Guangzhou'));
  expect(dialog().querySelector('.hint')?.textContent).toBe('Guangdong');
  row('Shenzhen').click();
  expect(title()).toBe('A district');
  expect(values()).toEqual(['', '', '']);
  row('Nanshan').click();
  expect(dialog().open).toBe(false);
  expect(values()).toEqual(['440000', '440300', '440305']);
  expect(opener().textContent).toBe('Guangdong / Shenzhen / Nanshan');
  expect(opener().querySelector('span')?.lang).toBe('zh'); // read by a Chinese voice
  expect(heard).toHaveBeenCalledTimes(1);
  opener().click();
  expect(document.activeElement).toBe(row('Guangdong'));
});

test('the sheet passes over a single city, both ways', async () => {
  page({ isNarrow: true });
  opener().click();
  row('Beijing').click();
  await vi.waitFor(() => expect(title()).toBe('A district'));
  dialog().querySelector('button')?.click();
  expect(title()).toBe('A province');
});

test('closing the sheet changes nothing, and a failed answer keeps the provinces', async () => {
  page({ isNarrow: true });
  vi.mocked(fetch).mockResolvedValueOnce(new Response('', { status: 503 }));
  opener().click();
  row('Guangdong').click();
  await vi.waitFor(() => expect(dialog().querySelector('.msg')?.textContent).toBe(TEXTS.failed));
  expect(title()).toBe('A province');
  expect(rows()).toHaveLength(2);
  expect(plain().hidden).toBe(false);
  dialog().click();
  expect(dialog().open).toBe(false);
  expect(values()).toEqual(['', '', '']);
});

test('arrows move through the list', () => {
  page({ isNarrow: true });
  opener().click();
  const press = (key: string) =>
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  press('ArrowDown');
  expect(document.activeElement).toBe(row('Guangdong'));
  press('ArrowDown');
  expect(document.activeElement).toBe(row('Guangdong'));
  press('Home');
  expect(document.activeElement).toBe(row('Beijing'));
});

test('a window that grows shows the selects', () => {
  page({ isNarrow: true });
  opener().click();
  narrow.matches = false;
  turn();
  expect([dialog().open, opener().hidden, document.querySelector<HTMLElement>('.selects')?.hidden]).toEqual([
    false,
    true,
    false,
  ]);
});
