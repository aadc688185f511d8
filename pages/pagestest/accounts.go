package pagestest

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"

	"portico/portal/access"
	"portico/portal/office"
	"portico/store"
)

// Invite adds an offered shop account of company 1001 for a new phone and returns its invitation link. It fails the
// test when the database fails.
func (s *Site) Invite(phone string) string {
	s.T.Helper()
	must := func(err error) {
		s.T.Helper()
		if err != nil {
			s.T.Fatal(err)
		}
	}
	ctx := s.T.Context()
	_, err := s.DB.Persons.Add(ctx, store.Person{Phone: phone, CreatedAt: 1})
	must(err)
	person, err := s.DB.Persons.ByNumber(ctx, phone)
	must(err)
	client, err := s.DB.Clients.Add(
		ctx, store.Client{CompanyID: 1001, Name: "桥头粮店", State: store.ClientPartner, CreatedAt: 1},
	)
	must(err)
	account, err := s.DB.Accounts.Add(ctx, store.Account{
		CompanyID: 1001,
		Side:      store.Shop,
		Type:      store.TypeShop,
		Login:     "bridge",
		PersonID:  person.ID,
		ClientID:  client,
		State:     store.AccountActive,
		Invited:   true,
		CreatedAt: store.At(s.Clock),
	})
	must(err)
	token, err := s.Portal.Credentials.Invite(ctx, 1001, account)
	must(err)
	return "http://account.portico.test/register/complete?invite=" + url.QueryEscape(token)
}

// OfferAccount opens a shop account of company 1002 for a phone, as its administrator does, and returns it. It fails
// the test when that is refused.
func (s *Site) OfferAccount(phone, name string) store.Member {
	s.T.Helper()
	in := office.OpenAccountInput{Side: "shop", Type: 3, Name: name, ClientName: name, Phone: phone}
	opened, err := s.Portal.Backoffice.OpenAccount(s.T.Context(), access.Landing{Member: s.Account("sur")}, in)
	if err != nil {
		s.T.Fatal(err)
	}
	return opened.Member
}

// AdministratorLanding returns the administrator of company 1001 as the operations of the back office take them. It
// fails the test when the account has another phone.
func AdministratorLanding(s *Site, phone string) access.Landing {
	s.T.Helper()
	members, err := s.DB.Accounts.ByLogin(s.T.Context(), "jinsui")
	if err != nil || len(members) != 1 || members[0].Phone != phone {
		s.T.Fatal(err, members)
	}
	return access.Landing{Member: members[0]}
}

// SendLook sends the form of the look page of company 1001 as browsers do: the look of the demo with the fields in
// pairs changed, and the files by the name of their field.
func (b *Browser) SendLook(files map[string][]byte, pairs ...string) *http.Response {
	b.T.Helper()
	fields := map[string]string{"name": "金穗粮油", "theme": "", "shop_skin": "", "language": "zh", "style": "",
		"view_count": "", "domain": ""}
	for i := 0; i+1 < len(pairs); i += 2 {
		fields[pairs[i]] = pairs[i+1]
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range fields {
		_ = w.WriteField(name, value)
	}
	for _, name := range []string{"icon", "style_file"} {
		part, _ := w.CreateFormFile(name, map[bool]string{true: name + ".x"}[files[name] != nil])
		_, _ = part.Write(files[name])
	}
	_ = w.Close()
	return b.Send(LookPath, w.FormDataContentType(), &body, int64(body.Len()))
}
