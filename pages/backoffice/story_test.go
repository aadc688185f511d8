package backoffice_test

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/pages/pagestest"
	"portico/portal/onboarding"
	"portico/store"
)

const (
	StoryPhone   = "13912345678" // of the holder, and then of the next holder
	NextPassword = "Zeegras55"
)

// Story is a site with a number, its holder's password, and every account of the site by its company.
type Story struct {
	*pagestest.Site
	Password string
}

// Later advances the clock by an hour.
func (s *Story) Later() { s.Clock = s.Clock.Add(time.Hour) }

// SignsIn signs in by the number in a new browser.
func (s *Story) SignsIn() *pagestest.Browser {
	s.T.Helper()
	s.Later()
	b := s.Browser()
	answer := b.Post(pagestest.Account+"/login", "phone", StoryPhone, "password", s.Password)
	pagestest.WantStatus(s.T, answer, http.StatusSeeOther)
	return b
}

// Owns checks what the holder of the number sees and can enter: the accounts of these companies, these offers, and
// nothing else. entered are the accounts by login, offered those that wait.
func (s *Story) Owns(when string, entered, offered []store.Member) {
	s.T.Helper()
	b := s.SignsIn()
	shown := map[string]bool{}
	for _, m := range regexp.MustCompile(`name="account_id" value="(\d+)"`).FindAllStringSubmatch(
		pagestest.WantPage(s.T, b.Get(pagestest.Account+"/accounts?all=1"), http.StatusOK), -1) {
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
		all, err := s.Db.Accounts.After(s.T.Context(), company, "", 0, 1000)
		if err != nil {
			s.T.Fatal(err)
		}
		for _, m := range all {
			may := slices.ContainsFunc(entered, func(own store.Member) bool { return own.ID == m.ID })
			answer := b.Post(pagestest.Account+"/accounts", "action", "enter", "account_id", pagestest.Decimal(m.ID))
			if got := strings.Contains(answer.Header.Get("Location"), "auth_code_="); got != may {
				s.T.Errorf("%s: entering %s gives %d", when, m.Login, answer.StatusCode)
			}
		}
		hasAccount := slices.ContainsFunc(entered, func(own store.Member) bool { return own.CompanyID == company })
		answer := b.Post(pagestest.Account+"/company", "company_id", pagestest.Decimal(company))
		if got := answer.StatusCode == http.StatusSeeOther; got != hasAccount {
			s.T.Errorf("%s: choosing company %d gives %d", when, company, answer.StatusCode)
		}
	}
	if len(entered) == 1 { // an offer never turns a direct sign-in into a choice
		answer := s.Browser().Post(pagestest.Account+"/login", "phone", StoryPhone, "password", s.Password)
		if to := answer.Header.Get("Location"); !strings.Contains(to, "auth_code_=") {
			s.T.Errorf("%s: signing in leads to %q", when, to)
		}
	}
}

// Nobody checks that nobody signs in by the number.
func (s *Story) Nobody(when, password string) {
	s.T.Helper()
	s.Later()
	answer := s.Browser().Post(pagestest.Account+"/login", "phone", StoryPhone, "password", password)
	pagestest.WantStatus(s.T, answer, http.StatusUnprocessableEntity)
	s.P.Stop(s.T.Context())
	before := len(s.Messages)
	s.Browser().Post(pagestest.Account+"/login/code", "phone", StoryPhone, "action", "send_code")
	s.P.Stop(s.T.Context())
	if len(s.Messages) != before {
		s.T.Errorf("%s: a code is sent", when)
	}
}

// Unbinds unbinds the number from an account.
func (s *Story) Unbinds(m store.Member) {
	s.T.Helper()
	b := s.SignsIn()
	pagestest.WantStatus(s.T, b.Post(pagestest.Account+"/unbind", "account_id", pagestest.Decimal(m.ID), "action",
		"send_code"), http.StatusOK)
	pagestest.WantStatus(s.T, b.Post(pagestest.Account+"/unbind", "account_id", pagestest.Decimal(m.ID), "code",
		s.ArrivedCode(StoryPhone),
		"password", "Haring4711", "confirm_password", "Haring4711"), http.StatusSeeOther)
}

