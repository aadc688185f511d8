// A client of the API for native wrappers and destination sites: no dependencies, any script engine with fetch. Calls
// and their answers: docs/api.md and /openapi.json.
import { canonical, type Parameter, percentEncode, sign } from './sign';

/** How a client is set up. */
export type Options = {
  /** Scheme and host of the API, `https://api.example.com`. */
  address: string;
  /** The secret of the request signature, from the operator (`PORTICO_SIGN_SECRET`). It grants nothing by itself. */
  secret: string;
  /** The kind of client. A token works with the kind it was given to. */
  tokenType: 'APP' | 'WEBAPP' | 'PC';
  /** Where the client runs. */
  appSource: 'IOS' | 'ANDROID' | 'WEBAPP' | 'PC';
  /** The language of messages; without it, the company's. */
  language?: Language;
  /** The company whose site the person is on. */
  companyId?: number;
  /** Asks for the lighting edition. */
  edition?: 'lighting';
  /** How long a call may take, in ms: 15000 when left out. */
  timeout?: number;
  /** Instead of the engine's own fetch. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** The device's clock in Unix ms, instead of Date.now. */
  now?: () => number;
};

/** The languages of messages. */
export type Language = 'zh' | 'es' | 'en';

/** What every answer is wrapped in: `status` 1 and `code` "ok" on success, else a row of the error catalogue. */
export type Envelope<T = unknown> = { status: number; code: string; message: string; data: T; request_id: string };

/** A signed-in account (`mixedLogin`, `getLoginUserByAuthCode`): every field is always there. */
export type User = {
  company_id_: number;
  company_name_: string;
  /** Six hex digits. */
  company_theme_: string | null;
  env_: string | null;
  login_: string;
  id_: number;
  name_: string | null;
  type_: AccountType;
  /** What the client sends as X-Token from then on. */
  token_: string | null;
  auth_code_: string | null;
  phone_: string | null;
  bind_phone_: string | null;
  client_id_: number | null;
  client_name_: string | null;
  client_type_id_: number | null;
  head_img_: string | null;
  duty_name_: string | null;
  dept_name_: string | null;
  isLighting: boolean;
  wechat_bind_: boolean;
  company_shop_switch_: boolean;
  corp_id_: string | null;
  agent_id_: string | null;
  /** Always null, as agent_jsapi_ticket_: tickets stay on the server. */
  corp_jsapi_ticket_: string | null;
  agent_jsapi_ticket_: string | null;
  /** Scheme and host of the company's own desktop site. */
  pc_domain_: string | null;
};

/** 1 administrator, 2 employee, 3 customer. */
export type AccountType = 1 | 2 | 3;

/** An account in a list. `state_` is "active", or the code of the refusal that entering it would meet. */
export type Account = {
  id_: number;
  login_: string;
  name_: string | null;
  company_id_: number;
  company_name_: string;
  phone_: string | null;
  type_: AccountType;
  state_: string;
  /** It belongs to the person's default company. */
  default_: boolean;
};

/** A person's accounts in one company (`getAccountList`). */
export type CompanyAccounts = {
  company_id_: number;
  company_name_: string;
  default_: boolean;
  mgrAccountList: Account[];
  shopAccountList: Account[];
};

/** What a proven password opens (`mixedLogin`). */
export type SignIn = {
  phone_: string | null;
  mgrAccountList: Account[];
  shopAccountList: Account[];
  /** Stands for the password while an account is chosen: 15 minutes. */
  ticket_: string;
  /** The account with its token when a single one can be entered. */
  user_: User | null;
};

/** A way into a destination site (`getAuthCode`). */
export type AuthCode = {
  /** Works once, within 60 seconds. */
  auth_code_: string;
  /** The site's address with the code in it. */
  redirect_url_: string;
};

/** A code is on its way to a phone. */
export type CodeSent = {
  /** Seconds until a code may be asked for again. */
  resend_after_: number;
};

/** `phone_` is the phone it went to, its middle hidden; null where the operator does not tell. */
export type ResetCodeSent = CodeSent & { phone_: string | null };

/** Whose password a reset sets: a phone's, or that of an account by the code sent to the phone bound to it. */
export type PhoneOrLogin = { phone: string; login?: never } | { login: string; phone?: never };

/** How far the binding of a phone has come (`bindPhone`). */
export type Binding = {
  /** The phone now bound, null while a password is needed. */
  bind_phone_: string | null;
  /** The code was right: go on with bindPhone and the phone's password, or with setBindPhonePassword and a new one. */
  needs_password_: boolean;
};

/** A company as its sign-in page shows it. */
export type Company = {
  id_: number;
  name_: string;
  /** Six hex digits; "" is the platform's own colour. */
  theme_: string;
  mini_web_icon_: string;
  login_page_style_url_: string;
  view_count_url_: string;
  language_type_: Language;
  /** Accounts of "active" and "trial" companies can sign in. */
  state_: 'active' | 'trial' | 'trial_ended' | 'expired' | 'disabled';
};

