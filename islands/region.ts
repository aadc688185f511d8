/** What the server says of a region field. */
export type RegionProps = {
  /** Where `?parent=` and a province's code bring its cities with their districts. */
  url: string;
  /** `steps` are the titles of the sheet's three steps. */
  texts: { open: string; loading: string; failed: string; steps: string[] };
};

/** A region; a city's districts are its children. */
export type Region = { code: string; name: string; children?: Region[] };

/** Narrower windows choose from a sheet (spec section 9: 750 px). */
const NARROW = '(max-width: 749px)';

/** What a chosen path is written with. */
const BETWEEN = ' / ';

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

type Choosing = {
  provinces: Region[];
  chosen: () => string[];
  load: (code: string) => Promise<Region[] | undefined>;
  done: (path: Region[], cities: Region[]) => void;
};

/** The button and the sheet of narrow windows; undefined where the browser has no dialogs. */
function makeSheet(field: HTMLElement, texts: RegionProps['texts'], { provinces, chosen, load, done }: Choosing) {
  const template = field.querySelector('template') as HTMLTemplateElement;
  const box = field.querySelector('.selects') as HTMLElement;
  field.insertBefore(template.content.cloneNode(true), box);
  const opener = field.querySelector('.opener') as HTMLButtonElement;
  const dialog = field.querySelector('dialog') as HTMLDialogElement;
  if (!dialog.showModal) {
    opener.remove();
    dialog.remove();
    return undefined;
  }
  const [back, close] = dialog.querySelectorAll('button') as unknown as [HTMLButtonElement, HTMLButtonElement];
  const title = dialog.querySelector('h2') as HTMLElement;
  const way = dialog.querySelector('p') as HTMLElement;
  const list = dialog.querySelector('ul') as HTMLElement;
  const alarm = dialog.querySelector('.msg') as HTMLElement;
  let path: Region[] = [];
  let cities: Region[] = [];
  let isLoading = false;

  function entries(): Region[] {
    return [provinces, cities, childrenOf(cities, path[1]?.code)][path.length] as Region[];
  }

  function draw(): void {
    const current = chosen()[path.length];
    title.textContent = texts.steps[path.length] as string;
    way.textContent = path.map(({ name }) => name).join(BETWEEN);
    back.hidden = path.length === 0;
    alarm.textContent = '';
    list.textContent = '';
    list.append(
      ...entries().map((entry) => {
        const row = document.createElement('button');
        row.type = 'button';
        row.textContent = entry.name;
        if (entry.code === current) {
          row.setAttribute('aria-current', 'true');
        }
        row.addEventListener('click', () => choose(entry, row));
        const item = document.createElement('li');
        item.append(row);
        return item;
      }),
    );
    const row = list.querySelector<HTMLElement>('[aria-current]') || list.querySelector('button');
    list.scrollTop = 0;
    row?.focus();
    row?.scrollIntoView?.({ block: 'nearest' });
  }

  async function choose(entry: Region, row: HTMLElement): Promise<void> {
    if (isLoading) {
      return;
    }
    if (path.length === 0) {
      isLoading = true;
      row.classList.add('busy');
      title.textContent = texts.loading;
      const loaded = await load(entry.code);
      row.classList.remove('busy');
      isLoading = false;
      if (!loaded) {
        title.textContent = texts.steps[0] as string;
        alarm.textContent = texts.failed;
        return;
      }
      cities = loaded;
    }
    path.push(entry);
    while (path.length < 3 && entries().length === 1) {
      path.push(entries()[0] as Region);
    }
    if (path.length < 3 && entries().length) {
      draw();
      return;
    }
    done(path, cities);
    dialog.close();
  }

  function stepBack(): void {
    path.pop();
    while (path.length && entries().length === 1) {
      path.pop();
    }
    draw();
  }

  opener.addEventListener('click', () => {
    path = [];
    dialog.showModal();
    draw();
  });
  back.addEventListener('click', () => !isLoading && stepBack());
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
  list.addEventListener('keydown', moveByArrows);

  const narrow = matchMedia(NARROW);
  function suit(): void {
    opener.hidden = !narrow.matches;
    box.hidden = narrow.matches;
    if (!narrow.matches && dialog.open) {
      dialog.close();
    }
  }
  narrow.addListener(suit); // Safari before 14 knows no other way
  suit();

  return {
    show(names: string[]): void {
      const shown = names.filter(Boolean).join(BETWEEN);
      (opener.firstElementChild as Element).textContent = shown || texts.open;
      opener.classList.toggle('unset', !shown);
    },
  };
}

function moveByArrows(event: KeyboardEvent): void {
  const rows = [...(event.currentTarget as Element).querySelectorAll('button')];
  const at = rows.indexOf(event.target as HTMLButtonElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (to !== undefined && rows[to]) {
    event.preventDefault();
    rows[to].focus();
  }
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

function childrenOf(cities: Region[], code?: string): Region[] {
  return cities.find((entry) => entry.code === code)?.children || [];
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
