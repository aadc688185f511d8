-- Where a company's customers pay to. No secret: its customers read it; card is 12 to 19 digits.
CREATE TABLE company_bank_accounts (
  company_id INTEGER PRIMARY KEY REFERENCES companies (id) ON DELETE CASCADE,
  holder TEXT NOT NULL,
  bank TEXT NOT NULL,
  card TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
