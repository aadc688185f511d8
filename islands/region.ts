import { mirrorRegions } from './regiontree';
import { childrenOf, makeSheet, type Region } from './sheet';

/** What the server says of a region field. */
export type RegionProps = {
  /** Where `?parent=` and a province's code bring its cities with their districts. */
  url: string;
  /** `steps` are the titles of the sheet's three steps. */
  texts: { open: string; loading: string; failed: string; steps: string[] };
};

/**
 * Fills a region field's three selects without sending the form: a province brings all below it in one answer. In narrow
 * windows one button shows the path and opens a sheet of three steps. The values are always those of the server's selects.
 */
export default function takeOver(field: HTMLElement, { url, texts }: RegionProps): void {
  const selects = [...field.querySelectorAll('select')] as [HTMLSelectElement, HTMLSelectElement, HTMLSelectElement];
  const [province, city, district] = selects;
  const plain = field.querySelector('button[name=action]') as HTMLButtonElement;
  const message = messageOf(field);
  const provinces = [...province.options].slice(1).map(({ value, text }) => ({ code: value, name: text }));
  const fetchCities = remembering((code) => citiesOf(url, code));

  /** The cities of a province; undefined, and said, when they do not come. */
  async function load(code: string): Promise<Region[] | undefined> {
    try {
      const cities = await fetchCities(code);
      message('');
      plain.hidden = true;
      mirrorRegions(provinces, code, cities);
      return cities;
    } catch {
      message(texts.failed);
      plain.hidden = false;
      return undefined;
    }
  }

  /** Fills what is below the level that was changed. */
  async function fillBelow(level: number): Promise<void> {
    const asked = province.value;
    const below = selects.slice(level + 1);
    for (const select of below) {
      fill(select, []);
    }
    if (!asked || level === 2 || (level === 1 && !city.value)) {
      return;
    }
    const restore = showLoading(below[0] as HTMLSelectElement, texts.loading);
    const cities = await load(asked);
    restore();
    if (!cities || province.value !== asked) {
      return;
    }
    if (level === 0) {
      fill(city, cities);
    }
    fill(district, childrenOf(cities, city.value));
    tellForm(field);
  }

  const sheet = makeSheet(field, texts, {
    provinces,
    chosen: () => selects.map(({ value }) => value),
    load,
    done(path, cities) {
      const [a, b, c] = path.map(({ code }) => code);
      province.value = a as string;
      fill(city, cities, b);
      fill(district, childrenOf(cities, city.value), c);
      show();
      message('');
      tellForm(field);
    },
  });

  function show(): void {
    sheet?.show(selects.map(({ value, selectedOptions }) => (value ? (selectedOptions[0]?.text as string) : '')));
  }

  selects.forEach((select, level) => {
    select.addEventListener('change', () => {
      message('');
      fillBelow(level).then(show);
    });
  });
  plain.hidden = true;
  // A browser that goes back, or a quick hand, chose something before this script came.
  if (province.value && !belongs(city, province.value.slice(0, 2))) {
    fillBelow(0).then(show);
  } else if (city.value && !belongs(district, city.value.slice(0, 4))) {
    fillBelow(1).then(show);
  }
  show();
}

async function citiesOf(url: string, province: string): Promise<Region[]> {
  const answer = await fetch(`${url}?parent=${province}`, { headers: { Accept: 'application/json' } });
  if (!answer.ok) {
    throw Error(`regions ${answer.status}`);
  }
  return answer.json();
}

/** `ask` with its answers remembered, but for those that failed. */
function remembering<T>(ask: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const answers = new Map<string, Promise<T>>();
  return (key) => {
    const answer = answers.get(key) || ask(key);
    answers.set(key, answer);
    answer.catch(() => answers.delete(key));
    return answer;
  };
}

/** Puts `entries` below the select's first option. A choice of one is made. */
function fill(select: HTMLSelectElement, entries: Region[], chosen = ''): void {
  const first = select.options[0] as HTMLOptionElement;
  select.textContent = '';
  select.append(
    first,
    ...entries.map(({ code, name }) => {
      const option = document.createElement('option');
      option.value = code;
      option.textContent = name;
      return option;
    }),
  );
  select.value = entries.length === 1 ? (entries[0] as Region).code : chosen;
}

function belongs(select: HTMLSelectElement, prefix: string): boolean {
  return !!select.options[1]?.value.startsWith(prefix);
}

function showLoading(select: HTMLSelectElement, text: string): () => void {
  const first = select.options[0] as HTMLOptionElement;
  const words = first.text;
  first.text = text;
  return () => {
    first.text = words;
  };
}

function tellForm(field: HTMLElement): void {
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** Says the field's message where the server does; '' takes it away. */
function messageOf(field: HTMLElement): (text: string) => void {
  return (text) => {
    const id = `${field.id}-msg`;
    let note = document.getElementById(id);
    if (text && !note) {
      note = document.createElement('p');
      note.className = 'msg';
      note.id = id;
      note.setAttribute('role', 'alert');
      field.append(note);
      field.setAttribute('aria-describedby', id);
    }
    if (note && text) {
      note.textContent = text;
    } else if (note) {
      note.remove();
      field.removeAttribute('aria-describedby');
      for (const control of field.querySelectorAll('[aria-invalid]')) {
        control.removeAttribute('aria-invalid');
        control.removeAttribute('aria-describedby');
      }
    }
  };
}
