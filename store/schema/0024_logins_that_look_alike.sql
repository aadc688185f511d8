-- compatible-from: 13
-- Names of accounts by their look: what a new name may not share with another (store/account.go has the same fold).
-- Names that looked alike before stay as they are.

CREATE INDEX accounts_by_look ON accounts
  (side, replace(replace(replace(replace(login_key, 'rn', 'm'), '0', 'o'), '1', 'l'), 'i', 'l'));
