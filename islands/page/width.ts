/**
 * Keeps every `<input type="hidden" name="width">` at the window's width in CSS pixels. The
 * server shows phone pages below MOBILE_WIDTH.
 */
export function reportWidth(): void {
  write();
  addEventListener('resize', write);
  document.addEventListener('submit', write, true);
}

function write(): void {
  for (const field of document.querySelectorAll<HTMLInputElement>('input[type=hidden][name=width]')) {
    field.value = `${innerWidth}`;
  }
}
