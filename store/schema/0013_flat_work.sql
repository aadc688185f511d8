-- Work that stays the same when the tables grow. A program that knows version 12 can use this schema.

-- Looking people up, and lists. A page of a list continues after an id, so the id follows what the list is of.
CREATE INDEX accounts_of_company ON accounts (company_id, id);
CREATE INDEX accounts_of_side ON accounts (company_id, side, id);
CREATE INDEX accounts_administrators ON accounts (company_id, id) WHERE type = 1;
DROP INDEX accounts_by_company;
CREATE INDEX clients_of_company ON clients (company_id, id);
CREATE INDEX clients_partners ON clients (company_id, id) WHERE state = 'partner';
DROP INDEX clients_by_company;
CREATE INDEX applications_waiting ON applications (company_id, created_at, id) WHERE state = 'pending';
CREATE INDEX applications_decided ON applications (company_id, created_at, id) WHERE state <> 'pending';
CREATE INDEX orders_by_account ON orders (account_id, placed_at);
CREATE INDEX audit_events_by_kind ON audit_events (company_id, kind, id);
CREATE INDEX declined_offers_of_company ON declined_offers (company_id, at);
CREATE INDEX look_drafts_by_account ON look_drafts (account_id);
-- A counter of a known browser has the key 'known:', 22 characters of the browser's id, ':' and the subject.
CREATE INDEX attempts_by_known_subject ON attempts (substr(key, 30)) WHERE substr(key, 1, 6) = 'known:';
-- A counter of the messages of a company has the key 'sms:company:' and the company's id.
CREATE INDEX attempts_of_companies ON attempts (updated_at) WHERE substr(key, 1, 12) = 'sms:company:';

-- Signing in.
CREATE INDEX codes_by_target ON codes (target) WHERE target <> '';

-- What ends.
DROP INDEX audit_events_by_company;