// A stranger's company opens accounts for a number and hands on the links. The holder of the number registers, binds,
// declines, unbinds and gives the number up; the next holder proves it. Each sees and enters only what they accepted.
func TestTheStoryOfANumberThatAStrangerOpensAccountsFor(t *testing.T) {
	for name, o := range map[string]pagestest.Options{"spec": {Limits: true}, "strict": {Limits: true, Strict: true}} {
		t.Run(name, func(t *testing.T) {
			s := &Story{Site: pagestest.NewSite(t, o), Password: pagestest.StoryPassword}
			stranger := s.Founds("13900000666", "金穗粮油")
			customer, link := s.Opens(stranger, StoryPhone, "side", "shop", "type", "3", "client_name", "芳华便利店")
			employee, _ := s.Opens(stranger, StoryPhone, "side", "mgr", "type", "1")
			s.Nobody("before the holder came", pagestest.StoryPassword)
			b := s.Browser() // the stranger's, with the link
			invite := pagestest.Found(t, pagestest.WantPage(t, b.Get(link), http.StatusOK),
				`name="invite" value="([^"]+)"`)
			guessed := b.Post(pagestest.Account+"/register/complete", "invite", invite, "phone", StoryPhone, "code",
				"123456",
				"name", "陌生人", "password", pagestest.StoryPassword, "confirm_password", pagestest.StoryPassword)
			pagestest.WantStatus(t, guessed, http.StatusUnprocessableEntity)

			s.Later()
			own := s.Founds(StoryPhone, "海风商行")
			s.Owns("registered", []store.Member{own}, []store.Member{employee, customer})

			bound := s.Account("nophone")
			s.Later()
			b = s.Browser()
			pagestest.WantTo(t, b.Post(pagestest.Account+"/login/account", "login", "nophone", "password",
				onboarding.DemoPassword), "/bind")
			code := b.Post(pagestest.Account+"/bind", "phone", StoryPhone, "code", "", "action", "send_code")
			pagestest.WantStatus(t, code, http.StatusOK)
			pagestest.WantTo(t, b.Post(pagestest.Account+"/bind", "phone", StoryPhone, "code",
				s.ArrivedCode(StoryPhone)), "/bind?step=2")
			pagestest.WantTo(t, b.Post(pagestest.Account+"/bind", "password", pagestest.StoryPassword),
				"/accounts?done=bound")
			s.Owns("bound", []store.Member{own, bound}, []store.Member{employee, customer})

			pagestest.WantTo(t, s.SignsIn().Post(pagestest.Account+"/offers", "action", "decline", "account_id",
				pagestest.Decimal(employee.ID)),
				"/offers?done=declined")
			s.Owns("declined", []store.Member{own, bound}, []store.Member{customer})

			s.Unbinds(bound)
			s.Owns("unbound", []store.Member{own}, []store.Member{customer})
			former := s.SignsIn()
			s.Unbinds(own)
			s.Nobody("given up", pagestest.StoryPassword)
			pagestest.WantTo(t, former.Get(pagestest.Account+"/accounts"), "/login?done=session_ended")

			wanted, link := s.Opens(s.Account("sur"), StoryPhone, "side", "shop", "type", "3", "client_name", "Cantina")
			s.Nobody("offered to the next holder", pagestest.StoryPassword)
			b = s.Browser()
			invite = pagestest.Found(t, pagestest.WantPage(t, b.Get(link), http.StatusOK),
				`name="invite" value="([^"]+)"`)
			form := []string{"invite", invite, "phone", StoryPhone}
			pagestest.WantStatus(t, b.Post(pagestest.Account+"/register/complete",
				append(form, "action", "send_code")...), http.StatusOK)
			form = append(form, "code", s.ArrivedCode(StoryPhone), "name", "Ana", "password", NextPassword,
				"confirm_password", NextPassword)
			pagestest.WantStatus(t, b.Post(pagestest.Account+"/register/complete", form...), http.StatusSeeOther)
			pagestest.WantStatus(t, s.Browser().Post(pagestest.Account+"/login", "phone", StoryPhone, "password",
				pagestest.StoryPassword),
				http.StatusUnprocessableEntity)
			s.Password = NextPassword
			s.Owns("the next holder", []store.Member{wanted}, []store.Member{customer})
		})
	}
}
