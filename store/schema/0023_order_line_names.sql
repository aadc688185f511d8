-- compatible-from: 13
-- What a product was called when it was ordered. Lines of earlier programs have no name: they show the product's.

ALTER TABLE order_lines ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE order_lines ADD COLUMN spec TEXT NOT NULL DEFAULT '';
ALTER TABLE order_lines ADD COLUMN unit TEXT NOT NULL DEFAULT '';
