package office_test

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/pages/pagestest"
	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/store"
)

const (
	offeredPhone       = "13912345678" // has a holder, and later another one
	nextHolderPassword = "Zeegras55"
)

// openedAccounts is a Site with the password of the person who holds offeredPhone.
type openedAccounts struct {
	*pagestest.Site
	Password string
}

// advanceHour advances the clock by an hour.
func (s *openedAccounts) advanceHour() { s.Clock = s.Clock.Add(time.Hour) }

// signIn returns a new browser that signed in with offeredPhone an hour later. It fails the test when that is refused.
func (s *openedAccounts) signIn() *pagestest.Browser {
	s.T.Helper()
	s.advanceHour()
	b := s.Browser()
	answer := b.Post(pagestest.AccountSite+"/login", "phone", offeredPhone, "password", s.Password)
	pagestest.WantStatus(s.T, answer, http.StatusSeeOther)
	return b
}

// wantAccounts fails the test unless the holder of offeredPhone sees exactly the accounts entered and offered, and can
// enter exactly the accounts entered. when says in the message at which step that was checked.
func (s *openedAccounts) wantAccounts(when string, entered, offered []store.Member) {
	s.T.Helper()
	b := s.signIn()
	shown := map[string]bool{}
	for _, m := range regexp.MustCompile(`name="account_id" value="(\d+)"`).FindAllStringSubmatch(
		pagestest.WantPage(s.T, b.Get(pagestest.AccountSite+"/accounts?all=1"), http.StatusOK), -1) {
		shown[m[1]] = true
	}
	want := map[string]bool{}
	for _, m := range append(slices.Clone(entered), offered...) {
		want[pagestest.Decimal(m.ID)] = true
	}
	if !maps.Equal(shown, want) {
		s.T.Errorf("%s: accounts %v are shown, want %v", when, shown, want)
	}
	for company := int64(1001); company < 1020; company++ {
		all, err := s.DB.Accounts.After(s.T.Context(), company, "", 0, 1000)
		if err != nil {
			s.T.Fatal(err)
		}
		for _, m := range all {
			canEnter := slices.ContainsFunc(entered, func(own store.Member) bool { return own.ID == m.ID })
			answer := b.Post(pagestest.AccountSite+"/accounts", "action", "enter", "account_id",
				pagestest.Decimal(m.ID))
			if got := strings.Contains(answer.Header.Get("Location"), "auth_code_="); got != canEnter {
				s.T.Errorf("%s: entering %s gives %d", when, m.Login, answer.StatusCode)
			}
		}
		hasAccount := slices.ContainsFunc(entered, func(own store.Member) bool { return own.CompanyID == company })
		answer := b.Post(pagestest.AccountSite+"/company", "company_id", pagestest.Decimal(company))
		if got := answer.StatusCode == http.StatusSeeOther; got != hasAccount {
			s.T.Errorf("%s: choosing company %d gives %d", when, company, answer.StatusCode)
		}
	}
	if len(entered) == 1 { // with one account a sign-in enters it directly, although there are offers
		answer := s.Browser().Post(pagestest.AccountSite+"/login", "phone", offeredPhone, "password", s.Password)
		if to := answer.Header.Get("Location"); !strings.Contains(to, "auth_code_=") {
			s.T.Errorf("%s: signing in leads to %q", when, to)
		}
	}
}

// wantNoSignIn fails the test when offeredPhone signs in with the password or gets a verification code.
func (s *openedAccounts) wantNoSignIn(when, password string) {
	s.T.Helper()
	s.advanceHour()
	answer := s.Browser().Post(pagestest.AccountSite+"/login", "phone", offeredPhone, "password", password)
	pagestest.WantStatus(s.T, answer, http.StatusUnprocessableEntity)
	s.Portal.Stop(s.T.Context())
	before := len(s.Messages)
	s.Browser().Post(pagestest.AccountSite+"/login/code", "phone", offeredPhone, "action", "send_code")
	s.Portal.Stop(s.T.Context())
	if len(s.Messages) != before {
		s.T.Errorf("%s: a code is sent", when)
	}
}

