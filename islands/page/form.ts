/** The controls of a form, fieldsets and buttons included. */
export function controls(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.elements] as HTMLInputElement[];
}

/**
 * The form's main submit button. A hidden button, which makes Enter work without scripts, does not count.
 */
export function mainButton(form: HTMLFormElement): HTMLInputElement | undefined {
  return controls(form).find(
    ({ type, formNoValidate, tabIndex }) => type === 'submit' && !formNoValidate && tabIndex >= 0,
  );
}

/** Shows the message beside a control as components/field.templ does, until the person types; '' removes it. */
export function showMessage(control: HTMLInputElement, message: string): void {
  const id = `${control.id}-msg`;
  document.getElementById(id)?.remove();
  const notes = (control.getAttribute('aria-describedby') || '').split(' ').filter((note) => note && note !== id);
  if (message) {
    const note = document.createElement('p');
    note.className = 'msg';
    note.id = id;
    note.textContent = message;
    (control.closest('.field') as Element).append(note);
    notes.push(id);
    control.addEventListener('input', () => showMessage(control, ''), { once: true });
  }
  setOrRemove(control, 'aria-invalid', message && 'true');
  setOrRemove(control, 'aria-describedby', notes.join(' '));
}

function setOrRemove(control: Element, attribute: string, value: string): void {
  if (value) {
    control.setAttribute(attribute, value);
  } else {
    control.removeAttribute(attribute);
  }
}
