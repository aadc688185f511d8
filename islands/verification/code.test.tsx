import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { doing, hydrate } from '../testing';
import * as island from './code';
import {
  answering,
  answerWith,
  asked,
  at,
  comeBack,
  form,
  hint,
  look,
  NOW,
  offline,
  page,
  pass,
  press,
  refusing,
  SENT,
  sendButton,
  settle,
  silent,
  start,
  submitted,
  TEXTS,
  type,
} from './code-testing';

describe('asking for a code', () => {
  test('is a same-origin POST of what the server named and what is hidden, and nothing else', async () => {
    start({
      props: { send: ['phone', 'who', 'agree', 'secret', 'shown'] },
      more: `<input name="name" value="not asked for">
        <input type="radio" name="who" value="a"><input type="radio" name="who" value="b" checked>
        <input type="checkbox" name="agree" value="1">
        <input type="hidden" name="purpose" value="another"><input type="hidden" name="off" value="x" disabled>
        <input type="password" name="secret" value="Demo2026">
        <input type="text" name="shown" autocomplete="new-password" value="Demo2026">`,
    });
    type('12', at('code'));
    await press();
    expect(asked).toHaveLength(1);
    const { url, init, body } = asked[0] as (typeof asked)[0];
    expect(url).toBe('/code');
    expect(init).toMatchObject({ method: 'POST', credentials: 'same-origin', headers: { Accept: 'application/json' } });
    expect(init.body).toBeInstanceOf(URLSearchParams); // fetch says application/x-www-form-urlencoded for it
    expect(body).toEqual({ purpose: 'login', phone: '138 0013 8000', who: 'b', width: '360', token: 'form token' });
    expect(submitted).toEqual([]);
  });

  test('shows at once that it works, and cannot be pressed twice', async () => {
    start();
    answerWith(silent);
    sendButton().focus();
    await doing(() => sendButton().click());
    expect(look()).toEqual(['Sending…', false]);
    expect(sendButton().getAttribute('aria-busy')).toBe('true');
    expect(sendButton().classList.contains('busy')).toBe(true);
    await press();
    expect(asked).toHaveLength(1);
    expect(submitted).toEqual([]);
    expect(document.activeElement).toBe(sendButton());
  });

  test('that works says so, counts down and waits for the code', async () => {
    start();
    type('99');
    await press();
    expect(hint()).toBe('A code is on its way.');
    expect(look()).toEqual(['Again in 60 s', true]);
    expect(sendButton().className).toBe('button quiet num');
    expect(sendButton().hasAttribute('aria-busy')).toBe(false);
    expect(document.activeElement).toBe(at('code'));
    expect([at('code').selectionStart, at('code').selectionEnd]).toEqual([0, 2]);
  });

  test('leaves the page as it found it but for the message, when the time is over', async () => {
    start();
    const before = form();
    await press();
    await pass(60_000);
    expect(form()).toBe(before.replace('role="status">', '$&A code is on its way.'));
    await press();
    expect(asked).toHaveLength(2);
  });
});

describe('a refusal', () => {
  test('of a field stands beside it, as the server would put it, until one types', async () => {
    start();
    const before = form();
    answerWith(refusing({ fields: { phone: 'A phone number has 11 digits.' } }));
    await press();
    const phone = at('phone');
    const note = at<HTMLElement>('phone-msg');
    expect(note.outerHTML).toBe('<p class="msg" id="phone-msg">A phone number has 11 digits.</p>');
    expect(note).toBe(phone.closest('.field')?.lastElementChild);
    expect([phone.getAttribute('aria-invalid'), phone.getAttribute('aria-describedby')]).toEqual(['true', 'phone-msg']);
    expect(document.activeElement).toBe(phone);
    expect([hint(), ...look()]).toEqual(['', 'Get a code', false]);
    type('1', phone);
    phone.value = '138 0013 8000';
    expect(form()).toBe(before);
  });

  test('keeps what described the field before, and is said once', async () => {
    start();
    at('phone').setAttribute('aria-describedby', 'phone-hint');
    for (const message of ['One.', 'Two.']) {
      answerWith(refusing({ fields: { phone: message } }));
      await press();
    }
    expect([...document.querySelectorAll('.msg')].map((note) => note.textContent)).toEqual(['Two.']);
    expect(at('phone').getAttribute('aria-describedby')).toBe('phone-hint phone-msg');
    type('1', at('phone'));
    expect(at('phone').getAttribute('aria-describedby')).toBe('phone-hint');
  });

  test.each(['phone', 'code'])('of the server’s own goes when a code was sent: %s', async (id) => {
    page({ props: id === 'code' ? { message: 'Wrong.' } : {} });
    if (id === 'phone') {
      at(id).setAttribute('aria-invalid', 'true');
      at(id).setAttribute('aria-describedby', 'phone-sent phone-msg');
      at(id).closest('.field')?.insertAdjacentHTML('beforeend', '<p class="msg" id="phone-msg">Wrong.</p>');
    }
    hydrate('code', island);
    await press();
    expect(document.querySelector('.msg')).toBeNull();
    expect(at(id).hasAttribute('aria-invalid')).toBe(false);
    expect(at(id).getAttribute('aria-describedby')).toBe(`${id}-sent`);
  });

  test('of a field that is not here is said in the hint', async () => {
    start();
    answerWith(refusing({ fields: { login: 'Unknown.' } }), answering(200, SENT));
    await press();
    expect([hint(), at('code-sent').className]).toEqual(['No.', 'hint msg']);
    expect(document.activeElement).toBe(sendButton());
    await press();
    expect([hint(), at('code-sent').className]).toEqual(['A code is on its way.', 'hint']);
  });

  test.each([422, 429, 503])('with %i may say how long to wait', async (status) => {
    start();
    sendButton().focus();
    answerWith(refusing({ resend_after: 42, message: 'A code was sent already.' }, status));
    await press();
    expect([hint(), ...look()]).toEqual(['A code was sent already.', 'Again in 42 s', true]);
    expect(document.activeElement).toBe(at('code'));
    expect(submitted).toEqual([]);
  });
});

