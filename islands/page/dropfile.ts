/**
 * Shows the name of the file that was chosen or dropped, and the picture if it is one. The control covers its frame, so
 * that browsers take a drop anywhere on it.
 */
export default function watchDropFile(frame: HTMLElement): void {
  const find = <T extends Element>(selector: string) => frame.querySelector(selector) as T;
  const input = find<HTMLInputElement>('[type=file]');
  const name = find<HTMLElement>('[data-file]');
  const shown = find<HTMLElement>('.drop-shown');
  const [words, before] = [name.textContent, [...shown.childNodes]];

  function show(): void {
    const file = input.files?.[0];
    name.textContent = file ? file.name : words;
    frame.classList.toggle('has-file', !!file);
    shown.textContent = '';
    if (file?.type.startsWith('image/')) {
      const picture = new Image();
      picture.alt = '';
      shown.append(picture);
      const reader = new FileReader(); // the page's policy allows no object URLs
      reader.onload = () => {
        picture.src = String(reader.result);
      };
      reader.readAsDataURL(file);
    } else {
      shown.append(...before);
    }
  }

  for (const [event, isOver] of Object.entries({ dragover: true, dragleave: false, drop: false })) {
    frame.addEventListener(event, () => frame.classList.toggle('over', isOver));
  }
  input.addEventListener('change', show);
  find<HTMLElement>('.drop-words').hidden = false;
  if (input.files?.length) {
    show(); // chosen before this script loaded
  }
}
