/**
 * Reveals the buttons that enlarge the picture of a licence and turn it by a quarter. The picture stays in its frame,
 * which can be scrolled while it is enlarged.
 */
export default function watchLicence(buttons: HTMLElement): void {
  const figure = buttons.closest('figure');
  const picture = figure?.querySelector('img');
  const [zoom, turn] = buttons.querySelectorAll('button');
  if (!figure || !picture || !zoom || !turn) {
    return;
  }
  let quarters = 0;
  buttons.hidden = false;
  zoom.addEventListener('click', () => {
    const zoomed = figure.classList.toggle('zoomed');
    zoom.setAttribute('aria-pressed', String(zoomed));
  });
  turn.addEventListener('click', () => {
    quarters += 1; // the angle grows, so that the picture always turns in the same direction
    const isTooHigh = quarters % 2 === 1 && picture.clientWidth > picture.clientHeight;
    const scale = isTooHigh ? picture.clientHeight / picture.clientWidth : 1; // the turned picture fits into its frame
    picture.style.transform = `rotate(${quarters * 90}deg) scale(${scale})`;
  });
}