// unbind unbinds offeredPhone from an account. It fails the test when that is refused.
func (s *openedAccounts) unbind(m store.Member) {
	s.T.Helper()
	b := s.signIn()
	pagestest.WantStatus(s.T, b.Post(pagestest.AccountSite+"/unbind", "account_id", pagestest.Decimal(m.ID), "action",
		"send_code"), http.StatusOK)
	pagestest.WantStatus(s.T, b.Post(pagestest.AccountSite+"/unbind", "account_id", pagestest.Decimal(m.ID), "code",
		deliveredCode(s.Site, offeredPhone),
		"password", "Haring4711", "confirm_password", "Haring4711"), http.StatusSeeOther)
}

// A stranger's company opens accounts for a phone number and knows their invitation links. The holder of the number
// registers, binds, declines, unbinds and gives the number up; then another person proves the number. Each of the two
// sees and enters only the accounts that they accepted.
func TestAccountsOpenedByAStrangerNeedTheAcceptanceOfTheNumbersHolder(t *testing.T) {
	for name, o := range map[string]pagestest.Options{"spec": {Limits: true}, "strict": {Limits: true, Strict: true}} {
		t.Run(name, func(t *testing.T) {
			s := &openedAccounts{Site: pagestest.NewSite(t, o), Password: storyPassword}
			stranger := registerCompany(s.Site, "13900000666", "金穗粮油")
			customer, link := openAccountByPhone(s.Site, stranger, offeredPhone, "side", "shop", "type", "3",
				"client_name", "芳华便利店")
			employee, _ := openAccountByPhone(s.Site, stranger, offeredPhone, "side", "mgr", "type", "1")
			s.wantNoSignIn("before the holder registers", storyPassword)
			b := s.Browser() // of the stranger, who has the link
			invite := pagestest.FindIn(t, pagestest.WantPage(t, b.Get(link), http.StatusOK),
				`name="invite" value="([^"]+)"`)
			guessed := b.Post(pagestest.AccountSite+"/register/complete", "invite", invite, "phone", offeredPhone,
				"code",
				"123456",
				"name", "陌生人", "password", storyPassword, "confirm_password", storyPassword)
			pagestest.WantStatus(t, guessed, http.StatusUnprocessableEntity)

			s.advanceHour()
			own := registerCompany(s.Site, offeredPhone, "海风商行")
			s.wantAccounts("registered", []store.Member{own}, []store.Member{employee, customer})

			bound := s.Account("nophone")
			s.advanceHour()
			b = s.Browser()
			pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/login/account", "login", "nophone", "password",
				onboarding.DemoPassword), "/bind")
			code := b.Post(pagestest.AccountSite+"/bind", "phone", offeredPhone, "code", "", "action", "send_code")
			pagestest.WantStatus(t, code, http.StatusOK)
			pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/bind", "phone", offeredPhone, "code",
				deliveredCode(s.Site, offeredPhone)), "/bind?step=2")
			pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/bind", "password", storyPassword),
				"/accounts?done=bound")
			s.wantAccounts("bound", []store.Member{own, bound}, []store.Member{employee, customer})

			pagestest.WantRedirect(t, s.signIn().Post(pagestest.AccountSite+"/offers", "action", "decline",
				"account_id",
				pagestest.Decimal(employee.ID)),
				"/offers?done=declined")
			s.wantAccounts("declined", []store.Member{own, bound}, []store.Member{customer})

			s.unbind(bound)
			s.wantAccounts("unbound", []store.Member{own}, []store.Member{customer})
			former := s.signIn()
			s.unbind(own)
			s.wantNoSignIn("after the number was given up", storyPassword)
			pagestest.WantRedirect(t, former.Get(pagestest.AccountSite+"/accounts"), "/login?done=session_ended")

			wanted, link := openAccountByPhone(s.Site, s.Account("sur"), offeredPhone, "side", "shop", "type", "3",
				"client_name", "Cantina")
			s.wantNoSignIn("offered to the next holder", storyPassword)
			b = s.Browser()
			invite = pagestest.FindIn(t, pagestest.WantPage(t, b.Get(link), http.StatusOK),
				`name="invite" value="([^"]+)"`)
			form := []string{"invite", invite, "phone", offeredPhone}
			pagestest.WantStatus(t, b.Post(pagestest.AccountSite+"/register/complete",
				append(form, "action", "send_code")...), http.StatusOK)
			form = append(form, "code", deliveredCode(s.Site, offeredPhone), "name", "Ana", "password",
				nextHolderPassword,
				"confirm_password", nextHolderPassword)
			pagestest.WantStatus(t, b.Post(pagestest.AccountSite+"/register/complete", form...), http.StatusSeeOther)
			pagestest.WantStatus(t, s.Browser().Post(pagestest.AccountSite+"/login", "phone", offeredPhone, "password",
				storyPassword),
				http.StatusUnprocessableEntity)
			s.Password = nextHolderPassword
			s.wantAccounts("the next holder", []store.Member{wanted}, []store.Member{customer})
		})
	}
}

