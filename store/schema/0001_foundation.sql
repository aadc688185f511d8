-- One source for both databases; migrate.go turns the tokens into each one's words:
--   INTEGER PRIMARY KEY  identity on Postgres      INTEGER  64 bits on both
--   FLAG                 INTEGER / BOOLEAN         STRICT   SQLite only
-- Instants are Unix milliseconds; 0 means "never" or "not yet".

CREATE TABLE companies (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  theme TEXT NOT NULL DEFAULT '',
  icon_url TEXT NOT NULL DEFAULT '',
  login_style_url TEXT NOT NULL DEFAULT '',
  view_count_url TEXT NOT NULL DEFAULT '',
  language TEXT NOT NULL DEFAULT 'zh' CHECK (language IN ('zh', 'es', 'en')),
  shop_skin TEXT NOT NULL DEFAULT '',
  standing TEXT NOT NULL DEFAULT 'formal' CHECK (standing IN ('trial', 'formal')),
  disabled FLAG NOT NULL DEFAULT FALSE,
  ends_at INTEGER NOT NULL DEFAULT 0,
  mall TEXT NOT NULL DEFAULT 'open' CHECK (mall IN ('open', 'not_open', 'disabled')),
  registration_open FLAG NOT NULL DEFAULT FALSE,
  registration_review FLAG NOT NULL DEFAULT TRUE,
  exclusive_phones FLAG NOT NULL DEFAULT FALSE,
  lighting FLAG NOT NULL DEFAULT FALSE,
  pc_domain TEXT NOT NULL DEFAULT '',
  contact_name TEXT NOT NULL DEFAULT '',
  contact_phone TEXT NOT NULL DEFAULT '',
  manager_name TEXT NOT NULL DEFAULT '',
  manager_phone TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE company_hosts (
  host TEXT PRIMARY KEY,
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  verified_at INTEGER NOT NULL
) STRICT;
CREATE INDEX company_hosts_by_company ON company_hosts (company_id);

-- A company's customers.
CREATE TABLE clients (
  id INTEGER PRIMARY KEY,
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  type_id INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'partner' CHECK (state IN ('partner', 'ended')),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX clients_by_company ON clients (company_id);

CREATE TABLE phones (
  id INTEGER PRIMARY KEY,
  phone TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL DEFAULT '',
  default_company_id INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  side TEXT NOT NULL CHECK (side IN ('shop', 'mgr')),
  type INTEGER NOT NULL CHECK (type IN (1, 2, 3)),
  login TEXT NOT NULL,
  login_key TEXT NOT NULL,
  name TEXT NOT NULL DEFAULT '',
  phone_id INTEGER REFERENCES phones (id),
  client_id INTEGER REFERENCES clients (id),
  password_hash TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'under_review', 'disabled')),
  duty_name TEXT NOT NULL DEFAULT '',
  dept_name TEXT NOT NULL DEFAULT '',
  head_img TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  UNIQUE (side, login_key)
) STRICT;
CREATE INDEX accounts_by_phone ON accounts (phone_id);
CREATE INDEX accounts_by_company ON accounts (company_id, side);

-- The signed-in state of one browser on one host. id is the SHA-256 of the cookie's value.
-- Who it is: phone_id (every account of that phone) or account_id (that account alone), or neither on a
-- landing host, where only the slots count. family ties together all that one sign-in made.
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  company_id INTEGER NOT NULL DEFAULT 0,
  family TEXT NOT NULL,
  device TEXT NOT NULL,
  phone_id INTEGER NOT NULL DEFAULT 0,
  account_id INTEGER NOT NULL DEFAULT 0,
  chosen_company_id INTEGER NOT NULL DEFAULT 0,
  lighting FLAG NOT NULL DEFAULT FALSE,
  remember FLAG NOT NULL DEFAULT FALSE,
  width INTEGER NOT NULL DEFAULT 0,
  share_user_id INTEGER NOT NULL DEFAULT 0,
  share_client_id INTEGER NOT NULL DEFAULT 0,
  address TEXT NOT NULL DEFAULT '',
  agent TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  idle_until INTEGER NOT NULL,
  ends_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_family ON sessions (family);
CREATE INDEX sessions_by_phone ON sessions (phone_id);
CREATE INDEX sessions_by_account ON sessions (account_id);
CREATE INDEX sessions_by_end ON sessions (ends_at);

-- Up to four sides a session is signed in to (mShop_user, mMgr_user, pcShop_user,
-- pcMgr_user). state 'asked': an auth code was redeemed while someone else held the slot; the person decides.
CREATE TABLE session_slots (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE,
  slot TEXT NOT NULL CHECK (slot IN ('mShop', 'mMgr', 'pcShop', 'pcMgr')),
  state TEXT NOT NULL DEFAULT 'in' CHECK (state IN ('in', 'asked')),
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  company_id INTEGER NOT NULL,
  family TEXT NOT NULL,
  device TEXT NOT NULL,
  from_origin TEXT NOT NULL,
  lighting FLAG NOT NULL DEFAULT FALSE,
  entered_at INTEGER NOT NULL,
  idle_until INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, slot, state)
) STRICT;
CREATE INDEX session_slots_by_family ON session_slots (family);
CREATE INDEX session_slots_by_account ON session_slots (account_id);

-- Accounts a person removed from the list of this browser; back after the next sign-in.
CREATE TABLE session_hidden (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE,
  account_id INTEGER NOT NULL,
  PRIMARY KEY (session_id, account_id)
) STRICT;

-- One-time codes that carry a person to a landing site. id is the SHA-256 of the code's own id.
CREATE TABLE auth_codes (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  family TEXT NOT NULL,
  device TEXT NOT NULL,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  company_id INTEGER NOT NULL,
  slot TEXT NOT NULL,
  target TEXT NOT NULL,
  from_origin TEXT NOT NULL,
  lighting FLAG NOT NULL DEFAULT FALSE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL DEFAULT 0,
  made_session_id TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX auth_codes_by_expiry ON auth_codes (expires_at);
CREATE INDEX auth_codes_by_family ON auth_codes (family);

-- Failures in a row or in a window, whatever they guard; key names what (docs/security.md).
CREATE TABLE attempts (
  key TEXT PRIMARY KEY,
  failures INTEGER NOT NULL,
  window_failures INTEGER NOT NULL,
  window_from INTEGER NOT NULL,
  blocked_until INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX attempts_by_update ON attempts (updated_at);

-- Distinct phones and logins an address asked about (hashed), for the look-up budget.
CREATE TABLE lookups (
  address TEXT NOT NULL,
  subject TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (address, subject)
) STRICT;
CREATE INDEX lookups_by_time ON lookups (at);

-- Browsers that signed in to a subject before: they keep a failure budget of their own.
CREATE TABLE known_devices (
  device TEXT NOT NULL,
  subject TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (device, subject)
) STRICT;

CREATE TABLE audit_events (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  company_id INTEGER NOT NULL DEFAULT 0,
  phone_id INTEGER NOT NULL DEFAULT 0,
  account_id INTEGER NOT NULL DEFAULT 0,
  address TEXT NOT NULL DEFAULT '',
  request_id TEXT NOT NULL DEFAULT '',
  detail TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX audit_events_by_company ON audit_events (company_id, at);
CREATE INDEX audit_events_by_time ON audit_events (at);
