-- compatible-from: 13
-- Names of accounts by their look: what a new name may not share with another (store/account.go has the same fold).
-- Names that looked alike before stay as they are.

CREATE INDEX accounts_by_look ON accounts
  (side, replace(replace(replace(replace(login_key, 'rn', 'm'), '0', 'o'), '1', 'l'), 'i', 'l'));

-- Administrators who can be called, or told of something, by their ids.
CREATE INDEX accounts_active_administrators ON accounts (company_id, id)
  WHERE type = 1 AND side = 'mgr' AND state = 'active' AND NOT invited;
