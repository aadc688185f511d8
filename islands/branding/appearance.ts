/** The address that answers a colour with its palette. */
type AppearanceProps = { url: string };

/** The custom properties of the light and the dark scheme, and the contrasts as texts. */
type Palette = { light: Record<string, string>; dark: Record<string, string>; ratios: string[] };

/** How long after the last change of a colour its palette is requested, in milliseconds. */
export const PALETTE_DELAY_MS = 200;

/** Updates the previews of a company's colours and name while the person types. The server computes the palettes. */
export default function watchAppearance(form: HTMLElement, { url }: AppearanceProps): void {
  const find = <T extends Element>(selector: string) => form.querySelector(selector) as T;
  const theme = find<HTMLInputElement>('[name=theme]');
  const skin = find<HTMLInputElement>('[name=shop_skin]');
  const name = find<HTMLInputElement>('[name=name]');
  const preview = find<HTMLElement>('.preview');

  function showName(): void {
    const text = name.value.trim() || name.defaultValue;
    find('[data-name]').textContent = text;
    const mark = find('.preview .mark');
    if (!mark.querySelector('img')) {
      mark.textContent = [...text][0] || '';
    }
  }

  const requestSkin = watchColour(
    form,
    url,
    skin,
    find('.preview-shop'),
    find('[data-picker=shop_skin]'),
    () => theme.value,
  );
  watchColour(form, url, theme, preview, find('[data-picker=theme]'), undefined, ({ ratios }) => {
    const lines = find<HTMLElement>('.ratios').children;
    ratios.forEach((text, i) => {
      const line = lines[i];
      if (line) {
        line.textContent = text;
      }
    });
    if (!skin.value.trim()) {
      requestSkin();
    }
  });
  name.addEventListener('input', showName);
  find<HTMLButtonElement>('[data-preview]').hidden = true;
  showSwatches(form, theme);
  showName();
}

/** Shows the suggested colours. Pressing one types it into `theme`. */
function showSwatches(form: HTMLElement, theme: HTMLInputElement): void {
  const swatches = form.querySelector<HTMLElement>('.swatches');
  if (!swatches) {
    return;
  }
  swatches.hidden = false;
  const buttons = [...swatches.querySelectorAll('button')];
  const mark = () => {
    const chosen = theme.value.trim().toLowerCase().replace('#', '') || buttons[0]?.value; // the first is the default
    for (const button of buttons) {
      button.setAttribute('aria-pressed', String(button.value === chosen));
    }
  };
  for (const button of buttons) {
    button.addEventListener('click', () => {
      theme.value = button.value;
      theme.dispatchEvent(new Event('input', { bubbles: true }));
    });
  }
  theme.addEventListener('input', mark);
  mark();
}

/**
 * Paints a sample in the colour of a field, or in `fallback` if the field is empty. Returns a function that repaints
 * it.
 */
function watchColour(
  form: HTMLElement,
  url: string,
  field: HTMLInputElement,
  sample: HTMLElement,
  picker: HTMLInputElement,
  fallback: () => string = () => '',
  onPalette: (palette: Palette) => void = () => {},
): () => void {
  const night = matchMedia('(prefers-color-scheme: dark)');
  let timer: ReturnType<typeof setTimeout>;
  let limit = new AbortController();
  let palette: Palette | undefined;

  function paint(): void {
    if (palette) {
      for (const [property, value] of Object.entries(palette[night.matches ? 'dark' : 'light'])) {
        sample.style.setProperty(property, value);
      }
    }
  }

  async function requestPalette(): Promise<void> {
    limit.abort();
    limit = new AbortController();
    const token = (form.querySelector('[name=token]') as HTMLInputElement).value;
    const body = new URLSearchParams({ theme: field.value.trim() || fallback(), token });
    const headers = { Accept: 'application/json' };
    const answer = await fetch(url, {
      method: 'POST',
      credentials: 'same-origin',
      headers,
      body,
      signal: limit.signal,
    });
    if (!answer.ok) {
      return; // an unfinished colour: the last complete one stays
    }
    palette = (await answer.json()) as Palette;
    paint();
    onPalette(palette);
  }

  function requestSoon(): void {
    clearTimeout(timer);
    // without an answer the button still submits the form
    timer = setTimeout(() => requestPalette().catch(() => {}), PALETTE_DELAY_MS);
  }

  picker.addEventListener('input', () => {
    field.value = picker.value.slice(1);
    requestSoon();
  });
  field.addEventListener('input', () => {
    const [, hex] = /^#?([\da-f]{6})$/i.exec(field.value.trim()) || [];
    if (hex) {
      picker.value = `#${hex.toLowerCase()}`;
    }
    if (hex || !field.value.trim()) {
      requestSoon();
    }
  });
  night.addEventListener?.('change', paint); // Safari 14
  picker.hidden = false;
  if (field.value !== field.defaultValue) {
    requestSoon(); // typed before this script loaded
  }
  return requestSoon;
}
