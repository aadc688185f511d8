package pagestest

import (
	"portico/portal/access"
	"portico/portal/backoffice"
	"portico/store"
)

// OfferAccount lets the administrator of company 1002 open an account for a phone.
func (s *Site) OfferAccount(phone, name string) store.Member {
	s.T.Helper()
	in := backoffice.OpenAccountInput{Side: "shop", Type: 3, Name: name, ClientName: name, Phone: phone}
	opened, err := s.Portal.Backoffice.OpenAccount(s.T.Context(), access.Landing{Member: s.Account("sur")}, in)
	if err != nil {
		s.T.Fatal(err)
	}
	return opened.Member
}
