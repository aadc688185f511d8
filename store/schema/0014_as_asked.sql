-- compatible-from: 13
-- What people can say about themselves and their companies, and what they are told.

-- People's own details (profile, customer types).

-- The picture of an account. Its id is the random name of its file, content the SHA-256 of the file as it was sent in.
-- used_at is 0 before the account shows it and after it was removed: the file then ends.
CREATE TABLE portraits (
  id TEXT PRIMARY KEY,
  company_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  content TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX portraits_unused ON portraits (created_at, id) WHERE used_at = 0;
CREATE INDEX portraits_of_company ON portraits (company_id);
-- The types into which a company sorts its customers (clients.type_id). A removed one stays, so that its id is never
-- given to another.
CREATE TABLE customer_types (
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  id INTEGER NOT NULL,
  name TEXT NOT NULL,
  removed FLAG NOT NULL DEFAULT FALSE,
  PRIMARY KEY (company_id, id)
) STRICT;
-- The address of the portrait that WeChat gave with an identity. It is fetched only when its holder asks for it.
ALTER TABLE identities ADD COLUMN head TEXT NOT NULL DEFAULT '';

-- Changing a phone, and telling reviewers about new applications.

-- The reviewers who want a message when somebody applies to their company, with the language of the message. told_at is
-- when the last one was sent. due_at is when the next one is sent for applications that came since; 0 for none.
CREATE TABLE application_watchers (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  lang TEXT NOT NULL,
  told_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL
) STRICT;
CREATE INDEX application_watchers_of_company ON application_watchers (company_id, account_id);
CREATE INDEX application_watchers_due ON application_watchers (due_at, account_id) WHERE due_at > 0;

-- Sign-in doors and statistics.
