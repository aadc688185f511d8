-- How often each page was shown: by company (0: none), day (counted from 1970-01-01, where companies keep their days), page (the fixed name
-- of a route, never an address) and kind of device. No person, no address, no cookie. No foreign key, for 0 is no company; what is
-- added looks whether the company is there.
CREATE TABLE page_views (
  company_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  page TEXT NOT NULL,
  device TEXT NOT NULL,
  views INTEGER NOT NULL,
  PRIMARY KEY (company_id, day, page, device)
) STRICT;
CREATE INDEX page_views_by_day ON page_views (day);
