import { useLayoutEffect, useRef, useState } from 'react';
import { MOBILE_WIDTH } from '../constants';
import { Icon } from '../page/components';
import { mirrorRegions } from './region-mirror';
import Sheet, { PATH_SEPARATOR, type SheetTexts } from './region-sheet';
import { childrenOf, NAMES_LANG, type Region } from './region-tree';

/** What the server prints for a region field, and what its three lists show. */
export type RegionProps = {
  id: string;
  /** The address that answers `?parent=` and a province's code with its cities and their districts. */
  url: string;
  isRequired: boolean;
  message: string;
  /** The language of the page. */
  lang: string;
  levels: { name: string; label: string; complete: string }[];
  /** `optional` is '' where the field is required; `steps` are the titles of the sheet's three steps. */
  texts: SheetTexts & { legend: string; optional: string; choose: string; none: string; open: string; show: string };
} & ReturnType<typeof live>;

/** The lists that the server wrote, and what the person chose before the script loaded. */
export function live(element: HTMLElement) {
  const selects = [...element.querySelectorAll('select')];
  const chosen = selects.map(({ value }) => value);
  const [provinces = [], cities = [], districts = []] = selects.map(({ options }): Region[] =>
    [...options].slice(1).map(({ value, text }) => ({ code: value, name: text })),
  );
  const ofCity = districts[0]?.code.slice(0, 4);
  return {
    provinces,
    cities: cities.map((city) => (city.code.slice(0, 4) === ofCity ? { ...city, children: districts } : city)),
    chosen,
  };
}

/**
 * A field for a province, a city and a district. One answer has all cities and districts of a province, so no button
 * is needed to load the next list. In narrow windows one button shows the path and opens a sheet of three steps.
 */
