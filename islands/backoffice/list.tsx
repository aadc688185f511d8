import { useEffect, useRef, useState } from 'react';
import { useListener } from '../page/components';
import { RENEWED_EVENT } from '../renewed';

/** The texts. `count` contains `{num}`. `keys` are the keys with what they do. */
export type ListProps = {
  count: string;
  all: string;
  none: string;
  heading: string;
  close: string;
  keys: [string, string][];
};

const find = <E extends Element>(selector: string): E | null => document.querySelector<E>(selector);
const boxes = () => [...document.querySelectorAll<HTMLInputElement>('.pick [name=id]')];
const links = () => [...document.querySelectorAll<HTMLAnchorElement>('.listed tbody th a')];

/** Reports whether a control takes the letters that are typed. */
function takesLetters(target: EventTarget | null): boolean {
  const element = target as HTMLElement;
  return element.isContentEditable || element.matches?.('textarea, select, input:not([type=checkbox])') === true;
}

/**
 * Improves a list of the back office: rows can be chosen by ranges and keys, and a dialog lists the keys. The server's
 * table stays; this renders only the dialog.
 */
export default function ListTools({ count, all, none, heading, close, keys }: ListProps) {
  const [isReady, setReady] = useState(false);
  const help = useRef<HTMLDialogElement>(null);
  const hint = useRef('');
  const last = useRef<HTMLInputElement>(null);

  /** Says how many rows are chosen, and what the link beside it does. */
  function showChosen(): void {
    const status = find('.actbar [role=status]');
    const link = find('.actbar .all');
    if (!status || !link) {
      return;
    }
    const chosen = boxes().filter((box) => box.checked).length;
    hint.current ||= status.textContent || '';
    status.textContent = chosen ? count.replace('{num}', String(chosen)) : hint.current;
    link.textContent = chosen === boxes().length ? none : all;
    const head = find<HTMLInputElement>('.pick [data-all]');
    const box = find<HTMLElement>('.pick .box');
    if (head?.parentElement && box) {
      box.hidden = true; // it takes the place of the link, so that no row moves
      head.parentElement.hidden = false;
      head.checked = chosen === boxes().length;
      head.indeterminate = chosen > 0 && !head.checked;
    }
  }

  function choose({ target, shiftKey }: MouseEvent): void {
    const box = target as HTMLInputElement;
    const listed = boxes();
    const [from, to] = [last.current ? listed.indexOf(last.current) : -1, listed.indexOf(box)];
    if (to < 0) {
      return;
    }
    if (shiftKey && from >= 0) {
      for (const between of listed.slice(Math.min(from, to), Math.max(from, to) + 1)) {
        between.checked = box.checked;
      }
    }
    last.current = box;
    showChosen();
  }

  function chooseAll(event: MouseEvent): void {
    const target = event.target as Element;
    const head = target.closest?.<HTMLInputElement>('.pick [data-all]');
    if (event.ctrlKey || event.metaKey || !(head || target.closest?.('.choosing .all'))) {
      return;
    }
    if (!head) {
      event.preventDefault();
    }
    const isAll = head ? head.checked : !boxes().every((box) => box.checked);
    for (const box of boxes()) {
      box.checked = isAll;
    }
    showChosen();
  }

  /** The place of the row that has the focus, -1 for none. */
  const current = () => links().findIndex((link) => link.closest('tr')?.contains(document.activeElement));

  function move(by: number): void {
    const at = current();
    links()[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links().length - 1)]?.focus();
  }

  const actions: Record<string, () => void> = {
    '/': () => {
      find<HTMLInputElement>('#q')?.focus();
      find<HTMLInputElement>('#q')?.select();
    },
    j: () => move(1),
    k: () => move(-1),
    x: () => links()[current()]?.closest('tr')?.querySelector<HTMLInputElement>('[name=id]')?.click(),
    '?': () => help.current?.showModal?.(),
  };

  function press(event: KeyboardEvent): void {
    const isSpace = event.key === ' ' && links().includes(document.activeElement as HTMLAnchorElement);
    const act = actions[isSpace ? 'x' : event.key];
    const isHeld = event.ctrlKey || event.metaKey || event.altKey || event.isComposing;
    if (act && !isHeld && !event.defaultPrevented && !find('dialog[open]') && !takesLetters(event.target)) {
      event.preventDefault();
      act();
    }
  }

  useListener<MouseEvent>(() => document, 'click', choose);
  useListener<MouseEvent>(() => document, 'click', chooseAll);
  useListener<KeyboardEvent>(() => document, 'keydown', press);
  useListener<Event>(() => document, RENEWED_EVENT, showChosen);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only at the beginning, for rows that the address chose
  useEffect(() => {
    setReady(typeof HTMLDialogElement === 'function');
    showChosen();
  }, []);

  return (
    isReady && (
      <>
        <button
          className="button quiet"
          type="button"
          aria-haspopup="dialog"
          aria-label={heading}
          title={heading}
          onClick={() => help.current?.showModal()}
        >
          ?
        </button>
        <dialog ref={help} className="keys" aria-labelledby="keys-heading">
          <h2 id="keys-heading">{heading}</h2>
          <dl>
            {keys.map(([key, what]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <button className="button quiet" type="button" onClick={() => help.current?.close()}>
            {close}
          </button>
        </dialog>
      </>
    )
  );
}
