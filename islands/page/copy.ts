import { toast } from './toast';

/**
 * Reveals a button that copies its own text or that of an element, without spaces if the button says so, and confirms
 * the copy.
 */
export default function watchCopy(button: HTMLElement): void {
  const { copy = '', text: own } = button.dataset;
  const source = document.getElementById(copy);
  if (!navigator.clipboard || !(source || own)) {
    return; // plain http, old WebViews: the text can be selected
  }
  button.hidden = false;
  button.addEventListener('click', async () => {
    const text = own || ((source as HTMLInputElement).value ?? source?.textContent ?? '');
    try {
      await navigator.clipboard.writeText('digits' in button.dataset ? text.replace(/\D/g, '') : text);
      toast(button.dataset.copied ?? '');
    } catch {
      source && getSelection()?.selectAllChildren(source); // copying was refused: the person copies the selection
    }
  });
}
