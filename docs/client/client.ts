// A client of the API for native wrappers and destination sites: no dependencies, any script engine with fetch. Calls
// and their answers: docs/api.md and /openapi.json.
import { canonical, type Parameter, percentEncode, sign } from './sign';
import type {
  Administrator,
  AppAuthentication,
  Application,
  ApplicationState,
  AuthCode,
  Binding,
  CodeSent,
  Company,
  CompanyAccounts,
  Completion,
  DefaultSetting,
  Detail,
  Envelope,
  Experience,
  FoundApplication,
  Industry,
  Initialised,
  JoinSetting,
  NewApplication,
  NewCompany,
  NewExperience,
  OfCompany,
  Options,
  Params,
  PhoneOrLogin,
  PostOptions,
  ProvenIdentity,
  Refusal,
  Region,
  RegionEntry,
  ResetCodeSent,
  SignIn,
  UploadToken,
  User,
  WeChatIdentity,
  WorkChatSignIn,
} from './types';
import { work } from './work';

export type * from './types';

/** Letters and digits in a parameter that makes a request unlike any other. */
export const REQUEST_LENGTH = 20;

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * REQUEST_LENGTH random letters and digits, for an idempotencyKey: make one for each thing to be done, and repeat with
 * the same.
 */
export function requestString(): string {
  let text = '';
  while (text.length < REQUEST_LENGTH) {
    const byte = globalThis.crypto?.getRandomValues(new Uint8Array(1))[0] ?? Math.floor(Math.random() * 256);
    // 248 of 256: each as likely
    text += LETTERS[byte] ?? LETTERS[byte - 62] ?? LETTERS[byte - 124] ?? LETTERS[byte - 186] ?? '';
  }
  return text;
}

/** The one error a call ends with: business refusals (HTTP 200) and all others alike. */
export class Refused extends Error implements Refusal {
  readonly status: number;
  readonly code: string;
  readonly data: Detail | null;
  readonly http: number;
  readonly requestId: string;
  readonly retryAfter: number | null;
  readonly cause?: unknown;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = 'Refused';
    this.status = refusal.status;
    this.code = refusal.code;
    this.data = refusal.data;
    this.http = refusal.http;
    this.requestId = refusal.requestId;
    this.retryAfter = refusal.retryAfter;
    this.cause = refusal.cause;
  }
}

type Call = {
  method: 'GET' | 'POST';
  path: string;
  params?: Params;
  /** Instead of a form. */
  json?: string;
  idempotencyKey?: string | undefined;
  /** Goes without what the client holds. */
  anonymous?: boolean;
};

const TIMEOUT = 15_000;
const NONCE_RANGE = 10_000;
const NONCES_KEPT = 1_000;

/**
 * A client of the API. Each method is the call of the same name and gives its `data`; what the server refuses, and
 * what goes wrong on the way, is thrown as Refused. Calls are not repeated, but for one refused because the device's
 * clock is off: the client keeps the difference and signs again.
 */
export class Portico {
  /**
   * The login token, "" for none: from mixedLogin, createCompany and others that sign in, or set from where it was
   * kept.
   */
  token = '';
  /** A sign-in's or an experience's ticket, sent while there is no token; "" for none. */
  ticket = '';
  /** May be changed between calls. */
  readonly options: Options;

  /** Server clock less device clock, in ms. */
  private offset = 0;
  private readonly nonces = new Set<number>();

  constructor(options: Options) {
    this.options = { ...options };
  }

  /**
   * Signs in with a phone or an account name. With `user_` the client holds its token; without, several accounts can
   * be entered: choose one from the lists and call again with accountId, or go on with the ticket. Refused:
   * wrong_password, account_not_found, phone_not_bound, not_in_company, too_many_attempts, and with the first one's
   * reason when all accounts are blocked.
   */
  async mixedLogin(
    login: string,
    password: string,
    more: { companyId?: number; accountId?: number; question?: string; answer?: string | number } = {},
  ): Promise<SignIn> {
    const params: Params = {
      login_: login,
      password_: password,
      company_id_: more.companyId,
      account_id_: more.accountId,
      question_: more.question,
      answer_: more.answer,
    };
    return this.signIn('/v1/account/mixedLogin', params);
  }

