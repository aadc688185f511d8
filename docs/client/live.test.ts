// @vitest-environment node
// Tests the client against a running server with the demo data. They are skipped without PORTICO_API.
// e2e/interaction/apiclient_test.go starts a server and runs them.
//
//   PORTICO_API         the server's address, http://127.0.0.1:8080
//   PORTICO_API_HOST    the Host header, api.localhost:8080; the default is the host of the address
//   PORTICO_SIGN_SECRET the secret; the default is that of dev
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type Options, Portico, Refused, type Schemas } from './client';

const { PORTICO_API, PORTICO_API_HOST, PORTICO_SIGN_SECRET } = process.env;
const address = PORTICO_API ?? 'http://nowhere.invalid';
const apiHost = PORTICO_API_HOST ?? new URL(address).host;
const base = apiHost.replace(/^api\./, '');
const password = 'Demo2026';

type Fetch = NonNullable<Options['fetch']>;

/** A fetch that can send a Host header, which Node's own cannot. The default is the API's host. */
const fetchAsHost: Fetch = (url, { method = 'GET', headers, body }) =>
  new Promise((resolve, reject) => {
    const options = { method, headers: { Host: apiHost, ...(headers as Record<string, string>) } };
    const sent = request(url, options, async (answer) => {
      let text = '';
      for await (const chunk of answer.setEncoding('utf8')) {
        text += chunk;
      }
      const { statusCode: status = 0, headers: received } = answer;
      resolve(new Response(status === 304 ? null : text, { status, headers: received as Record<string, string> }));
    });
    sent.on('error', reject).end(body);
  });

const fetchAPI: Fetch = PORTICO_API_HOST ? fetchAsHost : (url, init) => fetch(url, init);

function portico(options: Partial<Options> = {}): Portico {
  const secret = PORTICO_SIGN_SECRET ?? 'portico-dev-sign-secret';
  return new Portico({
    address,
    secret,
    tokenType: 'APP',
    appSource: 'ANDROID',
    language: 'en',
    fetch: fetchAPI,
    ...options,
  });
}

/** Returns the last code sent to a phone, from the dev inbox of the account site. Fails the test if there is none. */
async function codeSentTo(phone: string): Promise<string> {
  const answer = await fetchAsHost(`${address}/dev/inbox.json?phone=${phone}`, {
    headers: { Host: `account.${base}` },
  });
  const messages: { phone: string; code: string }[] = await answer.json();
  const sent = messages.find(({ code }) => code);
  expect(sent?.phone).toBe(phone);
  return sent?.code as string;
}

/** A PNG picture of one pixel, in base64. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Uploads a file to the account site as getUploadToken says. Returns the HTTP status. */
async function uploadFile({ method_, headers_, fields_ }: Schemas['UploadToken'], file: File): Promise<number> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields_)) {
    form.append(name, value);
  }
  form.append('file', file);
  const packed = new Response(form);
  const headers = {
    ...headers_,
    Host: `account.${base}`,
    'Content-Type': packed.headers.get('Content-Type') as string,
  };
  const body = new Uint8Array(await packed.arrayBuffer());
  return (await fetchAsHost(`${address}/upload`, { method: method_, headers, body })).status;
}

