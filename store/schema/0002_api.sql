-- API tokens are sessions without a host: client is the kind they are bound to ('' a browser's cookie session),
-- purpose narrows them ('choose' a sign-in's ticket, 'code' made by redeeming an auth code), acting_id is the
-- account they act as.
ALTER TABLE sessions ADD COLUMN client TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN purpose TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN acting_id INTEGER NOT NULL DEFAULT 0;

-- Signatures of calls, kept while a replay could pass the time window. path is the call's.
CREATE TABLE signatures (
  id TEXT PRIMARY KEY,
  path TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX signatures_by_expiry ON signatures (expires_at);

-- Where a device takes its push messages; gone with the token that bound it.
CREATE TABLE push_ids (
  session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  jpush_id TEXT NOT NULL UNIQUE,
  bound_at INTEGER NOT NULL
) STRICT;
CREATE INDEX push_ids_by_account ON push_ids (account_id);

-- Creating calls under their idempotency keys: id is the hash of caller, path and key, content of what was
-- asked; answer is sealed, empty while the first call runs.
CREATE TABLE idempotency_keys (
  id TEXT PRIMARY KEY,
  content TEXT NOT NULL,
  answer TEXT NOT NULL DEFAULT '',
  claimed_until INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
