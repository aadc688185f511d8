-- compatible-from: 13
-- What people can say about themselves and their companies, and what they are told.

-- People's own details (profile, customer types).

-- Changing a phone, and telling reviewers about new applications.

-- Sign-in doors and statistics.
