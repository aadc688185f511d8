-- compatible-from: 13
-- Products that a company's staff add and change, and the carts of its customers.

-- number is the company's own number of a product, '' for none, and number_key its key (store/searchkey). search is the
-- key of the name, '' until the program has written it: programs of former versions write rows without it, and a sweep
-- adds it. Products that are off are not in the shop and stay in orders. picture is the id of an upload, '' for none.
-- form is a keyed hash of the id of the form that added the product. created_at is 0 for products of before.
ALTER TABLE products ADD COLUMN number TEXT NOT NULL DEFAULT '';
ALTER TABLE products ADD COLUMN number_key TEXT COLLATE BINARY NOT NULL DEFAULT '';
ALTER TABLE products ADD COLUMN search TEXT COLLATE BINARY NOT NULL DEFAULT '';
ALTER TABLE products ADD COLUMN state TEXT NOT NULL DEFAULT 'on';
ALTER TABLE products ADD COLUMN picture TEXT NOT NULL DEFAULT '';
ALTER TABLE products ADD COLUMN form TEXT NOT NULL DEFAULT '';
ALTER TABLE products ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE products ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX products_without_key ON products (id) WHERE search = '';
-- Programs of former versions write no numbers and no forms.
CREATE UNIQUE INDEX products_by_number ON products (company_id, number_key) WHERE number_key <> '';
CREATE UNIQUE INDEX products_by_form ON products (company_id, form) WHERE form <> '';
-- The list of the back office; the shop, by category.
CREATE INDEX products_by_name ON products (company_id, search, id, created_at, state, category_id);
CREATE INDEX products_of_state_by_name ON products (company_id, state, search, id);
CREATE INDEX products_by_date ON products (company_id, created_at, id);
CREATE INDEX products_of_state_by_date ON products (company_id, state, created_at, id);
CREATE INDEX products_in_shop ON products (company_id, state, category_id, id);

-- What a customer asks for with an order.
ALTER TABLE orders ADD COLUMN note TEXT NOT NULL DEFAULT '';

-- The cart of an account of the shop. form is the id of the order that the cart will become: sent twice, it is placed
-- once.
CREATE TABLE carts (
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  company_id INTEGER NOT NULL,
  form TEXT NOT NULL,
  note TEXT NOT NULL DEFAULT '',
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (account_id)
) STRICT;
CREATE INDEX carts_by_time ON carts (changed_at);

-- seen is the tag of the product and its price when it was put into the cart.
CREATE TABLE cart_lines (
  account_id INTEGER NOT NULL REFERENCES carts (account_id) ON DELETE CASCADE,
  product_id INTEGER NOT NULL REFERENCES products (id) ON DELETE CASCADE,
  company_id INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  seen TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, product_id)
) STRICT;
CREATE INDEX cart_lines_by_product ON cart_lines (product_id);
