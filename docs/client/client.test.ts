// @vitest-environment node
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Options, Portico, REQUEST_LENGTH, Refused, requestString } from './client';

const secret = 'a secret of the test';

type Seen = { method: string; url: URL; headers: IncomingHttpHeaders; body: string };
type Answer = (request: Seen, response: ServerResponse) => void;

let server: Server;
let address: string;
let seen: Seen[];
let answers: Answer[];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) {
      body += chunk;
    }
    const url = new URL(request.url as string, address);
    const one = { method: request.method as string, url, headers: request.headers, body };
    seen.push(one);
    (answers.shift() ?? ok(null))(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  seen = [];
  answers = [];
});

afterEach(() => {
  expect(answers).toEqual([]);
  for (const request of seen) {
    expect(request.headers['x-sign'], request.url.href).toBe(signature(request));
  }
});

/** The signature a request should have, made the way a server would: from what arrived. */
function signature({ url, headers, body }: Seen): string {
  const all = [...url.searchParams];
  if (headers['content-type'] === 'application/json') {
    all.push(['body', createHash('sha256').update(body).digest('hex')]);
  } else {
    all.push(...new URLSearchParams(body));
  }
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const params = all
    .sort(
      ([a, x], [b, y]) =>
        Buffer.compare(Buffer.from(a), Buffer.from(b)) || Buffer.compare(Buffer.from(x), Buffer.from(y)),
    )
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');
  const { 'x-token': token, 'x-timestamp': timestamp, 'x-nonce': nonce } = headers;
  return createHmac('sha256', secret).update(`${token}\n${timestamp}\n${nonce}\n${params}`).digest('hex');
}

function reply(http: number, envelope: object, headers: Record<string, string> = {}): Answer {
  return (_, response) => {
    response.writeHead(http, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(envelope));
  };
}

function ok(data: unknown): Answer {
  return reply(200, { status: 1, code: 'ok', message: '', data, request_id: 'r1' });
}

function refusal(http: number, status: number, code: string, data: unknown = null, headers = {}): Answer {
  return reply(http, { status, code, message: `message of ${code}`, data, request_id: 'r2' }, headers);
}

function portico(options: Partial<Options> = {}): Portico {
  return new Portico({ address, secret, tokenType: 'APP', appSource: 'IOS', ...options });
}

