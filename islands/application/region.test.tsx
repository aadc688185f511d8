import { act, cleanup } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { foreignIcons, hydrate, rendered, show } from '../testing';
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
let fireResize: () => void;

/** The texts of the field, read from the markup. */
let texts: island.RegionProps['texts'];

async function page({ isNarrow = false, markup = 'region', before = () => {} } = {}): Promise<HTMLElement> {
  narrow = {
    matches: isNarrow,
    addListener: (run) => {
      fireResize = run;
    },
    removeListener() {},
  };
  vi.stubGlobal('matchMedia', () => narrow);
  show(markup);
  before();
  const container = document.querySelector('[data-island]') as HTMLElement;
  texts = JSON.parse(container.dataset.props as string).texts;
  await rendered(() => hydrate('region', island));
  return document.querySelector('fieldset') as HTMLElement;
}

const control = (name: string) => document.querySelector(`[name=${name}]`) as HTMLSelectElement;
const values = () => ['province', 'city', 'district'].map((name) => control(name).value);
const names = (name: string) => [...control(name).options].slice(1).map(({ text }) => text);
const plainButton = () => document.querySelector('[name=action]') as HTMLButtonElement;
const opener = () => document.querySelector('.opener') as HTMLButtonElement;
const dialog = () => document.querySelector('dialog') as HTMLDialogElement;
const title = () => document.querySelector('h2')?.textContent;
const rows = () => [...document.querySelectorAll<HTMLElement>('li button')];
const row = (name: string) => rows().find(({ textContent }) => textContent === name) as HTMLElement;

function choose(name: string, value: string): Promise<void> {
  return rendered(() => {
    control(name).value = value;
    control(name).dispatchEvent(new Event('change', { bubbles: true }));
  });
}

const press = (button: HTMLElement) => rendered(() => button.click());

/** Waits until the answers have arrived and the component has rendered. */
const settle = () => act(() => new Promise((done) => setTimeout(done, 20)));

afterEach(cleanup);

beforeEach(() => {
  vi.stubGlobal(
    'fetch',
    vi.fn(async (url: string) => new Response(JSON.stringify(url.endsWith('110000') ? BEIJING : GUANGDONG))),
  );
});

