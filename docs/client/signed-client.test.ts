// @vitest-environment node
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  type Answer,
  address,
  answerWith,
  ok,
  onlyRequest,
  portico,
  refusal,
  refused,
  reply,
  requests,
} from './testing';

const anyCall = { method: 'GET', path: '/v1/x' } as const;

describe('a request', () => {
  test('of GET has its parameters in the query', async () => {
    answerWith(ok({ id_: 1001 }));
    expect(await portico().get('/v1/base/company/noAuth/getByHost', { host_: 'a b+c&d=e/金*' })).toEqual({ id_: 1001 });
    const { method, url, body } = onlyRequest();
    expect(method).toBe('GET');
    expect(url.pathname).toBe('/v1/base/company/noAuth/getByHost');
    expect(url.search).toBe('?host_=a%20b%2Bc%26d%3De%2F%E9%87%91%2A');
    expect(body).toBe('');
  });

  test('without parameters has no question mark and no double slash', async () => {
    await portico({ address: `${address}/` }).get('/v1/account/getAccountList');
    expect(onlyRequest().url.href).toBe(`${address}/v1/account/getAccountList`);
  });

  test('of POST has its parameters in a form', async () => {
    const params = { b: ' ', a: 7, none: undefined, nothing: null, empty: '' };
    await portico().call({ method: 'POST', path: '/v1/x', params, idempotencyKey: 'k-1' });
    const { method, url, body, headers } = onlyRequest();
    expect([method, url.search, body]).toEqual(['POST', '', 'a=7&b=%20&empty=']);
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(headers['idempotency-key']).toBe('k-1');
  });

  test('of POST may have a JSON body', async () => {
    await portico().call({
      method: 'POST',
      path: '/v1/x',
      json: '{"name_":"金穗 💡","n":[1]}',
      idempotencyKey: 'k-2',
    });
    const { body, headers } = onlyRequest();
    expect(body).toBe('{"name_":"金穗 💡","n":[1]}');
    expect(headers['content-type']).toBe('application/json');
    expect(headers['idempotency-key']).toBe('k-2');
  });

  test('has only the headers that follow from the options of the client', async () => {
    const client = portico({ now: () => 1_760_000_000_000.4 });
    client.token = 't0k';
    await client.call(anyCall);
    const { headers } = onlyRequest();
    expect(headers).toMatchObject({
      'x-token': 't0k',
      'x-timestamp': '1760000000000',
      'x-token-type': 'APP',
      'x-app-source': 'IOS',
    });
    const nonce = Number(headers['x-nonce']) - 1_760_000_000_000;
    expect(nonce).toBeGreaterThanOrEqual(0);
    expect(nonce).toBeLessThan(10_000);
    for (const name of ['x-company-id', 'x-edition', 'idempotency-key', 'cookie', 'authorization']) {
      expect(headers).not.toHaveProperty(name);
    }
  });

  test('uses options that were changed after the last call', async () => {
    const client = portico({ language: 'es', companyId: 1002, edition: 'lighting', tokenType: 'PC', appSource: 'PC' });
    await client.call(anyCall);
    client.options.language = 'en';
    await client.call(anyCall);
    expect(requests[0]?.headers).toMatchObject({
      'accept-language': 'es',
      'x-company-id': '1002',
      'x-edition': 'lighting',
    });
    expect(requests[1]?.headers).toMatchObject({ 'accept-language': 'en', 'x-token-type': 'PC', 'x-app-source': 'PC' });
  });

  test('escapes slashes and question marks of an id in the path', async () => {
    await portico().get('/v1/account/getCompanyById/{id}', { id: '../x?y' as unknown as number });
    expect(onlyRequest().url.pathname).toBe('/v1/account/getCompanyById/..%2Fx%3Fy');
  });
});