const (
	storyPassword = "Blauwal77"
)

// deliveredCode returns the last code to a phone after all messages were sent. Strict privacy sends them after the
// response.
func deliveredCode(s *pagestest.Site, phone string) string {
	s.T.Helper()
	s.Portal.Stop(s.T.Context())
	return s.LastCode(phone)
}

// registerCompany registers a company with a new phone and returns its administrator. It fails the test when the
// registration is refused.
func registerCompany(s *pagestest.Site, phone, company string) store.Member {
	s.T.Helper()
	b := s.Browser()
	b.Post(pagestest.AccountSite+"/register", "phone", phone, "action", "send_code")
	pagestest.WantStatus(s.T, b.Post(pagestest.AccountSite+"/register", "phone", phone, "code", deliveredCode(s, phone),
		"password", storyPassword,
		"name", "周洁", "company_name", company, "agree", "1"), http.StatusSeeOther)
	person, err := s.DB.Persons.ByNumber(s.T.Context(), phone)
	if err != nil {
		s.T.Fatal(err)
	}
	members, err := s.DB.Accounts.ByPerson(s.T.Context(), person.ID)
	if err != nil || len(members) != 1 {
		s.T.Fatal(err, members)
	}
	return members[0]
}

// openAccountByPhone opens an account for a phone in the back office of a company, and returns the account and its
// invitation link. It fails the test when that is refused.
func openAccountByPhone(
	s *pagestest.Site, administrator store.Member, phone string, fields ...string,
) (m store.Member, link string) {
	s.T.Helper()
	b := s.Browser()
	password := storyPassword
	if administrator.Phone == "13800000003" {
		password = onboarding.DemoPassword
	}
	b.Post(pagestest.AccountSite+"/login", "phone", administrator.Phone, "password", password)
	at := b.EnterAccount(administrator.Login)
	at, _, _ = strings.Cut(at, "?")
	opened := b.Post(at+"/people/new", append(fields, "phone", phone, "name", "掌柜")...)
	pagestest.WantStatus(s.T, opened, http.StatusSeeOther)
	to, _, _ := strings.Cut(opened.Header.Get("Location"), "?")
	page := pagestest.WantPage(s.T, b.Get(at[:strings.LastIndex(at, "/")]+to), http.StatusOK)
	id, _ := access.DecimalID(to[strings.LastIndex(to, "/")+1:])
	m, err := s.DB.Accounts.ByID(s.T.Context(), administrator.CompanyID, id)
	if err != nil {
		s.T.Fatal(err)
	}
	return m, pagestest.FindIn(s.T, page, `readonly value="([^"]+)"`)
}