  /**
   * What a page needs to send the person to WeChat or work-chat, and to call their JS-SDK: `page` is its address as
   * location.href has it, on a site of the company or of the platform. Refused: wechat_failed where the company has no
   * such way in, validation_failed for a page elsewhere, not_found, too_many_attempts.
   */
  getAppAuthenticationParams(
    page: string,
    of: OfCompany | Record<string, never>,
    provider?: 'wechat' | 'wecom',
  ): Promise<AppAuthentication> {
    const body = { company_id_: of.companyId, corp_id_: of.corpId, url_: page, provider_: provider };
    return this.postJSON('/api/v1/company/wechat/noAuth/getAppAuthenticationParams', body);
  }

  /**
   * Who somebody is who came back from WeChat with code and state. Compare the state with that of the address you sent
   * them to first. Refused: wechat_expired (authorise again), wechat_failed with the provider's words.
   */
  getWeChatUserInfo(code: string, state: string, companyId?: number, app?: 'mobile'): Promise<WeChatIdentity> {
    const params = { code_: code, state_: state, company_id_: companyId, app_: app };
    return this.get('/v1/setting/weChatSetting/noAuth/getWeChatUserInfo', params);
  }

  /**
   * The same of work-chat. With `user_` the client holds its token: a single account can be entered. Refused as
   * getWeChatUserInfo, and with the reason when all accounts are blocked.
   */
  async authorization(code: string, state: string, of: OfCompany): Promise<WorkChatSignIn> {
    const json = JSON.stringify({ code_: code, state_: state, company_id_: of.companyId, corp_id_: of.corpId });
    const path = '/api/v1/company/wechat/noAuth/authorization';
    const data = await this.call<WorkChatSignIn>({ method: 'POST', path, json, anonymous: true });
    if (data.user_?.token_) {
      this.token = data.user_.token_;
      this.ticket = '';
    }
    return data;
  }

  /**
   * Signs in by a linked identity, with the ticket of getWeChatUserInfo or authorization, as mixedLogin does. Refused:
   * account_not_found when it is linked to nobody, wechat_expired after ten minutes, login_required for a ticket that
   * is none or another kind of client's, wechat_manager_closed, and with the reason when all accounts are blocked.
   */
  openIdLogin(ticket: string, more: { companyId?: number; accountId?: number } = {}): Promise<SignIn> {
    const params: Params = { ticket_: ticket, company_id_: more.companyId, account_id_: more.accountId };
    return this.signIn('/v1/account/openIdLogin', params);
  }

  /**
   * Links the identity to the account with this password and signs in: show the person both before. Refused as
   * openIdLogin and mixedLogin; wrong_parameters when the identity is linked to somebody else.
   */
  bindOpenIdForLogin(
    ticket: string,
    login: string,
    password: string,
    more: { accountId?: number; question?: string; answer?: string | number } = {},
  ): Promise<SignIn> {
    const params: Params = {
      ticket_: ticket,
      login_: login,
      password_: password,
      account_id_: more.accountId,
      question_: more.question,
      answer_: more.answer,
    };
    return this.signIn('/v1/account/bindOpenIdForLogin', params);
  }

  /**
   * Enters one of the accounts that the sign-in listed, and holds its token. Refused: login_required, not_found for any
   * other account, and with the reason of a blocked one.
   */
  login(accountId: number): Promise<User> {
    const json = JSON.stringify({ account_id_: accountId });
    return this.enter({ method: 'POST', path: '/api/v1/company/wechat/account/login', json });
  }

  /**
   * A one-time code for a destination site, of one's own account; the site follows from the account and the kind of
   * client unless `target` names it. Refused: login_required, not_found, and with the reason of a blocked account.
   */
  getAuthCode(accountId: number, target?: 'mShop' | 'mMgr' | 'pcShop' | 'pcMgr'): Promise<AuthCode> {
    return this.get('/openapi/v1/auth/getAuthCode', { account_id_: accountId, target_: target });
  }

  /**
   * Takes a code and holds the token it gives. Refused: login_required for a code that is unknown, older than 60
   * seconds or used; a second use also ends the token of the first.
   */
  getLoginUserByAuthCode(code: string): Promise<User> {
    const path = '/v1/account/getLoginUserByAuthCode';
    return this.enter({ method: 'GET', path, params: { auth_code_: code }, anonymous: true });
  }

