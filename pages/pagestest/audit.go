package pagestest

import "portico/store"

// Member returns the demo account of a name that is taken on one side only.
func (s *Site) Member(login string) store.Member {
	s.T.Helper()
	members, err := s.Db.MembersByLogin(s.T.Context(), login)
	if err != nil || len(members) != 1 {
		s.T.Fatalf("%d accounts are named %s: %v", len(members), login, err)
	}
	return members[0]
}
