import { MOBILE_WIDTH } from './constants';

/** A region; a city's districts are its children. */
export type Region = { code: string; name: string; children?: Region[] };

/** Phones choose from a sheet. */
const NARROW = `(max-width: ${MOBILE_WIDTH - 1}px)`;

/** What a chosen path is written with. */
const BETWEEN = ' / ';

type Texts = { open: string; loading: string; failed: string; steps: string[] };

/** What the sheet asks of the field; `done` takes the whole path, and the cities it was chosen from. */
type Choosing = {
  provinces: Region[];
  chosen: () => string[];
  load: (code: string) => Promise<Region[] | undefined>;
  done: (path: Region[], cities: Region[]) => void;
};

/** The button and the sheet of narrow windows; undefined where the browser has no dialogs. */
export function makeSheet(field: HTMLElement, texts: Texts, { provinces, chosen, load, done }: Choosing) {
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
      const words = opener.firstElementChild as HTMLElement;
      words.textContent = shown || texts.open;
      words.lang = (shown ? list : document.documentElement).lang; // names are Chinese on every page
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

/** The districts of the city with this code. */
export function childrenOf(cities: Region[], code?: string): Region[] {
  return cities.find((entry) => entry.code === code)?.children || [];
}