  /** The person's accounts, merged by company. Refused: login_required. */
  getAccountList(): Promise<CompanyAccounts[]> {
    return this.get('/v1/account/getAccountList');
  }

  /** Makes one of the person's companies the one gone to first. Refused: login_required, forbidden. */
  setDefaultCompany(companyId: number): Promise<{ company_id_: number }> {
    return this.post('/v1/account/setDefaultCompany', { company_id_: companyId });
  }

  /** Refused: not_found. */
  getCompanyById(id: number): Promise<Company> {
    return this.get(`/v1/account/getCompanyById/${percentEncode(String(id))}`);
  }

  /** The company of a host (with or without a port), null when it belongs to none. */
  getByHost(host: string): Promise<Company | null> {
    return this.get('/v1/base/company/noAuth/getByHost', { host_: host });
  }

  /** The settings of a company, the platform's without one. Refused: not_found. */
  getDefaultSetting(companyId?: number): Promise<DefaultSetting> {
    return this.get('/v1/base/company/noAuth/getDefaultSetting', { company_id_: companyId });
  }

  /** Whom the company of an account name wants called. Refused: account_not_found, too_many_attempts. */
  getAdminByLogin(login: string): Promise<Administrator> {
    return this.get('/v1/account/getAdminByLogin', { login_: login });
  }

  /**
   * Whether an account of the company has the phone; null where the operator does not tell. Refused: too_many_attempts.
   */
  checkPhoneExitInCompany(phone: string, companyId: number): Promise<{ exists_: boolean | null }> {
    return this.post('/v1/account/checkPhoneExitInCompany', { phone_: phone, company_id_: companyId });
  }

  /**
   * Whether the phone is registered and an account is bound to it; null where the operator does not tell. Refused:
   * too_many_attempts.
   */
  checkPhoneExitInUser(phone: string): Promise<{ exists_: boolean | null; bound_: boolean | null }> {
    return this.post('/v1/account/checkPhoneExitInUser', { phone_: phone });
  }

  /** Sends an account's push messages to this device until the token ends. Refused: login_required, not_found. */
  bindJpushId(userId: number, pushId: string): Promise<Record<string, never>> {
    return this.post('/v1/account/bindJpushId', { user_id_: userId, jpush_id_: pushId });
  }

  /**
   * Sends a code to register a company with the phone. This and the other calls that send codes are refused with
   * code_already_sent inside the countdown (`resend_after_` in the refusal's data), sms_unavailable when the message
   * could not be sent (ask again), and too_many_attempts. When the server wants a proof of work first, the client does
   * it, which takes up to a few seconds. Also refused: phone_registered.
   */
  registCode(phone: string): Promise<CodeSent> {
    return this.askCode('/v1/account/registCode', { phone_: phone });
  }

  /** Sends a code to try the product. */
  experienceCode(phone: string): Promise<CodeSent> {
    return this.askCode('/v1/base/experience/experienceCode', { phone_: phone });
  }

  /** Sends a code to set up an account that the company opened. Refused: not_found, or why the company is closed. */
  shopRegisterCode(phone: string, companyId: number): Promise<CodeSent> {
    return this.askCode('/v1/account/shopRegisterCode', { phone_: phone, company_id_: companyId });
  }

  /**
   * Sends a code to apply to the company, for checkCode. Refused: registration_closed, not_found, or why it is closed.
   */
  registerCode(phone: string, companyId: number): Promise<CodeSent> {
    return this.askCode('/v1/shopRegister/noAuth/registerCode', { phone_: phone, company_id_: companyId });
  }

  /**
   * Makes a company, on trial for 15 days, and its administrator, and holds the administrator's token; go on with
   * updateAndImportTrade. It may be repeated with the same code and names: there is one company. Refused: code_wrong,
   * code_expired, validation_failed, phone_registered, phone_bound_elsewhere, wrong_parameters where the code or the
   * key made something else, too_many_attempts.
   */
  createCompany(company: NewCompany, options?: PostOptions): Promise<User> {
    const params: Params = {
      phone_: company.phone,
      code_: company.code,
      password_: company.password,
      name_: company.name,
      company_name_: company.companyName,
      agree_: company.agree ? 1 : 0,
    };
    const path = '/v1/account/createCompany';
    return this.enter({ method: 'POST', path, params, anonymous: true, ...options });
  }

