/**
 * Shows that the script of a control failed to load, with a button that loads it again. It does so only where the
 * server wrote the texts `data-failed` and `data-again`, which are the controls that are much harder to use without
 * their script.
 */
export function offerRetry(element: HTMLElement, error: unknown, mount: () => Promise<void>): void {
  const { island, failed, again } = element.dataset;
  console.warn(island, error);
  if (!failed || !again) {
    return;
  }
  const note = document.createElement('p');
  const button = document.createElement('button');
  note.className = 'hint again';
  note.setAttribute('role', 'status');
  button.className = 'button quiet';
  button.type = 'button';
  button.textContent = again;
  button.addEventListener('click', () => {
    if (!button.classList.contains('busy')) {
      button.classList.add('busy');
      mount().then(
        () => note.remove(),
        (error) => {
          console.warn(island, error);
          button.classList.remove('busy');
        },
      );
    }
  });
  element.after(note);
  note.append(`${failed} `, button); // after the note is in the page, or screen readers stay silent
}