test('choosing a province loads its cities and their districts in one request', async () => {
  await page();
  expect(plainButton().hidden).toBe(true);
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

test('the cities of a province are requested once', async () => {
  await page();
  for (const code of ['440000', '110000', '440000']) {
    await choose('province', code);
    await settle();
    expect(control('city').options[1]?.value.slice(0, 2)).toBe(code.slice(0, 2));
  }
  expect(fetch).toHaveBeenCalledTimes(2);
});

test('the only city of a province is chosen, and its districts are listed', async () => {
  await page();
  await choose('province', '110000');
  await settle();
  expect(names('district')).toEqual(['Dongcheng', 'Xicheng']);
  expect(values()).toEqual(['110000', '110100', '']);
});

test('an answer that arrives after another province was chosen is ignored', async () => {
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

test('setting the province back clears the city and the district', async () => {
  await page({ markup: 'region-chosen' });
  expect(values().slice(0, 2)).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
  await choose('province', '');
  expect(values()).toEqual(['', '', '']);
  expect([names('city'), names('district')]).toEqual([[], []]);
  expect(plainButton().hidden).toBe(true);
});

test('setting the province back while its cities are loading shows neither them nor that they failed', async () => {
  for (const end of ['answer', 'fail'] as const) {
    await page();
    let finish = { answer: (_: Response) => {}, fail: (_: Error) => {} };
    vi.mocked(fetch).mockImplementationOnce(
      () =>
        new Promise((answer, fail) => {
          finish = { answer, fail };
        }),
    );
    await choose('province', '440000');
    await choose('province', '');
    if (end === 'answer') {
      finish.answer(new Response(JSON.stringify(GUANGDONG)));
    } else {
      finish.fail(new TypeError('offline'));
    }
    await settle();
    expect([values(), names('city')]).toEqual([['', '', ''], []]);
    expect([document.querySelector('#region-msg'), plainButton().hidden]).toEqual([null, true]);
    cleanup();
  }
});

test('setting the province back after a failed request hides the plain button', async () => {
  await page();
  vi.mocked(fetch).mockRejectedValueOnce(new TypeError('offline'));
  await choose('province', '440000');
  await settle();
  expect(plainButton().hidden).toBe(false);
  await choose('province', '');
  expect([document.querySelector('#region-msg'), plainButton().hidden]).toEqual([null, true]);
});

test('a failed request shows a message and the plain button, and choosing again sends another request', async () => {
  await page();
  vi.mocked(fetch).mockRejectedValueOnce(new TypeError('offline'));
  await choose('province', '440000');
  await settle();
  expect(document.querySelector('#region-msg')?.textContent).toBe(texts.failed);
  expect(plainButton().hidden).toBe(false);
  expect(control('city').options[0]?.text).toBe(texts.choose);
  await choose('province', '440000');
  await settle();
  expect(names('city')).toEqual(['Guangzhou', 'Shenzhen']);
  expect(document.querySelector('#region-msg')).toBeNull();
  expect(plainButton().hidden).toBe(true);
});

test('a province chosen before the script loaded stays, and its cities are loaded', async () => {
  await page({
    before: () => {
      control('province').value = '440000';
    },
  });
  await settle();
  expect(names('city')).toEqual(['Guangzhou', 'Shenzhen']);
  expect(values()).toEqual(['440000', '', '']);
});

test('lists that the server filled are not loaded again', async () => {
  await page({ isNarrow: true, markup: 'region-chosen' });
  await settle();
  expect(fetch).not.toHaveBeenCalled();
  expect(values()).toEqual(['440000', '440100', '']);
  expect(names('district')).toEqual(['荔湾区', '天河区']);
  expect(opener().textContent).toBe('广东省 / 广州市');
});

test('a refusal is shown until a district is chosen', async () => {
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

test('on a phone a sheet of three steps fills the selects', async () => {
  const field = await page({ isNarrow: true });
  const onInput = vi.fn();
  document.querySelector('form')?.addEventListener('input', onInput);
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
  expect(opener().querySelector('span')?.lang).toBe('zh'); // so that a Chinese voice reads it
  expect(onInput).toHaveBeenCalledTimes(1);
  await press(opener());
  expect(document.activeElement).toBe(row('广东省'));
});

test('the sheet clears a region that is optional, and offers that only when there is one', async () => {
  await page({ isNarrow: true });
  await press(opener());
  expect(row(texts.none)).toBeUndefined();
  await press(row('广东省'));
  await settle();
  await press(row('Shenzhen'));
  await press(row('Nanshan'));
  await press(opener());
  expect(row(texts.none).closest('[lang]')?.getAttribute('lang')).toBe('en');
  await press(row(texts.none));
  expect(dialog()).toBeNull();
  expect(values()).toEqual(['', '', '']);
  expect(opener().textContent).toBe(texts.open);
});

test('the sheet of a required region offers no row that clears it', async () => {
  await page({ isNarrow: true, markup: 'region-chosen' });
  await press(opener());
  expect(row(texts.none)).toBeUndefined();
});

test('the sheet skips a single city, forward and back', async () => {
  await page({ isNarrow: true });
  await press(opener());
  await press(row('北京市'));
  await settle();
  expect(title()).toBe(texts.steps[2]);
  await press(dialog().querySelector('button') as HTMLElement);
  expect(title()).toBe(texts.steps[0]);
});

test('closing the sheet changes nothing, and a failed request keeps the list of provinces', async () => {
  await page({ isNarrow: true });
  vi.mocked(fetch).mockResolvedValueOnce(new Response('', { status: 503 }));
  await press(opener());
  await press(row('广东省'));
  await settle();
  expect(dialog().querySelector('.msg')?.textContent).toBe(texts.failed);
  expect(title()).toBe(texts.steps[0]);
  expect(rows()).toHaveLength(2);
  expect(plainButton().hidden).toBe(false);
  await press(dialog());
  expect(dialog()).toBeNull();
  expect(values()).toEqual(['', '', '']);
});

test('arrow keys move through the list', async () => {
  await page({ isNarrow: true });
  await press(opener());
  const key = (key: string) =>
    rendered(() => document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })));
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
  await rendered(fireResize);
  expect([dialog(), opener(), document.querySelector<HTMLElement>('.selects')?.hidden]).toEqual([null, null, false]);
});

test('a browser without dialogs shows the selects on a phone', async () => {
  const { HTMLDialogElement } = window;
  Reflect.deleteProperty(window, 'HTMLDialogElement');
  await page({ isNarrow: true });
  Object.assign(window, { HTMLDialogElement });
  expect([opener(), document.querySelector<HTMLElement>('.selects')?.hidden]).toEqual([null, false]);
});