/** Waits for a call to be refused and returns the error. Fails the test if the call succeeds. */
async function refused(call: Promise<unknown>): Promise<Refused> {
  const error = await call.then(
    (data) => expect.fail(`the call returned ${JSON.stringify(data)}`),
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(Refused);
  return error as Refused;
}

/** Waits for a call to be refused and returns the code of the refusal. */
const codeOf = async (call: Promise<unknown>) => (await refused(call)).code;

/** A new password, and the same once more. */
const twice = (password_: string) => ({ password_, confirm_password_: password_ });

/** An unregistered phone for all look-ups, because an address may look up about ten phones an hour. */
const unregisteredPhone = `137${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;

const signIn = (client: Portico, login_: string, password_ = password, more: { [id: string]: number } = {}) =>
  client.post('/v1/account/mixedLogin', { login_, password_, ...more });

const accounts = (client: Portico) => client.get('/v1/account/getAccountList');

const logins = (all: Schemas['Account'][]) => all.map(({ login_ }) => login_).sort();

describe.skipIf(!PORTICO_API)('a running server', () => {
  describe('signs in to the only account of', () => {
    test.each([
      ['13800000001', 'buyer1', 1001, 3, '13800000001'],
      ['13800000002', 'jinsui', 1001, 1, '13800000002'],
      ['nophone', 'nophone', 1001, 3, null],
      ['northwind', 'northwind', 1003, 1, null],
    ])('%s', async (who, login, company, type, phone) => {
      const client = portico();
      const signedIn = await signIn(client, who);
      expect(signedIn.phone_).toBe(phone);
      expect(signedIn.user_).toMatchObject({ login_: login, company_id_: company, type_: type, bind_phone_: phone });
      expect(logins(signedIn.mgrAccountList)).toEqual(type === 3 ? [] : [login]);
      expect(logins(signedIn.shopAccountList)).toEqual(type === 3 ? [login] : []);
      expect(client.token).not.toBe('');
      const [own, ...others] = await accounts(client);
      expect(own).toMatchObject({ company_id_: company });
      expect(others).toEqual([]);
    });
  });

  describe('lists the accounts to choose from of', () => {
    test.each([
      ['13800000003', ['li.manager', 'sur'], ['li.lights', 'li.shop'], [1001, 1002, 1003]],
      ['13800000012', ['trial'], ['trial.shop'], [1008]],
    ])('%s', async (phone, mgr, shop, companies) => {
      const client = portico();
      const signedIn = await signIn(client, phone);
      expect(signedIn.user_).toBeNull();
      expect(logins(signedIn.mgrAccountList)).toEqual(mgr);
      expect(logins(signedIn.shopAccountList)).toEqual(shop);
      expect([client.token, client.ticket]).toEqual(['', signedIn.ticket_]);
      const list = await accounts(client);
      expect(list.map(({ company_id_ }) => company_id_).sort()).toEqual(companies);
      expect(logins(list.flatMap(({ mgrAccountList }) => mgrAccountList))).toEqual(mgr);
      expect(logins(list.flatMap(({ shopAccountList }) => shopAccountList))).toEqual(shop);
    });
  });

  describe('refuses and says why:', () => {
    test.each([
      ['13800000004', 'under_review', 1013, 1001],
      ['13800000005', 'account_disabled', 1021, 1001],
      ['13800000006', 'partner_ended', 1022, 1001],
      ['13800000007', 'company_disabled', 1003, 1004],
      ['13800000008', 'trial_ended', 1004, 1005],
      ['13800000009', 'company_expired', 1005, 1006],
      ['13800000010', 'mall_not_open', 1015, 1007],
      ['13800000011', 'phone_not_bound', 1010, undefined],
    ])('%s: %s', async (phone, code, status, company) => {
      const client = portico();
      const error = await refused(signIn(client, phone));
      expect(error).toMatchObject({ code, status, http: 200 });
      expect(error.message).not.toBe('');
      expect(error.requestId).not.toBe('');
      expect(error.data?.company_id_).toBe(company);
      expect([client.token, client.ticket]).toEqual(['', '']);
    });
  });

  test('signs in to the named company only', async () => {
    const { user_ } = await signIn(portico(), '13800000003', password, { company_id_: 1002 });
    expect(user_).toMatchObject({ login_: 'sur', company_id_: 1002 });
    expect(await refused(signIn(portico({ companyId: 1002 }), '13800000001'))).toMatchObject({
      code: 'not_in_company',
      http: 200,
    });
  });

  test('signs in to a chosen account', async () => {
    const client = portico();
    const { shopAccountList } = await signIn(client, '13800000003');
    const chosen = shopAccountList.find(({ login_ }) => login_ === 'li.shop') as Schemas['Account'];
    const { user_ } = await signIn(client, '13800000003', password, { account_id_: chosen.id_ });
    expect(user_).toMatchObject({ id_: chosen.id_, login_: 'li.shop', company_id_: 1001, phone_: '13800000003' });
    expect(await client.post('/v1/account/bindJpushId', { user_id_: chosen.id_, jpush_id_: '190e35f7e07' })).toEqual(
      {},
    );
  });

  test('signs a person in to a destination site with an auth code that works once', async () => {
    const wrapper = portico({ tokenType: 'PC', appSource: 'PC' });
    await signIn(wrapper, '13800000003');
    const chosen = (await accounts(wrapper))
      .flatMap(({ shopAccountList }) => shopAccountList)
      .find(({ login_ }) => login_ === 'li.shop') as Schemas['Account'];
    const { auth_code_: code, redirect_url_ } = await wrapper.get('/openapi/v1/auth/getAuthCode', {
      account_id_: chosen.id_,
    });
    const landing = new URL(redirect_url_);
    expect([landing.host, landing.pathname]).toEqual([`store1001.${base}`, '/home']);
    expect(Object.fromEntries(landing.searchParams)).toEqual({ companyId: '1001', auth_code_: code });

    const site = portico({ tokenType: 'WEBAPP', appSource: 'WEBAPP' });
    expect(await site.get('/v1/account/getLoginUserByAuthCode', { auth_code_: code })).toMatchObject({
      id_: chosen.id_,
      login_: 'li.shop',
      type_: 3,
    });
    expect(site.token).not.toBe('');
    expect(await accounts(site)).toHaveLength(1);

    expect(await refused(portico().get('/v1/account/getLoginUserByAuthCode', { auth_code_: code }))).toMatchObject({
      code: 'login_required',
      http: 401,
    });
    expect(await refused(accounts(site))).toMatchObject({
      code: 'login_required',
      status: 1401,
      http: 401,
    });
    expect(await accounts(wrapper)).toHaveLength(3);
  });

  test.each([
    ['APP', undefined, 'm', '/shop'],
    ['PC', undefined, 'store1001', '/home'],
    ['PC', 'mShop', 'm', '/shop'],
    ['APP', 'pcShop', 'store1001', '/home'],
  ] as const)('sends a customer with %s and target %s to %s%s', async (tokenType, target, label, path) => {
    const client = portico({ tokenType });
    const { user_ } = await signIn(client, '13800000001');
    const { redirect_url_ } = await client.get('/openapi/v1/auth/getAuthCode', {
      account_id_: user_?.id_ as number,
      target_: target,
    });
    expect(redirect_url_).toContain(`//${label}.${base}${path}?`);
  });

  test('refuses the accounts and companies of other people', async () => {
    const client = portico();
    const { user_ } = await signIn(client, '13800000001');
    expect(user_).not.toBeNull();
    const { user_: other } = await signIn(portico(), '13800000002');
    expect(
      (await refused(client.get('/openapi/v1/auth/getAuthCode', { account_id_: other?.id_ as number }))).http,
    ).toBe(404);
    expect(
      (await refused(client.post('/v1/account/bindJpushId', { user_id_: other?.id_ as number, jpush_id_: 'x' }))).http,
    ).toBe(404);
    expect(await refused(client.post('/v1/account/setDefaultCompany', { company_id_: 1002 }))).toMatchObject({
      code: 'forbidden',
      http: 403,
    });
    expect(await refused(accounts(portico()))).toMatchObject({
      code: 'login_required',
      http: 401,
    });
  });

  test('accepts a token only from its kind of client, and a ticket only to choose an account', async () => {
    const client = portico();
    await signIn(client, '13800000001');
    const other = portico({ tokenType: 'PC' });
    other.token = client.token;
    expect(await codeOf(accounts(other))).toBe('login_required');

    const several = portico();
    const { mgrAccountList } = await signIn(several, '13800000012');
    expect(
      await codeOf(
        several.post('/v1/account/bindJpushId', { user_id_: mgrAccountList[0]?.id_ as number, jpush_id_: 'x' }),
      ),
    ).toBe('login_required');
  });

  test('stores the default company', async () => {
    const client = portico();
    await signIn(client, '13800000012');
    expect(await client.post('/v1/account/setDefaultCompany', { company_id_: 1008 })).toEqual({ company_id_: 1008 });
    const [company] = await accounts(client);
    expect(company).toMatchObject({ company_id_: 1008, default_: true });
    expect(company?.shopAccountList[0]?.default_).toBe(true);
  });

  test('finds companies by id and by host', async () => {
    const client = portico();
    const jinsui = await client.get('/v1/account/getCompanyById/{id}', { id: 1001 });
    expect(jinsui).toMatchObject({ id_: 1001, name_: '金穗粮油', language_type_: 'zh', state_: 'active' });
    expect(await client.get('/v1/base/company/noAuth/getByHost', { host_: `store1001.${base}` })).toEqual(jinsui);
    expect(await client.get('/v1/base/company/noAuth/getByHost', { host_: 'jinsui.test' })).toEqual(jinsui);
    expect(await client.get('/v1/base/company/noAuth/getByHost', { host_: 'store1001.example.com' })).toBeNull();
    expect((await client.get('/v1/base/company/noAuth/getByHost', { host_: `store1005.${base}` }))?.state_).toBe(
      'trial_ended',
    );
    expect(await refused(client.get('/v1/account/getCompanyById/{id}', { id: 4040 }))).toMatchObject({
      code: 'not_found',
      status: 1406,
      http: 404,
    });
  });

  test('returns the default settings and those of a company', async () => {
    const client = portico();
    expect(await client.get('/v1/base/company/noAuth/getDefaultSetting')).toMatchObject({
      shop_skin_color_: '20ade5',
      theme_: '20ade5',
    });
    expect(await client.get('/v1/base/company/noAuth/getDefaultSetting', { company_id_: 1002 })).toMatchObject({
      theme_: 'd9480f',
      language_type_: 'es',
    });
  });

  test('looks up phones and administrators', async () => {
    const client = portico();
    expect(
      await client.post('/v1/account/checkPhoneExitInCompany', { phone_: '138 0000 0001', company_id_: 1001 }),
    ).toEqual({ exists_: true });
    expect(
      await client.post('/v1/account/checkPhoneExitInCompany', { phone_: '13800000001', company_id_: 1002 }),
    ).toEqual({ exists_: false });
    expect(await client.post('/v1/account/checkPhoneExitInUser', { phone_: '13800000011' })).toEqual({
      exists_: true,
      bound_: false,
    });
    expect(await client.post('/v1/account/checkPhoneExitInUser', { phone_: '13900000001' })).toEqual({
      exists_: false,
      bound_: false,
    });
    expect((await client.get('/v1/account/getAdminByLogin', { login_: 'buyer1' })).phone_).not.toBeNull();
    expect(await codeOf(client.get('/v1/account/getAdminByLogin', { login_: 'nobody.here' }))).toBe(
      'account_not_found',
    );
  });

  test('binds a phone, resets and changes its password, and unbinds it', async () => {
    const phone = `139${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
    const [first, second, third] = ['kettle.rain7', 'copper_lake9', 'willow@gate4'] as const;
    const client = portico();
    const { user_ } = await signIn(client, 'nophone');

    expect(await client.get('/v1/account/bindPhoneCode', { phone_: phone })).toEqual({
      resend_after_: expect.any(Number),
    });
    const tooSoon = await refused(client.get('/v1/account/bindPhoneCode', { phone_: phone }));
    expect(tooSoon).toMatchObject({ code: 'code_already_sent', status: 1023, http: 200 });
    expect(tooSoon.data?.resend_after_).toBeGreaterThan(0);
    const sent = await codeSentTo(phone);
    const wrong = sent === '111111' ? '222222' : '111111';
    expect(await refused(client.post('/v1/account/bindPhone', { phone_: phone, code_: wrong }))).toMatchObject({
      code: 'code_wrong',
      status: 1024,
      http: 200,
    });
    expect(await client.post('/v1/account/bindPhone', { phone_: phone, code_: sent })).toEqual({
      bind_phone_: null,
      needs_password_: true,
    });
    expect(
      (await refused(client.post('/v1/account/setBindPhonePassword', twice('123456')))).data?.fields?.password_,
    ).toMatch(/password/i);
    expect(await client.post('/v1/account/setBindPhonePassword', twice(first))).toEqual({ bind_phone_: phone });
    expect(await refused(client.get('/v1/account/bindPhoneCode', { phone_: phone }))).toMatchObject({
      code: 'wrong_parameters',
      status: 1009,
    });

    const byPhone = portico();
    expect((await signIn(byPhone, phone, first)).user_).toMatchObject({
      id_: user_?.id_,
      bind_phone_: phone,
    });
    const signedOut = portico();
    expect((await signedOut.get('/v1/account/resetCode', { phone_: phone })).phone_).toBe(
      `${phone.slice(0, 3)}****${phone.slice(7)}`,
    );
    const code = await codeSentTo(phone);
    const other = code === '111111' ? '222222' : '111111';
    expect(
      await codeOf(
        signedOut.post('/v1/account/resetPhonePassword', {
          phone_: phone,
          code_: other,
          ...twice(second),
        }),
      ),
    ).toBe('code_wrong');
    expect(
      await signedOut.post('/v1/account/resetPhonePassword', {
        phone_: phone,
        code_: code,
        ...twice(second),
      }),
    ).toEqual({});
    expect(
      await codeOf(
        signedOut.post('/v1/account/resetPhonePassword', {
          phone_: phone,
          code_: code,
          ...twice(third),
        }),
      ),
    ).toBe('code_expired');
    expect(await refused(accounts(byPhone))).toMatchObject({
      code: 'login_required',
      http: 401,
    });
    expect(await codeOf(signIn(signedOut, phone, first))).toBe('wrong_password');

    await signIn(byPhone, phone, second);
    await signIn(signedOut, phone, second);
    expect(await codeOf(byPhone.post('/v1/account/modifyPwd', { old_password_: first, ...twice(third) }))).toBe(
      'old_password_wrong',
    );
    expect(
      await byPhone.post('/v1/account/modifyPwd', {
        old_password_: second,
        ...twice(third),
      }),
    ).toEqual({});
    expect(await accounts(byPhone)).toHaveLength(1);
    expect(await codeOf(accounts(signedOut))).toBe('login_required');

    await byPhone.get('/v1/account/unbindPhoneCode');
    // binding removed the account's own password, so this sets a new one
    expect(
      await byPhone.post('/v1/account/unbindPhone', { code_: await codeSentTo(phone), password_: password }),
    ).toEqual({});
    expect(await refused(accounts(byPhone))).toMatchObject({
      code: 'login_required',
      http: 401,
    });
    expect(await codeOf(signIn(signedOut, phone, third))).toBe('phone_not_bound');
    expect((await signIn(client, 'nophone')).user_?.bind_phone_).toBeNull();
    expect(
      await client.post('/v1/account/noAuth/markDoNotRemindBindPhone/{id}', {
        id: user_?.id_ as number,
        user_id_: user_?.id_ as number,
      }),
    ).toEqual({});
  });

  test('registers one company for repeated calls, and initialises it once', async () => {
    const phone = `136${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
    const client = portico();
    await client.get('/v1/account/registCode', { phone_: phone });
    const company = {
      phone_: phone,
      code_: await codeSentTo(phone),
      password_: 'kettle.rain7',
      name_: '林静',
      company_name_: '林记粮油',
      agree_: 1,
    } as const;
    const wrong = { ...company, code_: company.code_ === '111111' ? '222222' : '111111' };
    expect(await codeOf(client.post('/v1/account/createCompany', wrong))).toBe('code_wrong');
    const notAccepted = await refused(client.post('/v1/account/createCompany', { ...company, agree_: 0 }));
    expect(notAccepted.data?.fields?.agree_).toMatch(/agree/i);

    const key = { idempotencyKey: `company of ${phone}` };
    const [user, same] = await Promise.all([
      client.post('/v1/account/createCompany', company, key),
      client.post('/v1/account/createCompany', company, key),
    ]);
    expect(same).toEqual(user);
    expect(user).toMatchObject({ company_name_: '林记粮油', name_: '林静', type_: 1, bind_phone_: phone });
    const other = { ...company, company_name_: 'Another' };
    expect(await codeOf(portico().post('/v1/account/createCompany', other, key))).toBe('wrong_parameters');
    const later = portico();
    expect((await later.post('/v1/account/createCompany', company)).id_).toBe(user.id_);
    expect(await codeOf(portico().get('/v1/account/registCode', { phone_: phone }))).toBe('phone_registered');
    expect(await client.get('/v1/account/getCompanyById/{id}', { id: user.company_id_ })).toMatchObject({
      name_: '林记粮油',
      state_: 'trial',
    });

    const nothing = await refused(client.postJSON('/v1/account/updateAndImportTrade', { import_: 1 }));
    expect(nothing.data?.fields?.industry_id_).toMatch(/industry/i);
    const ready = { company_id_: user.company_id_, industry_id_: 118, imported_: true };
    const samplesKey = { idempotencyKey: `samples of ${phone}` };
    expect(
      await client.post('/v1/account/updateAndImportTrade', { industry_id_: 118, import_: 1 }, samplesKey),
    ).toEqual(ready);
    expect(
      await client.post('/v1/account/updateAndImportTrade', { industry_id_: 118, import_: 1 }, samplesKey),
    ).toEqual(ready);
    expect(await client.post('/v1/account/updateAndImportTrade', { industry_id_: 118, import_: 1 })).toEqual(ready);
    expect(await codeOf(client.post('/v1/account/updateAndImportTrade', { industry_id_: 729, import_: 1 }))).toBe(
      'wrong_parameters',
    );
    expect(await accounts(later)).toMatchObject([{ company_id_: user.company_id_, shopAccountList: [] }]);

    const { auth_code_ } = await client.get('/openapi/v1/auth/getAuthCode', { account_id_: user.id_ });
    expect(await portico().get('/v1/account/getLoginUserByAuthCode', { auth_code_ })).toMatchObject({
      id_: user.id_,
      type_: 1,
    });
    const employee = portico();
    await signIn(employee, 'li.manager');
    expect(
      await refused(employee.post('/v1/account/updateAndImportTrade', { industry_id_: 118, import_: 1 })),
    ).toMatchObject({ code: 'forbidden', http: 403 });
  });

  test('opens a sandbox and enters both of its sides', async () => {
    const phone = `135${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
    const client = portico();
    await client.get('/v1/base/experience/experienceCode', { phone_: phone });
    const trial = { phone_: phone, code_: await codeSentTo(phone), industry_id_: 729 } as const;
    const { company_id_ } = await client.post('/v1/account/experienceRegister', trial);
    const shop = await client.post('/v1/account/getExperienceUser', { role_: 'shop', industry_id_: 729, import_: 1 });
    expect(shop).toMatchObject({ company_id_, type_: 3 });
    const mgr = await client.post('/v1/account/getExperienceUser', { role_: 'mgr' });
    expect(mgr).toMatchObject({ company_id_, type_: 1 });
    expect((await client.get('/openapi/v1/auth/getAuthCode', { account_id_: mgr.id_ })).redirect_url_).toContain(
      `companyId=${company_id_}`,
    );
    expect(await codeOf(client.post('/v1/account/getExperienceUser', { role_: 'mgr', industry_id_: 118 }))).toBe(
      'wrong_parameters',
    );

    const buyer = portico();
    await signIn(buyer, '13800000001');
    expect(await codeOf(buyer.post('/v1/account/getExperienceUser', { role_: 'mgr' }))).toBe('wrong_parameters');
    const own = { name_: 'Lin', ...twice('kettle.rain7') };
    const notOffered = { phone_: phone, code_: '000000', company_id_: 1001, ...own };
    expect(await codeOf(portico().post('/v1/account/shopCompleteRegister', notOffered))).toBe('code_expired');
  });

  test('sends codes only to phones that may get them', async () => {
    const phone = unregisteredPhone;
    const client = portico();
    const sentCodes = await Promise.all([
      client.get('/v1/account/registCode', { phone_: phone }),
      client.get('/v1/base/experience/experienceCode', { phone_: phone }),
      client.get('/v1/shopRegister/noAuth/registerCode', { phone_: phone, company_id_: 1002 }),
    ]);
    expect(sentCodes).toEqual(Array(3).fill({ resend_after_: expect.any(Number) }));
    expect(await codeSentTo(phone)).toMatch(/^\d{6}$/);
    expect(await codeOf(client.get('/v1/account/registCode', { phone_: '13800000011' }))).toBe('phone_registered');
    expect(await codeOf(client.get('/v1/account/resetCode', { phone_: '13900000001' }))).toBe('phone_not_bound');
    expect(await codeOf(client.get('/v1/account/resetCode', { login_: 'nophone' }))).toBe('phone_not_bound');
    expect(await codeOf(client.get('/v1/shopRegister/noAuth/registerCode', { phone_: phone, company_id_: 1003 }))).toBe(
      'registration_closed',
    );
    expect(await codeOf(client.get('/v1/account/shopRegisterCode', { phone_: phone, company_id_: 1001 }))).toBe(
      'not_in_company',
    );
    const buyer = portico();
    const { user_ } = await signIn(buyer, '13800000001');
    expect(await codeOf(buyer.get('/v1/account/bindPhoneCode', { phone_: phone }))).toBe('wrong_parameters');
    expect(
      await client.post('/v1/account/noAuth/markDoNotRemindBindPhone/{id}', {
        id: user_?.id_ as number,
        user_id_: user_?.id_ as number,
      }),
    ).toEqual({});
  });

  /** Authorises at the stand-in as a new person with that name. Returns the code and state of the redirect. */
  async function authorise(address_: string, name: string, kind: 'new' | 'new-member') {
    const { pathname, search } = new URL(address_);
    const url = `${address}${pathname}${search}&person=${kind}&name=${encodeURIComponent(name)}`;
    const sentBack = await fetchAsHost(url, { headers: { Host: base } });
    expect(sentBack.status).toBe(302);
    const back = new URL(sentBack.headers.get('Location') as string).searchParams;
    return { code_: back.get('code') as string, state_: back.get('state') as string };
  }

  describe('signs in with a chat app:', () => {
    const page = `http://m.${base}/shop?companyId=1001`;
    const getWeChatUserInfo = '/v1/setting/weChatSetting/noAuth/getWeChatUserInfo';
    const authorization = '/api/v1/company/wechat/noAuth/authorization';
    const nick = `W${unregisteredPhone}`;

    test('WeChat, after the identity was linked to an account', async () => {
      const client = portico();
      const authoriseAtWeChat = async () => {
        const params = await client.postJSON('/api/v1/company/wechat/noAuth/getAppAuthenticationParams', {
          url_: page,
          company_id_: 1001,
          provider_: 'wechat',
        });
        expect(params).toMatchObject({ agent_id_: null, agent_signature_: null });
        expect(params.corp_signature_).toMatch(/^[0-9a-f]{40}$/);
        return authorise(params.authorize_url_, nick, 'new');
      };
      const back = await authoriseAtWeChat();
      const who = await client.get(getWeChatUserInfo, { ...back, company_id_: 1001 });
      expect(who).toMatchObject({ nick_name_: nick, linked_: false, applied_: false });
      expect((await client.get(getWeChatUserInfo, back)).open_id_).toBe(who.open_id_);
      expect(await codeOf(client.get(getWeChatUserInfo, { ...back, company_id_: 1002 }))).toBe('wechat_failed');
      expect(await codeOf(client.post('/v1/account/openIdLogin', { ticket_: who.ticket_ }))).toBe('account_not_found');
      expect(await codeOf(client.post('/v1/account/openIdLogin', { ticket_: who.open_id_ }))).toBe('login_required');
      const identity = { ticket_: who.ticket_, open_id_: who.open_id_ };
      expect(
        await client.post('/v1/shopRegister/noAuth/checkPhoneOrOpenId', { ...identity, company_id_: 1001 }),
      ).toEqual({ state_: 'none' });
      expect(
        await codeOf(client.get('/v1/shopRegister/noAuth/getByPhoneOrOpenId', { ...identity, company_id_: 1001 })),
      ).toBe('not_found');
      const bound = await client.post('/v1/account/bindOpenIdForLogin', {
        ticket_: who.ticket_,
        login_: '13800000001',
        password_: password,
      });
      expect(bound.user_).toMatchObject({ login_: 'buyer1', company_id_: 1001 });
      const linked = await client.get(getWeChatUserInfo, await authoriseAtWeChat());
      expect(linked).toMatchObject({ open_id_: who.open_id_, linked_: true });
      const { user_ } = await client.post('/v1/account/openIdLogin', { ticket_: linked.ticket_ });
      expect(user_?.login_).toBe('buyer1');
      expect(
        (await client.postJSON('/api/v1/company/wechat/account/login', { account_id_: user_?.id_ as number })).login_,
      ).toBe('buyer1');
      expect(await accounts(client)).toHaveLength(1);
    });

    test('WeCom, to one of several accounts', async () => {
      const client = portico();
      const params = await client.postJSON('/api/v1/company/wechat/noAuth/getAppAuthenticationParams', {
        url_: page,
        company_id_: 1001,
      });
      expect(params.agent_signature_).toMatch(/^[0-9a-f]{40}$/);
      const { ticket_, linked_ } = await client.postJSON(authorization, {
        ...(await authorise(params.authorize_url_, nick, 'new-member')),
        company_id_: 1001,
      });
      expect(linked_).toBe(false);
      const { user_, mgrAccountList } = await client.post('/v1/account/bindOpenIdForLogin', {
        ticket_,
        login_: '13800000003',
        password_: password,
      });
      expect(user_).toBeNull();
      expect(
        (
          await client.postJSON('/api/v1/company/wechat/account/login', {
            account_id_: mgrAccountList[0]?.id_ as number,
          })
        ).company_id_,
      ).toBe(1001);
      const { authorize_url_ } = await client.postJSON('/api/v1/company/wechat/noAuth/getAppAuthenticationParams', {
        url_: page,
        corp_id_: params.corp_id_,
      });
      const back = await authorise(authorize_url_, nick, 'new-member');
      const several = await client.postJSON(authorization, { ...back, corp_id_: params.corp_id_ });
      expect(several).toMatchObject({ linked_: true, user_: null });
      expect((await client.post('/v1/account/openIdLogin', { ticket_: several.ticket_ })).mgrAccountList).toHaveLength(
        2,
      );
    });
  });

  test('takes an application, and shows its details only with a ticket', async () => {
    const phone = unregisteredPhone;
    const client = portico();
    expect(await client.get('/v1/shopRegisterSetting/noAuth/getByCompany', { company_id_: 1001 })).toMatchObject({
      open_: true,
      review_: true,
      admin_: { name_: '陈静' },
    });
    expect((await client.get('/v1/shopRegisterSetting/noAuth/getByCompany', { company_id_: 1003 })).open_).toBe(false);
    expect(
      await client.post('/v1/shopRegister/noAuth/checkPhoneOrOpenId', { phone_: phone, company_id_: 1001 }),
    ).toEqual({ state_: 'none' });
    await client.get('/v1/shopRegister/noAuth/registerCode', { phone_: phone, company_id_: 1001 });
    const code = await codeSentTo(phone);
    expect(
      await codeOf(
        client.post('/v1/shopRegister/noAuth/checkCode', {
          phone_: phone,
          company_id_: 1001,
          code_: code === '111111' ? '222222' : '111111',
        }),
      ),
    ).toBe('code_wrong');
    const { ticket_ } = await client.post('/v1/shopRegister/noAuth/checkCode', {
      phone_: phone,
      company_id_: 1001,
      code_: code,
    });
    expect(
      await codeOf(
        client.get('/v1/shopRegister/noAuth/getByPhoneOrOpenId', { phone_: phone, company_id_: 1001, ticket_ }),
      ),
    ).toBe('not_found');
    const licence = new File([Uint8Array.from(atob(pixel), (c) => c.charCodeAt(0))], 'licence.png', {
      type: 'image/png',
    });
    const upload = await client.get('/v1/common/upload/getUploadToken', {
      name_: licence.name,
      size_: licence.size,
      type_: 'image/png',
    });
    expect(upload).toMatchObject({ url_: `http://account.${base}/upload`, method_: 'POST' });
    expect(upload.expires_).toBeGreaterThan(Date.now());
    const pdf = await refused(
      client.get('/v1/common/upload/getUploadToken', {
        name_: 'a.pdf',
        size_: 9,
        type_: 'application/pdf' as 'image/png',
      }),
    );
    expect(pdf).toMatchObject({ code: 'upload_rejected', status: 1031, http: 200 });
    expect(await uploadFile(upload, licence)).toBe(200);
    expect(await uploadFile(upload, licence)).toBe(200); // the same picture again, as after a lost response
    const other = new File([licence, new Uint8Array(1)], 'licence.png', { type: 'image/png' });
    expect(await uploadFile(upload, other)).toBe(403);
    const application = {
      company_id_: 1001,
      ticket_,
      company_name_: '林记粮油',
      contact_name_: '林静',
      licence_key_: upload.key_,
    };
    const foreign = await refused(
      client.postJSON('/v1/shopRegister/noAuth/save', { ...application, licence_key_: 'none' }),
    );
    expect(foreign.data?.fields?.licence_key_).toMatch(/\S/);
    expect(await codeOf(client.postJSON('/v1/shopRegister/noAuth/save', { ...application, ticket_: 'none' }))).toBe(
      'code_expired',
    );
    const nowhere = await refused(
      client.postJSON('/v1/shopRegister/noAuth/save', { ...application, province_: '440000', city_: '440100' }),
    );
    expect(nowhere.data?.fields?.province_).toMatch(/\S/);

    const key = { idempotencyKey: `application of ${phone}` };
    const sent = await client.postJSON('/v1/shopRegister/noAuth/save', application, key);
    const details = { company_name_: '林记粮油', licence_key_: upload.key_, position_: null };
    expect(sent).toMatchObject({ company_id_: 1001, state_: 'pending', ...details });
    expect(Number.isSafeInteger(sent.id_)).toBe(true);
    expect(await client.postJSON('/v1/shopRegister/noAuth/save', application, key)).toEqual(sent);
    expect(await client.postJSON('/v1/shopRegister/noAuth/save', application)).toEqual(sent);
    const another = { ...application, contact_name_: '别人' };
    expect(await codeOf(client.postJSON('/v1/shopRegister/noAuth/save', another))).toBe('application_exists');
    expect(await client.get('/v1/shopRegister/noAuth/getById/{id}', { id: sent.id_ as number, ticket_ })).toEqual(sent);
    expect(
      await client.get('/v1/shopRegister/noAuth/getByPhoneOrOpenId', { phone_: phone, company_id_: 1001, ticket_ }),
    ).toEqual(sent);
    const withoutDetails = { id_: null, company_id_: 1001, state_: 'pending', company_name_: null, admin_: null };
    expect(
      await client.get('/v1/shopRegister/noAuth/getByPhoneOrOpenId', { phone_: phone, company_id_: 1001 }),
    ).toMatchObject(withoutDetails);
    expect(
      await client.post('/v1/shopRegister/noAuth/checkPhoneOrOpenId', { phone_: phone, company_id_: 1001 }),
    ).toEqual({ state_: 'pending' });
    expect(
      await refused(
        client.get('/v1/shopRegister/noAuth/getByPhoneOrOpenId', { phone_: phone, company_id_: 1001, ticket_: 'none' }),
      ),
    ).toMatchObject({
      code: 'not_found',
      http: 404,
    });
    expect(await codeOf(client.postJSON('/v1/shopRegister/noAuth/save', { ...application, company_id_: 1003 }))).toBe(
      'registration_closed',
    );
  });

  test.each([
    ['zh', /密码/, /手机/],
    ['es', /contraseña/i, /teléfono|móvil|número/i],
    ['en', /password/i, /phone|number/i],
  ] as const)('explains in %s that a password and a field are wrong', async (language, wrong, field) => {
    const client = portico({ language });
    const error = await refused(signIn(client, '13800000002', 'Wrong2026'));
    expect(error).toMatchObject({ code: 'wrong_password', status: 1002, http: 200 });
    expect(error.message).toMatch(wrong);
    const malformed = await refused(client.post('/v1/account/checkPhoneExitInUser', { phone_: '123' }));
    expect(malformed).toMatchObject({ code: 'validation_failed', status: 1100, http: 200 });
    expect(malformed.data?.fields?.phone_).toMatch(field);
    await signIn(client, '13800000002'); // resets the failure counter
  });

  test('accepts JSON and forms, with special characters in both', async () => {
    const client = portico();
    const special = { phone_: ' +&=%~*\'()"灯💡' };
    expect(await codeOf(client.get('/v1/account/getAccountList', special))).toBe('login_required');
    expect(await codeOf(client.post('/v1/account/checkPhoneExitInUser', special))).toBe('validation_failed');
    expect(await codeOf(client.postJSON('/v1/account/checkPhoneExitInUser', special))).toBe('validation_failed');
    expect(await client.postJSON('/v1/account/checkPhoneExitInUser', { phone_: '13800000011' })).toEqual({
      exists_: true,
      bound_: false,
    });
  });

  test('corrects the clock of a device that is a day off', async () => {
    const client = portico({ now: () => Date.now() - 86_400_000 });
    expect(await client.get('/v1/base/company/noAuth/getDefaultSetting')).toHaveProperty('theme_');
    expect((await signIn(client, '13800000001')).user_).not.toBeNull();
  });

  describe('checks signatures:', () => {
    /** Returns a client, and a function that sends its last request again and returns the HTTP status and the code. */
    function recordingClient(): {
      client: Portico;
      replay: (change?: (url: string) => string) => Promise<[number, string]>;
    } {
      let last: Parameters<Fetch>;
      const client = portico({
        fetch: (...sent) => {
          last = sent;
          return fetchAPI(...sent);
        },
      });
      return {
        client,
        async replay(change = (url) => url) {
          const answer = await fetchAPI(change(last[0]), { ...last[1], signal: null });
          return [answer.status, (await answer.json()).code];
        },
      };
    }

    test('a replayed call with an effect is refused', async () => {
      const { client, replay } = recordingClient();
      await signIn(client, '13800000001');
      expect(await replay()).toEqual([401, 'sign_replayed']);
    });

    test('a call without an effect may be replayed, but not on another path', async () => {
      const { client, replay } = recordingClient();
      await client.get('/v1/common/helper/buildSimpleRegionTree');
      expect(await replay()).toEqual([200, 'ok']);
      const elsewhere = (url: string) => url.replace('buildSimpleRegionTree', 'buildRegionTree');
      expect(await replay(elsewhere)).toEqual([401, 'sign_replayed']);
    });

    test('changed parameters are refused', async () => {
      const { client, replay } = recordingClient();
      await client.get('/v1/base/company/noAuth/getByHost', { host_: 'jinsui.test' });
      expect(await replay((url) => url.replace('jinsui', 'other'))).toEqual([401, 'sign_invalid']);
    });

    test('another secret is refused', async () => {
      const error = await refused(portico({ secret: 'another' }).get('/v1/base/company/noAuth/getDefaultSetting'));
      expect(error).toMatchObject({ code: 'sign_invalid', status: 1402, http: 401 });
    });
  });

  describe('lists the regions', () => {
    test('as a tree', async () => {
      const tree = await portico().get('/v1/common/helper/buildRegionTree');
      expect(tree).toHaveLength(34);
      const guangdong = tree.find(({ code_ }) => code_ === '440000') as Schemas['Region'];
      expect(guangdong.name_).toBe('广东省');
      const guangzhou = guangdong.children_.find(({ code_ }) => code_ === '440100') as Schemas['Region'];
      expect(guangzhou.children_).toContainEqual({ code_: '440106', name_: '天河区', children_: [] });
    });

    test('level by level', async () => {
      const client = portico();
      const provinces = await client.get('/v1/common/helper/buildSimpleRegionTree');
      expect(provinces).toHaveLength(34);
      expect(provinces).toContainEqual({ code_: '440000', name_: '广东省', leaf_: false });
      expect(await client.get('/v1/common/helper/buildSimpleRegionTree', { parent_: '440100' })).toContainEqual({
        code_: '440106',
        name_: '天河区',
        leaf_: true,
      });
      expect(await codeOf(client.get('/v1/common/helper/buildSimpleRegionTree', { parent_: '999999' }))).toBe(
        'not_found',
      );
    });

    test('with HTTP 304 when nothing has changed', async () => {
      let tag = '';
      const statuses: number[] = [];
      const client = portico({
        fetch: async (url, init) => {
          const headers = { ...(init.headers as Record<string, string>), ...(tag && { 'If-None-Match': tag }) };
          const answer = await fetchAPI(url, { ...init, headers });
          tag = answer.headers.get('ETag') ?? '';
          statuses.push(answer.status);
          return answer;
        },
      });
      await client.get('/v1/common/helper/buildRegionTree');
      expect(tag).not.toBe('');
      expect(await refused(client.get('/v1/common/helper/buildRegionTree'))).toMatchObject({
        code: 'unreadable',
        http: 304,
      });
      expect(statuses).toEqual([200, 304]);
    });
  });

  test('refuses unknown paths, wrong methods and large bodies', async () => {
    expect((await refused(portico().call({ method: 'GET', path: '/v1/account/nothing' }))).http).toBe(404);
    expect((await refused(portico().call({ method: 'GET', path: '/v1/account/mixedLogin' }))).http).toBe(405);
    const large = portico().post('/v1/account/checkPhoneExitInUser', { phone_: '1'.repeat(70_000) });
    expect(await refused(large)).toMatchObject({ code: 'too_large', http: 413 });
  });
});
