/**
 * Reveals the eye of each password field and lets it show and hide what is typed. The button is rendered
 * `hidden` by the server, so that without scripts nothing is offered that does not work. The password is
 * hidden again when its form is sent, so that browsers offer to keep it.
 */
export function watchPeeks(root: ParentNode = document): void {
  for (const eye of root.querySelectorAll<HTMLButtonElement>('button[data-peek]')) {
    const field = document.getElementById(eye.dataset.peek ?? '');
    if (!(field instanceof HTMLInputElement)) continue;
    const labels = [eye.getAttribute('aria-label') ?? '', eye.dataset.hide ?? ''];
    const show = (shown: boolean) => {
      field.type = shown ? 'text' : 'password';
      eye.setAttribute('aria-label', labels[Number(shown)] ?? '');
    };
    eye.hidden = false;
    eye.addEventListener('click', () => {
      show(field.type === 'password');
      field.focus();
    });
    field.form?.addEventListener('submit', () => show(false));
  }
}
