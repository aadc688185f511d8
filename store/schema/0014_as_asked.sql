-- compatible-from: 13
-- What people can say about themselves and their companies, and what they are told.

-- People's own details (profile, customer types).

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
