-- Offers, domains that are proven again, confirmed names, and limits that stay cheap.

-- Offers. An invited account is an offer until the holder of its phone accepts it. declined_at is when the holder
-- declined it, 0 if never.
ALTER TABLE accounts ADD COLUMN declined_at INTEGER NOT NULL DEFAULT 0;

-- Offers that a phone's holder declined. subject is a keyed hash of the phone.
CREATE TABLE declined_offers (
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  subject TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (company_id, subject)
) STRICT;
CREATE INDEX declined_offers_by_time ON declined_offers (at);

-- Chat app sign-ins. A sign-in ticket belongs to one sign-in: id is a keyed hash of the ticket, family the sign-in that
-- used it first.
CREATE TABLE used_tickets (
  id TEXT PRIMARY KEY,
  family TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX used_tickets_by_expiry ON used_tickets (expires_at);
CREATE INDEX used_tickets_by_family ON used_tickets (family);

-- provider is the chat app whose identity began the sign-in, '' for a password or a code. A company that turned chat apps
-- off is closed to such a sign-in.
ALTER TABLE sessions ADD COLUMN provider TEXT NOT NULL DEFAULT '';
ALTER TABLE auth_codes ADD COLUMN provider TEXT NOT NULL DEFAULT '';
ALTER TABLE session_slots ADD COLUMN provider TEXT NOT NULL DEFAULT '';

-- Domains. token is the value of the DNS record that proves a company's domain, '' where the operator vouches for it.
-- seen_at is when the record was found last, checked_at when it was looked up last. A domain lapses when its record was
-- missing for too long: verified_at is 0 then, and desktop_origin is the address of the desktop back office that it was.
ALTER TABLE company_hosts ADD COLUMN token TEXT NOT NULL DEFAULT '';
ALTER TABLE company_hosts ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE company_hosts ADD COLUMN checked_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE company_hosts ADD COLUMN desktop_origin TEXT NOT NULL DEFAULT '';
UPDATE company_hosts SET seen_at = verified_at, checked_at = verified_at;
CREATE INDEX company_hosts_by_check ON company_hosts (checked_at) WHERE token <> '' AND verified_at > 0;

-- Messages. confirmed_name is the company name that messages may carry, '' for none. Only the operator sets it.
ALTER TABLE companies ADD COLUMN confirmed_name TEXT NOT NULL DEFAULT '';
UPDATE companies SET confirmed_name = name WHERE standing = 'formal';

-- Signed calls. The beginnings of the signatures of reads, those of one instance and a tenth of a second in one row: other
-- instances refuse them for calls with an effect. noted has 16 hex digits for each.
CREATE TABLE read_signatures (
  id TEXT PRIMARY KEY,
  instance TEXT NOT NULL,
  noted TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX read_signatures_by_expiry ON read_signatures (expires_at);

-- Sweeps. One process at a time holds a lease; it ends by itself.
CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  until INTEGER NOT NULL
) STRICT;

-- Every sweep finds its rows by an index.
CREATE INDEX sessions_by_idle ON sessions (idle_until);
CREATE INDEX session_slots_by_end ON session_slots (ends_at);
CREATE INDEX session_slots_by_idle ON session_slots (idle_until);
CREATE INDEX known_devices_by_time ON known_devices (seen_at);
CREATE INDEX codes_by_time ON codes (sent_at);
CREATE INDEX identity_applicants_by_time ON identity_applicants (at);
CREATE INDEX provider_tokens_by_expiry ON provider_tokens (expires_at);

-- Keys of keyed hashes, each sealed with the master key that key_id names. Hashes stay the same when the master key
-- changes.
CREATE TABLE hash_keys (
  key_id TEXT PRIMARY KEY,
  sealed TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
