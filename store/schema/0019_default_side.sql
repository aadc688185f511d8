-- compatible-from: 13
-- The side of the default company that a person's next sign-in opens; '' leaves the side open.

ALTER TABLE phones ADD COLUMN default_side TEXT NOT NULL DEFAULT '';
