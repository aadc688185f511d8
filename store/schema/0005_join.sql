-- What a company asks of those who want to join it: names of fields, a space between them.
ALTER TABLE companies ADD COLUMN registration_required TEXT NOT NULL DEFAULT '';

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
