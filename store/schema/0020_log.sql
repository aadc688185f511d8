-- compatible-from: 13
-- The activity log by day, by who did something, and about a person: detail has the id of the account.

CREATE INDEX audit_events_by_day ON audit_events (company_id, at, id);
CREATE INDEX audit_events_by_person ON audit_events (company_id, account_id, id);
CREATE INDEX audit_events_of_person ON audit_events (company_id, detail, id) WHERE part = 'people';
