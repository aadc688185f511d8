-- compatible-from: 12
-- Work that stays the same when the tables grow.

-- Looking people up, and lists.
CREATE INDEX accounts_by_login ON accounts (login_key);

-- Signing in.
CREATE INDEX codes_by_target ON codes (target) WHERE target <> '';

-- What ends.
DROP INDEX audit_events_by_company;
