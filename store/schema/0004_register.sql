-- A company that registered itself: its industry once chosen, and when it was
-- initialised, 0 while that is still to be done. Companies from before have nothing to do. sandbox: it is one
-- person's trial of the platform, and nobody has made it theirs yet. orders_made is the number of its last order.
ALTER TABLE companies ADD COLUMN industry_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE companies ADD COLUMN initialised_at INTEGER NOT NULL DEFAULT 1;
ALTER TABLE companies ADD COLUMN sandbox FLAG NOT NULL DEFAULT FALSE;
ALTER TABLE companies ADD COLUMN orders_made INTEGER NOT NULL DEFAULT 0;

CREATE INDEX companies_sandboxes ON companies (ends_at) WHERE sandbox;

-- One sandbox a person and industry.
CREATE TABLE sandboxes (
  phone_id INTEGER NOT NULL REFERENCES phones (id),
  industry_id INTEGER NOT NULL,
  company_id INTEGER NOT NULL UNIQUE REFERENCES companies (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (phone_id, industry_id)
) STRICT;

-- Who accepted which version of the agreement, when and from where; kept when the company is gone.
CREATE TABLE acceptances (
  id INTEGER PRIMARY KEY,
  phone_id INTEGER NOT NULL REFERENCES phones (id),
  company_id INTEGER NOT NULL,
  version TEXT NOT NULL,
  lang TEXT NOT NULL,
  address TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX acceptances_once ON acceptances (phone_id, company_id, version);

-- What one proof has made: the same proof shown again gives the same company. id is the keyed hash of the proof,
-- content of what was asked for.
CREATE TABLE registrations (
  id TEXT PRIMARY KEY,
  content TEXT NOT NULL,
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX registrations_by_time ON registrations (at);
CREATE INDEX registrations_by_company ON registrations (company_id);
CREATE INDEX registrations_by_account ON registrations (account_id);

-- The largest ids that were removed: none is given out twice, so that nobody inherits what is kept under one.
CREATE TABLE last_ids (
  kind TEXT PRIMARY KEY,
  id INTEGER NOT NULL
) STRICT;

-- invited: a company opened the account, and its holder has not set it up yet.
ALTER TABLE accounts ADD COLUMN invited FLAG NOT NULL DEFAULT FALSE;
CREATE INDEX accounts_by_client ON accounts (client_id);
CREATE INDEX auth_codes_by_account ON auth_codes (account_id);
CREATE INDEX sessions_by_acting ON sessions (acting_id);

-- What a company sells and to whom. sample is the key of the row in the sample pack of the company's industry, ''
-- for the company's own. Prices and totals are in cents.
ALTER TABLE clients ADD COLUMN contact TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN sample TEXT NOT NULL DEFAULT '';

CREATE TABLE categories (
  id INTEGER PRIMARY KEY,
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  picture TEXT NOT NULL DEFAULT '',
  sample TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX categories_by_company ON categories (company_id);

CREATE TABLE products (
  id INTEGER PRIMARY KEY,
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  category_id INTEGER NOT NULL REFERENCES categories (id),
  name TEXT NOT NULL,
  spec TEXT NOT NULL,
  unit TEXT NOT NULL,
  price INTEGER NOT NULL CHECK (price >= 0),
  stock INTEGER NOT NULL CHECK (stock >= 0),
  sample TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX products_by_company ON products (company_id);
CREATE INDEX products_by_category ON products (category_id);

-- form is the id of the form an order was placed with, so that sending it twice places one.
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  client_id INTEGER NOT NULL REFERENCES clients (id),
  account_id INTEGER NOT NULL DEFAULT 0,
  form TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'confirmed')),
  total INTEGER NOT NULL,
  sample TEXT NOT NULL DEFAULT '',
  placed_at INTEGER NOT NULL,
  confirmed_at INTEGER NOT NULL DEFAULT 0,
  confirmed_by INTEGER NOT NULL DEFAULT 0,
  UNIQUE (company_id, number),
  UNIQUE (company_id, form)
) STRICT;
CREATE INDEX orders_by_client ON orders (client_id, number);
CREATE INDEX orders_by_state ON orders (company_id, state);
CREATE INDEX orders_samples ON orders (company_id) WHERE sample <> '';
CREATE INDEX products_samples ON products (company_id) WHERE sample <> '';
CREATE INDEX clients_samples ON clients (company_id) WHERE sample <> '';

CREATE TABLE order_lines (
  order_id INTEGER NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
  line INTEGER NOT NULL,
  product_id INTEGER NOT NULL REFERENCES products (id),
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  price INTEGER NOT NULL,
  sample TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (order_id, line)
) STRICT;
CREATE INDEX order_lines_by_product ON order_lines (product_id);
