import { KEYS } from '../constants';

const MAX_INT64 = '9223372036854775807';

/**
 * Copies what the page contains to local storage, for native wrappers. `[data-mirror-clear]` removes all eleven keys.
 * Then each key in the JSON of a `[data-mirror]` attribute is written (null: removed), and then the share ids `u` and
 * `c` of `query`. Never throws: in private mode nothing is written.
 */
export function mirror(query: string): void {
  if (document.querySelector('[data-mirror-clear]')) {
    for (const key of KEYS) {
      store(key, null);
    }
  }
  for (const element of document.querySelectorAll('[data-mirror]')) {
    const values = parse(element.getAttribute('data-mirror'));
    for (const key of KEYS) {
      if (key in values) {
        store(key, values[key]);
      }
    }
  }
  const parameters = new URLSearchParams(query);
  keepShareId('shareUserId', parameters.get('u'));
  keepShareId('shareClientId', parameters.get('c'));
}

function keepShareId(key: string, id: string | null): void {
  if (id !== null) {
    store(key, isId(id) ? id : null);
  }
}

/** Whether `text` is a decimal integer from 0 to the largest int64, in at most 19 digits. */
export function isId(text: string): boolean {
  return /^\d{1,19}$/.test(text) && text.padStart(19, '0') <= MAX_INT64;
}

function parse(json: string | null): Record<string, unknown> {
  try {
    return Object(JSON.parse(json as string));
  } catch {
    return {};
  }
}

function store(key: string, value: unknown): void {
  try {
    if (value === null) {
      localStorage.removeItem(key);
    } else {
      localStorage.setItem(key, typeof value === 'string' ? value : JSON.stringify(value));
    }
  } catch {
    // private mode, storage switched off or full: the page works without it
  }
}
