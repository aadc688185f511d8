/**
 * Shows the eye button of each password field, which shows and hides the password. The server renders the button
 * `hidden`, because it does not work without scripts. The password is hidden again when the form is submitted, so that
 * browsers offer to save it.
 */
export function watchShowPassword(root: ParentNode = document): void {
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
