-- Work that stays the same when the tables grow. A program that knows version 12 can use this schema.

-- Looking people up, and lists.
CREATE INDEX accounts_by_login ON accounts (login_key);

-- Signing in.
CREATE INDEX codes_by_target ON codes (target) WHERE target <> '';

-- What ends. A session is never idle for longer than it lasts, so one index serves both ends. Nothing asks for events by
-- time: their ids grow with it.
DROP INDEX audit_events_by_company;
DROP INDEX audit_events_by_time;
DROP INDEX sessions_by_end;
DROP INDEX session_slots_by_end;
DROP INDEX uploads_by_time;
CREATE INDEX uploads_unused ON uploads (created_at, id) WHERE used_at = 0;
-- Files of companies that were removed.
UPDATE uploads SET used_at = 0, created_at = 0
  WHERE company_id > 0 AND NOT EXISTS (SELECT 1 FROM companies c WHERE c.id = uploads.company_id);
