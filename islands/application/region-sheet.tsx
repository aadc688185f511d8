import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { Icon } from '../page/components';
import { childrenOf, NAMES_LANG, type Region } from './region-tree';

/** The separator in a chosen path. */
export const PATH_SEPARATOR = ' / ';

/** The texts of the sheet. `steps` are the titles of its three steps. */
export type SheetTexts = { loading: string; failed: string; steps: string[]; back: string; close: string };

type SheetProps = {
  id: string;
  texts: SheetTexts;
  provinces: Region[];
  /** The codes of the province, the city and the district chosen so far. */
  chosen: string[];
  /** The row that chooses nothing, '' where the field is required, and the language of its text. */
  none: string;
  lang: string;
  /** Loads the cities of a province; undefined if that fails. */
  load: (code: string) => Promise<Region[] | undefined>;
  /** Called with the whole path, and the cities it was chosen from. */
  onChoose: (path: Region[], cities: Region[]) => void;
  onClose: () => void;
};

/** A sheet of three steps, for narrow windows: province, city, district. It is open while it is mounted. */
export default function Sheet({ id, texts, provinces, chosen, none, lang, load, onChoose, onClose }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [cities, setCities] = useState<Region[]>([]);
  const [path, setPath] = useState<Region[]>([]);
  const [loading, setLoading] = useState('');
  const [hasFailed, setFailed] = useState(false);
  const step = path.length;
  const entriesAfter = (newPath: Region[], all: Region[]) =>
    [provinces, all, childrenOf(all, newPath[1]?.code)][newPath.length] || [];

  async function choose(entry: Region): Promise<void> {
    if (loading) {
      return;
    }
    let all = cities;
    if (!entry.code) {
      onChoose([], []);
      dialog.current?.close();
      return;
    }
    if (step === 0) {
      setFailed(false);
      setLoading(entry.code);
      const loaded = await load(entry.code);
      setLoading('');
      if (!loaded) {
        setFailed(true);
        return;
      }
      all = loaded;
      setCities(all);
    }
    const newPath = [...path, entry];
    while (entriesAfter(newPath, all).length === 1) {
      newPath.push(entriesAfter(newPath, all)[0] as Region);
    }
    if (entriesAfter(newPath, all).length) {
      setPath(newPath);
    } else {
      onChoose(newPath, all);
      dialog.current?.close();
    }
  }

  function stepBack(): void {
    const newPath = path.slice(0, -1);
    while (newPath.length && entriesAfter(newPath, cities).length === 1) {
      newPath.pop();
    }
    setPath(newPath);
  }

  useLayoutEffect(() => dialog.current?.showModal(), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each step begins at the chosen entry
  useLayoutEffect(() => {
    const row = list.current?.querySelector<HTMLElement>('[aria-current]') || list.current?.querySelector('button');
    row?.focus();
    row?.scrollIntoView?.({ block: 'nearest' });
  }, [step]);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a press beside the sheet closes it; Escape does so by itself
    <dialog
      ref={dialog}
      className="picker"
      aria-labelledby={`${id}-step`}
      onClose={onClose}
      onClick={({ target }) => target === dialog.current && dialog.current.close()}
    >
      <div className="bar">
        <button
          className="drop"
          type="button"
          aria-label={texts.back}
          hidden={step === 0}
          onClick={() => loading || stepBack()}
        >
          <Icon path="M20 12H4m6 6-6-6 6-6" />
        </button>
        <h2 id={`${id}-step`} aria-live="polite">
          {loading ? texts.loading : texts.steps[step]}
        </h2>
        <button className="drop" type="button" aria-label={texts.close} onClick={() => dialog.current?.close()}>
          <Icon path="M6 6l12 12m0-12L6 18" />
        </button>
      </div>
      <p className="hint" lang={NAMES_LANG}>
        {path.map(({ name }) => name).join(PATH_SEPARATOR)}
      </p>
      <p className="msg" role="alert">
        {hasFailed ? texts.failed : ''}
      </p>
      <ul ref={list} key={step} lang={NAMES_LANG} onKeyDown={moveByArrows}>
        {step === 0 && none && chosen[0] && (
          <li lang={lang}>
            <button type="button" onClick={() => choose({ code: '', name: none })}>
              {none}
            </button>
          </li>
        )}
        {entriesAfter(path, cities).map((entry) => (
          <li key={entry.code}>
            <button
              type="button"
              className={entry.code === loading ? 'busy' : undefined}
              aria-current={entry.code === chosen[step] || undefined}
              onClick={() => choose(entry)}
            >
              {entry.name}
            </button>
          </li>
        ))}
      </ul>
    </dialog>
  );
}

function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  const rows = [...event.currentTarget.querySelectorAll('button')];
  const at = rows.indexOf(event.target as HTMLButtonElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (to !== undefined && rows[to]) {
    event.preventDefault();
    rows[to].focus();
  }
}
