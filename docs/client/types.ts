// The parameters and results of the client's methods. Names that end in an underscore are those of the API.

/** The settings of a client. */
export type Options = {
  /** Scheme and host of the API, `https://api.example.com`. */
  address: string;
  /** The secret of the request signature, from the operator (`PORTICO_SIGN_SECRET`). It grants nothing by itself. */
  secret: string;
  /** The kind of client. A token works only with the kind of client that got it. */
  tokenType: 'APP' | 'WEBAPP' | 'PC';
  /** Where the client runs. */
  appSource: 'IOS' | 'ANDROID' | 'WEBAPP' | 'PC';
  /** The language of messages; the company's language by default. */
  language?: Language;
  /** The company whose site the person is on. */
  companyId?: number;
  /** Asks for the lighting edition. */
  edition?: 'lighting';
  /** How long a call may take, in ms. The default is 15000. */
  timeout?: number;
  /** Replaces the fetch of the script engine. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** The device's clock in Unix ms. The default is Date.now. */
  now?: () => number;
};

/** The languages of messages. */
export type Language = 'zh' | 'es' | 'en';

/** The envelope of every answer: `status` 1 and `code` "ok" on success, else a row of the error catalogue. */
export type Envelope<T = unknown> = { status: number; code: string; message: string; data: T; request_id: string };

/** A signed-in account (`mixedLogin`, `createCompany` …). Every field is always present. */
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
  /** The login token, which the client sends as X-Token from then on. */
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

/** A signed-in account, and the path of its site that the person wanted to open (`getLoginUserByAuthCode`). */
export type RedeemedUser = User & {
  /** A path like `/shop/orders?state=new`; null for the site's first page. */
  return_: string | null;
};

/** 1 administrator, 2 employee, 3 customer. */
export type AccountType = 1 | 2 | 3;