export default function RegionField(props: RegionProps) {
  const { id, url, provinces, texts } = props;
  const field = useRef<HTMLFieldSetElement>(null);
  const [chosen, setChosen] = useState(props.chosen);
  const [cities, setCities] = useState(props.cities);
  const [loading, setLoading] = useState(0); // the level whose list is loading
  const [message, setMessage] = useState(props.message);
  const [needsButton, setNeedsButton] = useState(true); // the button that submits the form to load the next list
  const [isNarrow, setNarrow] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const latest = useRef(chosen);
  const answers = useRef(new Map<string, Promise<Region[]>>());
  const hasFailed = message === texts.failed;

  /**
   * Loads the cities of a province. If that fails, it shows a message and returns undefined. It shows nothing if
   * something else was chosen in the meantime.
   */
  async function load(province: string): Promise<Region[] | undefined> {
    const answer = answers.current.get(province) || citiesOf(url, province);
    const codes = latest.current;
    const report = (text: string) => {
      if (latest.current === codes) {
        setMessage(text);
        setNeedsButton(!!text);
      }
    };
    answers.current.set(province, answer);
    try {
      const loaded = await answer;
      report('');
      mirrorRegions(provinces, province, loaded);
      return loaded;
    } catch {
      answers.current.delete(province);
      report(texts.failed);
      return undefined;
    }
  }

  function choose(codes: string[]): void {
    latest.current = codes;
    setChosen(codes);
  }

  /** Stores a choice and loads the lists below it. If a list has a single entry, that entry is chosen. */
  async function change(level: number, code: string): Promise<void> {
    const codes = latest.current.map((before, at) => (at < level ? before : at === level ? code : ''));
    const [province = '', city] = codes;
    choose(codes);
    if (level === 0) {
      setCities([]);
    }
    if (!code || level === 2) {
      setLoading(0);
      setNeedsButton(false);
      return;
    }
    setLoading(level + 1);
    const loaded = await load(province);
    if (latest.current !== codes) {
      return;
    }
    setLoading(0);
    if (loaded) {
      const only = (list: Region[]) => (list.length === 1 ? (list[0] as Region).code : '');
      const inCity = city || only(loaded);
      setCities(loaded);
      choose([province, inCity, only(childrenOf(loaded, inCity))]);
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, after hydration
  useLayoutEffect(() => {
    setNeedsButton(false);
    // The browser may have restored a choice, or the person may have made one, before this script loaded.
    const [province = '', city = ''] = chosen;
    if (province && cities[0]?.code.slice(0, 2) !== province.slice(0, 2)) {
      change(0, province);
    } else if (city && !childrenOf(cities, city).length) {
      change(1, city);
    }
    const narrow = matchMedia(`(max-width: ${MOBILE_WIDTH - 1}px)`);
    const suit = () => setNarrow(narrow.matches && 'HTMLDialogElement' in window); // Safari has it from 15.4
    suit();
    narrow.addListener(suit); // Safari before 14 knows no other way
    return () => narrow.removeListener(suit);
  }, []);

  // Listeners of the form, such as the draft, need an event: the browser fires one only for a choice by hand.
  const announced = useRef(chosen);
  useLayoutEffect(() => {
    if (announced.current !== chosen) {
      announced.current = chosen;
      field.current?.dispatchEvent(new Event('input', { bubbles: true }));
    }
  }, [chosen]);

  const lists = [provinces, cities, childrenOf(cities, chosen[1])];
  const path = lists.map((list, level) => list.find(({ code }) => code === chosen[level])?.name || '');
  const shown = path.filter(Boolean).join(PATH_SEPARATOR);
  return (
    <fieldset
      ref={field}
      className="field region"
      id={id}
      tabIndex={-1}
      aria-describedby={message ? `${id}-msg` : undefined}
    >
      <legend className="label">
        {`${texts.legend} `}
        {texts.optional && <span className="small muted">{texts.optional}</span>}
      </legend>
      {isNarrow && (
        <button
          className={shown ? 'input opener' : 'input opener unset'}
          type="button"
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        >
          <span lang={shown ? NAMES_LANG : props.lang}>{shown || texts.open}</span>
          <Icon path="M9 5.5l6.5 6.5L9 18.5" />
        </button>
      )}
      {isNarrow && isOpen && (
        <Sheet
          id={id}
          texts={texts}
          provinces={provinces}
          chosen={chosen}
          none={props.isRequired ? '' : texts.none}
          lang={props.lang}
          load={load}
          onChoose={([a, b, c], all) => {
            setCities(all);
            choose([a?.code || '', b?.code || '', c?.code || '']);
            setMessage('');
          }}
          onClose={() => setOpen(false)}
        />
      )}
      <div className="selects" hidden={isNarrow}>
        {props.levels.map(({ name, label, complete }, level) => (
          <div key={name}>
            <label htmlFor={name}>{label}</label>{' '}
            <select
              className="input"
              id={name}
              name={name}
              lang={NAMES_LANG}
              autoComplete={complete}
              required={props.isRequired}
              aria-invalid={(message && !hasFailed && !chosen[level]) || undefined}
              aria-describedby={message && !hasFailed && !chosen[level] ? `${id}-msg` : undefined}
              value={chosen[level]}
              onChange={({ currentTarget }) => {
                setMessage('');
                change(level, currentTarget.value);
              }}
            >
              <option value="" lang={props.lang}>
                {loading === level && level ? texts.loading : texts.choose}
              </option>{' '}
              {lists[level]?.map(({ code, name }) => (
                <option key={code} value={code}>
                  {name}
                </option>
              ))}
            </select>
          </div>
        ))}
      </div>
      <button className="button quiet" type="submit" name="action" value="region" formNoValidate hidden={!needsButton}>
        {texts.show}
      </button>{' '}
      {message && (
        <p className="msg" id={`${id}-msg`} role={hasFailed ? 'alert' : undefined}>
          {message}
        </p>
      )}
    </fieldset>
  );
}

async function citiesOf(url: string, province: string): Promise<Region[]> {
  const answer = await fetch(`${url}?parent=${province}`, { headers: { Accept: 'application/json' } });
  if (!answer.ok) {
    throw Error(`regions ${answer.status}`);
  }
  return answer.json();
}
