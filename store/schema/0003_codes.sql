-- Verification codes, one a phone, purpose and company: a new one takes the old one's place. subject is the
-- keyed hash of the phone, phone the number sealed, flow the hash of the browser, session or kind of client that
-- asked, hash the keyed hash of the code, target what the code will be for ("account:3001").
-- proven_until: the code was right, and what it proves can be used, once, until then.
CREATE TABLE codes (
  subject TEXT NOT NULL,
  purpose TEXT NOT NULL,
  company_id INTEGER NOT NULL DEFAULT 0,
  phone TEXT NOT NULL,
  flow TEXT NOT NULL,
  target TEXT NOT NULL DEFAULT '',
  hash TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  sent_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL DEFAULT 0,
  proven_until INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (subject, purpose, company_id)
) STRICT;
CREATE INDEX codes_by_flow ON codes (flow);
CREATE INDEX codes_by_expiry ON codes (expires_at);

ALTER TABLE accounts ADD COLUMN bind_reminder FLAG NOT NULL DEFAULT TRUE;
