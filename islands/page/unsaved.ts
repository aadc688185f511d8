/** Says in the save bar of a form whether the form has unsaved changes. A refused form says so from the server. */
export default function watchUnsaved(bar: HTMLElement): void {
  const form = bar.closest('form');
  const note = bar.querySelector('[role=status]');
  if (!form || !note || note.textContent?.trim()) {
    return;
  }
  const values = () =>
    JSON.stringify([...new FormData(form)].map(([name, value]) => [name, value instanceof File ? value.name : value]));
  const saved = values();
  const show = () => {
    note.textContent = values() === saved ? '' : (bar.dataset.unsaved ?? '');
  };
  form.addEventListener('input', show);
  form.addEventListener('change', show); // of a file
}
