import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { hydrate, rendered } from '../testing';
import * as island from './code';
import {
  answerWith,
  buttonState,
  byId,
  comeBack,
  failOffline,
  form,
  hint,
  NOW,
  neverAnswer,
  page,
  press,
  refuse,
  requests,
  respond,
  SENT,
  sendButton,
  settle,
  start,
  submitted,
  TEXTS,
  type,
  wait,
} from './code-testing';

describe('a request for a code', () => {
  test('is a same-origin POST of the named and the hidden fields only', async () => {
    start({
      props: { send: ['phone', 'who', 'agree', 'secret', 'shown'] },
      more: `<input name="name" value="not asked for">
        <input type="radio" name="who" value="a"><input type="radio" name="who" value="b" checked>
        <input type="checkbox" name="agree" value="1">
        <input type="hidden" name="purpose" value="another"><input type="hidden" name="off" value="x" disabled>
        <input type="password" name="secret" value="Demo2026">
        <input type="text" name="shown" autocomplete="new-password" value="Demo2026">`,
    });
    type('12', byId('code'));
    await press();
    expect(requests).toHaveLength(1);
    const { url, init, body } = requests[0] as (typeof requests)[0];
    expect(url).toBe('/code');
    expect(init).toMatchObject({ method: 'POST', credentials: 'same-origin', headers: { Accept: 'application/json' } });
    expect(init.body).toBeInstanceOf(URLSearchParams); // fetch says application/x-www-form-urlencoded for it
    expect(body).toEqual({ purpose: 'login', phone: '138 0013 8000', who: 'b', width: '360', token: 'form token' });
    expect(submitted).toEqual([]);
  });

  test('makes the button busy at once, and is not sent twice', async () => {
    start();
    answerWith(neverAnswer);
    sendButton().focus();
    await rendered(() => sendButton().click());
    expect(buttonState()).toEqual(['Sending…', false]);
    expect(sendButton().getAttribute('aria-busy')).toBe('true');
    expect(sendButton().classList.contains('busy')).toBe(true);
    await press();
    expect(requests).toHaveLength(1);
    expect(submitted).toEqual([]);
    expect(document.activeElement).toBe(sendButton());
  });

  test('that succeeds shows a message, starts the countdown and moves the focus to the code', async () => {
    start();
    type('99');
    await press();
    expect(hint()).toBe('A code is on its way.');
    expect(buttonState()).toEqual(['Again in 60 s', true]);
    expect(sendButton().className).toBe('button quiet num');
    expect(sendButton().hasAttribute('aria-busy')).toBe(false);
    expect(document.activeElement).toBe(byId('code'));
    expect([byId('code').selectionStart, byId('code').selectionEnd]).toEqual([0, 2]);
  });

  test('leaves only its message on the page after the countdown', async () => {
    start();
    const before = form();
    await press();
    await wait(60_000);
    expect(form()).toBe(before.replace('role="status">', '$&A code is on its way.'));
    await press();
    expect(requests).toHaveLength(2);
  });
});

describe('a refusal', () => {
  test('of a field is shown beside it, with the markup of the server, until the person types', async () => {
    start();
    const before = form();
    answerWith(refuse({ fields: { phone: 'A phone number has 11 digits.' } }));
    await press();
    const phone = byId('phone');
    const note = byId<HTMLElement>('phone-msg');
    expect(note.outerHTML).toBe('<p class="msg" id="phone-msg">A phone number has 11 digits.</p>');
    expect(note).toBe(phone.closest('.field')?.lastElementChild);
    expect([phone.getAttribute('aria-invalid'), phone.getAttribute('aria-describedby')]).toEqual(['true', 'phone-msg']);
    expect(document.activeElement).toBe(phone);
    expect([hint(), ...buttonState()]).toEqual(['', 'Get a code', false]);
    type('1', phone);
    phone.value = '138 0013 8000';
    expect(form()).toBe(before);
  });

  test('keeps other descriptions of the field, and replaces an earlier message', async () => {
    start();
    byId('phone').setAttribute('aria-describedby', 'phone-hint');
    for (const message of ['One.', 'Two.']) {
      answerWith(refuse({ fields: { phone: message } }));
      await press();
    }
    expect([...document.querySelectorAll('.msg')].map((note) => note.textContent)).toEqual(['Two.']);
    expect(byId('phone').getAttribute('aria-describedby')).toBe('phone-hint phone-msg');
    type('1', byId('phone'));
    expect(byId('phone').getAttribute('aria-describedby')).toBe('phone-hint');
  });

  test.each(['phone', 'code'])('in the page of the server is removed when a code was sent: %s', async (id) => {
    page({ props: id === 'code' ? { message: 'Wrong.' } : {} });
    if (id === 'phone') {
      byId(id).setAttribute('aria-invalid', 'true');
      byId(id).setAttribute('aria-describedby', 'phone-sent phone-msg');
      byId(id).closest('.field')?.insertAdjacentHTML('beforeend', '<p class="msg" id="phone-msg">Wrong.</p>');
    }
    hydrate('code', island);
    await press();
    expect(document.querySelector('.msg')).toBeNull();
    expect(byId(id).hasAttribute('aria-invalid')).toBe(false);
    expect(byId(id).getAttribute('aria-describedby')).toBe(`${id}-sent`);
  });

  test('of an unknown field is shown in the hint', async () => {
    start();
    answerWith(refuse({ fields: { login: 'Unknown.' } }), respond(200, SENT));
    await press();
    expect([hint(), byId('code-sent').className]).toEqual(['No.', 'hint msg']);
    expect(document.activeElement).toBe(sendButton());
    await press();
    expect([hint(), byId('code-sent').className]).toEqual(['A code is on its way.', 'hint']);
  });

  test.each([422, 429, 503])('with status %i may start the countdown', async (status) => {
    start();
    sendButton().focus();
    answerWith(refuse({ resend_after: 42, message: 'A code was sent already.' }, status));
    await press();
    expect([hint(), ...buttonState()]).toEqual(['A code was sent already.', 'Again in 42 s', true]);
    expect(document.activeElement).toBe(byId('code'));
    expect(submitted).toEqual([]);
  });
});

