// @vitest-environment node
import { describe, expect, test } from 'vitest';
import { newIdempotencyKey, type Portico, REQUEST_LENGTH } from './client';
import { answerWith, ok, onlyRequest, portico, refusal, refused, requests } from './testing';

/** The details of a new company. */
const newCompany = {
  phone: '13912345678',
  code: '012345',
  password: 'a.b_c7',
  name: 'Lin',
  companyName: "Lin's",
  agree: true,
};

/** The optional fields of an application. */
const optionalFields = {
  position: 'Buyer',
  province: '440000',
  city: '440100',
  district: '440106',
  address: 'A',
  reason: 'R',
  licenceKey: 'k',
  contactPhone: '13912345670',
};

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
    (c) => c.createCompany(newCompany),
    'POST /v1/account/createCompany agree_=1&code_=012345&company_name_=Lin%27s&name_=Lin&password_=a.b_c7&' +
      'phone_=13912345678',
  ],
  [
    'createCompany without accepting the agreement',
    (c) => c.createCompany({ ...newCompany, agree: false }),
    'POST /v1/account/createCompany agree_=0&code_=012345&company_name_=Lin%27s&name_=Lin&password_=a.b_c7&' +
      'phone_=13912345678',
  ],
  [
    'updateAndImportTrade',
    (c) => c.updateAndImportTrade(118, true),
    'POST /v1/account/updateAndImportTrade import_=1&industry_id_=118',
  ],
  [
    'updateAndImportTrade without an industry',
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
    'save with all fields',
    (c) => c.save({ ...optionalFields, companyId: 1001, ticket: 't', companyName: "Lin's", contactName: 'Lin' }),
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
  answerWith(ok({ any: 'data' }));
  expect(await call(portico())).toEqual({ any: 'data' });
  const { method, url, body } = onlyRequest();
  expect(`${method} ${url.pathname}${url.search}${body && ` ${body}`}`).toBe(line);
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
  const sentTokens = () => requests.map(({ headers }) => headers['x-token']);

  test('signing in to a single account keeps its token; the sign-in itself is sent without a token', async () => {
    answerWith(ok({ ...lists, user_: { token_: 't1' } }));
    const client = portico();
    client.token = 'earlier token';
    expect(
      (await client.mixedLogin('13800000001', 'Demo2026', { companyId: 1001, accountId: 3001 })).user_?.token_,
    ).toBe('t1');
    await client.getAccountList();
    expect(sentTokens()).toEqual(['', 't1']);
    expect(requests[0]?.body).toBe('account_id_=3001&company_id_=1001&login_=13800000001&password_=Demo2026');
    expect([client.token, client.ticket]).toEqual(['t1', '']);
  });

  test('calls that create an account are sent without token and ticket, and keep the new token', async () => {
    answerWith(ok({ token_: 't1' }), ok({ company_id_: 1009 }), ok({ token_: 't2' }));
    const client = portico();
    client.token = 'earlier token';
    client.ticket = 'earlier ticket';
    expect((await client.createCompany(newCompany, { idempotencyKey: 'k-1' })).token_).toBe('t1');
    await client.updateAndImportTrade(118, true, { idempotencyKey: 'k-2' });
    await client.shopCompleteRegister(
      { phone: newCompany.phone, code: newCompany.code, companyId: 1001 },
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
    const trial = { phone: newCompany.phone, code: newCompany.code, industry: 118 } as const;
    await client.experienceRegister(trial, { idempotencyKey: 'k-1' });
    expect([client.token, client.ticket]).toEqual(['', 'tick']);
    await client.getExperienceUser('shop', {}, { idempotencyKey: 'k-2' });
    await client.getExperienceUser('mgr');
    expect(sentTokens()).toEqual(['', 'tick', 't1']);
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['k-1', 'k-2', undefined]);
    expect([client.token, client.ticket]).toEqual(['t2', '']);
  });

  test('a refused registration leaves the token unchanged', async () => {
    answerWith(refusal(200, 1020, 'phone_registered'), refusal(200, 1025, 'code_expired'));
    const client = portico();
    client.token = 't0k';
    expect((await refused(client.createCompany(newCompany))).code).toBe('phone_registered');
    const trial = { phone: newCompany.phone, code: newCompany.code, industry: 118 } as const;
    expect((await refused(client.experienceRegister(trial))).code).toBe('code_expired');
    expect(client.token).toBe('t0k');
  });

  test('signing in to several accounts sends the ticket until an account is entered', async () => {
    answerWith(ok({ ...lists, user_: null }), ok([]), ok({ auth_code_: 'c' }), ok({ token_: 't2' }));
    const client = portico();
    client.token = 'earlier token';
    await client.mixedLogin('13800000003', 'Demo2026');
    expect([client.token, client.ticket]).toEqual(['', 'tick']);
    await client.getAccountList();
    const { auth_code_ } = await client.getAuthCode(3003);
    await client.getLoginUserByAuthCode(auth_code_);
    await client.getAccountList();
    expect(sentTokens()).toEqual(['', 'tick', 'tick', '', 't2']);
    expect([client.token, client.ticket]).toEqual(['t2', '']);
  });

  test('an identity signs in like a password, and one of its accounts is entered with the ticket', async () => {
    const severalAccounts = ok({ ...lists, user_: null });
    answerWith(severalAccounts, severalAccounts, ok({ token_: 't1' }), ok({ ...lists, user_: { token_: 't2' } }));
    const client = portico();
    client.token = 'earlier token';
    await client.openIdLogin('wx', { companyId: 1001, accountId: 3001 });
    await client.bindOpenIdForLogin('wx', '13800000003', 'Demo2026', { accountId: 3001, question: 'q', answer: 42 });
    expect([client.token, client.ticket]).toEqual(['', 'tick']);
    expect((await client.login(3003)).token_).toBe('t1');
    await client.openIdLogin('wx');
    expect(sentTokens()).toEqual(['', '', 'tick', '']);
    expect(requests.map(({ url, body }) => `${url.pathname} ${body}`)).toEqual([
      '/v1/account/openIdLogin account_id_=3001&company_id_=1001&ticket_=wx',
      '/v1/account/bindOpenIdForLogin account_id_=3001&answer_=42&login_=13800000003&password_=Demo2026&' +
        'question_=q&ticket_=wx',
      '/api/v1/company/wechat/account/login {"account_id_":3003}',
      '/v1/account/openIdLogin ticket_=wx',
    ]);
    expect([client.token, client.ticket]).toEqual(['t2', '']);
  });

  test('WeCom signs in to a single account; without one, the token stays unchanged', async () => {
    answerWith(
      ok({ ticket_: 'wx', linked_: false, user_: null }),
      ok({ ticket_: 'wx', linked_: true, user_: { token_: 't1' } }),
    );
    const client = portico();
    client.token = 't0k';
    await client.authorization('c', 's', { companyId: 1001 });
    expect(client.token).toBe('t0k');
    await client.authorization('c', 's', { corpId: 'ww1' });
    expect(sentTokens()).toEqual(['', '']);
    expect(requests.map(({ body }) => body)).toEqual([
      '{"code_":"c","state_":"s","company_id_":1001}',
      '{"code_":"c","state_":"s","corp_id_":"ww1"}',
    ]);
    expect(client.token).toBe('t1');
  });

  test('a refused sign-in leaves the token unchanged', async () => {
    answerWith(refusal(200, 1002, 'wrong_password'), refusal(401, 1401, 'login_required'));
    const client = portico();
    client.token = 't3';
    await refused(client.mixedLogin('13800000001', 'wrong'));
    await refused(client.getLoginUserByAuthCode('used'));
    expect(client.token).toBe('t3');
  });

  test('the answer to a question is sent with the next sign-in', async () => {
    answerWith(ok({ ...lists, user_: null }));
    await portico().mixedLogin('13800000001', 'Demo2026', { question: 'q', answer: 42 });
    expect(onlyRequest().body).toBe('answer_=42&login_=13800000001&password_=Demo2026&question_=q');
  });
});
