import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import watchCart, { type CartAnswer, PAUSE } from './cart';

let answer: CartAnswer;
let sent: string[][];

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  answer = {
    count: 1,
    counted: '1 product in the cart',
    goods: '1 product',
    total: '¥3.00',
    lines: { 7: { quantity: 3, total: '¥3.00' } },
  };
  vi.stubGlobal('fetch', (url: string, { body }: { body: URLSearchParams }) => {
    sent.push([url, `${body}`]);
    return Promise.resolve({ json: () => Promise.resolve(answer) });
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function shop(quantity = '0') {
  document.body.innerHTML = `<div><ul><li><form action="/shop/products" method="post">
    <input type="hidden" name="token" value="t"><span class="stepper" data-product="7">
    <button class="step-by" name="less" value="7">-</button>
    <input name="quantity_7" maxlength="4" value="${quantity}">
    <button class="step-by" name="more" value="7"><b>+</b></button></span></form><p class="msg" hidden></p></li></ul>
    <div class="cart-bar" hidden><i data-goods></i><i data-total></i><a href="/shop/cart">Cart</a></div></div>`;
  const root = document.querySelector('div') as HTMLElement;
  watchCart(root);
  return {
    root,
    field: root.querySelector('[name=quantity_7]') as HTMLInputElement,
    message: root.querySelector('.msg') as HTMLElement,
    bar: root.querySelector('.cart-bar') as HTMLElement,
    press: (name: string) => root.querySelector<HTMLElement>(`[name=${name}]`)?.click(),
  };
}

test('several presses send one quantity, and the bar shows the cart', async () => {
  const { press, field, bar } = shop();
  press('more');
  press('more');
  press('more');
  expect(field.value).toBe('3');
  await vi.advanceTimersByTimeAsync(PAUSE - 1);
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toEqual([['/shop/products', 'quantity_7=3&token=t&form=']]);
  expect([bar.hidden, bar.textContent]).toEqual([false, '1 product¥3.00Cart']);
});

test('a product that is not in the cart has only the button that adds one', async () => {
  const { press, field } = shop();
  const stepper = field.closest('.stepper') as HTMLElement;
  press('more');
  expect(stepper.classList.contains('none')).toBe(false);
  const less = stepper.querySelector<HTMLElement>('[name=less]');
  less?.focus();
  less?.click();
  expect(stepper.classList.contains('none')).toBe(true);
  expect(document.activeElement).toBe(stepper.querySelector('[name=more]'));
  await vi.advanceTimersByTimeAsync(PAUSE);
});

test('a quantity does not fall below 0 or rise above the largest', async () => {
  const { press, field } = shop('9999');
  press('more');
  expect(field.value).toBe('9999');
  field.value = 'x';
  press('less');
  expect(field.value).toBe('0');
  await vi.advanceTimersByTimeAsync(PAUSE);
});

test('a typed quantity is sent at once, and a refused one stays with its message', async () => {
  const { field, message } = shop();
  answer = { ...answer, count: 0, message: 'Too many.' };
  field.value = '500';
  field.dispatchEvent(new Event('change', { bubbles: true }));
  await vi.advanceTimersByTimeAsync(0);
  expect(sent[0]?.[1]).toContain('quantity_7=500');
  expect([field.value, message.textContent, message.hidden]).toEqual(['500', 'Too many.', false]);
  expect(field.getAttribute('aria-invalid')).toBe('true');
  answer = { ...answer, count: 1, message: undefined };
  field.value = '3';
  field.dispatchEvent(new Event('change', { bubbles: true }));
  await vi.advanceTimersByTimeAsync(0);
  expect([message.hidden, field.hasAttribute('aria-invalid')]).toEqual([true, false]);
});

test('Enter sends the quantity and not the form', async () => {
  const { field } = shop();
  field.value = '2';
  const enter = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true });
  field.dispatchEvent(enter);
  await vi.advanceTimersByTimeAsync(0);
  expect([enter.defaultPrevented, sent.length]).toEqual([true, 1]);
});

test('a quantity that Enter has sent is not sent again when the field is left', async () => {
  const { field } = shop();
  field.value = '3';
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  await vi.advanceTimersByTimeAsync(0);
  field.dispatchEvent(new Event('change', { bubbles: true }));
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toHaveLength(1);
});