describe('the form is submitted with the same button', () => {
  test.each([
    ['the network fails', failOffline],
    ['the answer is an HTML page', async () => new Response('<!doctype html>')],
    ['the answer is empty', async () => new Response(null, { status: 502 })],
    ['the answer is null', respond(500, null)],
    ['the answer is an empty object', respond(500, {})],
    ['the answer is incomplete', async () => new Response('{"message":')],
  ])('when %s', async (_, answer) => {
    start();
    answerWith(answer);
    await press();
    expect(submitted).toEqual(['action']);
    expect(sendButton().disabled).toBe(false); // a disabled button would not send action=send_code
    expect(requests).toHaveLength(1);
  });

  test('when there is no answer for fifteen seconds', async () => {
    start();
    answerWith(neverAnswer);
    await press();
    await wait(14_999);
    expect(submitted).toEqual([]);
    await wait(1);
    expect(submitted).toEqual(['action']);
  });

  test('when the server gives no address for requests', async () => {
    start({ props: { url: '' } });
    await press();
    expect([requests.length, submitted]).toEqual([0, ['action']]);
  });

  test('once, even if the button is pressed again', async () => {
    start();
    answerWith(failOffline);
    await press();
    expect(sendButton().getAttribute('aria-busy')).toBe('true');
    await press();
    expect(requests).toHaveLength(1);
  });

  test('and the script requests codes again when the page comes back', async () => {
    start();
    answerWith(failOffline);
    await press();
    await comeBack();
    await press();
    expect([requests.length, submitted.length, hint()]).toEqual([2, 1, 'A code is on its way.']);
  });
});

test('leaving the page during a request submits no form and removes the mask', async () => {
  start();
  answerWith(neverAnswer);
  await press();
  expect(document.querySelectorAll('.mask')).toHaveLength(1);
  await rendered(() => dispatchEvent(new Event('pagehide')));
  await settle();
  expect([submitted, buttonState(), document.querySelectorAll('.mask').length]).toEqual([[], [TEXTS.send, false], 0]);
  await comeBack();
  await press();
  expect([requests.length, hint()]).toEqual([2, 'A code is on its way.']);
});

test('submitting the form aborts the running request', async () => {
  start();
  answerWith(neverAnswer);
  await press();
  await rendered(() => byId('main').click());
  await settle();
  expect(requests[0]?.init.signal?.aborted).toBe(true);
  expect(submitted).toEqual(['main']);
  expect(buttonState()).toEqual(['Get a code', false]);
});

describe('a proof of work', () => {
  const proof = { token: 'v1.kXw9Qm', bits: 9 };

  test('is done and sent with a second request', async () => {
    start();
    answerWith(refuse({ proof, message: undefined }), neverAnswer);
    await rendered(() => sendButton().click());
    await vi.waitFor(() => expect(requests).toHaveLength(2));
    expect([hint(), ...buttonState()]).toEqual(['Checking…', 'Sending…', false]);
    const [first, second] = requests.map(({ body }) => body);
    expect(second).toEqual({ ...first, proof: proof.token, work: expect.stringMatching(/^\d+$/) });
    const hash = createHash('sha256').update(`${proof.token}:${second?.work}`).digest();
    expect(hash.readUInt16BE() >> 7).toBe(0);
  });

  test('that is refused submits the form instead', async () => {
    start();
    answerWith(refuse({ proof }), refuse({ proof }));
    await rendered(() => sendButton().click());
    await vi.waitFor(() => expect(submitted).toEqual(['action']));
    expect(requests).toHaveLength(2);
  });

  test('that takes too long submits the form instead', async () => {
    let clock = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (clock += 10)); // makes the slices of work short
    start();
    answerWith(refuse({ proof: { ...proof, bits: 32 } }));
    await press();
    await wait(15_000);
    expect([requests.length, submitted]).toEqual([1, ['action']]);
  });
});

