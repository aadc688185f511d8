import { act, cleanup } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { doing, foreignIcons, hydrate, show } from '../testing';
import * as island from './region';
import type { Region } from './region-tree';

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

let narrow: { matches: boolean; addListener: (run: () => void) => void; removeListener: () => void };
let turn: () => void;

/** The markup that components/islands_test.go wrote. */
let texts: island.RegionProps['texts'];

async function page({ isNarrow = false, markup = 'region', before = () => {} } = {}): Promise<HTMLElement> {
  narrow = {
    matches: isNarrow,
    addListener: (run) => {
      turn = run;
    },
    removeListener() {},
  };
  vi.stubGlobal('matchMedia', () => narrow);
  show(markup);
  before();
  const container = document.querySelector('[data-island]') as HTMLElement;
  texts = JSON.parse(container.dataset.props as string).texts;
  await doing(() => hydrate('region', island));
  return document.querySelector('fieldset') as HTMLElement;
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

function choose(name: string, value: string): Promise<void> {
  return doing(() => {
    control(name).value = value;
    control(name).dispatchEvent(new Event('change', { bubbles: true }));
  });
}

const press = (button: HTMLElement) => doing(() => button.click());

/** Waits until the answers have arrived and the component has rendered. */
const settle = () => act(() => new Promise((done) => setTimeout(done, 20)));

afterEach(cleanup);

beforeEach(() => {
  vi.stubGlobal(
    'fetch',
    vi.fn(async (url: string) => new Response(JSON.stringify(url.endsWith('110000') ? BEIJING : GUANGDONG))),
  );
});

test('a province brings its cities, and a city its districts, in one answer', async () => {
  await page();
  expect(plain().hidden).toBe(true);
  await choose('province', '440000');
  await settle();
  expect(names('city')).toEqual(['Guangzhou', 'Shenzhen']);
  expect(names('district')).toEqual([]);
  await choose('city', '440300');
  await settle();
  expect(names('district')).toEqual(['Luohu', 'Nanshan']);
  await choose('city', '440100');
  await settle();
  expect(names('district')).toEqual(['Liwan', 'Tianhe']);
  expect(fetch).toHaveBeenCalledTimes(1);
  expect(fetch).toHaveBeenCalledWith('/regions.json?parent=440000', expect.anything());
});

test('a province that is chosen again is not asked for again', async () => {
  await page();
  for (const code of ['440000', '110000', '440000']) {
    await choose('province', code);
    await settle();
    expect(control('city').options[1]?.value.slice(0, 2)).toBe(code.slice(0, 2));
  }
  expect(fetch).toHaveBeenCalledTimes(2);
});

test('where there is one city alone it is chosen, and its districts are there', async () => {
  await page();
  await choose('province', '110000');
  await settle();
  expect(names('district')).toEqual(['Dongcheng', 'Xicheng']);
  expect(values()).toEqual(['110000', '110100', '']);
});

test('an answer that comes after another province was chosen changes nothing', async () => {
  await page();
  let answer: (response: Response) => void = () => {};
  vi.mocked(fetch).mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  await choose('province', '440000');
  await choose('province', '110000');
  await settle();
  expect(names('city')).toEqual(['Beijing']);
  answer(new Response(JSON.stringify(GUANGDONG)));
  await new Promise((done) => setTimeout(done));
  expect(names('city')).toEqual(['Beijing']);
});

test('what does not come is said, the button without scripts stands again, and trying again asks again', async () => {
  await page();
  vi.mocked(fetch).mockRejectedValueOnce(new TypeError('offline'));
  await choose('province', '440000');
  await settle();
  expect(document.querySelector('#region-msg')?.textContent).toBe(texts.failed);
  expect(plain().hidden).toBe(false);
  expect(control('city').options[0]?.text).toBe(texts.choose);
  await choose('province', '440000');
  await settle();
  expect(names('city')).toEqual(['Guangzhou', 'Shenzhen']);
  expect(document.querySelector('#region-msg')).toBeNull();
  expect(plain().hidden).toBe(true);
});

test('what was chosen before the script came stays, and gets its lists', async () => {
  await page({
    before: () => {
      control('province').value = '440000';
    },
  });
  await settle();
  expect(names('city')).toEqual(['Guangzhou', 'Shenzhen']);
  expect(values()).toEqual(['440000', '', '']);
});

test('lists that the server filled are left alone', async () => {
  await page({ isNarrow: true, markup: 'region-chosen' });
  await settle();
  expect(fetch).not.toHaveBeenCalled();
  expect(values()).toEqual(['440000', '440100', '']);
  expect(names('district')).toEqual(['荔湾区', '天河区']);
  expect(opener().textContent).toBe('广东省 / 广州市');
});

test('what was refused is said until something is chosen', async () => {
  await page({ markup: 'region-chosen' });
  const notes = () => [
    document.querySelector('#region-msg')?.textContent,
    control('district').getAttribute('aria-invalid'),
  ];
  expect(notes()).toEqual(['Choose a district.', 'true']);
  await choose('district', '440106');
  expect(notes()).toEqual([undefined, null]);
  expect(document.querySelector('fieldset')?.hasAttribute('aria-describedby')).toBe(false);
});

test('on a phone a sheet of three steps fills the same selects', async () => {
  const field = await page({ isNarrow: true });
  const heard = vi.fn();
  document.querySelector('form')?.addEventListener('input', heard);
  expect(field.querySelector<HTMLElement>('.selects')?.hidden).toBe(true);
  expect(opener().textContent).toBe(texts.open);
  await press(opener());
  expect([dialog().open, title()]).toEqual([true, texts.steps[0]]);
  expect([document.querySelectorAll('svg').length, foreignIcons()]).toEqual([3, []]);
  let answer: (response: Response) => void = () => {};
  vi.mocked(fetch).mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
  await press(row('广东省'));
  expect([title(), row('广东省').className]).toEqual([texts.loading, 'busy']);
  answer(new Response(JSON.stringify(GUANGDONG)));
  await settle();
  expect(title()).toBe(texts.steps[1]);
  expect(document.activeElement).toBe(row('Guangzhou'));
  expect(dialog().querySelector('.hint')?.textContent).toBe('广东省');
  await press(row('Shenzhen'));
  expect(title()).toBe(texts.steps[2]);
  expect(values()).toEqual(['', '', '']);
  await press(row('Nanshan'));
  expect(dialog()).toBeNull();
  expect(values()).toEqual(['440000', '440300', '440305']);
  expect(opener().textContent).toBe('广东省 / Shenzhen / Nanshan');
  expect(opener().querySelector('span')?.lang).toBe('zh'); // read by a Chinese voice
  expect(heard).toHaveBeenCalledTimes(1);
  await press(opener());
  expect(document.activeElement).toBe(row('广东省'));
});

test('the sheet passes over a single city, both ways', async () => {
  await page({ isNarrow: true });
  await press(opener());
  await press(row('北京市'));
  await settle();
  expect(title()).toBe(texts.steps[2]);
  await press(dialog().querySelector('button') as HTMLElement);
  expect(title()).toBe(texts.steps[0]);
});

test('closing the sheet changes nothing, and a failed answer keeps the provinces', async () => {
  await page({ isNarrow: true });
  vi.mocked(fetch).mockResolvedValueOnce(new Response('', { status: 503 }));
  await press(opener());
  await press(row('广东省'));
  await settle();
  expect(dialog().querySelector('.msg')?.textContent).toBe(texts.failed);
  expect(title()).toBe(texts.steps[0]);
  expect(rows()).toHaveLength(2);
  expect(plain().hidden).toBe(false);
  await press(dialog());
  expect(dialog()).toBeNull();
  expect(values()).toEqual(['', '', '']);
});

test('arrows move through the list', async () => {
  await page({ isNarrow: true });
  await press(opener());
  const key = (key: string) =>
    doing(() => document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })));
  await key('ArrowDown');
  expect(document.activeElement).toBe(row('广东省'));
  await key('ArrowDown');
  expect(document.activeElement).toBe(row('广东省'));
  await key('Home');
  expect(document.activeElement).toBe(row('北京市'));
});

test('a window that grows shows the selects', async () => {
  await page({ isNarrow: true });
  await press(opener());
  narrow.matches = false;
  await doing(turn);
  expect([dialog(), opener(), document.querySelector<HTMLElement>('.selects')?.hidden]).toEqual([null, null, false]);
});

test('where the browser has no dialogs a phone keeps the lists', async () => {
  const { HTMLDialogElement } = window;
  Reflect.deleteProperty(window, 'HTMLDialogElement');
  await page({ isNarrow: true });
  Object.assign(window, { HTMLDialogElement });
  expect([opener(), document.querySelector<HTMLElement>('.selects')?.hidden]).toEqual([null, false]);
});
