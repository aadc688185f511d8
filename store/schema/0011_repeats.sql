-- Columns and tables with which a client can repeat a request after its response was lost.

-- A session whose id was renewed keeps its former id until former_until, or until the browser sends the new id.
-- renewal is the salt from which the new id is derived, so that the former id leads to the same new id each time.
-- confirmed: the browser has sent the session's cookie. Unconfirmed sessions expire after ten minutes.
ALTER TABLE sessions ADD COLUMN former_id TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN former_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN renewal TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN confirmed FLAG NOT NULL DEFAULT TRUE;
CREATE UNIQUE INDEX sessions_by_former ON sessions (former_id) WHERE former_id <> '';

-- used_by is a keyed hash of the browser that redeemed the code: only the same browser may redeem it again.
ALTER TABLE auth_codes ADD COLUMN used_by TEXT NOT NULL DEFAULT '';

-- An operation that was done: the same request again gets the same result. id is a keyed hash of the operation, the
-- proof and the input. Each operation chooses the format of result.
CREATE TABLE repeats (
  id TEXT PRIMARY KEY,
  result TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX repeats_by_time ON repeats (at);

-- A form that was refused because its session had ended or because another person was signed in. It is shown only to
-- the account or person that it was opened for. content is sealed.
CREATE TABLE kept_forms (
  id TEXT PRIMARY KEY,
  company_id INTEGER NOT NULL,
  phone_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  content TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX kept_forms_by_owner ON kept_forms (account_id, phone_id, at);
CREATE INDEX kept_forms_by_time ON kept_forms (at);

-- The account that each person entered last on each device: the next session starts there.
CREATE TABLE device_accounts (
  device TEXT NOT NULL,
  phone_id INTEGER NOT NULL REFERENCES phones (id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  PRIMARY KEY (device, phone_id)
) STRICT;
CREATE INDEX device_accounts_by_account ON device_accounts (account_id);
CREATE INDEX device_accounts_by_phone ON device_accounts (phone_id);
CREATE INDEX device_accounts_by_time ON device_accounts (at);

-- opened_by is the administrator's account that opened an account. opened_form is a keyed hash of the form's id. The
-- same form sent again opens no second account. The same side, name and customer within minutes needs a confirmation.
ALTER TABLE accounts ADD COLUMN opened_by INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN opened_form TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX accounts_by_opened_form ON accounts (opened_form) WHERE opened_form <> '';
CREATE INDEX accounts_by_opener ON accounts (opened_by, created_at) WHERE opened_by <> 0;
