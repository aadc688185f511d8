// A client of the API for native wrappers and destination sites. It has no dependencies and runs in every script engine
// with fetch. docs/api.md and /openapi.json describe the calls and their answers.
import { Refused } from './refused';
import { percentEncode } from './sign';
import { type Call, SignedClient } from './signed-client';
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
  Experience,
  FoundApplication,
  Industry,
  Initialised,
  JoinSetting,
  NewApplication,
  NewCompany,
  NewExperience,
  OfCompany,
  Params,
  PhoneOrLogin,
  PostOptions,
  ProvenIdentity,
  RedeemedUser,
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

export { newIdempotencyKey, REQUEST_LENGTH } from './idempotency-key';
export { Refused } from './refused';
export type * from './types';

/**
 * A client of the API. Each method makes the call of the same name and returns its `data`. Throws Refused if the server
 * refuses the call or no usable response arrives. A method that signs in keeps the token in `token`, and later calls
 * send it; store it where the device keeps secrets.
 */
export class Portico extends SignedClient {
  /**
   * Signs in with a phone or an account name. If the result has `user_`, the client keeps its token. Otherwise several
   * accounts can be entered: let the person choose one from the lists and call again with accountId, or continue with
   * the ticket. Refused: wrong_password, account_not_found, phone_not_bound, not_in_company, too_many_attempts, and, if
   * all accounts are blocked, the reason of the first one.
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
   * What a page needs to send the person to WeChat or WeCom and to call their JS-SDK. `page` is the page's address as
   * in location.href, on a site of the company or of the platform. Refused: wechat_failed if the company does not offer
   * this sign-in method, validation_failed for a page on another site, not_found, too_many_attempts.
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
   * The identity of a person who came back from WeChat with code and state. Before the call, compare the state with the
   * one in the address to which you sent the person. Refused: wechat_expired (authorise again), wechat_failed with
   * WeChat's message.
   */
  getWeChatUserInfo(code: string, state: string, companyId?: number, app?: 'mobile'): Promise<WeChatIdentity> {
    const params = { code_: code, state_: state, company_id_: companyId, app_: app };
    return this.get('/v1/setting/weChatSetting/noAuth/getWeChatUserInfo', params);
  }

  /**
   * The identity of a person who came back from WeCom with code and state. If the result has `user_`, a single account
   * can be entered, and the client keeps its token. Refused: as getWeChatUserInfo, and, if all accounts are blocked,
   * the reason.
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
   * Signs in with a linked identity, as mixedLogin does with a password. The ticket is from getWeChatUserInfo or
   * authorization. Refused: account_not_found if no account is linked to the identity, wechat_expired after ten
   * minutes, login_required for a ticket that is unknown or of another kind of client, wechat_manager_closed, and, if
   * all accounts are blocked, the reason.
   */
  openIdLogin(ticket: string, more: { companyId?: number; accountId?: number } = {}): Promise<SignIn> {
    const params: Params = { ticket_: ticket, company_id_: more.companyId, account_id_: more.accountId };
    return this.signIn('/v1/account/openIdLogin', params);
  }

  /**
   * Links the identity to the account with this password and signs in. Show the person both before you call it.
   * Refused: as openIdLogin and mixedLogin, and wrong_parameters if the identity is linked to another person.
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
   * Enters one of the accounts that the sign-in listed, and keeps its token. Refused: login_required, not_found for any
   * other account, and the reason of a blocked one.
   */
  login(accountId: number): Promise<User> {
    const json = JSON.stringify({ account_id_: accountId });
    return this.enter({ method: 'POST', path: '/api/v1/company/wechat/account/login', json });
  }

  /**
   * A one-time code with which one of the person's own accounts enters a destination site. The site depends on the
   * account and the kind of client, unless `target` names it. Refused: login_required, not_found, and the reason of a
   * blocked account.
   */
  getAuthCode(accountId: number, target?: 'mShop' | 'mMgr' | 'pcShop' | 'pcMgr'): Promise<AuthCode> {
    return this.get('/openapi/v1/auth/getAuthCode', { account_id_: accountId, target_: target });
  }

  /**
   * Exchanges an auth code for a token and keeps it. Refused: login_required for a code that is unknown, older than 60
   * seconds or used. A second use within the 60 seconds also revokes the token of the first; a later one revokes
   * nothing. `return_` is the path to open on the site.
   */
  getLoginUserByAuthCode(code: string): Promise<RedeemedUser> {
    const path = '/v1/account/getLoginUserByAuthCode';
    return this.enter({ method: 'GET', path, params: { auth_code_: code }, anonymous: true });
  }