  /**
   * Chooses what the new company trades in, null for nothing, and whether it begins with the samples of that trade:
   * once. Refused: wrong_parameters when it was done or there is nothing to do, forbidden to all but its
   * administrator, validation_failed for samples of no industry, login_required.
   */
  updateAndImportTrade(industry: Industry | null, samples: boolean, options?: PostOptions): Promise<Initialised> {
    const params = { industry_id_: industry, import_: samples ? 1 : 0 };
    return this.post('/v1/account/updateAndImportTrade', params, options);
  }

  /**
   * Opens the phone's sandbox of an industry and holds its ticket, for getExperienceUser. Refused: code_wrong,
   * code_expired, validation_failed, phone_bound_elsewhere, wrong_parameters, too_many_attempts.
   */
  async experienceRegister(experience: NewExperience, options?: PostOptions): Promise<Experience> {
    const params: Params = {
      phone_: experience.phone,
      code_: experience.code,
      industry_id_: experience.industry,
      name_: experience.name,
      company_name_: experience.companyName,
    };
    const path = '/v1/account/experienceRegister';
    const data = await this.call<Experience>({ method: 'POST', path, params, anonymous: true, ...options });
    this.token = '';
    this.ticket = data.ticket_;
    return data;
  }

  /**
   * Enters the sandbox as a customer ("shop") or in the back office ("mgr") and holds that account's token; called
   * again, the other side. Refused: wrong_parameters when no sandbox is open, login_required, trial_ended.
   */
  getExperienceUser(
    role: 'shop' | 'mgr',
    more: { industry?: Industry; samples?: boolean } = {},
    options?: PostOptions,
  ): Promise<User> {
    const params: Params = { role_: role, industry_id_: more.industry, import_: more.samples ? 1 : undefined };
    return this.enter({ method: 'POST', path: '/v1/account/getExperienceUser', params, ...options });
  }

  /**
   * Sets up an account that a company opened for the phone, and holds its token. Refused: code_wrong, code_expired,
   * validation_failed, not_in_company when none was opened, phone_registered when it was set up before,
   * wrong_password, wrong_parameters, too_many_attempts, and with the reason of a blocked account.
   */
  shopCompleteRegister(account: Completion, options?: PostOptions): Promise<User> {
    const params: Params = {
      phone_: account.phone,
      code_: account.code,
      company_id_: account.companyId,
      name_: account.name,
      password_: account.password,
      confirm_password_: account.password,
    };
    const path = '/v1/account/shopCompleteRegister';
    return this.enter({ method: 'POST', path, params, anonymous: true, ...options });
  }

  /** How a company takes new customers. Refused: not_found. */
  getByCompany(companyId: number): Promise<JoinSetting> {
    return this.get('/v1/shopRegisterSetting/noAuth/getByCompany', { company_id_: companyId });
  }

  /**
   * Where a phone, or a proven identity, stands with a company: "none" also where the operator does not tell, "member"
   * for one that orders there already. Refused: not_found for a company that is none, too_many_attempts; for an
   * identity login_required, wechat_expired, wechat_failed.
   */
  checkPhoneOrOpenId(
    who: string | ProvenIdentity,
    companyId: number,
  ): Promise<{ state_: ApplicationState | 'none' | 'member' }> {
    const params = { ...asked(who), company_id_: companyId };
    return this.post('/v1/shopRegister/noAuth/checkPhoneOrOpenId', params);
  }

  /**
   * Proves the phone with the code of registerCode, from the same kind of client: the ticket is for save, getById and
   * getByPhoneOrOpenId in this company, 15 minutes. Refused: code_wrong, code_expired, too_many_attempts.
   */
  checkCode(phone: string, companyId: number, code: string): Promise<{ ticket_: string }> {
    return this.post('/v1/shopRegister/noAuth/checkCode', { phone_: phone, company_id_: companyId, code_: code });
  }