describe('the countdown', () => {
  test('starts at the seconds of the server', async () => {
    start({ props: { seconds: 42 } });
    expect(buttonState()).toEqual(['Again in 42 s', true]);
    await wait(1000);
    expect(buttonState()).toEqual(['Again in 41 s', true]);
    await wait(40_999);
    expect(buttonState()).toEqual(['Again in 1 s', true]);
    await wait(1);
    expect(buttonState()).toEqual(['Get a code', false]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is the name of the button, and is not announced', async () => {
    start({ props: { seconds: 2 } });
    const ariaState = () => ['aria-label', 'aria-disabled'].map((name) => sendButton().getAttribute(name));
    expect(ariaState()).toEqual([null, 'true']);
    await wait(1000);
    expect(ariaState()).toEqual([null, 'true']);
    expect(hint()).toBe('');
    await wait(1000);
    expect(ariaState()).toEqual([null, null]);
  });

  test('is right after the device slept', async () => {
    start({ props: { seconds: 60 } });
    vi.setSystemTime(NOW + 45_500);
    await wait(1000);
    expect(buttonState()).toEqual(['Again in 14 s', true]);
    vi.setSystemTime(NOW + 3_600_000);
    await wait(1000);
    expect(buttonState()).toEqual(['Get a code', false]);
  });

  test('gets no longer if the clock is set back', async () => {
    start({ props: { seconds: 60 } });
    await wait(20_000);
    vi.setSystemTime(NOW - 86_400_000);
    await wait(1000);
    expect(buttonState()).toEqual(['Again in 40 s', true]);
    await wait(40_000);
    expect(buttonState()).toEqual(['Get a code', false]);
  });

  test('enables a button that a reload left disabled', () => {
    page();
    sendButton().disabled = true;
    hydrate('code', island);
    expect(buttonState()).toEqual(['Get a code', false]);
  });
});

describe('another tab', () => {
  let channel: BroadcastChannel;
  const onMessage = vi.fn();

  beforeEach(() => {
    onMessage.mockClear();
    channel = new BroadcastChannel('portico-code');
    channel.onmessage = ({ data }) => onMessage(data);
  });

  afterEach(() => channel.close());

  test('gets a message when a code was sent', async () => {
    start();
    await press();
    await vi.waitFor(() => expect(onMessage).toHaveBeenCalledWith({ purpose: 'login', until: NOW + 60_000 }));
  });

  test('starts the countdown of this tab for the same purpose', async () => {
    start();
    channel.postMessage({ purpose: 'reset', until: NOW + 50_000 });
    channel.postMessage({ purpose: 'login', until: NOW + 30_000 });
    await vi.waitFor(() => expect(buttonState()).toEqual(['Again in 30 s', true]));
  });

  test('does not change this tab during a request', async () => {
    start();
    answerWith(neverAnswer);
    await press();
    channel.postMessage({ purpose: 'login', until: NOW + 30_000 });
    await new Promise((done) => setImmediate(done));
    expect(buttonState()).toEqual(['Sending…', false]);
  });

  test('is ignored while the page is in the cache, and heard after it comes back', async () => {
    start();
    await rendered(() => dispatchEvent(new Event('pagehide')));
    channel.postMessage({ purpose: 'login', until: NOW + 30_000 });
    await new Promise((done) => setImmediate(done));
    expect(buttonState()).toEqual(['Get a code', false]);
    await comeBack();
    channel.postMessage({ purpose: 'login', until: NOW + 20_000 });
    await vi.waitFor(() => expect(buttonState()).toEqual(['Again in 20 s', true]));
  });

  test('is not needed: the field works in a browser without channels', async () => {
    vi.stubGlobal('BroadcastChannel', undefined);
    start();
    await press();
    expect(buttonState()).toEqual(['Again in 60 s', true]);
  });
});

test('a real server gets a request, requires a proof of work and sends a code', async () => {
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
  await rendered(() => sendButton().click());
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

test('the script of the page hydrates the field', async () => {
  page();
  await import('../index');
  await vi.waitFor(() => expect(byId('code').closest<HTMLElement>('.field')?.dataset.ready).toBe(''));
  await press();
  expect(requests).toHaveLength(1);
});