describe('a nonce', () => {
  test('is the time plus a random number below 10,000', async () => {
    const now = 1_760_000_000_000;
    const offsets = new Set<number>();
    for (let n = 0; n < 200; n++) {
      const fetch = async (_: string, { headers }: RequestInit) => {
        offsets.add(Number((headers as Record<string, string>)['X-Nonce']) - now);
        return new Response('{"status":1,"code":"ok"}');
      };
      await portico({ now: () => now, fetch: fetch as typeof globalThis.fetch }).call(anyCall);
    }
    expect(Math.min(...offsets)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...offsets)).toBeLessThan(10_000);
    expect(offsets.size).toBeGreaterThan(150);
  });

  test('is never used twice by a client, even within one millisecond', async () => {
    let now = 1_760_000_000_000;
    const nonces: string[] = [];
    const client = portico({
      now: () => now,
      fetch: async (_, { headers }) => {
        nonces.push((headers as Record<string, string>)['X-Nonce'] as string);
        return new Response('{"status":1,"code":"ok"}');
      },
    });
    for (let n = 0; n < 3000; n++) {
      await client.call(anyCall);
      now += n % 3;
    }
    expect(new Set(nonces).size).toBe(3000);
  });
});

describe('a wrong clock of the device', () => {
  const DAY_MS = 86_400_000;

  /** Refuses, as the server does, a timestamp that is more than five minutes off. */
  const checkTimestamp: Answer = (request, response) => {
    const off = Math.abs(Number(request.headers['x-timestamp']) - Date.now()) > 300_000;
    (off ? refusal(401, 1403, 'sign_expired', { server_time_: Date.now() }) : ok('done'))(request, response);
  };

  test.each([DAY_MS, -DAY_MS])('%d ms off is corrected once for all later calls', async (offset) => {
    answerWith(checkTimestamp, checkTimestamp, checkTimestamp);
    const client = portico({ now: () => Date.now() + offset });
    expect(await client.call({ method: 'POST', path: '/v1/x', params: { a: 1 } })).toBe('done');
    expect(await client.call({ method: 'GET', path: '/v1/y' })).toBe('done');
    expect(requests.map(({ url, body }) => url.pathname + body)).toEqual(['/v1/xa=1', '/v1/xa=1', '/v1/y']);
    expect(Math.abs(Number(requests[2]?.headers['x-timestamp']) - Date.now())).toBeLessThan(5_000);
    expect(new Set(requests.map(({ headers }) => headers['x-nonce'])).size).toBe(3);
  });

  test('is corrected once by simultaneous calls', async () => {
    answerWith(...Array<Answer>(10).fill(checkTimestamp));
    const client = portico({ now: () => Date.now() - DAY_MS });
    expect(await Promise.all([1, 2, 3, 4, 5].map((n) => client.call({ method: 'GET', path: `/v1/${n}` })))).toEqual(
      Array(5).fill('done'),
    );
  });

  test('does not lead to a third request if the server refuses again', async () => {
    const signExpired = refusal(401, 1403, 'sign_expired', { server_time_: 5 });
    answerWith(signExpired, signExpired);
    expect((await refused(portico().call(anyCall))).code).toBe('sign_expired');
    expect(requests).toHaveLength(2);
  });

  test('is not corrected without the time of the server', async () => {
    answerWith(refusal(401, 1403, 'sign_expired'));
    expect((await refused(portico().call(anyCall))).code).toBe('sign_expired');
  });
});