  /**
   * Leave to send a picture of a licence in, JPEG, PNG or WebP of 5 MB or less; for the company of the options, where
   * there is one. Refused: upload_rejected for another type or size, too_many_attempts.
   */
  getUploadToken(file: { name: string; size: number; type: string }): Promise<UploadToken> {
    const params = { name_: file.name, size_: file.size, type_: file.type };
    return this.get('/v1/common/upload/getUploadToken', params);
  }

  /**
   * Sends an application in; where the company asks for no review it is approved at once: go on with shopRegisterCode.
   * Refused: application_exists while one is pending, phone_registered for a customer, code_expired for the ticket,
   * validation_failed, upload_rejected, registration_closed, phone_bound_elsewhere, too_many_attempts, wrong_parameters
   * where the key sent something else in, and why the company is closed.
   */
  save(application: NewApplication, options?: PostOptions): Promise<Application> {
    const body = {
      company_id_: application.companyId,
      ticket_: application.ticket,
      company_name_: application.companyName,
      contact_name_: application.contactName,
      position_: application.position,
      province_: application.province,
      city_: application.city,
      district_: application.district,
      address_: application.address,
      reason_: application.reason,
      licence_key_: application.licenceKey,
      contact_phone_: application.contactPhone,
    };
    return this.postJSON('/v1/shopRegister/noAuth/save', body, options);
  }

  /**
   * What a phone, or a proven identity, sent in to a company last: whole with a ticket of the phone. Refused:
   * not_found, with somebody else's ticket too, code_expired for a ticket that was good, too_many_attempts; for an
   * identity as checkPhoneOrOpenId.
   */
  getByPhoneOrOpenId(who: string | ProvenIdentity, companyId: number, ticket?: string): Promise<FoundApplication> {
    const params = { ticket_: ticket, ...asked(who), company_id_: companyId };
    return this.get('/v1/shopRegister/noAuth/getByPhoneOrOpenId', params);
  }

  /** An application by its number. Refused as getByPhoneOrOpenId. */
  getById(id: number, ticket?: string): Promise<Application> {
    return this.get(`/v1/shopRegister/noAuth/getById/${percentEncode(String(id))}`, { ticket_: ticket });
  }

  /** Sends a code to reset a password. Refused: phone_not_bound, account_not_found. */
  resetCode(who: PhoneOrLogin): Promise<ResetCodeSent> {
    return this.askCode('/v1/account/resetCode', { phone_: who.phone, login_: who.login });
  }

  /**
   * Sets a new password with the code; `who` as resetCode had it, and the same kind of client. Every token it concerns
   * ends: sign in anew. Refused: code_wrong, code_expired, validation_failed for a password the rule does not take,
   * too_many_attempts.
   */
  resetPhonePassword(who: PhoneOrLogin, code: string, password: string): Promise<Record<string, never>> {
    return this.post('/v1/account/resetPhonePassword', {
      phone_: who.phone,
      login_: who.login,
      code_: code,
      password_: password,
      confirm_password_: password,
    });
  }

  /**
   * Changes the password the client signed in with. The client's token stays, the others it concerns end. Refused:
   * old_password_wrong, password_not_set, validation_failed, too_many_attempts, login_required.
   */
  modifyPwd(old: string, password: string): Promise<Record<string, never>> {
    const params = { old_password_: old, password_: password, confirm_password_: password };
    return this.post('/v1/account/modifyPwd', params);
  }

  /**
   * Sends a code to the phone to be bound. For an account without a phone that signed in by its name: others are
   * refused with wrong_parameters.
   */
  bindPhoneCode(phone: string): Promise<CodeSent> {
    return this.askCode('/v1/account/bindPhoneCode', { phone_: phone });
  }

  /**
   * Binds the phone. `password` is the phone's; a new one where it has none yet; without it, needs_password_ is true
   * and the code stays good for ten minutes, with this token. Refused: code_wrong, code_expired, wrong_password,
   * phone_bound_elsewhere, wrong_parameters, too_many_attempts.
   */
  bindPhone(phone: string, code: string, password?: string): Promise<Binding> {
    return this.post('/v1/account/bindPhone', { phone_: phone, code_: code, password_: password });
  }

