import { toast } from './toast';

/**
 * Reveals a button that copies the text of an element, without spaces if the button says so, and confirms the copy.
 */
export default function watchCopy(button: HTMLElement): void {
  const source = document.getElementById(button.dataset.copy ?? '');
  if (!navigator.clipboard || !source) {
    return; // plain http, old WebViews: the text can be selected
  }
  button.hidden = false;
  button.addEventListener('click', async () => {
    const text = source.textContent ?? '';
    try {
      await navigator.clipboard.writeText('digits' in button.dataset ? text.replace(/\D/g, '') : text);
      toast(button.dataset.copied ?? '');
    } catch {
      getSelection()?.selectAllChildren(source); // copying was refused: the person copies the selection
    }
  });
}
