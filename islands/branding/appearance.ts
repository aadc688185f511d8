/** What the page hands in: where it answers palettes. */
type AppearanceProps = { url: string };

/** Custom properties by day and by night, and the contrasts in words. */
type Palette = { light: Record<string, string>; dark: Record<string, string>; ratios: string[] };

/** How long a colour rests before its palette is asked for, in milliseconds. */
export const REST_MS = 200;

/** Makes the previews of a company's colours and name follow what is typed; the server computes the palettes. */
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

  const askSkin = watchColour(
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
      askSkin();
    }
  });
  name.addEventListener('input', showName);
  find<HTMLButtonElement>('[data-preview]').hidden = true;
  showName();
}

/** Has a sample follow a colour; an empty one follows another. Gives what asks again. */
function watchColour(
  form: HTMLElement,
  url: string,
  field: HTMLInputElement,
  sample: HTMLElement,
  picker: HTMLInputElement,
  otherwise: () => string = () => '',
  told: (palette: Palette) => void = () => {},
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

  async function ask(): Promise<void> {
    limit.abort();
    limit = new AbortController();
    const token = (form.querySelector('[name=token]') as HTMLInputElement).value;
    const body = new URLSearchParams({ theme: field.value.trim() || otherwise(), token });
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
    palette = (await answer.json()) as Palette;
    paint();
    told(palette);
  }

  function askSoon(): void {
    clearTimeout(timer);
    timer = setTimeout(() => ask().catch(() => {}), REST_MS); // no answer: the button still sends the form
  }

  picker.addEventListener('input', () => {
    field.value = picker.value.slice(1);
    askSoon();
  });
  field.addEventListener('input', () => {
    const [, hex] = /^#?([\da-f]{6})$/i.exec(field.value.trim()) || [];
    if (hex) {
      picker.value = `#${hex.toLowerCase()}`;
    }
    if (hex || !field.value.trim()) {
      askSoon();
    }
  });
  night.addEventListener?.('change', paint); // Safari 14
  picker.hidden = false;
  if (field.value !== field.defaultValue) {
    askSoon(); // typed before this script came
  }
  return askSoon;
}