  /**
   * Finishes a binding with a new password, which becomes the phone's: its other tokens end. Refused: code_expired
   * without a bindPhone in the last ten minutes, validation_failed, phone_bound_elsewhere, wrong_parameters.
   */
  setBindPhonePassword(password: string): Promise<{ bind_phone_: string }> {
    const params = { password_: password, confirm_password_: password };
    return this.post('/v1/account/setBindPhonePassword', params);
  }

  /** Sends a code to the phone bound to the account. Refused: wrong_parameters when there is none. */
  unbindPhoneCode(): Promise<CodeSent> {
    return this.askCode('/v1/account/unbindPhoneCode');
  }

  /**
   * Unbinds the phone. `password` is a new one where the account has none of its own; or the one signed in with, when
   * that was more than ten minutes ago. The account's other tokens end, and this one if it was got through the phone.
   * Refused: code_wrong, code_expired, password_not_set, wrong_password, wrong_parameters, too_many_attempts,
   * login_required.
   */
  unbindPhone(code: string, password?: string): Promise<Record<string, never>> {
    return this.post('/v1/account/unbindPhone', { code_: code, password_: password });
  }

  /** Stops reminding one of the person's accounts to bind a phone. Refused: login_required, not_found. */
  markDoNotRemindBindPhone(userId: number): Promise<Record<string, never>> {
    const path = `/v1/account/noAuth/markDoNotRemindBindPhone/${percentEncode(String(userId))}`;
    return this.post(path, { user_id_: userId });
  }

  /** Every region, some 200 KB: keep it. */
  buildRegionTree(): Promise<Region[]> {
    return this.get('/v1/common/helper/buildRegionTree');
  }

  /** The provinces, or what lies directly below `parent` (a code). Refused: not_found. */
  buildSimpleRegionTree(parent?: string): Promise<RegionEntry[]> {
    return this.get('/v1/common/helper/buildSimpleRegionTree', { parent_: parent });
  }

  /** Any GET call. */
  get<T>(path: string, params?: Params): Promise<T> {
    return this.call({ method: 'GET', path, params: params ?? {} });
  }

  /** Any POST call with a form. */
  post<T>(path: string, params?: Params, { idempotencyKey }: PostOptions = {}): Promise<T> {
    return this.call({ method: 'POST', path, params: params ?? {}, idempotencyKey });
  }

  /** Any POST call with a JSON body. */
  postJSON<T>(path: string, body: unknown, { idempotencyKey }: PostOptions = {}): Promise<T> {
    return this.call({ method: 'POST', path, json: JSON.stringify(body), idempotencyKey });
  }

  /** A call that signs in, and lists what can be entered. */
  /** Requests a code. When the server requires a proof of work, does the work and requests the code again. */
  private async askCode<T>(path: string, params: Params = {}): Promise<T> {
    try {
      return await this.get<T>(path, params);
    } catch (error) {
      const proof = error instanceof Refused ? error.data?.proof_ : undefined;
      if (!proof) {
        throw error;
      }
      return this.get<T>(path, { ...params, proof_: proof.token_, work_: await work(proof) });
    }
  }

  private async signIn(path: string, params: Params): Promise<SignIn> {
    const data = await this.call<SignIn>({ method: 'POST', path, params, anonymous: true });
    this.token = data.user_?.token_ ?? '';
    this.ticket = this.token ? '' : data.ticket_;
    return data;
  }

  /** A call that enters an account. */
  private async enter(call: Call): Promise<User> {
    const user = await this.call<User>(call);
    this.token = user.token_ ?? '';
    this.ticket = '';
    return user;
  }

  private async call<T>(call: Call): Promise<T> {
    try {
      return await this.once<T>(call);
    } catch (error) {
      if (!(error instanceof Refused && error.code === 'sign_expired' && this.setClock(error.data?.server_time_))) {
        throw error;
      }
      return this.once<T>(call);
    }
  }

  private async once<T>(call: Call): Promise<T> {
    const parameters: Parameter[] = [];
    for (const name of Object.keys(call.params ?? {})) {
      const value = call.params?.[name];
      if (value !== null && value !== undefined) {
        parameters.push([name, String(value)]);
      }
    }
    const sent = canonical(parameters);
    const init: RequestInit = { method: call.method, credentials: 'omit', redirect: 'error' };
    const headers = this.headers(call, call.json === undefined ? sent : canonical(parameters, call.json));
    let url = this.options.address.replace(/\/+$/, '') + call.path;
    if (call.method === 'GET') {
      url += sent && `?${sent}`;
    } else {
      init.body = call.json ?? sent;
      headers['Content-Type'] = call.json === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
    }
    return opened<T>(await this.send(url, { ...init, headers }));
  }