  /** The person's accounts, merged by company. Refused: login_required. */
  getAccountList(): Promise<CompanyAccounts[]> {
    return this.get('/v1/account/getAccountList');
  }

  /** Makes one of the person's companies the default company. Refused: login_required, forbidden. */
  setDefaultCompany(companyId: number): Promise<{ company_id_: number }> {
    return this.post('/v1/account/setDefaultCompany', { company_id_: companyId });
  }

  /** A company by its id. Refused: not_found. */
  getCompanyById(id: number): Promise<Company> {
    return this.get(`/v1/account/getCompanyById/${percentEncode(String(id))}`);
  }

  /** The company of a host (with or without a port); null if the host belongs to no company. */
  getByHost(host: string): Promise<Company | null> {
    return this.get('/v1/base/company/noAuth/getByHost', { host_: host });
  }

  /** The settings of a company, or the platform's if no company is given. Refused: not_found. */
  getDefaultSetting(companyId?: number): Promise<DefaultSetting> {
    return this.get('/v1/base/company/noAuth/getDefaultSetting', { company_id_: companyId });
  }

  /** The administrator whom a person with this account name can call. Refused: account_not_found, too_many_attempts. */
  getAdminByLogin(login: string): Promise<Administrator> {
    return this.get('/v1/account/getAdminByLogin', { login_: login });
  }

  /**
   * Whether an account of the company has the phone; null if the operator does not reveal it. Refused:
   * too_many_attempts.
   */
  checkPhoneExitInCompany(phone: string, companyId: number): Promise<{ exists_: boolean | null }> {
    return this.post('/v1/account/checkPhoneExitInCompany', { phone_: phone, company_id_: companyId });
  }

  /**
   * Whether the phone is registered, and whether it is bound to an account; null if the operator does not reveal it.
   * Refused: too_many_attempts.
   */
  checkPhoneExitInUser(phone: string): Promise<{ exists_: boolean | null; bound_: boolean | null }> {
    return this.post('/v1/account/checkPhoneExitInUser', { phone_: phone });
  }

  /**
   * Sends the account's push messages to this device until the token expires or is revoked. Refused: login_required,
   * not_found.
   */
  bindJpushId(userId: number, pushId: string): Promise<Record<string, never>> {
    return this.post('/v1/account/bindJpushId', { user_id_: userId, jpush_id_: pushId });
  }

  /**
   * Sends a code to register a company with the phone. Refused: phone_registered. All calls that send codes can also be
   * refused with code_already_sent during the countdown (`resend_after_` in the refusal's data), sms_unavailable if the
   * message could not be sent (try again), and too_many_attempts. If the server requires a proof of work first, the
   * client does it, which takes up to a few seconds.
   */
  registCode(phone: string): Promise<CodeSent> {
    return this.askCode('/v1/account/registCode', { phone_: phone });
  }

  /** Sends a code to try the product. */
  experienceCode(phone: string): Promise<CodeSent> {
    return this.askCode('/v1/base/experience/experienceCode', { phone_: phone });
  }

  /** Sends a code to set up an account that the company opened. Refused: not_found, or why the company is blocked. */
  shopRegisterCode(phone: string, companyId: number): Promise<CodeSent> {
    return this.askCode('/v1/account/shopRegisterCode', { phone_: phone, company_id_: companyId });
  }

  /**
   * Sends a code to apply to the company, for checkCode. Refused: registration_closed, not_found, or why the company is
   * blocked.
   */
  registerCode(phone: string, companyId: number): Promise<CodeSent> {
    return this.askCode('/v1/shopRegister/noAuth/registerCode', { phone_: phone, company_id_: companyId });
  }

  /**
   * Registers a company, on trial for 15 days, with its administrator, and keeps the administrator's token. The next
   * step is updateAndImportTrade. The call may be repeated with the same code and names: it creates one company.
   * Refused: code_wrong, code_expired, validation_failed, phone_registered, phone_bound_elsewhere, too_many_attempts,
   * and wrong_parameters if the code or the key created a different company.
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
   * Chooses the industry of the new company (null for none), and whether to import its sample data. It can be done
   * once. Refused: wrong_parameters if it was done before or there is nothing to do, forbidden unless the account is
   * the company's administrator, validation_failed for samples without an industry, login_required.
   */
  updateAndImportTrade(industry: Industry | null, samples: boolean, options?: PostOptions): Promise<Initialised> {
    const params = { industry_id_: industry, import_: samples ? 1 : 0 };
    return this.post('/v1/account/updateAndImportTrade', params, options);
  }

