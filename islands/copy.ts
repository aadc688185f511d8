/** Reveals each button that copies the text of an element, and says on it that it was copied. */
export function watchCopies(root: ParentNode = document): void {
  if (!navigator.clipboard) {
    return; // plain http, old WebViews: the text can be selected
  }
  for (const button of root.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const source = document.getElementById(button.dataset.copy ?? '');
    if (!source) continue;
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(source.textContent ?? '');
        button.textContent = button.dataset.copied ?? label;
        setTimeout(() => {
          button.textContent = label;
        }, 3_000);
      } catch {
        getSelection()?.selectAllChildren(source); // not allowed: one copies by hand
      }
    });
  }
}
