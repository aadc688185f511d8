package pagestest

import "portico/store"

// SetAccountState enables or disables an account of 1001.
func (s *Site) SetAccountState(login string, state store.AccountState) {
	s.T.Helper()
	if err := s.Db.SetAccountState(s.T.Context(), 1001, s.Account(login).ID, state); err != nil {
		s.T.Fatal(err)
	}
}
