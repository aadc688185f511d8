/**
 * Browsers keep pages in the back-forward cache, whatever their headers say. A page that comes back from it clears its
 * password fields. If it shows a signed-in person, it is hidden and loaded again, because they may have signed out.
 */
export function forgetWhenRestored(): void {
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) {
      return;
    }
    for (const field of document.querySelectorAll<HTMLInputElement>('[autocomplete$="-password"]')) {
      field.value = '';
    }
    if (document.querySelector('form[action="/logout"]')) {
      document.documentElement.hidden = true;
      location.reload();
    }
  });
}
