-- compatible-from: 13
-- A company's greeting and picture, on its own sign-in page.

ALTER TABLE companies ADD COLUMN greeting TEXT NOT NULL DEFAULT '';
ALTER TABLE companies ADD COLUMN welcome_url TEXT NOT NULL DEFAULT '';
ALTER TABLE company_looks ADD COLUMN greeting TEXT NOT NULL DEFAULT '';
ALTER TABLE company_looks ADD COLUMN welcome_url TEXT NOT NULL DEFAULT '';
