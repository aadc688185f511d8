// @vitest-environment node
import { describe, expect, expectTypeOf, test } from 'vitest';
import { newIdempotencyKey, type Portico, REQUEST_LENGTH, type Schemas } from './client';
import { answerWith, ok, onlyRequest, portico, refusal, refused, requests } from './testing';

/** The parameters of createCompany. */
const newCompany = {
  phone_: '13912345678',
  code_: '012345',
  password_: 'a.b_c7',
  name_: 'Lin',
  company_name_: "Lin's",
  agree_: 1,
} as const;

/** The parameters of experienceRegister. */
const trial = { phone_: '13912345678', code_: '012345', industry_id_: 118 } as const;

test.each<[string, (client: Portico) => Promise<unknown>, string]>([
  [
    'a GET with a query',
    (c) => c.get('/openapi/v1/auth/getAuthCode', { account_id_: 3001, target_: 'mShop' }),
    'GET /openapi/v1/auth/getAuthCode?account_id_=3001&target_=mShop',
  ],
  [
    'a GET without parameters',
    (c) => c.get('/v1/common/helper/buildRegionTree'),
    'GET /v1/common/helper/buildRegionTree',
  ],
  [
    'a GET whose parameters may be left out',
    (c) => c.get('/v1/base/company/noAuth/getDefaultSetting'),
    'GET /v1/base/company/noAuth/getDefaultSetting',
  ],
  [
    'a GET with a parameter in its path and one in the query',
    (c) => c.get('/v1/shopRegister/noAuth/getById/{id}', { id: 6755399441055744, ticket_: 't' }),
    'GET /v1/shopRegister/noAuth/getById/6755399441055744?ticket_=t',
  ],
  [
    'a POST with a form',
    (c) => c.post('/v1/account/createCompany', newCompany),
    'POST /v1/account/createCompany agree_=1&code_=012345&company_name_=Lin%27s&name_=Lin&password_=a.b_c7&' +
      'phone_=13912345678',
  ],
  [
    'a POST without what is undefined',
    (c) => c.post('/v1/account/updateAndImportTrade', { industry_id_: undefined, import_: 0 }),
    'POST /v1/account/updateAndImportTrade import_=0',
  ],
  [
    'a POST with a parameter in its path and one in the form',
    (c) => c.post('/v1/account/noAuth/markDoNotRemindBindPhone/{id}', { id: 3016, user_id_: 3016 }),
    'POST /v1/account/noAuth/markDoNotRemindBindPhone/3016 user_id_=3016',
  ],
  [
    'a POST with JSON',
    (c) => c.postJSON('/v1/shopRegister/noAuth/checkCode', { company_id_: 1001, phone_: '139', code_: '012345' }),
    'POST /v1/shopRegister/noAuth/checkCode {"company_id_":1001,"phone_":"139","code_":"012345"}',
  ],
])('%s', async (_, call, line) => {
  answerWith(ok({ any: 'data' }));
  expect(await call(portico())).toEqual({ any: 'data' });
  const { method, url, body } = onlyRequest();
  expect(`${method} ${url.pathname}${url.search}${body && ` ${body}`}`).toBe(line);
});

test('the types know the paths, parameters and answers of the description', () => {
  // never run: the compiler checks it
  const check = (client: Portico) => {
    expectTypeOf(client.get('/v1/account/getAccountList')).resolves.toEqualTypeOf<Schemas['CompanyAccounts'][]>();
    expectTypeOf(client.get('/v1/base/company/noAuth/getByHost', { host_: 'x' })).resolves.toEqualTypeOf<
      Schemas['Company'] | null
    >();
    expectTypeOf(client.post('/v1/account/createCompany', newCompany)).resolves.toEqualTypeOf<Schemas['User']>();
    // @ts-expect-error there is no such path
    client.get('/v1/account/nothing');
    // @ts-expect-error this is a POST
    client.get('/v1/account/mixedLogin');
    // @ts-expect-error login_ and password_ are required
    client.post('/v1/account/mixedLogin');
    // @ts-expect-error an id is a number
    client.get('/v1/account/getCompanyById/{id}', { id: 'x' });
    // @ts-expect-error the call has no such parameter
    client.post('/v1/account/mixedLogin', { login_: 'a', password_: 'b', phone_: 'c' });
  };
  expect(check).toBeTypeOf('function');
});

