-- compatible-from: 12
-- Indexes and columns with which an operation reads the same number of rows however large the tables are.

-- Look-ups and lists. A page of a list continues after an id, so the id comes last in the list's index. SQLite has no
-- statistics and prefers the index that has the most columns of the query, so an index has all columns that are compared.
CREATE INDEX accounts_of_company ON accounts (company_id, id);
CREATE INDEX accounts_of_side ON accounts (company_id, side, id);
CREATE INDEX accounts_administrators ON accounts (company_id, side, state) WHERE type = 1;
CREATE INDEX accounts_of_phone ON accounts (phone_id, company_id, side, id);
DROP INDEX accounts_by_company;
DROP INDEX accounts_by_phone;
CREATE INDEX clients_of_company ON clients (company_id, id);
CREATE INDEX clients_partners ON clients (company_id, id) WHERE state = 'partner';
DROP INDEX clients_by_company;
CREATE INDEX applications_waiting ON applications (company_id, created_at, id) WHERE state = 'pending';
CREATE INDEX applications_decided ON applications (company_id, created_at, id) WHERE state <> 'pending';
CREATE INDEX orders_by_account ON orders (account_id, placed_at);
CREATE INDEX order_lines_of_product ON order_lines (product_id, order_id);
DROP INDEX order_lines_by_product;
-- The part of the audit log that an event stands in. Most events are sign-ins.
ALTER TABLE audit_events ADD COLUMN part TEXT NOT NULL DEFAULT 'sign_in';
-- whole table: the events of before get their part, once; sign-ins have it already.
UPDATE audit_events SET part = CASE
    WHEN kind IN ('order_placed', 'order_confirmed') THEN 'orders'
    WHEN kind IN ('application_sent', 'application_approved', 'application_rejected', 'customer_ended',
      'customer_resumed', 'upload_stored', 'upload_refused') THEN 'customers'
    WHEN kind IN ('account_set_up', 'offer_declined', 'account_forgotten', 'account_opened', 'account_invited',
      'account_enabled', 'account_disabled', 'first_password_given', 'first_password_changed', 'phone_bound',
      'phone_unbound', 'identity_linked', 'identity_unlinked', 'password_set', 'password_changed',
      'password_reset', 'account_password_ended') THEN 'people'
    ELSE 'settings' END
  WHERE kind NOT IN ('sign_in', 'sign_out', 'auth_code_issued', 'auth_code_used', 'auth_code_reused', 'code_sent',
    'session_ended', 'token_ended', 'probe', 'default_company_set');
CREATE INDEX audit_events_of_part ON audit_events (company_id, part, id);
CREATE INDEX declined_offers_of_company ON declined_offers (company_id, at);
CREATE INDEX look_drafts_by_account ON look_drafts (account_id);
-- A counter of a known browser has the key 'known:', 22 characters of the browser's id, ':' and the subject.
CREATE INDEX attempts_by_known_subject ON attempts (substr(key, 30)) WHERE substr(key, 1, 6) = 'known:';
-- A counter of the messages of a company has the key 'sms:company:' and the company's id.
CREATE INDEX attempts_of_companies ON attempts (updated_at) WHERE substr(key, 1, 12) = 'sms:company:';

-- Signing in.
CREATE INDEX codes_by_target ON codes (target) WHERE target <> '';

-- Expiry. A session's idle_until is never later than its ends_at, so one index serves both. Nothing asks for events by
-- time: their ids grow with it.
DROP INDEX audit_events_by_company;
DROP INDEX audit_events_by_time;
DROP INDEX sessions_by_end;
DROP INDEX session_slots_by_end;
DROP INDEX uploads_by_time;
CREATE INDEX uploads_unused ON uploads (created_at, id) WHERE used_at = 0;
-- whole table: files of companies that were removed before this version, few rows.
UPDATE uploads SET used_at = 0, created_at = 0
  WHERE company_id > 0 AND NOT EXISTS (SELECT 1 FROM companies c WHERE c.id = uploads.company_id);