  /**
   * Opens a sandbox of an industry for the phone and keeps its ticket, for getExperienceUser. Refused: code_wrong,
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
   * Enters the sandbox as a customer ("shop") or in the back office ("mgr") and keeps that account's token. Call it
   * again to enter the other side. Refused: wrong_parameters if no sandbox is open, login_required, trial_ended.
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
   * Sets up an account that a company opened for the phone, and keeps its token. Refused: code_wrong, code_expired,
   * validation_failed, not_in_company if the company opened none, phone_registered if it was set up before,
   * wrong_password, wrong_parameters, too_many_attempts, and the reason of a blocked account.
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

  /** Whether and how customers can apply to a company. Refused: not_found. */
  getByCompany(companyId: number): Promise<JoinSetting> {
    return this.get('/v1/shopRegisterSetting/noAuth/getByCompany', { company_id_: companyId });
  }

  /**
   * The state of the application of a phone or a proven identity. "none" is also the answer if the operator does not
   * reveal the state; "member" means that it is a customer already. Refused: not_found for an unknown company,
   * too_many_attempts; for an identity also login_required, wechat_expired, wechat_failed.
   */
  checkPhoneOrOpenId(
    applicant: string | ProvenIdentity,
    companyId: number,
  ): Promise<{ state_: ApplicationState | 'none' | 'member' }> {
    const params = { ...applicantParams(applicant), company_id_: companyId };
    return this.post('/v1/shopRegister/noAuth/checkPhoneOrOpenId', params);
  }

  /**
   * Proves the phone with the code of registerCode, from the same kind of client. The ticket works for 15 minutes with
   * save, getById and getByPhoneOrOpenId in this company. Refused: code_wrong, code_expired, too_many_attempts.
   */
  checkCode(phone: string, companyId: number, code: string): Promise<{ ticket_: string }> {
    return this.post('/v1/shopRegister/noAuth/checkCode', { phone_: phone, company_id_: companyId, code_: code });
  }

  /**
   * Permission to upload the picture of a licence: JPEG, PNG or WebP of at most 5 MB. It belongs to the company of the
   * options, if there is one. Refused: upload_rejected for another type or size, too_many_attempts.
   */
  getUploadToken(file: { name: string; size: number; type: string }): Promise<UploadToken> {
    const params = { name_: file.name, size_: file.size, type_: file.type };
    return this.get('/v1/common/upload/getUploadToken', params);
  }

  /**
   * Sends an application in. If the company does not review applications, it is approved at once; the next step is then
   * shopRegisterCode. Refused: application_exists while one is pending, phone_registered for a customer, code_expired
   * if the ticket has expired, validation_failed, upload_rejected, registration_closed, phone_bound_elsewhere,
   * too_many_attempts, wrong_parameters if the key sent in something else, and why the company is blocked.
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
   * The last application of a phone or a proven identity to a company; with a ticket of the phone, all its fields.
   * Refused: not_found, also for a ticket of another person, code_expired for an expired ticket, too_many_attempts; for
   * an identity as checkPhoneOrOpenId.
   */
  getByPhoneOrOpenId(
    applicant: string | ProvenIdentity,
    companyId: number,
    ticket?: string,
  ): Promise<FoundApplication> {
    const params = { ticket_: ticket, ...applicantParams(applicant), company_id_: companyId };
    return this.get('/v1/shopRegister/noAuth/getByPhoneOrOpenId', params);
  }

  /** An application by its id. Refused: as getByPhoneOrOpenId. */
  getById(id: number, ticket?: string): Promise<Application> {
    return this.get(`/v1/shopRegister/noAuth/getById/${percentEncode(String(id))}`, { ticket_: ticket });
  }

  /** Sends a code to reset a password. Refused: phone_not_bound, account_not_found. */
  resetCode(who: PhoneOrLogin): Promise<ResetCodeSent> {
    return this.askCode('/v1/account/resetCode', { phone_: who.phone, login_: who.login });
  }

