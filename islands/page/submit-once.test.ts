import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { submitOnce } from './submit-once';

let liveRegion: Element;

beforeAll(() => {
  submitOnce();
  liveRegion = document.querySelector('[role=status]') as Element;
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

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

/** Submits the form as a press of `button` does. Returns whether the form is sent, and with what data. */
function press(button: string | null, form = 'one'): { sent: boolean; data: string } {
  const submitter = button ? byId<HTMLButtonElement>(button) : null;
  const event = new SubmitEvent('submit', { bubbles: true, cancelable: true, submitter });
  byId(form).dispatchEvent(event);
  const data = new FormData(byId<HTMLFormElement>(form));
  if (submitter && !submitter.disabled) {
    data.append(submitter.name, submitter.value); // as the browser does, after the event
  }
  return {
    sent: !event.defaultPrevented,
    data: new URLSearchParams(data as unknown as Record<string, string>).toString(),
  };
}

/** Fires the event of a page that is shown; `persisted`: from the back-forward cache. */
function firePageshow(persisted: boolean): void {
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
}

describe('a pressed button', () => {
  test('becomes busy at once and shows its own text', () => {
    expect(press('main').sent).toBe(true);
    const button = byId('main');
    expect(button.getAttribute('aria-busy')).toBe('true');
    expect(button.classList.contains('busy')).toBe(true);
    expect(button.textContent).toBe('登录中');
    expect(byId('code').hasAttribute('aria-busy')).toBe(false);
  });

  test('is announced until the page comes back', () => {
    firePageshow(true); // from the test before
    press('main');
    expect(liveRegion.textContent).toBe('登录中');
    firePageshow(true);
    expect(liveRegion.textContent).toBe('');
  });

  test('keeps its label if it has no busy text', () => {
    press('code');
    expect(byId('code').getAttribute('aria-busy')).toBe('true');
    expect(byId('code').textContent).toBe('获取验证码');
  });

  test.each([
    ['main', 'phone=138&action=login'],
    ['code', 'phone=138&action=send_code'],
    ['es', 'phone=138&lang=es'],
    ['old', 'phone=138&old=Go'],
  ])('is submitted with its name and value: %s', (id, data) => {
    expect(press(id)).toEqual({ sent: true, data });
    expect(byId<HTMLButtonElement>(id).disabled).toBe(false);
  });
});

describe('a form that is being submitted', () => {
  test('is not submitted again, with any button or none', () => {
    press('main');
    expect(press('main').sent).toBe(false);
    expect(press('es').sent).toBe(false);
    expect(press(null).sent).toBe(false);
    expect(byId('es').hasAttribute('aria-busy')).toBe(false);
  });

  test('does not call other listeners twice', () => {
    let submitCount = 0;
    byId('one').addEventListener('submit', () => submitCount++);
    press('main');
    press('main');
    expect(submitCount).toBe(1);
  });

  test('does not block another form', () => {
    press('main');
    expect(press(null, 'two').sent).toBe(true);
  });

  test('is restored when the page comes back from the cache', () => {
    const label = byId('main').innerHTML;
    press('main');
    firePageshow(true);
    expect(byId('main').innerHTML).toBe(label);
    expect(byId('main').hasAttribute('aria-busy')).toBe(false);
    expect(byId('main').classList.contains('busy')).toBe(false);
    expect(press('main').sent).toBe(true);
  });

  test('stays blocked when the page merely finishes loading', () => {
    press('main');
    firePageshow(false);
    expect(press('main').sent).toBe(false);
  });
});

describe('a form that does not leave the page is not blocked', () => {
  test('when a script handles the submit', () => {
    byId('one').addEventListener('submit', (event) => event.preventDefault(), { once: true });
    press('main');
    expect(byId('main').hasAttribute('aria-busy')).toBe(false);
    expect(press('main').sent).toBe(true);
  });

  test.each([
    ['target', '_blank'],
    ['method', 'dialog'],
  ])('when its %s is %s', (name, value) => {
    byId('one').setAttribute(name, value);
    press('main');
    expect(press('main').sent).toBe(true);
  });

  test('when its button opens another window', () => {
    byId('main').setAttribute('formtarget', '_blank');
    press('main');
    expect(press('main').sent).toBe(true);
  });
});

describe('a browser that does not name the pressed button', () => {
  function pressOld(target: Element): void {
    target.dispatchEvent(new Event('click', { bubbles: true }));
    byId('one').dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
  }

  test('marks the clicked button as busy', () => {
    pressOld(byId('main').querySelector('svg') as Element);
    expect(byId('main').getAttribute('aria-busy')).toBe('true');
  });

  test('marks no button when another form was clicked', () => {
    pressOld(byId('two').querySelector('button') as Element);
    expect(document.querySelector('[aria-busy]')).toBeNull();
  });
});