describe('the form goes the plain way, by the same button', () => {
  test.each([
    ['there is no network', offline],
    ['the answer is a page', async () => new Response('<!doctype html>')],
    ['the answer is empty', async () => new Response(null, { status: 502 })],
    ['the answer is null', answering(500, null)],
    ['the answer says nothing', answering(500, {})],
    ['the answer breaks off', async () => new Response('{"message":')],
  ])('when %s', async (_, answer) => {
    start();
    answerWith(answer);
    await press();
    expect(submitted).toEqual(['action']);
    expect(sendButton().disabled).toBe(false); // a disabled button would not say action=send_code
    expect(asked).toHaveLength(1);
  });

  test('when nothing came for fifteen seconds', async () => {
    start();
    answerWith(silent);
    await press();
    await pass(14_999);
    expect(submitted).toEqual([]);
    await pass(1);
    expect(submitted).toEqual(['action']);
  });

  test('when the server names no address', async () => {
    start({ props: { url: '' } });
    await press();
    expect([asked.length, submitted]).toEqual([0, ['action']]);
  });

  test('once: further presses find it on its way', async () => {
    start();
    answerWith(offline);
    await press();
    expect(sendButton().getAttribute('aria-busy')).toBe('true');
    await press();
    expect(asked).toHaveLength(1);
  });

  test('and when the page comes back, the script asks again', async () => {
    start();
    answerWith(offline);
    await press();
    await comeBack();
    await press();
    expect([asked.length, submitted.length, hint()]).toEqual([2, 1, 'A code is on its way.']);
  });
});

test('a page that is left while it asks sends no form, and has no mask when one comes back', async () => {
  start();
  answerWith(silent);
  await press();
  expect(document.querySelectorAll('.mask')).toHaveLength(1);
  await doing(() => dispatchEvent(new Event('pagehide')));
  await settle();
  expect([submitted, look(), document.querySelectorAll('.mask').length]).toEqual([[], [TEXTS.send, false], 0]);
  await comeBack();
  await press();
  expect([asked.length, hint()]).toEqual([2, 'A code is on its way.']);
});

test('sending the form gives up what is still asked, and nothing more is sent', async () => {
  start();
  answerWith(silent);
  await press();
  await doing(() => at('main').click());
  await settle();
  expect(asked[0]?.init.signal?.aborted).toBe(true);
  expect(submitted).toEqual(['main']);
  expect(look()).toEqual(['Get a code', false]);
});

describe('a proof of work', () => {
  const proof = { token: 'v1.kXw9Qm', bits: 9 };

  test('is found and sent along, once', async () => {
    start();
    answerWith(refusing({ proof, message: undefined }), silent);
    await doing(() => sendButton().click());
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    expect([hint(), ...look()]).toEqual(['Checking…', 'Sending…', false]);
    const [first, second] = asked.map(({ body }) => body);
    expect(second).toEqual({ ...first, proof: proof.token, work: expect.stringMatching(/^\d+$/) });
    const hash = createHash('sha256').update(`${proof.token}:${second?.work}`).digest();
    expect(hash.readUInt16BE() >> 7).toBe(0);
  });

  test('that is not accepted leaves the question to the form itself', async () => {
    start();
    answerWith(refusing({ proof }), refusing({ proof }));
    await doing(() => sendButton().click());
    await vi.waitFor(() => expect(submitted).toEqual(['action']));
    expect(asked).toHaveLength(2);
  });

  test('that would take too long is left to the form itself', async () => {
    let clock = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (clock += 10)); // short slices: there will be thousands
    start();
    answerWith(refusing({ proof: { ...proof, bits: 32 } }));
    await press();
    await pass(15_000);
    expect([asked.length, submitted]).toEqual([1, ['action']]);
  });
});

