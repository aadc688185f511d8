-- compatible-from: 13
-- What the overview of the back office counts, and the history of an order, an application or a customer.

-- The days of a company's orders, with the sums, without reading the orders.
CREATE INDEX orders_of_days ON orders (company_id, placed_at, total);
CREATE INDEX orders_waiting ON orders (company_id, number) WHERE state = 'new';
-- The weeks of a company's applications, with the time until their decisions.
CREATE INDEX applications_of_weeks ON applications (company_id, created_at, decided_at);
CREATE INDEX accounts_offered ON accounts (company_id, id) WHERE invited;
-- The events of a record: detail has its id or number.
CREATE INDEX audit_events_of_order ON audit_events (company_id, detail, id) WHERE part = 'orders';
CREATE INDEX audit_events_of_customer ON audit_events (company_id, detail, id) WHERE part = 'customers';
