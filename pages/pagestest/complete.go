package pagestest

import (
	"net/url"

	"portico/store"
)

// Invite opens an account of company 1001 for a phone and returns the invitation link.
func (s *Site) Invite(phone string) string {
	s.T.Helper()
	must := func(err error) {
		s.T.Helper()
		if err != nil {
			s.T.Fatal(err)
		}
	}
	ctx := s.T.Context()
	_, err := s.DB.AddPhone(ctx, store.Phone{Phone: phone, CreatedAt: 1})
	must(err)
	person, err := s.DB.PhoneByNumber(ctx, phone)
	must(err)
	client, err := s.DB.NewClient(
		ctx, store.Client{CompanyID: 1001, Name: "桥头粮店", State: store.ClientPartner, CreatedAt: 1},
	)
	must(err)
	account, err := s.DB.AddAccount(ctx, store.Account{
		CompanyID: 1001,
		Side:      store.Shop,
		Type:      store.TypeShop,
		Login:     "bridge",
		PhoneID:   person.ID,
		ClientID:  client,
		State:     store.AccountActive,
		Invited:   true,
		CreatedAt: store.At(s.Clock),
	})
	must(err)
	token, err := s.Portal.Onboarding.Invite(ctx, 1001, account)
	must(err)
	return "http://account.portico.test/register/complete?invite=" + url.QueryEscape(token)
}
