// @vitest-environment node
// Tests the client against a running server with the demo data. They are skipped without PORTICO_API.
// e2e/interaction/apiclient_test.go starts a server and runs them.
//
//   PORTICO_API         the server's address, http://127.0.0.1:8080
//   PORTICO_API_HOST    the Host header, api.localhost:8080; the default is the host of the address
//   PORTICO_SIGN_SECRET the secret; the default is that of dev
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type Account, type Options, Portico, Refused, type Region, type UploadToken } from './client';

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
async function uploadFile({ method_, headers_, fields_ }: UploadToken, file: File): Promise<number> {
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

/** An unregistered phone for all look-ups, because an address may look up about ten phones an hour. */
const unregisteredPhone = `137${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;

const logins = (accounts: Account[]) => accounts.map(({ login_ }) => login_).sort();

describe.skipIf(!PORTICO_API)('a running server', () => {
  describe('signs in to the only account of', () => {
    test.each([
      ['13800000001', 'buyer1', 1001, 3, '13800000001'],
      ['13800000002', 'jinsui', 1001, 1, '13800000002'],
      ['nophone', 'nophone', 1001, 3, null],
      ['northwind', 'northwind', 1003, 1, null],
    ])('%s', async (who, login, company, type, phone) => {
      const client = portico();
      const signedIn = await client.mixedLogin(who, password);
      expect(signedIn.phone_).toBe(phone);
      expect(signedIn.user_).toMatchObject({ login_: login, company_id_: company, type_: type, bind_phone_: phone });
      expect(logins(signedIn.mgrAccountList)).toEqual(type === 3 ? [] : [login]);
      expect(logins(signedIn.shopAccountList)).toEqual(type === 3 ? [login] : []);
      expect(client.token).not.toBe('');
      const [own, ...others] = await client.getAccountList();
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
      const signedIn = await client.mixedLogin(phone, password);
      expect(signedIn.user_).toBeNull();
      expect(logins(signedIn.mgrAccountList)).toEqual(mgr);
      expect(logins(signedIn.shopAccountList)).toEqual(shop);
      expect([client.token, client.ticket]).toEqual(['', signedIn.ticket_]);
      const list = await client.getAccountList();
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
      const error = await refused(client.mixedLogin(phone, password));
      expect(error).toMatchObject({ code, status, http: 200 });
      expect(error.message).not.toBe('');
      expect(error.requestId).not.toBe('');
      expect(error.data?.company_id_).toBe(company);
      expect([client.token, client.ticket]).toEqual(['', '']);
    });
  });

  test('signs in to the named company only', async () => {
    const { user_ } = await portico().mixedLogin('13800000003', password, { companyId: 1002 });
    expect(user_).toMatchObject({ login_: 'sur', company_id_: 1002 });
    expect(await refused(portico({ companyId: 1002 }).mixedLogin('13800000001', password))).toMatchObject({
      code: 'not_in_company',
      http: 200,
    });
  });

  test('signs in to a chosen account', async () => {
    const client = portico();
    const { shopAccountList } = await client.mixedLogin('13800000003', password);
    const chosen = shopAccountList.find(({ login_ }) => login_ === 'li.shop') as Account;
    const { user_ } = await client.mixedLogin('13800000003', password, { accountId: chosen.id_ });
    expect(user_).toMatchObject({ id_: chosen.id_, login_: 'li.shop', company_id_: 1001, phone_: '13800000003' });
    expect(await client.bindJpushId(chosen.id_, '190e35f7e07')).toEqual({});
  });

  test('signs a person in to a destination site with an auth code that works once', async () => {
    const wrapper = portico({ tokenType: 'PC', appSource: 'PC' });
    await wrapper.mixedLogin('13800000003', password);
    const chosen = (await wrapper.getAccountList())
      .flatMap(({ shopAccountList }) => shopAccountList)
      .find(({ login_ }) => login_ === 'li.shop') as Account;
    const { auth_code_: code, redirect_url_ } = await wrapper.getAuthCode(chosen.id_);
    const landing = new URL(redirect_url_);
    expect([landing.host, landing.pathname]).toEqual([`store1001.${base}`, '/home']);
    expect(Object.fromEntries(landing.searchParams)).toEqual({ companyId: '1001', auth_code_: code });

    const site = portico({ tokenType: 'WEBAPP', appSource: 'WEBAPP' });
    expect(await site.getLoginUserByAuthCode(code)).toMatchObject({ id_: chosen.id_, login_: 'li.shop', type_: 3 });
    expect(site.token).not.toBe('');
    expect(await site.getAccountList()).toHaveLength(1);

    expect(await refused(portico().getLoginUserByAuthCode(code))).toMatchObject({ code: 'login_required', http: 401 });
    expect(await refused(site.getAccountList())).toMatchObject({ code: 'login_required', status: 1401, http: 401 });
    expect(await wrapper.getAccountList()).toHaveLength(3);
  });

  test.each([
    ['APP', undefined, 'm', '/shop'],
    ['PC', undefined, 'store1001', '/home'],
    ['PC', 'mShop', 'm', '/shop'],
    ['APP', 'pcShop', 'store1001', '/home'],
  ] as const)('sends a customer with %s and target %s to %s%s', async (tokenType, target, label, path) => {
    const client = portico({ tokenType });
    const { user_ } = await client.mixedLogin('13800000001', password);
    const { redirect_url_ } = await client.getAuthCode(user_?.id_ as number, target);
    expect(redirect_url_).toContain(`//${label}.${base}${path}?`);
  });

  test('refuses the accounts and companies of other people', async () => {
    const client = portico();
    const { user_ } = await client.mixedLogin('13800000001', password);
    expect(user_).not.toBeNull();
    const { user_: other } = await portico().mixedLogin('13800000002', password);
    expect((await refused(client.getAuthCode(other?.id_ as number))).http).toBe(404);
    expect((await refused(client.bindJpushId(other?.id_ as number, 'x'))).http).toBe(404);
    expect(await refused(client.setDefaultCompany(1002))).toMatchObject({ code: 'forbidden', http: 403 });
    expect(await refused(portico().getAccountList())).toMatchObject({ code: 'login_required', http: 401 });
  });

  test('accepts a token only from its kind of client, and a ticket only to choose an account', async () => {
    const client = portico();
    await client.mixedLogin('13800000001', password);
    const other = portico({ tokenType: 'PC' });
    other.token = client.token;
    expect((await refused(other.getAccountList())).code).toBe('login_required');

    const several = portico();
    const { mgrAccountList } = await several.mixedLogin('13800000012', password);
    expect((await refused(several.bindJpushId(mgrAccountList[0]?.id_ as number, 'x'))).code).toBe('login_required');
  });

  test('stores the default company', async () => {
    const client = portico();
    await client.mixedLogin('13800000012', password);
    expect(await client.setDefaultCompany(1008)).toEqual({ company_id_: 1008 });
    const [company] = await client.getAccountList();
    expect(company).toMatchObject({ company_id_: 1008, default_: true });
    expect(company?.shopAccountList[0]?.default_).toBe(true);
  });

  test('finds companies by id and by host', async () => {
    const client = portico();
    const jinsui = await client.getCompanyById(1001);
    expect(jinsui).toMatchObject({ id_: 1001, name_: '金穗粮油', language_type_: 'zh', state_: 'active' });
    expect(await client.getByHost(`store1001.${base}`)).toEqual(jinsui);
    expect(await client.getByHost('jinsui.test')).toEqual(jinsui);
    expect(await client.getByHost('store1001.example.com')).toBeNull();
    expect((await client.getByHost(`store1005.${base}`))?.state_).toBe('trial_ended');
    expect(await refused(client.getCompanyById(4040))).toMatchObject({ code: 'not_found', status: 1406, http: 404 });
  });

  test('returns the default settings and those of a company', async () => {
    const client = portico();
    expect(await client.getDefaultSetting()).toMatchObject({ shop_skin_color_: '20ade5', theme_: '20ade5' });
    expect(await client.getDefaultSetting(1002)).toMatchObject({ theme_: 'd9480f', language_type_: 'es' });
  });

  test('looks up phones and administrators', async () => {
    const client = portico();
    expect(await client.checkPhoneExitInCompany('138 0000 0001', 1001)).toEqual({ exists_: true });
    expect(await client.checkPhoneExitInCompany('13800000001', 1002)).toEqual({ exists_: false });
    expect(await client.checkPhoneExitInUser('13800000011')).toEqual({ exists_: true, bound_: false });
    expect(await client.checkPhoneExitInUser('13900000001')).toEqual({ exists_: false, bound_: false });
    expect((await client.getAdminByLogin('buyer1')).phone_).not.toBeNull();
    expect((await refused(client.getAdminByLogin('nobody.here'))).code).toBe('account_not_found');
  });

  test('binds a phone, resets and changes its password, and unbinds it', async () => {
    const phone = `139${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
    const [first, second, third] = ['kettle.rain7', 'copper_lake9', 'willow@gate4'] as const;
    const client = portico();
    const { user_ } = await client.mixedLogin('nophone', password);

    expect(await client.bindPhoneCode(phone)).toEqual({ resend_after_: expect.any(Number) });
    const tooSoon = await refused(client.bindPhoneCode(phone));
    expect(tooSoon).toMatchObject({ code: 'code_already_sent', status: 1023, http: 200 });
    expect(tooSoon.data?.resend_after_).toBeGreaterThan(0);
    const sent = await codeSentTo(phone);
    const wrong = sent === '111111' ? '222222' : '111111';
    expect(await refused(client.bindPhone(phone, wrong))).toMatchObject({
      code: 'code_wrong',
      status: 1024,
      http: 200,
    });
    expect(await client.bindPhone(phone, sent)).toEqual({ bind_phone_: null, needs_password_: true });
    expect((await refused(client.setBindPhonePassword('123456'))).data?.fields?.password_).toMatch(/password/i);
    expect(await client.setBindPhonePassword(first)).toEqual({ bind_phone_: phone });
    expect(await refused(client.bindPhoneCode(phone))).toMatchObject({ code: 'wrong_parameters', status: 1009 });

    const byPhone = portico();
    expect((await byPhone.mixedLogin(phone, first)).user_).toMatchObject({ id_: user_?.id_, bind_phone_: phone });
    const signedOut = portico();
    expect((await signedOut.resetCode({ phone })).phone_).toBe(`${phone.slice(0, 3)}****${phone.slice(7)}`);
    const code = await codeSentTo(phone);
    const other = code === '111111' ? '222222' : '111111';
    expect((await refused(signedOut.resetPhonePassword({ phone }, other, second))).code).toBe('code_wrong');
    expect(await signedOut.resetPhonePassword({ phone }, code, second)).toEqual({});
    expect((await refused(signedOut.resetPhonePassword({ phone }, code, third))).code).toBe('code_expired');
    expect(await refused(byPhone.getAccountList())).toMatchObject({ code: 'login_required', http: 401 });
    expect((await refused(signedOut.mixedLogin(phone, first))).code).toBe('wrong_password');

    await byPhone.mixedLogin(phone, second);
    await signedOut.mixedLogin(phone, second);
    expect((await refused(byPhone.modifyPwd(first, third))).code).toBe('old_password_wrong');
    expect(await byPhone.modifyPwd(second, third)).toEqual({});
    expect(await byPhone.getAccountList()).toHaveLength(1);
    expect((await refused(signedOut.getAccountList())).code).toBe('login_required');

    await byPhone.unbindPhoneCode();
    // binding removed the account's own password, so this sets a new one
    expect(await byPhone.unbindPhone(await codeSentTo(phone), password)).toEqual({});
    expect(await refused(byPhone.getAccountList())).toMatchObject({ code: 'login_required', http: 401 });
    expect((await refused(signedOut.mixedLogin(phone, third))).code).toBe('phone_not_bound');
    expect((await client.mixedLogin('nophone', password)).user_?.bind_phone_).toBeNull();
    expect(await client.markDoNotRemindBindPhone(user_?.id_ as number)).toEqual({});
  });

  test('registers one company for repeated calls, and initialises it once', async () => {
    const phone = `136${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
    const client = portico();
    await client.registCode(phone);
    const company = {
      phone,
      code: await codeSentTo(phone),
      password: 'kettle.rain7',
      name: '林静',
      companyName: '林记粮油',
      agree: true,
    };
    const wrong = { ...company, code: company.code === '111111' ? '222222' : '111111' };
    expect((await refused(client.createCompany(wrong))).code).toBe('code_wrong');
    const notAccepted = await refused(client.createCompany({ ...company, agree: false }));
    expect(notAccepted.data?.fields?.agree_).toMatch(/agree/i);

    const key = { idempotencyKey: `company of ${phone}` };
    const [user, same] = await Promise.all([client.createCompany(company, key), client.createCompany(company, key)]);
    expect(same).toEqual(user);
    expect(user).toMatchObject({ company_name_: '林记粮油', name_: '林静', type_: 1, bind_phone_: phone });
    const other = { ...company, companyName: 'Another' };
    expect((await refused(portico().createCompany(other, key))).code).toBe('wrong_parameters');
    const later = portico();
    expect((await later.createCompany(company)).id_).toBe(user.id_);
    expect((await refused(portico().registCode(phone))).code).toBe('phone_registered');
    expect(await client.getCompanyById(user.company_id_)).toMatchObject({ name_: '林记粮油', state_: 'trial' });

    const nothing = await refused(client.postJSON('/v1/account/updateAndImportTrade', { import_: true }));
    expect(nothing.data?.fields?.industry_id_).toMatch(/industry/i);
    const ready = { company_id_: user.company_id_, industry_id_: 118, imported_: true };
    const samplesKey = { idempotencyKey: `samples of ${phone}` };
    expect(await client.updateAndImportTrade(118, true, samplesKey)).toEqual(ready);
    expect(await client.updateAndImportTrade(118, true, samplesKey)).toEqual(ready);
    expect(await client.updateAndImportTrade(118, true)).toEqual(ready); // the same again, without a key
    expect((await refused(client.updateAndImportTrade(729, true))).code).toBe('wrong_parameters');
    expect(await later.getAccountList()).toMatchObject([{ company_id_: user.company_id_, shopAccountList: [] }]);

    const { auth_code_ } = await client.getAuthCode(user.id_);
    expect(await portico().getLoginUserByAuthCode(auth_code_)).toMatchObject({ id_: user.id_, type_: 1 });
    const employee = portico();
    await employee.mixedLogin('li.manager', password);
    expect(await refused(employee.updateAndImportTrade(118, true))).toMatchObject({ code: 'forbidden', http: 403 });
  });

  test('opens a sandbox and enters both of its sides', async () => {
    const phone = `135${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
    const client = portico();
    await client.experienceCode(phone);
    const trial = { phone, code: await codeSentTo(phone), industry: 729 } as const;
    const { company_id_ } = await client.experienceRegister(trial);
    const shop = await client.getExperienceUser('shop', { industry: 729, samples: true });
    expect(shop).toMatchObject({ company_id_, type_: 3 });
    const mgr = await client.getExperienceUser('mgr');
    expect(mgr).toMatchObject({ company_id_, type_: 1 });
    expect((await client.getAuthCode(mgr.id_)).redirect_url_).toContain(`companyId=${company_id_}`);
    expect((await refused(client.getExperienceUser('mgr', { industry: 118 }))).code).toBe('wrong_parameters');

    const buyer = portico();
    await buyer.mixedLogin('13800000001', password);
    expect((await refused(buyer.getExperienceUser('mgr'))).code).toBe('wrong_parameters');
    const notOffered = { phone, code: '000000', companyId: 1001, name: 'Lin', password: 'kettle.rain7' };
    expect((await refused(portico().shopCompleteRegister(notOffered))).code).toBe('code_expired');
  });

  test('sends codes only to phones that may get them', async () => {
    const phone = unregisteredPhone;
    const client = portico();
    const sentCodes = await Promise.all([
      client.registCode(phone),
      client.experienceCode(phone),
      client.registerCode(phone, 1002),
    ]);
    expect(sentCodes).toEqual(Array(3).fill({ resend_after_: expect.any(Number) }));
    expect(await codeSentTo(phone)).toMatch(/^\d{6}$/);
    expect((await refused(client.registCode('13800000011'))).code).toBe('phone_registered');
    expect((await refused(client.resetCode({ phone: '13900000001' }))).code).toBe('phone_not_bound');
    expect((await refused(client.resetCode({ login: 'nophone' }))).code).toBe('phone_not_bound');
    expect((await refused(client.registerCode(phone, 1003))).code).toBe('registration_closed');
    expect((await refused(client.shopRegisterCode(phone, 1001))).code).toBe('not_in_company');
    const buyer = portico();
    const { user_ } = await buyer.mixedLogin('13800000001', password);
    expect((await refused(buyer.bindPhoneCode(phone))).code).toBe('wrong_parameters');
    expect(await client.markDoNotRemindBindPhone(user_?.id_ as number)).toEqual({});
  });

  /** Authorises at the stand-in as a new person with that name. Returns the code and state of the redirect. */
  async function authorise(address_: string, name: string, kind: 'new' | 'new-member'): Promise<[string, string]> {
    const { pathname, search } = new URL(address_);
    const url = `${address}${pathname}${search}&person=${kind}&name=${encodeURIComponent(name)}`;
    const sentBack = await fetchAsHost(url, { headers: { Host: base } });
    expect(sentBack.status).toBe(302);
    const back = new URL(sentBack.headers.get('Location') as string).searchParams;
    return [back.get('code') as string, back.get('state') as string];
  }

  describe('signs in with a chat app:', () => {
    const page = `http://m.${base}/shop?companyId=1001`;
    const nick = `W${unregisteredPhone}`;

    test('WeChat, after the identity was linked to an account', async () => {
      const client = portico();
      const authoriseAtWeChat = async () => {
        const params = await client.getAppAuthenticationParams(page, { companyId: 1001 }, 'wechat');
        expect(params).toMatchObject({ agent_id_: null, agent_signature_: null });
        expect(params.corp_signature_).toMatch(/^[0-9a-f]{40}$/);
        return authorise(params.authorize_url_, nick, 'new');
      };
      const [code, state] = await authoriseAtWeChat();
      const who = await client.getWeChatUserInfo(code, state, 1001);
      expect(who).toMatchObject({ nick_name_: nick, linked_: false, applied_: false });
      expect((await client.getWeChatUserInfo(code, state)).open_id_).toBe(who.open_id_);
      expect((await refused(client.getWeChatUserInfo(code, state, 1002))).code).toBe('wechat_failed');
      expect((await refused(client.openIdLogin(who.ticket_))).code).toBe('account_not_found');
      expect((await refused(client.openIdLogin(who.open_id_))).code).toBe('login_required');
      const identity = { ticket: who.ticket_, openId: who.open_id_ };
      expect(await client.checkPhoneOrOpenId(identity, 1001)).toEqual({ state_: 'none' });
      expect((await refused(client.getByPhoneOrOpenId(identity, 1001))).code).toBe('not_found');
      const bound = await client.bindOpenIdForLogin(who.ticket_, '13800000001', password);
      expect(bound.user_).toMatchObject({ login_: 'buyer1', company_id_: 1001 });
      const linked = await client.getWeChatUserInfo(...(await authoriseAtWeChat()));
      expect(linked).toMatchObject({ open_id_: who.open_id_, linked_: true });
      const { user_ } = await client.openIdLogin(linked.ticket_);
      expect(user_?.login_).toBe('buyer1');
      expect((await client.login(user_?.id_ as number)).login_).toBe('buyer1');
      expect(await client.getAccountList()).toHaveLength(1);
    });

    test('WeCom, to one of several accounts', async () => {
      const client = portico();
      const of = { companyId: 1001 };
      const params = await client.getAppAuthenticationParams(page, of);
      expect(params.agent_signature_).toMatch(/^[0-9a-f]{40}$/);
      const { ticket_, linked_ } = await client.authorization(
        ...(await authorise(params.authorize_url_, nick, 'new-member')),
        of,
      );
      expect(linked_).toBe(false);
      const { user_, mgrAccountList } = await client.bindOpenIdForLogin(ticket_, '13800000003', password);
      expect(user_).toBeNull();
      expect((await client.login(mgrAccountList[0]?.id_ as number)).company_id_).toBe(1001);
      const { authorize_url_ } = await client.getAppAuthenticationParams(page, { corpId: params.corp_id_ });
      const back = await authorise(authorize_url_, nick, 'new-member');
      const several = await client.authorization(...back, { corpId: params.corp_id_ });
      expect(several).toMatchObject({ linked_: true, user_: null });
      expect((await client.openIdLogin(several.ticket_)).mgrAccountList).toHaveLength(2);
    });
  });

  test('takes an application, and shows its details only with a ticket', async () => {
    const phone = unregisteredPhone;
    const client = portico();
    expect(await client.getByCompany(1001)).toMatchObject({ open_: true, review_: true, admin_: { name_: '陈静' } });
    expect((await client.getByCompany(1003)).open_).toBe(false);
    expect(await client.checkPhoneOrOpenId(phone, 1001)).toEqual({ state_: 'none' });
    await client.registerCode(phone, 1001);
    const code = await codeSentTo(phone);
    expect((await refused(client.checkCode(phone, 1001, code === '111111' ? '222222' : '111111'))).code).toBe(
      'code_wrong',
    );
    const { ticket_ } = await client.checkCode(phone, 1001, code);
    expect((await refused(client.getByPhoneOrOpenId(phone, 1001, ticket_))).code).toBe('not_found');
    const licence = new File([Uint8Array.from(atob(pixel), (c) => c.charCodeAt(0))], 'licence.png', {
      type: 'image/png',
    });
    const upload = await client.getUploadToken(licence);
    expect(upload).toMatchObject({ url_: `http://account.${base}/upload`, method_: 'POST' });
    expect(upload.expires_).toBeGreaterThan(Date.now());
    const pdf = await refused(client.getUploadToken({ name: 'a.pdf', size: 9, type: 'application/pdf' }));
    expect(pdf).toMatchObject({ code: 'upload_rejected', status: 1031, http: 200 });
    expect(await uploadFile(upload, licence)).toBe(200);
    expect(await uploadFile(upload, licence)).toBe(200); // the same picture again, as after a lost response
    const other = new File([licence, new Uint8Array(1)], 'licence.png', { type: 'image/png' });
    expect(await uploadFile(upload, other)).toBe(403);
    const application = {
      companyId: 1001,
      ticket: ticket_,
      companyName: '林记粮油',
      contactName: '林静',
      licenceKey: upload.key_,
    };
    const foreign = await refused(client.save({ ...application, licenceKey: 'none' }));
    expect(foreign.data?.fields?.licence_key_).toMatch(/\S/);
    expect((await refused(client.save({ ...application, ticket: 'none' }))).code).toBe('code_expired');
    const nowhere = await refused(client.save({ ...application, province: '440000', city: '440100' }));
    expect(nowhere.data?.fields?.province_).toMatch(/\S/);

    const key = { idempotencyKey: `application of ${phone}` };
    const sent = await client.save(application, key);
    const details = { company_name_: '林记粮油', licence_key_: upload.key_, position_: null };
    expect(sent).toMatchObject({ company_id_: 1001, state_: 'pending', ...details });
    expect(Number.isSafeInteger(sent.id_)).toBe(true);
    expect(await client.save(application, key)).toEqual(sent);
    expect(await client.save(application)).toEqual(sent); // the same again, without a key
    const another = { ...application, contactName: '别人' };
    expect((await refused(client.save(another))).code).toBe('application_exists');
    expect(await client.getById(sent.id_, ticket_)).toEqual(sent);
    expect(await client.getByPhoneOrOpenId(phone, 1001, ticket_)).toEqual(sent);
    const withoutDetails = { id_: null, company_id_: 1001, state_: 'pending', company_name_: null, admin_: null };
    expect(await client.getByPhoneOrOpenId(phone, 1001)).toMatchObject(withoutDetails);
    expect(await client.checkPhoneOrOpenId(phone, 1001)).toEqual({ state_: 'pending' });
    expect(await refused(client.getByPhoneOrOpenId(phone, 1001, 'none'))).toMatchObject({
      code: 'not_found',
      http: 404,
    });
    expect((await refused(client.save({ ...application, companyId: 1003 }))).code).toBe('registration_closed');
  });

  test.each([
    ['zh', /密码/, /手机/],
    ['es', /contraseña/i, /teléfono|móvil|número/i],
    ['en', /password/i, /phone|number/i],
  ] as const)('explains in %s that a password and a field are wrong', async (language, wrong, field) => {
    const client = portico({ language });
    const error = await refused(client.mixedLogin('13800000002', 'Wrong2026'));
    expect(error).toMatchObject({ code: 'wrong_password', status: 1002, http: 200 });
    expect(error.message).toMatch(wrong);
    const malformed = await refused(client.checkPhoneExitInUser('123'));
    expect(malformed).toMatchObject({ code: 'validation_failed', status: 1100, http: 200 });
    expect(malformed.data?.fields?.phone_).toMatch(field);
    await client.mixedLogin('13800000002', password); // resets the failure counter
  });

  test('accepts JSON and forms, with special characters in both', async () => {
    const client = portico();
    const special = { phone_: ' +&=%~*\'()"灯💡' };
    expect((await refused(client.get('/v1/account/getAccountList', special))).code).toBe('login_required');
    expect((await refused(client.post('/v1/account/checkPhoneExitInUser', special))).code).toBe('validation_failed');
    expect((await refused(client.postJSON('/v1/account/checkPhoneExitInUser', special))).code).toBe(
      'validation_failed',
    );
    expect(await client.postJSON('/v1/account/checkPhoneExitInUser', { phone_: '13800000011' })).toEqual({
      exists_: true,
      bound_: false,
    });
  });

  test('corrects the clock of a device that is a day off', async () => {
    const client = portico({ now: () => Date.now() - 86_400_000 });
    expect(await client.getDefaultSetting()).toHaveProperty('theme_');
    expect((await client.mixedLogin('13800000001', password)).user_).not.toBeNull();
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
      await client.mixedLogin('13800000001', password);
      expect(await replay()).toEqual([401, 'sign_replayed']);
    });

    test('a call without an effect may be replayed, but not on another path', async () => {
      const { client, replay } = recordingClient();
      await client.buildSimpleRegionTree();
      expect(await replay()).toEqual([200, 'ok']);
      const elsewhere = (url: string) => url.replace('buildSimpleRegionTree', 'buildRegionTree');
      expect(await replay(elsewhere)).toEqual([401, 'sign_replayed']);
    });

    test('changed parameters are refused', async () => {
      const { client, replay } = recordingClient();
      await client.getByHost('jinsui.test');
      expect(await replay((url) => url.replace('jinsui', 'other'))).toEqual([401, 'sign_invalid']);
    });

    test('another secret is refused', async () => {
      const error = await refused(portico({ secret: 'another' }).getDefaultSetting());
      expect(error).toMatchObject({ code: 'sign_invalid', status: 1402, http: 401 });
    });
  });

  describe('lists the regions', () => {
    test('as a tree', async () => {
      const tree = await portico().buildRegionTree();
      expect(tree).toHaveLength(34);
      const guangdong = tree.find(({ code_ }) => code_ === '440000') as Region;
      expect(guangdong.name_).toBe('广东省');
      const guangzhou = guangdong.children_.find(({ code_ }) => code_ === '440100') as Region;
      expect(guangzhou.children_).toContainEqual({ code_: '440106', name_: '天河区', children_: [] });
    });

    test('level by level', async () => {
      const client = portico();
      const provinces = await client.buildSimpleRegionTree();
      expect(provinces).toHaveLength(34);
      expect(provinces).toContainEqual({ code_: '440000', name_: '广东省', leaf_: false });
      expect(await client.buildSimpleRegionTree('440100')).toContainEqual({
        code_: '440106',
        name_: '天河区',
        leaf_: true,
      });
      expect((await refused(client.buildSimpleRegionTree('999999'))).code).toBe('not_found');
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
      await client.buildRegionTree();
      expect(tag).not.toBe('');
      expect(await refused(client.buildRegionTree())).toMatchObject({ code: 'unreadable', http: 304 });
      expect(statuses).toEqual([200, 304]);
    });
  });

  test('refuses unknown paths, wrong methods and large bodies', async () => {
    expect((await refused(portico().get('/v1/account/nothing'))).http).toBe(404);
    expect((await refused(portico().get('/v1/account/mixedLogin'))).http).toBe(405);
    const large = portico().post('/v1/account/checkPhoneExitInUser', { phone_: '1'.repeat(70_000) });
    expect(await refused(large)).toMatchObject({ code: 'too_large', http: 413 });
  });
});
