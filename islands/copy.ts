import { toast } from './toast';

/** Reveals each button that copies the text of an element, without spaces where it says so, and tells that it was copied. */
export function watchCopies(root: ParentNode = document): void {
  if (!navigator.clipboard) {
    return; // plain http, old WebViews: the text can be selected
  }
  for (const button of root.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const source = document.getElementById(button.dataset.copy ?? '');
    if (!source) continue;
    button.hidden = false;
    button.addEventListener('click', async () => {
      const text = source.textContent ?? '';
      try {
        await navigator.clipboard.writeText('digits' in button.dataset ? text.replace(/\D/g, '') : text);
        toast(button.dataset.copied ?? '');
      } catch {
        getSelection()?.selectAllChildren(source); // not allowed: one copies by hand
      }
    });
  }
}
