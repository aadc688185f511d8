-- compatible-from: 13
-- What the overview of the back office counts, and the history of an order, an application or a customer.

CREATE INDEX orders_waiting ON orders (company_id, number) WHERE state = 'new';
-- The events of a record: detail has its id or number.
CREATE INDEX audit_events_of_order ON audit_events (company_id, detail, id) WHERE part = 'orders';
CREATE INDEX audit_events_of_customer ON audit_events (company_id, detail, id) WHERE part = 'customers';
