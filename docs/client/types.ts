// What the client takes and gives. Names that end in an underscore are the API's own.

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

/** A signed-in account (`mixedLogin`, `createCompany` …): every field is always there. */
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

/** What a proven password or a linked identity opens (`mixedLogin`, `openIdLogin`, `bindOpenIdForLogin`). */
export type SignIn = {
  phone_: string | null;
  mgrAccountList: Account[];
  shopAccountList: Account[];
  /** Stands for the sign-in while an account is chosen: 15 minutes. */
  ticket_: string;
  /** The account with its token when a single one can be entered. */
  user_: User | null;
};

/** Which company is meant: by its number, or by that of its work-chat. */
export type OfCompany = { companyId: number; corpId?: string } | { companyId?: never; corpId: string };

/** What a page needs to authorise and to call the JS-SDK (`getAppAuthenticationParams`). */
export type AppAuthentication = {
  /** The id of the official account with WeChat. */
  corp_id_: string;
  /** Null with WeChat. */
  agent_id_: string | null;
  /** Where to send the person, once: they come back to the page with code and state. */
  authorize_url_: string;
  /** Unix seconds. */
  timestamp_: number;
  nonce_: string;
  /** For wx.config. */
  corp_signature_: string;
  /** For wx.agentConfig; null with WeChat. */
  agent_signature_: string | null;
};

/** Who somebody is at WeChat (`getWeChatUserInfo`). */
export type WeChatIdentity = {
  open_id_: string;
  union_id_: string | null;
  nick_name_: string | null;
  head_img_: string | null;
  /** openIdLogin signs in. */
  linked_: boolean;
  /** It has applied to the company, and was not approved so far. */
  applied_: boolean;
  /** For openIdLogin and bindOpenIdForLogin: ten minutes. */
  ticket_: string;
};

/** Who somebody is at work-chat (`authorization`). */
export type WorkChatSignIn = {
  /** For openIdLogin and bindOpenIdForLogin: ten minutes. */
  ticket_: string;
  linked_: boolean;
  /** The account with its token when a single one can be entered. */
  user_: User | null;
};

/** An identity with the ticket that proves it. */
export type ProvenIdentity = { ticket: string; openId?: string };

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

/** What a company trades in. */
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

/** A company to be registered (`createCompany`). */
export type NewCompany = {
  phone: string;
  /** From registCode. */
  code: string;
  /** A new password, which is the phone's from then on. */
  password: string;
  /** The administrator's. */
  name: string;
  companyName: string;
  /** The service agreement was read and agreed to: without that there is no company. */
  agree: boolean;
};

/** A company that is ready (`updateAndImportTrade`). */
export type Initialised = {
  company_id_: number;
  /** Null where none was chosen. */
  industry_id_: Industry | null;
  /** It has its industry's samples. */
  imported_: boolean;
};

/** A sandbox to be opened (`experienceRegister`). */
export type NewExperience = {
  phone: string;
  /** From experienceCode. */
  code: string;
  industry: Industry;
  /** The person's, in the sandbox. */
  name?: string;
  /** The sandbox's. */
  companyName?: string;
};

/** A sandbox that is open. */
export type Experience = {
  company_id_: number;
  /** Chooses a side of it: 15 minutes. */
  ticket_: string;
};

/** An account to be set up (`shopCompleteRegister`). */
export type Completion = {
  phone: string;
  /** From shopRegisterCode. */
  code: string;
  companyId: number;
  /** Without it the name that the company noted stays. */
  name?: string;
  /** A new one where the phone has none; else the phone's, or left out. */
  password?: string;
};

/** How a company takes new customers (`getByCompany`). */
export type JoinSetting = {
  open_: boolean;
  /** An administrator decides on each application; without, they are approved at once. */
  review_: boolean;
  /** Names of the parameters of save that must be filled in. */
  required_: string[];
  admin_: Administrator;
};

/** Where somebody stands with a company. */
export type ApplicationState = 'pending' | 'approved' | 'rejected';

/** An application to be sent in (`save`). What the company requires of the optional ones, getByCompany says. */
export type NewApplication = {
  companyId: number;
  /** From checkCode. */
  ticket: string;
  /** The applicant's. */
  companyName: string;
  contactName: string;
  position?: string;
  /** Region codes, all three or none. */
  province?: string;
  city?: string;
  district?: string;
  address?: string;
  reason?: string;
  /** `key_` of getUploadToken, once the picture is there. */
  licenceKey?: string;
  contactPhone?: string;
};

/** An application found by a phone: its number is told with the ticket alone. */
export type FoundApplication = Omit<Application, 'id_'> & { id_: number | null };

/** An application to a company: without its applicant's ticket, all but the first three are null. */
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
  /** Whom to ask. */
  admin_: Administrator | null;
  /** Unix ms. */
  created_at_: number | null;
};

/** How to send a file in (`getUploadToken`): a form with the fields, and then the file under `file`. */
export type UploadToken = {
  url_: string;
  method_: 'PUT' | 'POST';
  headers_: Record<string, string>;
  fields_: Record<string, string>;
  /** What to name it by afterwards: `licenceKey` of an application. */
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

/** A sum to answer with the next attempt: send `token_` as question_ and a_ + b_ as answer_. */
export type Question = { token_: string; a_: number; b_: number; text_: string };

/** What a refusal may add to its message. */
export type Detail = {
  /** With validation_failed: what is wrong with each parameter, for the person. */
  fields?: Record<string, string>;
  /** With wrong_password: tries left before a question is asked as well. */
  left_?: number;
  question_?: Question;
  /** Work that the server wants done before it sends a code. */
  proof_?: Proof;
  /** Seconds until a code may be asked for again. */
  resend_after_?: number;
  /** With sign_expired: the server's clock in Unix ms. */
  server_time_?: number;
  company_id_?: number;
  company_name_?: string;
  contacts_?: Contact[];
};

/** A proof of work: see work(). */
export type Proof = { token_: string; bits_: number };

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

/** Parameters by name; null and undefined are left out. */
export type Params = Record<string, string | number | null | undefined>;

/** What a POST may come with. */
export type PostOptions = {
  /** For calls that create: the same key with the same content gives the same answer for 24 hours. */
  idempotencyKey?: string;
};
