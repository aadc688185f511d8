-- Style sheets for companies' sign-in pages, as they were typed: the one in use and the one of the look before. name is the hash
-- that stands in the address.
CREATE TABLE company_styles (
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (company_id, name)
) STRICT;
CREATE UNIQUE INDEX company_styles_by_name ON company_styles (name);

-- How a company looked before it published what it has now: what Undo brings back, once. kept_at names it.
CREATE TABLE company_looks (
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  kept_at INTEGER NOT NULL,
  name TEXT NOT NULL,
  theme TEXT NOT NULL,
  language TEXT NOT NULL,
  icon_url TEXT NOT NULL,
  shop_skin TEXT NOT NULL,
  login_style_url TEXT NOT NULL,
  view_count_url TEXT NOT NULL,
  PRIMARY KEY (company_id)
) STRICT;

-- A look that an administrator has typed and not published yet.
CREATE TABLE look_drafts (
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  content TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (company_id, account_id)
) STRICT;
CREATE INDEX look_drafts_by_update ON look_drafts (updated_at);
