/** What the page hands in: where it answers palettes. */
type AppearanceProps = { url: string };

/** Custom properties by day and by night, and the contrasts in words. */
type Palette = { light: Record<string, string>; dark: Record<string, string>; ratios: string[] };

/** How long a colour rests before its palette is asked for, in milliseconds. */
export const REST_MS = 200;

/** Makes the preview of a company's colour and name follow what is typed; the server computes the palette. */
export function watchAppearance(root: ParentNode = document): void {
  for (const form of root.querySelectorAll<HTMLFormElement>('form[data-island=appearance]')) {
    watch(form, JSON.parse(form.dataset.props || '{}'));
    form.dataset.ready = '';
  }
}

function watch(form: HTMLFormElement, { url }: AppearanceProps): void {
  const find = <T extends Element>(selector: string) => form.querySelector(selector) as T;
  const theme = find<HTMLInputElement>('[name=theme]');
  const name = find<HTMLInputElement>('[name=name]');
  const picker = find<HTMLInputElement>('[data-picker]');
  const preview = find<HTMLElement>('.preview');
  const lines = find<HTMLElement>('.ratios').children;
  const night = matchMedia('(prefers-color-scheme: dark)');
  let timer: ReturnType<typeof setTimeout>;
  let limit = new AbortController();
  let palette: Palette | undefined;

  function paint(): void {
    if (palette) {
      for (const [property, value] of Object.entries(palette[night.matches ? 'dark' : 'light'])) {
        preview.style.setProperty(property, value);
      }
    }
  }

  async function ask(): Promise<void> {
    limit.abort();
    limit = new AbortController();
    const token = find<HTMLInputElement>('[name=token]').value;
    const body = new URLSearchParams({ theme: theme.value, token });
    const headers = { Accept: 'application/json' };
    const answer = await fetch(url, {
      method: 'POST',
      credentials: 'same-origin',
      headers,
      body,
      signal: limit.signal,
    });
    if (!answer.ok) {
      return; // half a colour: the last whole one stays
    }
    const fresh: Palette = await answer.json();
    palette = fresh;
    paint();
    fresh.ratios.forEach((text, i) => {
      const line = lines[i];
      if (line) {
        line.textContent = text;
      }
    });
  }

  function askSoon(): void {
    clearTimeout(timer);
    timer = setTimeout(() => ask().catch(() => {}), REST_MS); // no answer: the button still sends the form
  }

  function showName(): void {
    const text = name.value.trim() || name.defaultValue;
    find('[data-name]').textContent = text;
    const mark = find('.preview .mark');
    if (!mark.querySelector('img')) {
      mark.textContent = [...text][0] || '';
    }
  }

  picker.addEventListener('input', () => {
    theme.value = picker.value.slice(1);
    askSoon();
  });
  theme.addEventListener('input', () => {
    const [, hex] = /^#?([\da-f]{6})$/i.exec(theme.value.trim()) || [];
    if (hex) {
      picker.value = `#${hex.toLowerCase()}`;
    }
    if (hex || !theme.value.trim()) {
      askSoon();
    }
  });
  name.addEventListener('input', showName);
  night.addEventListener?.('change', paint); // Safari 14
  picker.hidden = false;
  find<HTMLButtonElement>('[data-preview]').hidden = true;
  if (theme.value !== theme.defaultValue) {
    askSoon(); // typed before this script came
  }
  showName();
}
