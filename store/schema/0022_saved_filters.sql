-- compatible-from: 13
-- The filters of lists that staff have saved under a name. filter is JSON.

CREATE TABLE saved_filters (
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  list TEXT NOT NULL,
  name TEXT NOT NULL,
  filter TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (account_id, list, name)
) STRICT;
CREATE INDEX saved_filters_of_company ON saved_filters (company_id);
