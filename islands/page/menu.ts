/**
 * Closes an opened menu (`<details>`) when the person presses Escape, or presses or moves the focus elsewhere. Without
 * this script a press on the menu's own button closes it.
 */
export default function watchMenu(menu: HTMLElement): void {
  const details = menu as HTMLDetailsElement;
  function closeOutside({ target }: Event): void {
    if (!details.isConnected) {
      document.removeEventListener('click', closeOutside); // the part of the page with the menu was renewed
      document.removeEventListener('focusin', closeOutside);
    } else if (!details.contains(target as Node)) {
      details.open = false;
    }
  }
  document.addEventListener('click', closeOutside);
  document.addEventListener('focusin', closeOutside);
  details.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && details.open) {
      details.open = false;
      details.querySelector('summary')?.focus();
    }
  });
}