/** What a client needs before anyone has signed in. Colours are six hex digits. */
export type DefaultSetting = {
  shop_skin_color_: string;
  theme_: string;
  language_type_: Language;
  version_: string;
};

/** Whom to ask in a company, as it chose to show it; null where hidden. */
export type Administrator = { name_: string | null; phone_: string | null };

/** A province, city or district of China: `code_` is its six digits, `children_` is empty for a district. */
export type Region = { code_: string; name_: string; children_: Region[] };

/** One region of one level: nothing lies below a leaf. */
export type RegionEntry = { code_: string; name_: string; leaf_: boolean };

/** Someone who can help with a refusal. */
export type Contact = { role_: 'administrator' | 'manager' | 'support'; name_: string; phone_: string };

/** A sum to be answered with the next try: send `token_` as question_ and a_ + b_ as answer_. */
export type Question = { token_: string; a_: number; b_: number; text_: string };

/** What a refusal may add to its message. */
export type Detail = {
  /** With validation_failed: what is wrong with each parameter, for the person. */
  fields?: Record<string, string>;
  /** With wrong_password: tries left before a question is asked as well. */
  left_?: number;
  question_?: Question;
  /** Seconds until a code may be asked for again. */
  resend_after_?: number;
  /** With sign_expired: the server's clock in Unix ms. */
  server_time_?: number;
  company_id_?: number;
  company_name_?: string;
  contacts_?: Contact[];
};

/** What Refused carries. */
export type Refusal = {
  /** The number of the refusal in the error catalogue; 0 for one the server did not make. */
  status: number;
  /**
   * Its name in the error catalogue; or, made here: "unreadable" (the answer was no envelope), "timeout", "unreachable"
   * (no answer).
   */
  code: string;
  /** For the person, in the language asked for; "" for a refusal the server did not make. */
  message: string;
  data: Detail | null;
  /** The HTTP status; 0 without an answer. */
  http: number;
  /** To quote when reporting a problem; "" when there is none. */
  requestId: string;
  /** Seconds to wait before the next try, with HTTP 429 and 503; null when the server named none. */
  retryAfter: number | null;
  /** With "unreachable": what fetch said. */
  cause?: unknown;
};

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

/** Parameters by name; null and undefined are left out. */
export type Params = Record<string, string | number | null | undefined>;

/** What a POST may come with. */
export type PostOptions = {
  /** For calls that create: the same key with the same content gives the same answer for 24 hours. */
  idempotencyKey?: string;
};

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
  /** The login token, "" for none: from mixedLogin or getLoginUserByAuthCode, or set from where it was kept. */
  token = '';
  /** A sign-in's ticket, sent while there is no token; "" for none. */
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
    const data = await this.call<SignIn>({ method: 'POST', path: '/v1/account/mixedLogin', params, anonymous: true });
    this.token = data.user_?.token_ ?? '';
    this.ticket = this.token ? '' : data.ticket_;
    return data;
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
  async getLoginUserByAuthCode(code: string): Promise<User> {
    const path = '/v1/account/getLoginUserByAuthCode';
    const user = await this.call<User>({ method: 'GET', path, params: { auth_code_: code }, anonymous: true });
    this.token = user.token_ ?? '';
    this.ticket = '';
    return user;
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

  /** Whether an account of the company has the phone; null where the operator does not tell. Refused: too_many_attempts. */
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
   * could not be sent (ask again), and too_many_attempts. Also refused: phone_registered.
   */
  registCode(phone: string): Promise<CodeSent> {
    return this.get('/v1/account/registCode', { phone_: phone });
  }

  /** Sends a code to try the product. */
  experienceCode(phone: string): Promise<CodeSent> {
    return this.get('/v1/base/experience/experienceCode', { phone_: phone });
  }

  /** Sends a code to set up an account that the company opened. Refused: not_found, or why the company is closed. */
  shopRegisterCode(phone: string, companyId: number): Promise<CodeSent> {
    return this.get('/v1/account/shopRegisterCode', { phone_: phone, company_id_: companyId });
  }

  /** Sends a code to apply to the company. Refused: registration_closed, not_found, or why the company is closed. */
  registerCode(phone: string, companyId: number): Promise<CodeSent> {
    return this.get('/v1/shopRegister/noAuth/registerCode', { phone_: phone, company_id_: companyId });
  }

  /** Sends a code to reset a password. Refused: phone_not_bound, account_not_found. */
  resetCode(who: PhoneOrLogin): Promise<ResetCodeSent> {
    return this.get('/v1/account/resetCode', { phone_: who.phone, login_: who.login });
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
    return this.get('/v1/account/bindPhoneCode', { phone_: phone });
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
    return this.get('/v1/account/unbindPhoneCode');
  }

  /**
   * Unbinds the phone. `password` is a new one where the account has none of its own; or the one signed in with, when
   * that was more than ten minutes ago. The account's other tokens end, and this one if it was got through the phone.
   * Refused: code_wrong, code_expired, password_not_set, wrong_password, wrong_parameters, too_many_attempts, login_required.
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
