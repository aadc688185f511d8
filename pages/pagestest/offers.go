package pagestest

import (
	"portico/portal/access"
	"portico/portal/backoffice"
	"portico/store"
)

// Offer lets the administrator of company 1002 open an account for a phone.
func (s *Site) Offer(phone, name string) store.Member {
	s.T.Helper()
	in := backoffice.OpenAccountInput{Side: "shop", Type: 3, Name: name, ClientName: name, Phone: phone}
	opened, err := s.P.Backoffice.OpenAccount(s.T.Context(), access.Landing{Member: s.Account("sur")}, in)
	if err != nil {
		s.T.Fatal(err)
	}
	return opened.Member
}

// MemberOf reads an account again.
func (s *Site) MemberOf(m store.Member) store.Member {
	s.T.Helper()
	after, err := s.Db.Accounts.ByID(s.T.Context(), m.CompanyID, m.ID)
	if err != nil {
		s.T.Fatal(err)
	}
	return after
}