async function refused(call: Promise<unknown>): Promise<Refused> {
  const error = await call.then(
    (data) => expect.fail(`it gave ${JSON.stringify(data)}`),
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(Refused);
  return error as Refused;
}

/** A company to be registered. */
const lin = {
  phone: '13912345678',
  code: '012345',
  password: 'a.b_c7',
  name: 'Lin',
  companyName: "Lin's",
  agree: true,
};

/** What an application may have beside what it needs. */
const application = {
  position: 'Buyer',
  province: '440000',
  city: '440100',
  district: '440106',
  address: 'A',
  reason: 'R',
  licenceKey: 'k',
  contactPhone: '13912345670',
};

const only = () => {
  expect(seen).toHaveLength(1);
  return seen[0] as Seen;
};

describe('what is sent', () => {
  test('a GET has its parameters in the query', async () => {
    answers = [ok({ id_: 1001 })];
    expect(await portico().getByHost('a b+c&d=e/金*')).toEqual({ id_: 1001 });
    const { method, url, body } = only();
    expect(method).toBe('GET');
    expect(url.pathname).toBe('/v1/base/company/noAuth/getByHost');
    expect(url.search).toBe('?host_=a%20b%2Bc%26d%3De%2F%E9%87%91%2A');
    expect(body).toBe('');
  });

  test('without parameters there is no question mark, nor a double slash', async () => {
    await portico({ address: `${address}/` }).getAccountList();
    expect(only().url.href).toBe(`${address}/v1/account/getAccountList`);
  });

  test('a POST has them in a form', async () => {
    await portico().post(
      '/v1/x',
      { b: ' ', a: 7, none: undefined, nothing: null, empty: '' },
      { idempotencyKey: 'k-1' },
    );
    const { method, url, body, headers } = only();
    expect([method, url.search, body]).toEqual(['POST', '', 'a=7&b=%20&empty=']);
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(headers['idempotency-key']).toBe('k-1');
  });

  test('or a JSON body, as it is', async () => {
    await portico().postJSON('/v1/x', { name_: '金穗 💡', n: [1] }, { idempotencyKey: 'k-2' });
    const { body, headers } = only();
    expect(body).toBe('{"name_":"金穗 💡","n":[1]}');
    expect(headers['content-type']).toBe('application/json');
    expect(headers['idempotency-key']).toBe('k-2');
  });

  test('the headers say what the client was told, and no more', async () => {
    const client = portico({ now: () => 1_760_000_000_000.4 });
    client.token = 't0k';
    await client.get('/v1/x');
    const { headers } = only();
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

  test('options may change between calls', async () => {
    const client = portico({ language: 'es', companyId: 1002, edition: 'lighting', tokenType: 'PC', appSource: 'PC' });
    await client.get('/v1/x');
    client.options.language = 'en';
    await client.get('/v1/x');
    expect(seen[0]?.headers).toMatchObject({
      'accept-language': 'es',
      'x-company-id': '1002',
      'x-edition': 'lighting',
    });
    expect(seen[1]?.headers).toMatchObject({ 'accept-language': 'en', 'x-token-type': 'PC', 'x-app-source': 'PC' });
  });

  test('an id in a path stays one step of it', async () => {
    await portico().getCompanyById('../x?y' as unknown as number);
    expect(only().url.pathname).toBe('/v1/account/getCompanyById/..%2Fx%3Fy');
  });

  test.each<[string, (client: Portico) => Promise<unknown>, string]>([
    [
      'getAuthCode',
      (c) => c.getAuthCode(3001, 'mShop'),
      'GET /openapi/v1/auth/getAuthCode?account_id_=3001&target_=mShop',
    ],
    ['setDefaultCompany', (c) => c.setDefaultCompany(1001), 'POST /v1/account/setDefaultCompany company_id_=1001'],
    ['getCompanyById', (c) => c.getCompanyById(1001), 'GET /v1/account/getCompanyById/1001'],
    ['getDefaultSetting', (c) => c.getDefaultSetting(), 'GET /v1/base/company/noAuth/getDefaultSetting'],
    [
      'getDefaultSetting of a company',
      (c) => c.getDefaultSetting(1002),
      'GET /v1/base/company/noAuth/getDefaultSetting?company_id_=1002',
    ],
    ['getAdminByLogin', (c) => c.getAdminByLogin('buyer1'), 'GET /v1/account/getAdminByLogin?login_=buyer1'],
    [
      'checkPhoneExitInCompany',
      (c) => c.checkPhoneExitInCompany('13800000001', 1001),
      'POST /v1/account/checkPhoneExitInCompany company_id_=1001&phone_=13800000001',
    ],
    [
      'checkPhoneExitInUser',
      (c) => c.checkPhoneExitInUser('13800000001'),
      'POST /v1/account/checkPhoneExitInUser phone_=13800000001',
    ],
    ['bindJpushId', (c) => c.bindJpushId(3001, 'j1'), 'POST /v1/account/bindJpushId jpush_id_=j1&user_id_=3001'],
    ['registCode', (c) => c.registCode('13912345678'), 'GET /v1/account/registCode?phone_=13912345678'],
    [
      'experienceCode',
      (c) => c.experienceCode('13912345678'),
      'GET /v1/base/experience/experienceCode?phone_=13912345678',
    ],
    [
      'shopRegisterCode',
      (c) => c.shopRegisterCode('13912345678', 1001),
      'GET /v1/account/shopRegisterCode?company_id_=1001&phone_=13912345678',
    ],
    [
      'registerCode',
      (c) => c.registerCode('13912345678', 1001),
      'GET /v1/shopRegister/noAuth/registerCode?company_id_=1001&phone_=13912345678',
    ],
    [
      'createCompany',
      (c) => c.createCompany(lin),
      'POST /v1/account/createCompany agree_=1&code_=012345&company_name_=Lin%27s&name_=Lin&password_=a.b_c7&' +
        'phone_=13912345678',
    ],
    [
      'createCompany without a yes',
      (c) => c.createCompany({ ...lin, agree: false }),
      'POST /v1/account/createCompany agree_=0&code_=012345&company_name_=Lin%27s&name_=Lin&password_=a.b_c7&' +
        'phone_=13912345678',
    ],
    [
      'updateAndImportTrade',
      (c) => c.updateAndImportTrade(118, true),
      'POST /v1/account/updateAndImportTrade import_=1&industry_id_=118',
    ],
    [
      'updateAndImportTrade of nothing',
      (c) => c.updateAndImportTrade(null, false),
      'POST /v1/account/updateAndImportTrade import_=0',
    ],
    [
      'experienceRegister',
      (c) => c.experienceRegister({ phone: '13912345678', code: '012345', industry: 729 }),
      'POST /v1/account/experienceRegister code_=012345&industry_id_=729&phone_=13912345678',
    ],
    [
      'experienceRegister with names',
      (c) => c.experienceRegister({ phone: '13912345678', code: '012345', industry: 729, name: 'L', companyName: 'T' }),
      'POST /v1/account/experienceRegister code_=012345&company_name_=T&industry_id_=729&name_=L&phone_=13912345678',
    ],
    ['getExperienceUser', (c) => c.getExperienceUser('shop'), 'POST /v1/account/getExperienceUser role_=shop'],
    [
      'getExperienceUser with samples of an industry',
      (c) => c.getExperienceUser('mgr', { industry: 729, samples: true }),
      'POST /v1/account/getExperienceUser import_=1&industry_id_=729&role_=mgr',
    ],
    [
      'shopCompleteRegister',
      (c) => c.shopCompleteRegister({ phone: '13912345678', code: '012345', companyId: 1001 }),
      'POST /v1/account/shopCompleteRegister code_=012345&company_id_=1001&phone_=13912345678',
    ],
    [
      'shopCompleteRegister with a name and a password',
      (c) =>
        c.shopCompleteRegister({
          phone: '13912345678',
          code: '012345',
          companyId: 1001,
          name: 'Lin',
          password: 'a.b_c7',
        }),
      'POST /v1/account/shopCompleteRegister code_=012345&company_id_=1001&confirm_password_=a.b_c7&name_=Lin&' +
        'password_=a.b_c7&phone_=13912345678',
    ],
    [
      'getAppAuthenticationParams',
      (c) => c.getAppAuthenticationParams('http://m.x/shop', { companyId: 1001 }, 'wecom'),
      'POST /api/v1/company/wechat/noAuth/getAppAuthenticationParams {"company_id_":1001,"url_":"http://m.x/shop",' +
        '"provider_":"wecom"}',
    ],
    [
      'getAppAuthenticationParams of the platform',
      (c) => c.getAppAuthenticationParams('http://m.x/shop', {}, 'wechat'),
      'POST /api/v1/company/wechat/noAuth/getAppAuthenticationParams {"url_":"http://m.x/shop","provider_":"wechat"}',
    ],
    [
      'getWeChatUserInfo',
      (c) => c.getWeChatUserInfo('c', 's', 1001),
      'GET /v1/setting/weChatSetting/noAuth/getWeChatUserInfo?code_=c&company_id_=1001&state_=s',
    ],
    [
      'checkPhoneOrOpenId by identity',
      (c) => c.checkPhoneOrOpenId({ ticket: 't', openId: 'o' }, 1001),
      'POST /v1/shopRegister/noAuth/checkPhoneOrOpenId company_id_=1001&open_id_=o&ticket_=t',
    ],
    [
      'getByPhoneOrOpenId by identity',
      (c) => c.getByPhoneOrOpenId({ ticket: 't' }, 1001),
      'GET /v1/shopRegister/noAuth/getByPhoneOrOpenId?company_id_=1001&ticket_=t',
    ],
    ['getByCompany', (c) => c.getByCompany(1001), 'GET /v1/shopRegisterSetting/noAuth/getByCompany?company_id_=1001'],
    [
      'checkPhoneOrOpenId',
      (c) => c.checkPhoneOrOpenId('13912345678', 1001),
      'POST /v1/shopRegister/noAuth/checkPhoneOrOpenId company_id_=1001&phone_=13912345678',
    ],
    [
      'checkCode',
      (c) => c.checkCode('13912345678', 1001, '012345'),
      'POST /v1/shopRegister/noAuth/checkCode code_=012345&company_id_=1001&phone_=13912345678',
    ],
    [
      'getUploadToken',
      (c) => c.getUploadToken({ name: 'a b.jpg', size: 204800, type: 'image/jpeg' }),
      'GET /v1/common/upload/getUploadToken?name_=a%20b.jpg&size_=204800&type_=image%2Fjpeg',
    ],
    [
      'save',
      (c) => c.save({ companyId: 1001, ticket: 't', companyName: "Lin's", contactName: 'Lin' }),
      'POST /v1/shopRegister/noAuth/save {"company_id_":1001,"ticket_":"t","company_name_":"Lin\'s",' +
        '"contact_name_":"Lin"}',
    ],
    [
      'save with everything',
      (c) => c.save({ ...application, companyId: 1001, ticket: 't', companyName: "Lin's", contactName: 'Lin' }),
      'POST /v1/shopRegister/noAuth/save {"company_id_":1001,"ticket_":"t","company_name_":"Lin\'s",' +
        '"contact_name_":"Lin",' +
        '"position_":"Buyer","province_":"440000","city_":"440100","district_":"440106","address_":"A","reason_":"R",' +
        '"licence_key_":"k","contact_phone_":"13912345670"}',
    ],
    [
      'getByPhoneOrOpenId',
      (c) => c.getByPhoneOrOpenId('13912345678', 1001),
      'GET /v1/shopRegister/noAuth/getByPhoneOrOpenId?company_id_=1001&phone_=13912345678',
    ],
    [
      'getByPhoneOrOpenId with a ticket',
      (c) => c.getByPhoneOrOpenId('13912345678', 1001, 't'),
      'GET /v1/shopRegister/noAuth/getByPhoneOrOpenId?company_id_=1001&phone_=13912345678&ticket_=t',
    ],
    ['getById', (c) => c.getById(6755399441055744), 'GET /v1/shopRegister/noAuth/getById/6755399441055744'],
    [
      'getById with a ticket',
      (c) => c.getById(6755399441055744, 't'),
      'GET /v1/shopRegister/noAuth/getById/6755399441055744?ticket_=t',
    ],
    ['resetCode', (c) => c.resetCode({ phone: '13800000001' }), 'GET /v1/account/resetCode?phone_=13800000001'],
    ['resetCode of an account', (c) => c.resetCode({ login: 'buyer1' }), 'GET /v1/account/resetCode?login_=buyer1'],
    [
      'resetPhonePassword',
      (c) => c.resetPhonePassword({ phone: '13800000001' }, '012345', 'a.b_c7'),
      'POST /v1/account/resetPhonePassword code_=012345&confirm_password_=a.b_c7&password_=a.b_c7&phone_=13800000001',
    ],
    [
      'resetPhonePassword of an account',
      (c) => c.resetPhonePassword({ login: 'buyer1' }, '012345', 'a.b_c7'),
      'POST /v1/account/resetPhonePassword code_=012345&confirm_password_=a.b_c7&login_=buyer1&password_=a.b_c7',
    ],
    [
      'modifyPwd',
      (c) => c.modifyPwd('Demo2026', 'a.b_c7'),
      'POST /v1/account/modifyPwd confirm_password_=a.b_c7&old_password_=Demo2026&password_=a.b_c7',
    ],
    ['bindPhoneCode', (c) => c.bindPhoneCode('13912345678'), 'GET /v1/account/bindPhoneCode?phone_=13912345678'],
    [
      'bindPhone',
      (c) => c.bindPhone('13912345678', '012345'),
      'POST /v1/account/bindPhone code_=012345&phone_=13912345678',
    ],
    [
      'bindPhone with a password',
      (c) => c.bindPhone('13912345678', '012345', 'a.b_c7'),
      'POST /v1/account/bindPhone code_=012345&password_=a.b_c7&phone_=13912345678',
    ],
    [
      'setBindPhonePassword',
      (c) => c.setBindPhonePassword('a.b_c7'),
      'POST /v1/account/setBindPhonePassword confirm_password_=a.b_c7&password_=a.b_c7',
    ],
    ['unbindPhoneCode', (c) => c.unbindPhoneCode(), 'GET /v1/account/unbindPhoneCode'],
    ['unbindPhone', (c) => c.unbindPhone('012345'), 'POST /v1/account/unbindPhone code_=012345'],
    [
      'unbindPhone with a password',
      (c) => c.unbindPhone('012345', 'a.b_c7'),
      'POST /v1/account/unbindPhone code_=012345&password_=a.b_c7',
    ],
    [
      'markDoNotRemindBindPhone',
      (c) => c.markDoNotRemindBindPhone(3016),
      'POST /v1/account/noAuth/markDoNotRemindBindPhone/3016 user_id_=3016',
    ],
    ['buildRegionTree', (c) => c.buildRegionTree(), 'GET /v1/common/helper/buildRegionTree'],
    ['buildSimpleRegionTree', (c) => c.buildSimpleRegionTree(), 'GET /v1/common/helper/buildSimpleRegionTree'],
    [
      'buildSimpleRegionTree below a region',
      (c) => c.buildSimpleRegionTree('440000'),
      'GET /v1/common/helper/buildSimpleRegionTree?parent_=440000',
    ],
  ])('%s', async (_, call, line) => {
    answers = [ok({ made: 'up' })];
    expect(await call(portico())).toEqual({ made: 'up' });
    const { method, url, body } = only();
    expect(`${method} ${url.pathname}${url.search}${body && ` ${body}`}`).toBe(line);
  });
});

test('an idempotency key is 20 letters and digits that never come again', () => {
  const keys = Array.from({ length: 3000 }, requestString);
  expect(REQUEST_LENGTH).toBe(20);
  expect(keys.filter((key) => !/^[A-Za-z0-9]{20}$/.test(key))).toEqual([]);
  expect(new Set(keys).size).toBe(3000);
  expect(new Set(keys.join('')).size).toBe(62);
});

describe('nonces', () => {
  test('are the time and a random number below 10,000', async () => {
    const now = 1_760_000_000_000;
    const added = new Set<number>();
    for (let n = 0; n < 200; n++) {
      const fetch = async (_: string, { headers }: RequestInit) => {
        added.add(Number((headers as Record<string, string>)['X-Nonce']) - now);
        return new Response('{"status":1,"code":"ok"}');
      };
      await portico({ now: () => now, fetch: fetch as typeof globalThis.fetch }).get('/v1/x');
    }
    expect(Math.min(...added)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...added)).toBeLessThan(10_000);
    expect(added.size).toBeGreaterThan(150);
  });

  test('no two calls of a client share one, in one millisecond or out of order', async () => {
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
      await client.get('/v1/x');
      now += n % 3;
    }
    expect(new Set(nonces).size).toBe(3000);
  });
});

describe('the clock', () => {
  const day = 86_400_000;

  /** Refuses, as the server does, what is more than five minutes off. */
  const strict: Answer = (request, response) => {
    const off = Math.abs(Number(request.headers['x-timestamp']) - Date.now()) > 300_000;
    (off ? refusal(401, 1403, 'sign_expired', { server_time_: Date.now() }) : ok('done'))(request, response);
  };

  test.each([day, -day])('one that is %d ms off is corrected once and for all', async (wrong) => {
    answers = [strict, strict, strict];
    const client = portico({ now: () => Date.now() + wrong });
    expect(await client.post('/v1/x', { a: 1 })).toBe('done');
    expect(await client.get('/v1/y')).toBe('done');
    expect(seen.map(({ url, body }) => url.pathname + body)).toEqual(['/v1/xa=1', '/v1/xa=1', '/v1/y']);
    expect(Math.abs(Number(seen[2]?.headers['x-timestamp']) - Date.now())).toBeLessThan(5_000);
    expect(new Set(seen.map(({ headers }) => headers['x-nonce'])).size).toBe(3);
  });

  test('calls at the same time do not correct it twice', async () => {
    answers = Array<Answer>(10).fill(strict);
    const client = portico({ now: () => Date.now() - day });
    expect(await Promise.all([1, 2, 3, 4, 5].map((n) => client.get(`/v1/${n}`)))).toEqual(Array(5).fill('done'));
  });

  test('a server that will not be satisfied is asked no third time', async () => {
    const never = refusal(401, 1403, 'sign_expired', { server_time_: 5 });
    answers = [never, never];
    expect((await refused(portico().get('/v1/x'))).code).toBe('sign_expired');
    expect(seen).toHaveLength(2);
  });

  test('without the time of the server there is nothing to correct', async () => {
    answers = [refusal(401, 1403, 'sign_expired')];
    expect((await refused(portico().get('/v1/x'))).code).toBe('sign_expired');
  });
});

describe('a refusal', () => {
  test('of business comes with HTTP 200', async () => {
    answers = [refusal(200, 1002, 'wrong_password', { left_: 3 })];
    const error = await refused(portico().mixedLogin('13800000001', 'wrong'));
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

  test('of a code that needs work first is answered with the work', async () => {
    const proof = { token_: 'a', bits_: 4 };
    answers = [refusal(200, 1100, 'validation_failed', { proof_: proof }), ok({ resend_after_: 60 })];
    expect(await portico().registCode('13912345678')).toEqual({ resend_after_: 60 });
    const again = seen[1]?.url.searchParams;
    expect([again?.get('phone_'), again?.get('proof_')]).toEqual(['13912345678', 'a']);
    const digest = createHash('sha256')
      .update(`a:${again?.get('work_')}`)
      .digest();
    expect(digest.readUInt8(0)).toBeLessThan(16);
  });

  test('of the work is not answered a second time', async () => {
    const set = refusal(200, 1100, 'validation_failed', { proof_: { token_: 'a', bits_: 1 } });
    answers = [set, set];
    expect((await refused(portico().resetCode({ phone: '13800000001' }))).code).toBe('validation_failed');
    expect(seen).toHaveLength(2);
  });

  test('of a code asked for too soon says when the next one may be', async () => {
    answers = [refusal(200, 1023, 'code_already_sent', { resend_after_: 41 })];
    const error = await refused(portico().resetCode({ phone: '13800000001' }));
    expect(error).toMatchObject({
      code: 'code_already_sent',
      data: { resend_after_: 41 },
      http: 200,
      retryAfter: null,
    });
  });

  test('of too many tries says how long to wait', async () => {
    answers = [refusal(429, 1026, 'too_many_attempts', null, { 'Retry-After': '60' })];
    expect(await refused(portico().checkPhoneExitInUser('13800000001'))).toMatchObject({ http: 429, retryAfter: 60 });
  });

  test('is never a success because of its HTTP status or its envelope alone', async () => {
    answers = [reply(500, { status: 1, code: 'ok', data: 1 }), reply(200, { status: 1500, code: 'internal', data: 1 })];
    expect((await refused(portico().get('/v1/x'))).http).toBe(500);
    expect((await refused(portico().get('/v1/x'))).code).toBe('internal');
  });

  test('is not asked for again', async () => {
    answers = [refusal(503, 1032, 'not_available_offline', null, { 'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT' })];
    expect(await refused(portico().get('/v1/x'))).toMatchObject({ http: 503, retryAfter: null });
    expect(seen).toHaveLength(1);
  });
});

describe('an answer that is no envelope', () => {
  test.each([
    [502, '<html>Bad gateway</html>'],
    [200, ''],
    [200, 'null'],
    [200, '[]'],
    [200, '{"status":"1","code":"ok"}'],
    [200, '{"status":1'],
  ])('%d %j is unreadable', async (http, text) => {
    answers = [(_, response) => response.writeHead(http, { 'X-Request-Id': 'r3', 'Retry-After': '7' }).end(text)];
    const error = await refused(portico().get('/v1/x'));
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

  test('a redirect is not followed: the token is for this host', async () => {
    answers = [(_, response) => response.writeHead(302, { Location: '/elsewhere' }).end()];
    const client = portico();
    client.token = 't0k';
    expect((await refused(client.get('/v1/x'))).code).toBe('unreachable');
    expect(seen).toHaveLength(1);
  });
});

describe('an answer that does not come', () => {
  test('in time is given up, and the connection with it', async () => {
    let closed: Promise<void> | undefined;
    answers = [
      (_, response) => {
        closed = new Promise((resolve) => response.on('close', resolve));
      },
    ];
    expect(await refused(portico({ timeout: 50 }).get('/v1/x'))).toMatchObject({ status: 0, code: 'timeout', http: 0 });
    await closed;
  });

  test('as a whole in time neither', async () => {
    answers = [(_, response) => response.writeHead(200).write('{"status":1,')];
    expect((await refused(portico({ timeout: 50 }).get('/v1/x'))).code).toBe('timeout');
  });

  test('through a fetch that cannot be aborted neither', async () => {
    const client = portico({ timeout: 20, fetch: () => new Promise(() => {}) });
    expect((await refused(client.get('/v1/x'))).code).toBe('timeout');
  });

  test('because nobody listens is unreachable, with what fetch said', async () => {
    const nobody = createServer();
    await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve));
    const { port } = nobody.address() as AddressInfo;
    await new Promise((resolve) => nobody.close(resolve));
    const error = await refused(portico({ address: `http://127.0.0.1:${port}` }).get('/v1/x'));
    expect(error.code).toBe('unreachable');
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  test('because fetch threw at once is unreachable too', async () => {
    const client = portico({
      fetch: () => {
        throw new Error('no network');
      },
    });
    expect((await refused(client.get('/v1/x'))).code).toBe('unreachable');
  });
});

describe('tokens', () => {
  const lists = { phone_: '13800000001', mgrAccountList: [], shopAccountList: [], ticket_: 'tick' };
  const sent = () => seen.map(({ headers }) => headers['x-token']);

  test('one account: its token is sent from then on, and the sign-in itself goes without', async () => {
    answers = [ok({ ...lists, user_: { token_: 't1' } })];
    const client = portico();
    client.token = 'of an earlier one';
    expect(
      (await client.mixedLogin('13800000001', 'Demo2026', { companyId: 1001, accountId: 3001 })).user_?.token_,
    ).toBe('t1');
    await client.getAccountList();
    expect(sent()).toEqual(['', 't1']);
    expect(seen[0]?.body).toBe('account_id_=3001&company_id_=1001&login_=13800000001&password_=Demo2026');
    expect([client.token, client.ticket]).toEqual(['t1', '']);
  });

  test('what makes an account signs in, and goes without what was held before', async () => {
    answers = [ok({ token_: 't1' }), ok({ company_id_: 1009 }), ok({ token_: 't2' })];
    const client = portico();
    client.token = 'of an earlier one';
    client.ticket = 'likewise';
    expect((await client.createCompany(lin, { idempotencyKey: 'k-1' })).token_).toBe('t1');
    await client.updateAndImportTrade(118, true, { idempotencyKey: 'k-2' });
    await client.shopCompleteRegister({ phone: lin.phone, code: lin.code, companyId: 1001 }, { idempotencyKey: 'k-3' });
    expect(sent()).toEqual(['', 't1', '']);
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['k-1', 'k-2', 'k-3']);
    expect([client.token, client.ticket]).toEqual(['t2', '']);
  });

  test("an experience is entered with its ticket, and the other side with the first one's token", async () => {
    answers = [ok({ company_id_: 1009, ticket_: 'tick' }), ok({ token_: 't1' }), ok({ token_: 't2' })];
    const client = portico();
    client.token = 'of an earlier one';
    const trial = { phone: lin.phone, code: lin.code, industry: 118 } as const;
    await client.experienceRegister(trial, { idempotencyKey: 'k-1' });
    expect([client.token, client.ticket]).toEqual(['', 'tick']);
    await client.getExperienceUser('shop', {}, { idempotencyKey: 'k-2' });
    await client.getExperienceUser('mgr');
    expect(sent()).toEqual(['', 'tick', 't1']);
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['k-1', 'k-2', undefined]);
    expect([client.token, client.ticket]).toEqual(['t2', '']);
  });

  test('a refused registration leaves what was held', async () => {
    answers = [refusal(200, 1020, 'phone_registered'), refusal(200, 1025, 'code_expired')];
    const client = portico();
    client.token = 't0k';
    expect((await refused(client.createCompany(lin))).code).toBe('phone_registered');
    const trial = { phone: lin.phone, code: lin.code, industry: 118 } as const;
    expect((await refused(client.experienceRegister(trial))).code).toBe('code_expired');
    expect(client.token).toBe('t0k');
  });

  test('several: the ticket is sent until a token comes', async () => {
    answers = [ok({ ...lists, user_: null }), ok([]), ok({ auth_code_: 'c' }), ok({ token_: 't2' })];
    const client = portico();
    client.token = 'of an earlier one';
    await client.mixedLogin('13800000003', 'Demo2026');
    expect([client.token, client.ticket]).toEqual(['', 'tick']);
    await client.getAccountList();
    const { auth_code_ } = await client.getAuthCode(3003);
    await client.getLoginUserByAuthCode(auth_code_);
    await client.getAccountList();
    expect(sent()).toEqual(['', 'tick', 'tick', '', 't2']);
    expect([client.token, client.ticket]).toEqual(['t2', '']);
  });

  test('an identity signs in as a password does, and one of its accounts is entered with the ticket', async () => {
    const several = ok({ ...lists, user_: null });
    answers = [several, several, ok({ token_: 't1' }), ok({ ...lists, user_: { token_: 't2' } })];
    const client = portico();
    client.token = 'of an earlier one';
    await client.openIdLogin('wx', { companyId: 1001, accountId: 3001 });
    await client.bindOpenIdForLogin('wx', '13800000003', 'Demo2026', { accountId: 3001, question: 'q', answer: 42 });
    expect([client.token, client.ticket]).toEqual(['', 'tick']);
    expect((await client.login(3003)).token_).toBe('t1');
    await client.openIdLogin('wx');
    expect(sent()).toEqual(['', '', 'tick', '']);
    expect(seen.map(({ url, body }) => `${url.pathname} ${body}`)).toEqual([
      '/v1/account/openIdLogin account_id_=3001&company_id_=1001&ticket_=wx',
      '/v1/account/bindOpenIdForLogin account_id_=3001&answer_=42&login_=13800000003&password_=Demo2026&' +
        'question_=q&ticket_=wx',
      '/api/v1/company/wechat/account/login {"account_id_":3003}',
      '/v1/account/openIdLogin ticket_=wx',
    ]);
    expect([client.token, client.ticket]).toEqual(['t2', '']);
  });

  test('work-chat signs a single account in; without one, what was held stays', async () => {
    answers = [
      ok({ ticket_: 'wx', linked_: false, user_: null }),
      ok({ ticket_: 'wx', linked_: true, user_: { token_: 't1' } }),
    ];
    const client = portico();
    client.token = 't0k';
    await client.authorization('c', 's', { companyId: 1001 });
    expect(client.token).toBe('t0k');
    await client.authorization('c', 's', { corpId: 'ww1' });
    expect(sent()).toEqual(['', '']);
    expect(seen.map(({ body }) => body)).toEqual([
      '{"code_":"c","state_":"s","company_id_":1001}',
      '{"code_":"c","state_":"s","corp_id_":"ww1"}',
    ]);
    expect(client.token).toBe('t1');
  });

  test('a refused sign-in leaves them as they were', async () => {
    answers = [refusal(200, 1002, 'wrong_password'), refusal(401, 1401, 'login_required')];
    const client = portico();
    client.token = 't3';
    await refused(client.mixedLogin('13800000001', 'wrong'));
    await refused(client.getLoginUserByAuthCode('used'));
    expect(client.token).toBe('t3');
  });

  test('a question is answered with the next try', async () => {
    answers = [ok({ ...lists, user_: null })];
    await portico().mixedLogin('13800000001', 'Demo2026', { question: 'q', answer: 42 });
    expect(only().body).toBe('answer_=42&login_=13800000001&password_=Demo2026&question_=q');
  });
});
