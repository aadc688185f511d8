import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sendOnce } from './submit-once';

let spoken: Element;

beforeAll(() => {
  sendOnce();
  spoken = document.querySelector('[role=status]') as Element;
});

beforeEach(() => {
  document.body.innerHTML = `
    <form id="one" method="post">
      <input name="phone" value="138">
      <button id="main" name="action" value="login" data-busy="登录中"><svg></svg> 登录</button>
      <button id="code" name="action" value="send_code" formnovalidate>获取验证码</button>
      <button id="es" name="lang" value="es">Español</button>
      <input id="old" type="submit" name="old" value="Go" data-busy="Going">
    </form>
    <form id="two"><button>x</button></form>`;
});

const at = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

/** Submits as a press of `button` does; says whether the form would go, and with what data. */
function press(button: string | null, form = 'one'): { sent: boolean; data: string } {
  const submitter = button ? at<HTMLButtonElement>(button) : null;
  const event = new SubmitEvent('submit', { bubbles: true, cancelable: true, submitter });
  at(form).dispatchEvent(event);
  const data = new FormData(at<HTMLFormElement>(form));
  if (submitter && !submitter.disabled) {
    data.append(submitter.name, submitter.value); // as the browser does, after the event
  }
  return {
    sent: !event.defaultPrevented,
    data: new URLSearchParams(data as unknown as Record<string, string>).toString(),
  };
}

function comeBack(persisted: boolean): void {
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
}

describe('a pressed button', () => {
  test('shows within the tick that it works, in its own words', () => {
    expect(press('main').sent).toBe(true);
    const button = at('main');
    expect(button.getAttribute('aria-busy')).toBe('true');
    expect(button.classList.contains('busy')).toBe(true);
    expect(button.textContent).toBe('登录中');
    expect(at('code').hasAttribute('aria-busy')).toBe(false);
  });

  test('says so aloud, until the page comes back', () => {
    comeBack(true); // from the test before
    press('main');
    expect(spoken.textContent).toBe('登录中');
    comeBack(true);
    expect(spoken.textContent).toBe('');
  });

  test('keeps its label where no words are given', () => {
    press('code');
    expect(at('code').getAttribute('aria-busy')).toBe('true');
    expect(at('code').textContent).toBe('获取验证码');
  });

  test.each([
    ['main', 'phone=138&action=login'],
    ['code', 'phone=138&action=send_code'],
    ['es', 'phone=138&lang=es'],
    ['old', 'phone=138&old=Go'],
  ])('sends its own name and value: %s', (id, data) => {
    expect(press(id)).toEqual({ sent: true, data });
    expect(at<HTMLButtonElement>(id).disabled).toBe(false);
  });
});

describe('a form that is on its way', () => {
  test('is not sent again, by any of its buttons or none', () => {
    press('main');
    expect(press('main').sent).toBe(false);
    expect(press('es').sent).toBe(false);
    expect(press(null).sent).toBe(false);
    expect(at('es').hasAttribute('aria-busy')).toBe(false);
  });

  test('does not reach other listeners twice', () => {
    let heard = 0;
    at('one').addEventListener('submit', () => heard++);
    press('main');
    press('main');
    expect(heard).toBe(1);
  });

  test('does not hold up another form', () => {
    press('main');
    expect(press(null, 'two').sent).toBe(true);
  });

  test('is as it was when the page comes back from the cache', () => {
    const label = at('main').innerHTML;
    press('main');
    comeBack(true);
    expect(at('main').innerHTML).toBe(label);
    expect(at('main').hasAttribute('aria-busy')).toBe(false);
    expect(at('main').classList.contains('busy')).toBe(false);
    expect(press('main').sent).toBe(true);
  });

  test('stays so when the page merely finished loading meanwhile', () => {
    press('main');
    comeBack(false);
    expect(press('main').sent).toBe(false);
  });
});

describe('a form that does not leave the page is left alone', () => {
  test('when a script took it over', () => {
    at('one').addEventListener('submit', (event) => event.preventDefault(), { once: true });
    press('main');
    expect(at('main').hasAttribute('aria-busy')).toBe(false);
    expect(press('main').sent).toBe(true);
  });

  test.each([
    ['target', '_blank'],
    ['method', 'dialog'],
  ])('when its %s is %s', (name, value) => {
    at('one').setAttribute(name, value);
    press('main');
    expect(press('main').sent).toBe(true);
  });

  test('when its button opens another window', () => {
    at('main').setAttribute('formtarget', '_blank');
    press('main');
    expect(press('main').sent).toBe(true);
  });
});

describe('a browser that does not name the pressed button', () => {
  function pressOld(target: Element): void {
    target.dispatchEvent(new Event('click', { bubbles: true }));
    at('one').dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
  }

  test('shows the one that was clicked', () => {
    pressOld(at('main').querySelector('svg') as Element);
    expect(at('main').getAttribute('aria-busy')).toBe('true');
  });

  test('shows none when the click was elsewhere', () => {
    pressOld(at('two').querySelector('button') as Element);
    expect(document.querySelector('[aria-busy]')).toBeNull();
  });
});