  private headers(call: Call, params: string): Record<string, string> {
    const { secret, tokenType, appSource, language, companyId, edition } = this.options;
    const token = call.anonymous ? '' : this.token || this.ticket;
    const now = this.now();
    const timestamp = String(now);
    const nonce = this.nonce(now);
    const headers: Record<string, string> = {
      'X-Token': token,
      'X-Timestamp': timestamp,
      'X-Nonce': nonce,
      'X-Token-Type': tokenType,
      'X-App-Source': appSource,
      'X-Sign': sign(secret, { token, timestamp, nonce, params }),
    };
    if (language) {
      headers['Accept-Language'] = language;
    }
    if (companyId) {
      headers['X-Company-Id'] = String(companyId);
    }
    if (edition) {
      headers['X-Edition'] = edition;
    }
    if (call.idempotencyKey) {
      headers['Idempotency-Key'] = call.idempotencyKey;
    }
    return headers;
  }

  private now(): number {
    return Math.round((this.options.now ?? Date.now)() + this.offset);
  }

  /** The time plus a random number below 10000, and never one that was used: two calls in one ms differ. */
  private nonce(now: number): string {
    let nonce = now + Math.floor(Math.random() * NONCE_RANGE);
    while (this.nonces.has(nonce)) {
      nonce++;
    }
    if (this.nonces.size >= NONCES_KEPT) {
      this.nonces.forEach((used) => {
        if (used < now) {
          this.nonces.delete(used);
        }
      });
    }
    this.nonces.add(nonce);
    return String(nonce);
  }

  private setClock(serverTime: number | undefined): boolean {
    if (typeof serverTime !== 'number') {
      return false;
    }
    this.offset += serverTime - this.now();
    return true;
  }

  /** The answer with its whole text, in time. The race is for engines and stand-ins of fetch that cannot abort. */
  private async send(url: string, init: RequestInit): Promise<Answer> {
    const aborter = typeof AbortController === 'function' ? new AbortController() : null;
    const send = this.options.fetch ?? ((to: string, how: RequestInit) => fetch(to, how));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(unanswered('timeout'));
        aborter?.abort();
      }, this.options.timeout ?? TIMEOUT);
    });
    const answer = async () => {
      try {
        const response = await send(url, { ...init, signal: aborter?.signal ?? null });
        return { response, text: await response.text() };
      } catch (error) {
        throw unanswered('unreachable', error);
      }
    };
    try {
      return await Promise.race([answer(), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function asked(who: string | ProvenIdentity): Params {
  return typeof who === 'string' ? { phone_: who } : { open_id_: who.openId, ticket_: who.ticket };
}

type Answer = { response: Response; text: string };

function unanswered(code: 'timeout' | 'unreachable', cause?: unknown): Refused {
  return new Refused({ status: 0, code, message: '', data: null, http: 0, requestId: '', retryAfter: null, cause });
}

/** The data of an answer; throws Refused for all but success. */
function opened<T>({ response, text }: Answer): T {
  const envelope = parse<T>(text);
  if (envelope && response.ok && envelope.status === 1) {
    return envelope.data;
  }
  const wait = response.headers.get('Retry-After');
  throw new Refused({
    status: envelope?.status ?? 0,
    code: envelope?.code ?? 'unreadable',
    message: envelope?.message ?? '',
    data: (envelope?.data as Detail | undefined) ?? null,
    http: response.status,
    requestId: envelope?.request_id ?? response.headers.get('X-Request-Id') ?? '',
    retryAfter: wait && /^\d+$/.test(wait) ? Number(wait) : null,
  });
}

/** The envelope in `text`, null when it is none. */
function parse<T>(text: string): Envelope<T> | null {
  try {
    const envelope: Envelope<T> = JSON.parse(text);
    return typeof envelope.status === 'number' && typeof envelope.code === 'string' ? envelope : null;
  } catch {
    return null;
  }
}
