-- compatible-from: 13
-- What the lists of the back office search, filter and sort by.

-- search is the key of a row's name (store/searchkey), '' until the program has written it. An order has its customer's.
-- Programs of former versions write rows without it; a sweep adds it, also to all rows of before.
ALTER TABLE clients ADD COLUMN search TEXT COLLATE BINARY NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN search TEXT COLLATE BINARY NOT NULL DEFAULT '';
ALTER TABLE applications ADD COLUMN search TEXT COLLATE BINARY NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN search TEXT COLLATE BINARY NOT NULL DEFAULT '';
-- The name that the key of an account was made from. A person can be renamed by a program of a former version.
ALTER TABLE accounts ADD COLUMN search_of TEXT NOT NULL DEFAULT '';
CREATE INDEX clients_without_key ON clients (id) WHERE search = '';
CREATE INDEX orders_without_key ON orders (id) WHERE search = '';
CREATE INDEX applications_without_key ON applications (id) WHERE search = '';
CREATE INDEX accounts_without_key ON accounts (id) WHERE search_of <> name;

-- By name: searches, and lists sorted by name. Searches filter and sort what they found, so their indexes have the other
-- columns of a filter too.
CREATE INDEX clients_by_name ON clients (company_id, search, id, created_at, state);
CREATE INDEX clients_of_state_by_name ON clients (company_id, state, search, id);
CREATE INDEX orders_by_name ON orders (company_id, search, id, placed_at, state);
CREATE INDEX orders_of_state_by_name ON orders (company_id, state, search, id);
CREATE INDEX applications_by_name ON applications (company_id, search, id, created_at, state);
CREATE INDEX applications_of_state_by_name ON applications (company_id, state, search, id);
CREATE INDEX applications_by_number ON applications (company_id, phone, id);
CREATE INDEX accounts_by_name ON accounts (company_id, search, id, created_at, side, state, invited);
CREATE INDEX accounts_of_side_by_name ON accounts (company_id, side, search, id);
CREATE INDEX accounts_of_state_by_name ON accounts (company_id, state, search, id);
CREATE INDEX accounts_offered_by_name ON accounts (company_id, invited, search, id);
CREATE INDEX accounts_by_login ON accounts
  (company_id, login_key COLLATE BINARY, id, created_at, search, side, state, invited);

-- By date. The overview sums orders and waiting times by these indexes, without reading the rows.
CREATE INDEX clients_by_date ON clients (company_id, created_at, id);
CREATE INDEX clients_of_state_by_date ON clients (company_id, state, created_at, id);
CREATE INDEX orders_by_date ON orders (company_id, placed_at, id, total);
CREATE INDEX orders_of_state_by_date ON orders (company_id, state, placed_at, id);
CREATE INDEX applications_by_date ON applications (company_id, created_at, id, decided_at);
CREATE INDEX applications_of_state_by_date ON applications (company_id, state, created_at, id);
CREATE INDEX accounts_by_date ON accounts (company_id, created_at, id);
CREATE INDEX accounts_of_side_by_date ON accounts (company_id, side, created_at, id);
CREATE INDEX accounts_of_state_by_date ON accounts (company_id, state, created_at, id);
CREATE INDEX accounts_offered_by_date ON accounts (company_id, invited, created_at, id);
DROP INDEX applications_by_company;
