-- Which doors of chat apps a company has credentials of its own for (wechat, wechat_open, wecom, a space between them), or 'off'
-- where it wants none; '' goes by the platform's.
ALTER TABLE companies ADD COLUMN chat_doors TEXT NOT NULL DEFAULT '';

-- A company's own credentials. secret is sealed.
CREATE TABLE company_credentials (
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('wechat', 'wechat_open', 'wecom')),
  app TEXT NOT NULL,
  agent TEXT NOT NULL DEFAULT '',
  secret TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (company_id, kind)
) STRICT;
CREATE UNIQUE INDEX company_credentials_by_app ON company_credentials (kind, app, agent);

-- Who somebody is at WeChat or at work-chat, by each application, and whom that signs in: a phone, or an account without
-- one. owner is the company whose own application it is, 0 the platform's: union ids join identities of one owner. No foreign
-- keys: a link to what is gone is none.
CREATE TABLE identities (
  provider TEXT NOT NULL CHECK (provider IN ('wechat', 'wecom')),
  app TEXT NOT NULL,
  subject TEXT NOT NULL,
  union_id TEXT NOT NULL DEFAULT '',
  owner_id INTEGER NOT NULL DEFAULT 0,
  phone_id INTEGER NOT NULL DEFAULT 0,
  account_id INTEGER NOT NULL DEFAULT 0,
  nick TEXT NOT NULL DEFAULT '',
  linked_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (provider, app, subject)
) STRICT;
CREATE INDEX identities_by_union ON identities (union_id, provider, owner_id) WHERE union_id <> '';
CREATE INDEX identities_by_phone ON identities (phone_id) WHERE phone_id > 0;
CREATE INDEX identities_by_account ON identities (account_id) WHERE account_id > 0;

-- The phone that an identity has proven to a company it wants to join: it comes back to its application. phone is sealed.
CREATE TABLE identity_applicants (
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  provider TEXT NOT NULL,
  app TEXT NOT NULL,
  subject TEXT NOT NULL,
  phone TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (company_id, provider, app, subject)
) STRICT;

-- Authorisations on their way: id is the SHA-256 of the state. Used once: code is the hash of the code it came back with,
-- outcome, sealed, what the provider said, so that a second hit of the same callback finds it.
--
--   begun ──▶ used ──▶ decided
CREATE TABLE authorisations (
  id TEXT PRIMARY KEY,
  door TEXT NOT NULL,
  provider TEXT NOT NULL,
  app TEXT NOT NULL,
  company_id INTEGER NOT NULL DEFAULT 0,
  host TEXT NOT NULL DEFAULT '',
  origin TEXT NOT NULL DEFAULT '',
  flow TEXT NOT NULL DEFAULT '',
  client TEXT NOT NULL DEFAULT '',
  lighting FLAG NOT NULL DEFAULT FALSE,
  width INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL DEFAULT 0,
  code TEXT NOT NULL DEFAULT '',
  outcome TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX authorisations_by_end ON authorisations (expires_at);

-- Access tokens and tickets of the providers, sealed. fetching_until is until when one instance is asking for a new one.
CREATE TABLE provider_tokens (
  app TEXT NOT NULL,
  kind TEXT NOT NULL,
  value TEXT NOT NULL DEFAULT '',
  expires_at INTEGER NOT NULL DEFAULT 0,
  fetching_until INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (app, kind)
) STRICT;