describe('the countdown', () => {
  test('goes on where the server says', async () => {
    start({ props: { seconds: 42 } });
    expect(look()).toEqual(['Again in 42 s', true]);
    await pass(1000);
    expect(look()).toEqual(['Again in 41 s', true]);
    await pass(40_999);
    expect(look()).toEqual(['Again in 1 s', true]);
    await pass(1);
    expect(look()).toEqual(['Get a code', false]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is called what it shows, and is no live region', async () => {
    start({ props: { seconds: 2 } });
    const heard = () => ['aria-label', 'aria-disabled'].map((name) => sendButton().getAttribute(name));
    expect(heard()).toEqual([null, 'true']);
    await pass(1000);
    expect(heard()).toEqual([null, 'true']);
    expect(hint()).toBe('');
    await pass(1000);
    expect(heard()).toEqual([null, null]);
  });

  test('tells the truth after a sleep', async () => {
    start({ props: { seconds: 60 } });
    vi.setSystemTime(NOW + 45_500);
    await pass(1000);
    expect(look()).toEqual(['Again in 14 s', true]);
    vi.setSystemTime(NOW + 3_600_000);
    await pass(1000);
    expect(look()).toEqual(['Get a code', false]);
  });

  test('keeps nobody waiting longer because the clock was set back', async () => {
    start({ props: { seconds: 60 } });
    await pass(20_000);
    vi.setSystemTime(NOW - 86_400_000);
    await pass(1000);
    expect(look()).toEqual(['Again in 40 s', true]);
    await pass(40_000);
    expect(look()).toEqual(['Get a code', false]);
  });

  test('does not hold a button that a reload left disabled', () => {
    page();
    sendButton().disabled = true;
    hydrate('code', island);
    expect(look()).toEqual(['Get a code', false]);
  });
});

describe('another tab', () => {
  let channel: BroadcastChannel;
  const heard = vi.fn();

  beforeEach(() => {
    heard.mockClear();
    channel = new BroadcastChannel('portico-code');
    channel.onmessage = ({ data }) => heard(data);
  });

  afterEach(() => channel.close());

  test('hears of a code that was sent', async () => {
    start();
    await press();
    await vi.waitFor(() => expect(heard).toHaveBeenCalledWith({ purpose: 'login', until: NOW + 60_000 }));
  });

  test('shows the countdown here too, for the same purpose', async () => {
    start();
    channel.postMessage({ purpose: 'reset', until: NOW + 50_000 });
    channel.postMessage({ purpose: 'login', until: NOW + 30_000 });
    await vi.waitFor(() => expect(look()).toEqual(['Again in 30 s', true]));
  });

  test('does not disturb what is asked here', async () => {
    start();
    answerWith(silent);
    await press();
    channel.postMessage({ purpose: 'login', until: NOW + 30_000 });
    await new Promise((done) => setImmediate(done));
    expect(look()).toEqual(['Sending…', false]);
  });

  test('is heard again after the page was away, and not before', async () => {
    start();
    await doing(() => dispatchEvent(new Event('pagehide')));
    channel.postMessage({ purpose: 'login', until: NOW + 30_000 });
    await new Promise((done) => setImmediate(done));
    expect(look()).toEqual(['Get a code', false]);
    await comeBack();
    channel.postMessage({ purpose: 'login', until: NOW + 20_000 });
    await vi.waitFor(() => expect(look()).toEqual(['Again in 20 s', true]));
  });

  test('is done without where the browser has no channels', async () => {
    vi.stubGlobal('BroadcastChannel', undefined);
    start();
    await press();
    expect(look()).toEqual(['Again in 60 s', true]);
  });
});

test('all of it, with a server', async () => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  const bodies: URLSearchParams[] = [];
  const headers: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) {
      body += chunk;
    }
    bodies.push(new URLSearchParams(body));
    headers.push(`${request.method} ${request.url}`, request.headers.accept, request.headers['content-type']);
    const isProven = bodies.length > 1;
    response.writeHead(isProven ? 200 : 422, { 'Content-Type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(isProven ? SENT : { message: 'Prove it.', proof: { token: 't', bits: 10 } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { happyDOM } = window as unknown as { happyDOM: { setURL(url: string): void } };
  happyDOM.setURL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/login/code`);
  start();
  await doing(() => sendButton().click());
  await vi.waitFor(() => expect(hint()).toBe('A code is on its way.'));
  expect(bodies[1]?.get('phone')).toBe('138 0013 8000');
  expect(bodies[1]?.get('proof')).toBe('t');
  const hash = createHash('sha256')
    .update(`t:${bodies[1]?.get('work')}`)
    .digest();
  expect(Math.clz32(hash.readUInt32BE())).toBeGreaterThanOrEqual(10);
  expect(headers.slice(3)).toEqual([
    'POST /code',
    'application/json',
    expect.stringMatching(/^application\/x-www-form-urlencoded\b/),
  ]);
  server.closeAllConnections();
  server.close();
});

test('the page’s script finds the field', async () => {
  page();
  await import('../index');
  await vi.waitFor(() => expect(at('code').closest<HTMLElement>('.field')?.dataset.ready).toBe(''));
  await press();
  expect(asked).toHaveLength(1);
});
