/**
 * Says that a control stays as plain as the server wrote it, with a button that fetches its script again: where the
 * server gave the words, `data-failed` and `data-again`, for that is where the plain one is much harder to use.
 * Elsewhere nobody is told.
 */
export function offerAgain(element: HTMLElement, error: unknown, mount: () => Promise<void>): void {
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
  note.append(`${failed} `, button); // after it is in the page, or it is not said
}