test('an idempotency key is 20 random letters and digits and never repeats', () => {
  const keys = Array.from({ length: 3000 }, newIdempotencyKey);
  expect(REQUEST_LENGTH).toBe(20);
  expect(keys.filter((key) => !/^[A-Za-z0-9]{20}$/.test(key))).toEqual([]);
  expect(new Set(keys).size).toBe(3000);
  expect(new Set(keys.join('')).size).toBe(62);
});

describe('tokens', () => {
  const lists = { phone_: '13800000001', mgrAccountList: [], shopAccountList: [], ticket_: 'tick' };
  const one = { login_: '13800000001', password_: 'Demo2026' };
  const several = { login_: '13800000003', password_: 'Demo2026' };
  const sentTokens = () => requests.map(({ headers }) => headers['x-token']);

  test('signing in to a single account keeps its token; the sign-in itself is sent without a token', async () => {
    answerWith(ok({ ...lists, user_: { token_: 't1' } }));
    const client = portico();
    client.token = 'earlier token';
    const { user_ } = await client.post('/v1/account/mixedLogin', { ...one, company_id_: 1001, account_id_: 3001 });
    expect(user_?.token_).toBe('t1');
    await client.get('/v1/account/getAccountList');
    expect(sentTokens()).toEqual(['', 't1']);
    expect(requests[0]?.body).toBe('account_id_=3001&company_id_=1001&login_=13800000001&password_=Demo2026');
    expect([client.token, client.ticket]).toEqual(['t1', '']);
  });

  test('calls that create an account are sent without token and ticket, and keep the new token', async () => {
    answerWith(ok({ token_: 't1' }), ok({ company_id_: 1009 }), ok({ token_: 't2' }));
    const client = portico();
    client.token = 'earlier token';
    client.ticket = 'earlier ticket';
    const user = await client.post('/v1/account/createCompany', newCompany, { idempotencyKey: 'k-1' });
    expect(user.token_).toBe('t1');
    const samples = { industry_id_: 118, import_: 1 } as const;
    await client.post('/v1/account/updateAndImportTrade', samples, { idempotencyKey: 'k-2' });
    await client.post(
      '/v1/account/shopCompleteRegister',
      { phone_: newCompany.phone_, code_: newCompany.code_, company_id_: 1001 },
      { idempotencyKey: 'k-3' },
    );
    expect(sentTokens()).toEqual(['', 't1', '']);
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['k-1', 'k-2', 'k-3']);
    expect([client.token, client.ticket]).toEqual(['t2', '']);
  });

  test("the first side of a sandbox is entered with its ticket, the other with the first side's token", async () => {
    answerWith(ok({ company_id_: 1009, ticket_: 'tick' }), ok({ token_: 't1' }), ok({ token_: 't2' }));
    const client = portico();
    client.token = 'earlier token';
    await client.post('/v1/account/experienceRegister', trial, { idempotencyKey: 'k-1' });
    expect([client.token, client.ticket]).toEqual(['', 'tick']);
    await client.post('/v1/account/getExperienceUser', { role_: 'shop' }, { idempotencyKey: 'k-2' });
    await client.post('/v1/account/getExperienceUser', { role_: 'mgr' });
    expect(sentTokens()).toEqual(['', 'tick', 't1']);
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['k-1', 'k-2', undefined]);
    expect([client.token, client.ticket]).toEqual(['t2', '']);
  });

  test('a refused registration leaves the token unchanged', async () => {
    answerWith(refusal(200, 1020, 'phone_registered'), refusal(200, 1025, 'code_expired'));
    const client = portico();
    client.token = 't0k';
    expect((await refused(client.post('/v1/account/createCompany', newCompany))).code).toBe('phone_registered');
    expect((await refused(client.post('/v1/account/experienceRegister', trial))).code).toBe('code_expired');
    expect(client.token).toBe('t0k');
  });

  test('signing in to several accounts sends the ticket until an account is entered', async () => {
    answerWith(ok({ ...lists, user_: null }), ok([]), ok({ auth_code_: 'c' }), ok({ token_: 't2' }));
    const client = portico();
    client.token = 'earlier token';
    await client.post('/v1/account/mixedLogin', several);
    expect([client.token, client.ticket]).toEqual(['', 'tick']);
    await client.get('/v1/account/getAccountList');
    const { auth_code_ } = await client.get('/openapi/v1/auth/getAuthCode', { account_id_: 3003 });
    await client.get('/v1/account/getLoginUserByAuthCode', { auth_code_ });
    await client.get('/v1/account/getAccountList');
    expect(sentTokens()).toEqual(['', 'tick', 'tick', '', 't2']);
    expect([client.token, client.ticket]).toEqual(['t2', '']);
  });

  test('an identity signs in like a password, and one of its accounts is entered with the ticket', async () => {
    const severalAccounts = ok({ ...lists, user_: null });
    answerWith(severalAccounts, severalAccounts, ok({ token_: 't1' }), ok({ ...lists, user_: { token_: 't2' } }));
    const client = portico();
    client.token = 'earlier token';
    await client.post('/v1/account/openIdLogin', { ticket_: 'wx', company_id_: 1001 });
    await client.post('/v1/account/bindOpenIdForLogin', { ticket_: 'wx', ...several });
    expect([client.token, client.ticket]).toEqual(['', 'tick']);
    const { token_ } = await client.postJSON('/api/v1/company/wechat/account/login', { account_id_: 3003 });
    expect(token_).toBe('t1');
    await client.post('/v1/account/openIdLogin', { ticket_: 'wx' });
    expect(sentTokens()).toEqual(['', '', 'tick', '']);
    expect([client.token, client.ticket]).toEqual(['t2', '']);
  });

  test('WeCom signs in to a single account; without one, the token stays unchanged', async () => {
    answerWith(
      ok({ ticket_: 'wx', linked_: false, user_: null }),
      ok({ ticket_: 'wx', linked_: true, user_: { token_: 't1' } }),
    );
    const client = portico();
    client.token = 't0k';
    const back = { code_: 'c', state_: 's' };
    const path = '/api/v1/company/wechat/noAuth/authorization';
    await client.postJSON(path, { ...back, company_id_: 1001 });
    expect([client.token, client.ticket]).toEqual(['t0k', '']);
    await client.postJSON(path, { ...back, corp_id_: 'ww1' });
    expect(sentTokens()).toEqual(['', '']);
    expect(client.token).toBe('t1');
  });

  test('a refused sign-in leaves the token unchanged', async () => {
    answerWith(refusal(200, 1002, 'wrong_password'), refusal(401, 1401, 'login_required'));
    const client = portico();
    client.token = 't3';
    await refused(client.post('/v1/account/mixedLogin', one));
    await refused(client.get('/v1/account/getLoginUserByAuthCode', { auth_code_: 'used' }));
    expect(client.token).toBe('t3');
  });

  test('other calls with a ticket in their answer leave token and ticket unchanged', async () => {
    answerWith(ok({ ticket_: 'wx' }), ok({ ticket_: 'phone' }));
    const client = portico();
    client.token = 't0k';
    await client.get('/v1/setting/weChatSetting/noAuth/getWeChatUserInfo', { code_: 'c', state_: 's' });
    await client.post('/v1/shopRegister/noAuth/checkCode', { company_id_: 1001, phone_: '139', code_: '012345' });
    expect([client.token, client.ticket]).toEqual(['t0k', '']);
  });
});