  /**
   * Sets a new password with the code. `who` and the kind of client are the same as for resetCode. All tokens of the
   * phone or account are revoked: sign in again. Refused: code_wrong, code_expired, validation_failed for a password
   * that does not follow the rules, too_many_attempts.
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
   * Changes the password with which the client signed in. This client's token stays valid; the others of the phone or
   * account are revoked. Refused: old_password_wrong, password_not_set, validation_failed, too_many_attempts,
   * login_required.
   */
  modifyPwd(old: string, password: string): Promise<Record<string, never>> {
    const params = { old_password_: old, password_: password, confirm_password_: password };
    return this.post('/v1/account/modifyPwd', params);
  }

  /**
   * Sends a code to the phone that will be bound. Only for an account without a phone that signed in with its account
   * name: others are refused with wrong_parameters.
   */
  bindPhoneCode(phone: string): Promise<CodeSent> {
    return this.askCode('/v1/account/bindPhoneCode', { phone_: phone });
  }

  /**
   * Binds the phone. `password` is the phone's password, or a new one if the phone has none. Without it,
   * needs_password_ is true and the code stays valid for ten minutes with this token. Refused: code_wrong,
   * code_expired, wrong_password, phone_bound_elsewhere, wrong_parameters, too_many_attempts.
   */
  bindPhone(phone: string, code: string, password?: string): Promise<Binding> {
    return this.post('/v1/account/bindPhone', { phone_: phone, code_: code, password_: password });
  }

  /**
   * Finishes a binding with a new password for the phone, and revokes the phone's other tokens. Refused: code_expired
   * if there was no bindPhone in the last ten minutes, validation_failed, phone_bound_elsewhere, wrong_parameters.
   */
  setBindPhonePassword(password: string): Promise<{ bind_phone_: string }> {
    const params = { password_: password, confirm_password_: password };
    return this.post('/v1/account/setBindPhonePassword', params);
  }

  /** Sends a code to the phone that is bound to the account. Refused: wrong_parameters if there is none. */
  unbindPhoneCode(): Promise<CodeSent> {
    return this.askCode('/v1/account/unbindPhoneCode');
  }

  /**
   * Unbinds the phone. `password` is a new password if the account has none of its own, or the one of the sign-in if
   * that was more than ten minutes ago. The account's other tokens are revoked, and this one too if the client signed
   * in with the phone. Refused: code_wrong, code_expired, password_not_set, wrong_password, wrong_parameters,
   * too_many_attempts, login_required.
   */
  unbindPhone(code: string, password?: string): Promise<Record<string, never>> {
    return this.post('/v1/account/unbindPhone', { code_: code, password_: password });
  }

  /** Stops the reminders to bind a phone to one of the person's accounts. Refused: login_required, not_found. */
  markDoNotRemindBindPhone(userId: number): Promise<Record<string, never>> {
    const path = `/v1/account/noAuth/markDoNotRemindBindPhone/${percentEncode(String(userId))}`;
    return this.post(path, { user_id_: userId });
  }

  /** All regions, about 200 KB: cache the result. */
  buildRegionTree(): Promise<Region[]> {
    return this.get('/v1/common/helper/buildRegionTree');
  }

  /** The provinces, or the regions directly below `parent` (a code). Refused: not_found. */
  buildSimpleRegionTree(parent?: string): Promise<RegionEntry[]> {
    return this.get('/v1/common/helper/buildSimpleRegionTree', { parent_: parent });
  }

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

  /** Signs in, and keeps the token, or the ticket if the person has to choose an account. */
  private async signIn(path: string, params: Params): Promise<SignIn> {
    const data = await this.call<SignIn>({ method: 'POST', path, params, anonymous: true });
    this.token = data.user_?.token_ ?? '';
    this.ticket = this.token ? '' : data.ticket_;
    return data;
  }

  /** Makes a call that enters an account, and keeps its token. */
  private async enter<T extends User = User>(call: Call): Promise<T> {
    const user = await this.call<T>(call);
    this.token = user.token_ ?? '';
    this.ticket = '';
    return user;
  }
}

/** The parameters that name an applicant: a phone, or a proven identity. */
function applicantParams(applicant: string | ProvenIdentity): Params {
  return typeof applicant === 'string'
    ? { phone_: applicant }
    : { open_id_: applicant.openId, ticket_: applicant.ticket };
}
