/**
 * Puts the cursor into the text of a form that the person opens (`<details>`), and the whole form into view. A form
 * that is open from the beginning stays as the page shows it.
 */
export default function watchRejection(element: HTMLElement): void {
  const details = element as HTMLDetailsElement;
  details.addEventListener('toggle', () => {
    const text = details.querySelector('textarea');
    if (details.open && text) {
      text.focus({ preventScroll: true });
      details.scrollIntoView({ block: 'nearest' });
    }
  });
}