test('a quantity that waits for the answer to another is sent when the page is left', async () => {
  const { press, field } = shop();
  vi.stubGlobal('fetch', (url: string, { body }: { body: URLSearchParams }) => {
    sent.push([url, `${body}`]);
    return new Promise(() => {});
  });
  press('more');
  await vi.advanceTimersByTimeAsync(PAUSE);
  field.value = '8';
  field.dispatchEvent(new Event('change', { bubbles: true }));
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toHaveLength(1);
  dispatchEvent(new Event('pagehide'));
  expect(sent.map(([, body]) => body?.split('&')[0])).toEqual(['quantity_7=1', 'quantity_7=8']);
});

test('what is typed or pressed while an answer is on its way stays, and is sent', async () => {
  const { field, press } = shop();
  const answers: (() => void)[] = [];
  vi.stubGlobal('fetch', (url: string, { body }: { body: URLSearchParams }) => {
    sent.push([url, `${body}`]);
    const quantity = Number(body.get('quantity_7'));
    const said = { ...answer, lines: { 7: { quantity, total: '' } } };
    return new Promise((resolve) => answers.push(() => resolve({ json: () => Promise.resolve(said) })));
  });
  press('more');
  await vi.advanceTimersByTimeAsync(PAUSE);
  press('more');
  await vi.advanceTimersByTimeAsync(PAUSE); // its turn comes after the first answer
  answers[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(field.value).toBe('2');
  field.value = '25'; // typed, and not sent yet
  answers[1]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(field.value).toBe('25');
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  await vi.advanceTimersByTimeAsync(0);
  expect(sent.map(([, body]) => body?.split('&')[0])).toEqual(['quantity_7=1', 'quantity_7=2', 'quantity_7=25']);
});

test('without an answer the form goes as it would without scripts', async () => {
  const { press, field } = shop();
  const submit = vi.spyOn(field.form as HTMLFormElement, 'submit').mockImplementation(() => {});
  vi.stubGlobal('fetch', () => Promise.reject(new Error('offline')));
  press('more');
  await vi.advanceTimersByTimeAsync(PAUSE);
  expect(submit).toHaveBeenCalledOnce();
});

test('a form with a button named action is sent to its address', async () => {
  const { press, field } = shop();
  field.form?.insertAdjacentHTML('beforeend', '<button name="action" value="order">Order</button>');
  press('more');
  await vi.advanceTimersByTimeAsync(PAUSE);
  expect(sent[0]?.[0]).toBe('/shop/products');
});

test('what was pressed last is sent when the page is left, and not with an order', async () => {
  const { press, root } = shop();
  press('more');
  dispatchEvent(new Event('pagehide'));
  await vi.advanceTimersByTimeAsync(0);
  expect(sent.length).toBe(1);
  press('more');
  root.dispatchEvent(new Event('submit', { bubbles: true }));
  await vi.advanceTimersByTimeAsync(PAUSE);
  expect(sent.length).toBe(1);
});

test('the menu says how many products are in the cart', async () => {
  const { field } = shop();
  const menu = document.body.appendChild(document.createElement('span'));
  menu.id = 'waiting-cart';
  field.value = '3';
  field.dispatchEvent(new Event('change', { bubbles: true }));
  await vi.advanceTimersByTimeAsync(0);
  expect([menu.querySelector('.count')?.textContent, menu.textContent]).toEqual(['1', '11 product in the cart']);
  answer = { ...answer, count: 0 };
  field.value = '0';
  field.dispatchEvent(new Event('change', { bubbles: true }));
  await vi.advanceTimersByTimeAsync(0);
  expect(menu.innerHTML).toBe('');
});

test('quantities are sent before another part of the shop is asked for', async () => {
  const { press } = shop();
  press('more');
  const fetch = vi.fn(async () => expect(sent).toHaveLength(1));
  const ctx: { fetch: (address: string) => Promise<void> } = { fetch };
  document.dispatchEvent(new CustomEvent('htmx:before:request', { detail: { ctx } }));
  expect(sent).toEqual([]);
  const asked = ctx.fetch('/shop?q=x');
  await vi.advanceTimersByTimeAsync(0);
  await asked;
  expect(fetch).toHaveBeenCalledTimes(1);
  expect(sent.map(([, body]) => body?.split('&')[0])).toEqual(['quantity_7=1']);
});