describe('a refusal', () => {
  test('with HTTP 200 has all fields of the envelope', async () => {
    answerWith(refusal(200, 1002, 'wrong_password', { left_: 3 }));
    const error = await refused(
      portico().post('/v1/account/mixedLogin', { login_: '13800000001', password_: 'wrong' }),
    );
    expect(error).toMatchObject({
      name: 'Refused',
      status: 1002,
      code: 'wrong_password',
      message: 'message of wrong_password',
      data: { left_: 3 },
      http: 200,
      requestId: 'r2',
      retryAfter: null,
    });
  });

  test('that requires a proof of work leads to a second request with the proof', async () => {
    const proof = { token_: 'a', bits_: 4 };
    answerWith(refusal(200, 1100, 'validation_failed', { proof_: proof }), ok({ resend_after_: 60 }));
    expect(await portico().get('/v1/account/registCode', { phone_: '13912345678' })).toEqual({ resend_after_: 60 });
    const secondRequest = requests[1]?.url.searchParams;
    expect([secondRequest?.get('phone_'), secondRequest?.get('proof_')]).toEqual(['13912345678', 'a']);
    const digest = createHash('sha256')
      .update(`a:${secondRequest?.get('work_')}`)
      .digest();
    expect(digest.readUInt8(0)).toBeLessThan(16);
  });

  test('of a proof of work does not lead to a third request', async () => {
    const requireProof = refusal(200, 1100, 'validation_failed', { proof_: { token_: 'a', bits_: 1 } });
    answerWith(requireProof, requireProof);
    expect((await refused(portico().get('/v1/account/resetCode', { phone_: '13800000001' }))).code).toBe(
      'validation_failed',
    );
    expect(requests).toHaveLength(2);
  });

  test('of a code requested too soon says when another may be requested', async () => {
    answerWith(refusal(200, 1023, 'code_already_sent', { resend_after_: 41 }));
    const error = await refused(portico().get('/v1/account/resetCode', { phone_: '13800000001' }));
    expect(error).toMatchObject({
      code: 'code_already_sent',
      data: { resend_after_: 41 },
      http: 200,
      retryAfter: null,
    });
  });

  test('of too many attempts says how long to wait', async () => {
    answerWith(refusal(429, 1026, 'too_many_attempts', null, { 'Retry-After': '60' }));
    expect(await refused(portico().post('/v1/account/checkPhoneExitInUser', { phone_: '13800000001' }))).toMatchObject({
      http: 429,
      retryAfter: 60,
    });
  });

  test('is thrown unless both the HTTP status and the envelope say success', async () => {
    answerWith(reply(500, { status: 1, code: 'ok', data: 1 }), reply(200, { status: 1500, code: 'internal', data: 1 }));
    expect((await refused(portico().call(anyCall))).http).toBe(500);
    expect((await refused(portico().call(anyCall))).code).toBe('internal');
  });

  test('is not followed by another request', async () => {
    answerWith(refusal(503, 1032, 'not_available_offline', null, { 'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT' }));
    expect(await refused(portico().call(anyCall))).toMatchObject({ http: 503, retryAfter: null });
    expect(requests).toHaveLength(1);
  });
});

describe('a response without an envelope', () => {
  test.each([
    [502, '<html>Bad gateway</html>'],
    [200, ''],
    [200, 'null'],
    [200, '[]'],
    [200, '{"status":"1","code":"ok"}'],
    [200, '{"status":1'],
  ])('%d %j is unreadable', async (http, text) => {
    answerWith((_, response) => response.writeHead(http, { 'X-Request-Id': 'r3', 'Retry-After': '7' }).end(text));
    const error = await refused(portico().call(anyCall));
    expect(error).toMatchObject({
      status: 0,
      code: 'unreadable',
      message: '',
      data: null,
      http,
      requestId: 'r3',
      retryAfter: 7,
    });
  });

  test('that redirects is not followed, because the token is for this host only', async () => {
    answerWith((_, response) => response.writeHead(302, { Location: '/elsewhere' }).end());
    const client = portico();
    client.token = 't0k';
    expect((await refused(client.call(anyCall))).code).toBe('unreachable');
    expect(requests).toHaveLength(1);
  });
});

describe('a response that does not arrive', () => {
  test('in time is given up, and the connection is closed', async () => {
    let closed: Promise<void> | undefined;
    answerWith((_, response) => {
      closed = new Promise((resolve) => response.on('close', resolve));
    });
    expect(await refused(portico({ timeout: 50 }).call(anyCall))).toMatchObject({
      status: 0,
      code: 'timeout',
      http: 0,
    });
    await closed;
  });

  test('completely in time is given up', async () => {
    answerWith((_, response) => response.writeHead(200).write('{"status":1,'));
    expect((await refused(portico({ timeout: 50 }).call(anyCall))).code).toBe('timeout');
  });

  test('in time through a fetch that cannot be aborted is given up', async () => {
    const client = portico({ timeout: 20, fetch: () => new Promise(() => {}) });
    expect((await refused(client.call(anyCall))).code).toBe('timeout');
  });

  test('because no server listens is unreachable, with the error of fetch', async () => {
    const closedServer = createServer();
    await new Promise<void>((resolve) => closedServer.listen(0, '127.0.0.1', resolve));
    const { port } = closedServer.address() as AddressInfo;
    await new Promise((resolve) => closedServer.close(resolve));
    const error = await refused(portico({ address: `http://127.0.0.1:${port}` }).call(anyCall));
    expect(error.code).toBe('unreachable');
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  test('because fetch throws at once is unreachable', async () => {
    const client = portico({
      fetch: () => {
        throw new Error('no network');
      },
    });
    expect((await refused(client.call(anyCall))).code).toBe('unreachable');
  });
});
