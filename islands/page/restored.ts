/**
 * Browsers keep pages for a moment to go back to, whatever their headers say: with the password still typed, or
 * still showing who was signed in. A page that comes back forgets the one and asks the server for the other.
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
