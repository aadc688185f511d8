import { expect, test } from 'vitest';
import watchLicence from './licence';

test('the buttons enlarge the picture and turn it by quarters', () => {
  document.body.innerHTML =
    '<figure><img alt=""><figcaption><span hidden><button aria-pressed="false"></button><button></button></span>' +
    '</figcaption></figure>';
  const buttons = document.querySelector('span') as HTMLElement;
  watchLicence(buttons);
  expect(buttons.hidden).toBe(false);
  const [zoom, turn] = document.querySelectorAll('button') as unknown as [HTMLButtonElement, HTMLButtonElement];
  const figure = document.querySelector('figure') as HTMLElement;
  zoom.click();
  expect([figure.className, zoom.getAttribute('aria-pressed')]).toEqual(['zoomed', 'true']);
  zoom.click();
  expect([figure.className, zoom.getAttribute('aria-pressed')]).toEqual(['', 'false']);
  turn.click();
  turn.click();
  expect(document.querySelector('img')?.style.transform).toBe('rotate(180deg) scale(1)');
});

test('without a picture the buttons stay hidden', () => {
  document.body.innerHTML = '<figure><span hidden><button></button><button></button></span></figure>';
  const buttons = document.querySelector('span') as HTMLElement;
  watchLicence(buttons);
  expect(buttons.hidden).toBe(true);
});
