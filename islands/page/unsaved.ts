/** Says at the lower end of a form when something in the form is not saved. A form that was refused says so already. */
export default function watchUnsaved(bar: HTMLElement): void {
  const form = bar.closest('form');
  const note = bar.querySelector('[role=status]');
  if (!form || !note || note.textContent?.trim()) {
    return;
  }
  const typed = () =>
    JSON.stringify([...new FormData(form)].map(([name, value]) => [name, value instanceof File ? value.name : value]));
  const saved = typed();
  const show = () => {
    note.textContent = typed() === saved ? '' : (bar.dataset.unsaved ?? '');
  };
  form.addEventListener('input', show);
  form.addEventListener('change', show); // of a file
}
