-- What a company asks of those who want to join it: names of fields, a space between them.
ALTER TABLE companies ADD COLUMN registration_required TEXT NOT NULL DEFAULT '';
-- What a company's employees may do, names of rights, a space between them; its administrators may do everything.
ALTER TABLE companies ADD COLUMN employee_rights TEXT NOT NULL DEFAULT 'orders customers';
-- Until when the first password works that an administrator gave an account, 0 where its holder chose the password.
ALTER TABLE accounts ADD COLUMN first_password_until INTEGER NOT NULL DEFAULT 0;
-- When the inviting link of an account was made: older links do not work. 0 where nobody was invited.
ALTER TABLE accounts ADD COLUMN invited_at INTEGER NOT NULL DEFAULT 0;
UPDATE accounts SET invited_at = created_at WHERE invited;

-- Applications to join a company, each one as it was sent in: applying again after a rejection adds a row, so that the
-- history stays. id is random, so that nobody can guess one. Codes of regions are GB/T 2260's.
--
--   pending ──▶ approved
--      └──────▶ rejected ──(sent in again: a new row)
CREATE TABLE applications (
  id INTEGER PRIMARY KEY,
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  phone TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'rejected')),
  company_name TEXT NOT NULL,
  contact_name TEXT NOT NULL,
  position TEXT NOT NULL DEFAULT '',
  province TEXT NOT NULL DEFAULT '',
  city TEXT NOT NULL DEFAULT '',
  district TEXT NOT NULL DEFAULT '',
  address TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL DEFAULT '',
  licence_key TEXT NOT NULL DEFAULT '',
  contact_phone TEXT NOT NULL DEFAULT '',
  reject_reason TEXT NOT NULL DEFAULT '',
  lang TEXT NOT NULL DEFAULT 'zh',
  account_id INTEGER NOT NULL DEFAULT 0,
  decided_by INTEGER NOT NULL DEFAULT 0,
  decided_at INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX applications_pending ON applications (company_id, phone) WHERE state = 'pending';
CREATE INDEX applications_by_company ON applications (company_id, created_at);
CREATE INDEX applications_by_phone ON applications (phone, company_id, created_at);

-- What an applicant has typed and not sent in. subject is the keyed hash of the proven phone.
CREATE TABLE application_drafts (
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  subject TEXT NOT NULL,
  content TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (company_id, subject)
) STRICT;
CREATE INDEX application_drafts_by_update ON application_drafts (updated_at);

-- Files that people send in, one row from the moment they may. id is the random name the file is stored under; owner the
-- keyed hash of who may use it; content the SHA-256 of the bytes as they came, '' until they have; used_at when something
-- began to refer to it: what nothing refers to is removed. sent_until is until when somebody may send the file straight to the
-- store, 0 once nobody can. No foreign key: a row outlives its company until its file is gone.
CREATE TABLE uploads (
  id TEXT PRIMARY KEY,
  company_id INTEGER NOT NULL,
  purpose TEXT NOT NULL CHECK (purpose IN ('licence', 'icon')),
  owner TEXT NOT NULL,
  content TEXT NOT NULL DEFAULT '',
  kind TEXT NOT NULL DEFAULT '',
  size INTEGER NOT NULL DEFAULT 0,
  width INTEGER NOT NULL DEFAULT 0,
  height INTEGER NOT NULL DEFAULT 0,
  sent_until INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX uploads_by_owner ON uploads (company_id, owner);
CREATE INDEX uploads_by_time ON uploads (created_at) WHERE used_at = 0;
CREATE INDEX uploads_by_sending ON uploads (sent_until) WHERE sent_until > 0;

-- Domains a company says are its own, until it has proven them: token is what it publishes there.
CREATE TABLE domain_claims (
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  host TEXT NOT NULL,
  token TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (company_id, host)
) STRICT;

-- A company reads its events newest first, by id.
CREATE INDEX audit_events_of_company ON audit_events (company_id, id);