/** An account in a list. `state_` is "active", or the code with which signing in to it would be refused. */
export type Account = {
  id_: number;
  login_: string;
  name_: string | null;
  company_id_: number;
  company_name_: string;
  phone_: string | null;
  type_: AccountType;
  state_: string;
  /** The account belongs to the person's default company. */
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

/**
 * The accounts that a proven password or a linked identity can enter (`mixedLogin`, `openIdLogin`,
 * `bindOpenIdForLogin`).
 */
export type SignIn = {
  phone_: string | null;
  mgrAccountList: Account[];
  shopAccountList: Account[];
  /** Proves the sign-in while the person chooses an account, for 15 minutes. */
  ticket_: string;
  /** The account with its token if only one can be entered; else null. */
  user_: User | null;
};

/** Names a company by its id, or by its WeCom corp id. */
export type OfCompany = { companyId: number; corpId?: string } | { companyId?: never; corpId: string };

/** What a page needs to authorise and to call the JS-SDK (`getAppAuthenticationParams`). */
export type AppAuthentication = {
  /** With WeChat, the id of the official account. */
  corp_id_: string;
  /** Null with WeChat. */
  agent_id_: string | null;
  /** The address to which to send the person, once. They come back to the page with code and state. */
  authorize_url_: string;
  /** Unix seconds. */
  timestamp_: number;
  nonce_: string;
  /** For wx.config. */
  corp_signature_: string;
  /** For wx.agentConfig; null with WeChat. */
  agent_signature_: string | null;
};

/** A person's identity at WeChat (`getWeChatUserInfo`). */
export type WeChatIdentity = {
  open_id_: string;
  union_id_: string | null;
  nick_name_: string | null;
  head_img_: string | null;
  /** The identity is linked to an account: openIdLogin signs in. */
  linked_: boolean;
  /** The identity has an application to the company that is not approved. */
  applied_: boolean;
  /** The ticket for openIdLogin and bindOpenIdForLogin; it works for ten minutes. */
  ticket_: string;
};

/** A person's identity at WeCom (`authorization`). */
export type WorkChatSignIn = {
  /** The ticket for openIdLogin and bindOpenIdForLogin; it works for ten minutes. */
  ticket_: string;
  linked_: boolean;
  /** The account with its token if only one can be entered; else null. */
  user_: User | null;
};

/** A chat identity with the ticket that proves it. */
export type ProvenIdentity = { ticket: string; openId?: string };

/** A one-time code for a destination site (`getAuthCode`). */
export type AuthCode = {
  /** Works once, within 60 seconds. */
  auth_code_: string;
  /** The site's address with the code in it. */
  redirect_url_: string;
};

/** A code that was sent to a phone. */
export type CodeSent = {
  /** Seconds until another code may be requested. */
  resend_after_: number;
};

/**
 * `phone_` is the phone that the code was sent to, with hidden middle digits; null if the operator does not reveal it.
 */
export type ResetCodeSent = CodeSent & { phone_: string | null };

/** A phone, or the name of an account. The code for an account goes to the phone that is bound to it. */
export type PhoneOrLogin = { phone: string; login?: never } | { login: string; phone?: never };

/** The result of `bindPhone`. */
export type Binding = {
  /** The bound phone; null while a password is needed. */
  bind_phone_: string | null;
  /** The code was right. Next, call bindPhone with the phone's password, or setBindPhonePassword with a new one. */
  needs_password_: boolean;
};

/** The industry of a company. */
export type Industry =
  /** Grain and oil. */
  | 118
  /** Restaurant chains. */
  | 729
  /** Wine and drinks. */
  | 724
  /** Fresh produce. */
  | 121
  /** Lighting. */
  | 128
  /** Home furnishing. */
  | 117
  /** Household appliances. */
  | 124
  /** Clothing. */
  | 116
  /** Personal care. */
  | 119
  /** Medicine and health. */
  | 122
  /** Mother and baby. */
  | 123
  /** General. */
  | 725;

/** The details of a new company (`createCompany`). */
export type NewCompany = {
  phone: string;
  /** From registCode. */
  code: string;
  /** A new password for the phone. */
  password: string;
  /** The administrator's name. */
  name: string;
  companyName: string;
  /** The person has accepted the service agreement. Without that, the call is refused. */
  agree: boolean;
};

/** An initialised company (`updateAndImportTrade`). */
export type Initialised = {
  company_id_: number;
  /** Null if none was chosen. */
  industry_id_: Industry | null;
  /** The sample data of the industry were imported. */
  imported_: boolean;
};

/** The details of a new sandbox (`experienceRegister`). */
export type NewExperience = {
  phone: string;
  /** From experienceCode. */
  code: string;
  industry: Industry;
  /** The person's name in the sandbox. */
  name?: string;
  /** The sandbox's company name. */
  companyName?: string;
};

/** An open sandbox. */
export type Experience = {
  company_id_: number;
  /** The ticket for getExperienceUser; it works for 15 minutes. */
  ticket_: string;
};

/** The details with which an offered account is set up (`shopCompleteRegister`). */
export type Completion = {
  phone: string;
  /** From shopRegisterCode. */
  code: string;
  companyId: number;
  /** Without it, the account keeps the name that the company gave it. */
  name?: string;
  /** A new password if the phone has none; otherwise the phone's password, or left out. */
  password?: string;
};

/** Whether and how customers can apply to a company (`getByCompany`). */
export type JoinSetting = {
  open_: boolean;
  /** An administrator reviews each application. If false, applications are approved at once. */
  review_: boolean;
  /** The parameters of save that the company requires. */
  required_: string[];
  admin_: Administrator;
};

/** The state of an application. */
export type ApplicationState = 'pending' | 'approved' | 'rejected';

/** A new application (`save`). getByCompany lists the optional fields that the company requires. */
export type NewApplication = {
  companyId: number;
  /** From checkCode. */
  ticket: string;
  /** The applicant's company. */
  companyName: string;
  contactName: string;
  position?: string;
  /** Region codes: all three, or none. */
  province?: string;
  city?: string;
  district?: string;
  address?: string;
  reason?: string;
  /** `key_` of getUploadToken, after the picture was uploaded. */
  licenceKey?: string;
  contactPhone?: string;
};

/** An application found by its phone. Its id is null unless the call had the applicant's ticket. */
export type FoundApplication = Omit<Application, 'id_'> & { id_: number | null };

/** An application to a company. Without the applicant's ticket, all fields but the first three are null. */
export type Application = {
  id_: number;
  company_id_: number;
  state_: ApplicationState;
  company_name_: string | null;
  contact_name_: string | null;
  position_: string | null;
  province_: string | null;
  city_: string | null;
  district_: string | null;
  address_: string | null;
  reason_: string | null;
  licence_key_: string | null;
  contact_phone_: string | null;
  /** Why it was rejected. */
  reject_reason_: string | null;
  /** The administrator whom the applicant can call. */
  admin_: Administrator | null;
  /** Unix ms. */
  created_at_: number | null;
};

/** How to upload a file (`getUploadToken`): send a form with the fields, and the file last, under the name `file`. */
export type UploadToken = {
  url_: string;
  method_: 'PUT' | 'POST';
  headers_: Record<string, string>;
  fields_: Record<string, string>;
  /** The key of the file, for `licenceKey` of an application. */
  key_: string;
  /** Unix ms: ten minutes from now. */
  expires_: number;
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

/** The settings that a client needs before a person signs in. Colours are six hex digits. */
export type DefaultSetting = {
  shop_skin_color_: string;
  theme_: string;
  language_type_: Language;
  version_: string;
};

/** The administrator whom a company shows as its contact. Fields that the company hides are null. */
export type Administrator = { name_: string | null; phone_: string | null };

/** A province, city or district of China: `code_` is its six digits, `children_` is empty for a district. */
export type Region = { code_: string; name_: string; children_: Region[] };

/** A region without its children. A leaf has none. */
export type RegionEntry = { code_: string; name_: string; leaf_: boolean };

/** A person who can help after a refusal. */
export type Contact = { role_: 'administrator' | 'manager' | 'support'; name_: string; phone_: string };

/** A sum to answer with the next attempt: send `token_` as `question` and `a_` + `b_` as `answer`. */
export type Question = { token_: string; a_: number; b_: number; text_: string };

/** The data that a refusal may have besides its message. */
export type Detail = {
  /** With validation_failed: a message for the person about each refused parameter. */
  fields?: Record<string, string>;
  /** With wrong_password: attempts left before a sum has to be answered as well. */
  left_?: number;
  question_?: Question;
  /** The proof of work that the server requires before it sends a code. */
  proof_?: Proof;
  /** Seconds until another code may be requested. */
  resend_after_?: number;
  /** With sign_expired: the server's clock in Unix ms. */
  server_time_?: number;
  company_id_?: number;
  company_name_?: string;
  contacts_?: Contact[];
};

/** A proof of work: see work(). */
export type Proof = { token_: string; bits_: number };

/** The fields of Refused. */
export type Refusal = {
  /** The number of the refusal in the error catalogue; 0 if the error was made by the client. */
  status: number;
  /**
   * The name of the refusal in the error catalogue. Errors made by the client are "unreadable" (the response had no
   * envelope), "timeout" and "unreachable" (no response).
   */
  code: string;
  /** A message for the person, in the requested language; "" if the error was made by the client. */
  message: string;
  data: Detail | null;
  /** The HTTP status; 0 without a response. */
  http: number;
  /** The id of the request, for problem reports; "" if there is none. */
  requestId: string;
  /** With HTTP 429 and 503: seconds to wait before the next attempt; null if the server did not say. */
  retryAfter: number | null;
  /** With "unreachable": what fetch threw. */
  cause?: unknown;
};

/** Parameters by name; null and undefined are left out. */
export type Params = Record<string, string | number | null | undefined>;

/** Options of a POST call. */
export type PostOptions = {
  /** For calls that create something: repeating the key with the same content returns the same answer for 24 hours. */
  idempotencyKey?: string;
};
