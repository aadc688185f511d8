/**
 * Keeps every `<input type="hidden" name="width">` at the window's width in CSS pixels: from it the
 * server tells a phone from a desktop (spec section 9: mobile below 750 px).
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
