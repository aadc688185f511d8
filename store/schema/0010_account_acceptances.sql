-- Who accepted which version of the agreement where no phone says who it is: the account itself, by its id and company. former: it
-- was given to somebody anew since. Kept when the account is gone; no id is given out twice.
CREATE TABLE account_acceptances (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL,
  company_id INTEGER NOT NULL,
  version TEXT NOT NULL,
  lang TEXT NOT NULL,
  address TEXT NOT NULL,
  at INTEGER NOT NULL,
  former FLAG NOT NULL DEFAULT FALSE
) STRICT;
CREATE UNIQUE INDEX account_acceptances_once ON account_acceptances (account_id, version) WHERE NOT former;
