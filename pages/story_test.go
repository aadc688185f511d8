package pages_test

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/store"
)

const (
	storyPhone    = "13912345678" // of the holder, and then of the next holder
	storyPassword = "Blauwal77"
	nextPassword  = "Zeegras55"
)

// arrivedCode waits for the messages that are on their way, and returns the last code to a phone. The strict mode sends
// messages after it has answered.
func (s *site) arrivedCode(phone string) string {
	s.t.Helper()
	s.p.Stop(s.t.Context())
	return s.lastCode(phone)
}

// founds registers a company with a phone that nobody has registered, and gives its administrator.
func (s *site) founds(phone, company string) store.Member {
	s.t.Helper()
	b := s.browser()
	b.post(account+"/register", "phone", phone, "action", "send_code")
	wantStatus(s.t, b.post(account+"/register", "phone", phone, "code", s.arrivedCode(phone), "password", storyPassword,
		"name", "周洁", "company_name", company, "agree", "1"), http.StatusSeeOther)
	person, err := s.db.PhoneByNumber(s.t.Context(), phone)
	if err != nil {
		s.t.Fatal(err)
	}
	members, err := s.db.MembersByPhone(s.t.Context(), person.ID)
	if err != nil || len(members) != 1 {
		s.t.Fatal(err, members)
	}
	return members[0]
}

// opens opens an account for a phone in the back office of a company, and gives the account and its invitation link.
func (s *site) opens(administrator store.Member, phone string, fields ...string) (m store.Member, link string) {
	s.t.Helper()
	b := s.browser()
	password := storyPassword
	if administrator.Phone == "13800000003" {
		password = onboarding.DemoPassword
	}
	b.post(account+"/login", "phone", administrator.Phone, "password", password)
	at := b.enters(administrator.Login)
	at, _, _ = strings.Cut(at, "?")
	opened := b.post(at+"/people/new", append(fields, "phone", phone, "name", "掌柜")...)
	wantStatus(s.t, opened, http.StatusSeeOther)
	to, _, _ := strings.Cut(opened.Header.Get("Location"), "?")
	page := wantPage(s.t, b.get(at[:strings.LastIndex(at, "/")]+to), http.StatusOK)
	id, _ := access.DecimalID(to[strings.LastIndex(to, "/")+1:])
	m, err := s.db.MemberByID(s.t.Context(), administrator.CompanyID, id)
	if err != nil {
		s.t.Fatal(err)
	}
	return m, found(s.t, page, `readonly value="([^"]+)"`)
}

// story is a site with a number, its holder's password, and every account of the site by its company.
type story struct {
	*site
	password string
}

// later advances the clock by an hour.
func (s *story) later() { s.clock = s.clock.Add(time.Hour) }

// signsIn signs in by the number in a new browser.
func (s *story) signsIn() *browser {
	s.t.Helper()
	s.later()
	b := s.browser()
	answer := b.post(account+"/login", "phone", storyPhone, "password", s.password)
	wantStatus(s.t, answer, http.StatusSeeOther)
	return b
}

// owns checks what the holder of the number sees and can enter: the accounts of these companies, these offers, and
// nothing else. entered are the accounts by login, offered those that wait.
func (s *story) owns(when string, entered, offered []store.Member) {
	s.t.Helper()
	b := s.signsIn()
	shown := map[string]bool{}
	for _, m := range regexp.MustCompile(`name="account_id" value="(\d+)"`).FindAllStringSubmatch(
		wantPage(s.t, b.get(account+"/accounts?all=1"), http.StatusOK), -1) {
		shown[m[1]] = true
	}
	want := map[string]bool{}
	for _, m := range append(slices.Clone(entered), offered...) {
		want[decimal(m.ID)] = true
	}
	if !maps.Equal(shown, want) {
		s.t.Errorf("%s: accounts %v are shown, want %v", when, shown, want)
	}
	for company := int64(1001); company < 1020; company++ {
		all, err := s.db.People(s.t.Context(), company, "", 0, 1000)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, m := range all {
			may := slices.ContainsFunc(entered, func(own store.Member) bool { return own.ID == m.ID })
			answer := b.post(account+"/accounts", "action", "enter", "account_id", decimal(m.ID))
			if got := strings.Contains(answer.Header.Get("Location"), "auth_code_="); got != may {
				s.t.Errorf("%s: entering %s gives %d", when, m.Login, answer.StatusCode)
			}
		}
		hasAccount := slices.ContainsFunc(entered, func(own store.Member) bool { return own.CompanyID == company })
		answer := b.post(account+"/company", "company_id", decimal(company))
		if got := answer.StatusCode == http.StatusSeeOther; got != hasAccount {
			s.t.Errorf("%s: choosing company %d gives %d", when, company, answer.StatusCode)
		}
	}
	if len(entered) == 1 { // an offer never turns a direct sign-in into a choice
		answer := s.browser().post(account+"/login", "phone", storyPhone, "password", s.password)
		if to := answer.Header.Get("Location"); !strings.Contains(to, "auth_code_=") {
			s.t.Errorf("%s: signing in leads to %q", when, to)
		}
	}
}

// nobody checks that nobody signs in by the number.
func (s *story) nobody(when, password string) {
	s.t.Helper()
	s.later()
	answer := s.browser().post(account+"/login", "phone", storyPhone, "password", password)
	wantStatus(s.t, answer, http.StatusUnprocessableEntity)
	s.p.Stop(s.t.Context())
	before := len(s.messages)
	s.browser().post(account+"/login/code", "phone", storyPhone, "action", "send_code")
	s.p.Stop(s.t.Context())
	if len(s.messages) != before {
		s.t.Errorf("%s: a code is sent", when)
	}
}

// unbinds unbinds the number from an account.
func (s *story) unbinds(m store.Member) {
	s.t.Helper()
	b := s.signsIn()
	wantStatus(s.t, b.post(account+"/unbind", "account_id", decimal(m.ID), "action", "send_code"), http.StatusOK)
	wantStatus(s.t, b.post(account+"/unbind", "account_id", decimal(m.ID), "code", s.arrivedCode(storyPhone),
		"password", "Haring4711", "confirm_password", "Haring4711"), http.StatusSeeOther)
}

// A stranger's company opens accounts for a number and hands on the links. The holder of the number registers, binds,
// declines, unbinds and gives the number up; the next holder proves it. Each sees and enters only what they accepted.
func TestTheStoryOfANumberThatAStrangerOpensAccountsFor(t *testing.T) {
	for name, o := range map[string]options{"spec": {limits: true}, "strict": {limits: true, strict: true}} {
		t.Run(name, func(t *testing.T) {
			s := &story{newSite(t, o), storyPassword}
			stranger := s.founds("13900000666", "金穗粮油")
			customer, link := s.opens(stranger, storyPhone, "side", "shop", "type", "3", "client_name", "芳华便利店")
			employee, _ := s.opens(stranger, storyPhone, "side", "mgr", "type", "1")
			s.nobody("before the holder came", storyPassword)
			b := s.browser() // the stranger's, with the link
			invite := found(t, wantPage(t, b.get(link), http.StatusOK), `name="invite" value="([^"]+)"`)
			guessed := b.post(account+"/register/complete", "invite", invite, "phone", storyPhone, "code", "123456",
				"name", "陌生人", "password", storyPassword, "confirm_password", storyPassword)
			wantStatus(t, guessed, http.StatusUnprocessableEntity)

			s.later()
			own := s.founds(storyPhone, "海风商行")
			s.owns("registered", []store.Member{own}, []store.Member{employee, customer})

			bound := s.account("nophone")
			s.later()
			b = s.browser()
			wantTo(t, b.post(account+"/login/account", "login", "nophone", "password", onboarding.DemoPassword), "/bind")
			code := b.post(account+"/bind", "phone", storyPhone, "code", "", "action", "send_code")
			wantStatus(t, code, http.StatusOK)
			wantTo(t, b.post(account+"/bind", "phone", storyPhone, "code", s.arrivedCode(storyPhone)), "/bind?step=2")
			wantTo(t, b.post(account+"/bind", "password", storyPassword), "/accounts?done=bound")
			s.owns("bound", []store.Member{own, bound}, []store.Member{employee, customer})

			wantTo(t, s.signsIn().post(account+"/offers", "action", "decline", "account_id", decimal(employee.ID)),
				"/offers?done=declined")
			s.owns("declined", []store.Member{own, bound}, []store.Member{customer})

			s.unbinds(bound)
			s.owns("unbound", []store.Member{own}, []store.Member{customer})
			former := s.signsIn()
			s.unbinds(own)
			s.nobody("given up", storyPassword)
			wantTo(t, former.get(account+"/accounts"), "/login?done=session_ended")

			wanted, link := s.opens(s.account("sur"), storyPhone, "side", "shop", "type", "3", "client_name", "Cantina")
			s.nobody("offered to the next holder", storyPassword)
			b = s.browser()
			invite = found(t, wantPage(t, b.get(link), http.StatusOK), `name="invite" value="([^"]+)"`)
			form := []string{"invite", invite, "phone", storyPhone}
			wantStatus(t, b.post(account+"/register/complete", append(form, "action", "send_code")...), http.StatusOK)
			form = append(form, "code", s.arrivedCode(storyPhone), "name", "Ana", "password", nextPassword,
				"confirm_password", nextPassword)
			wantStatus(t, b.post(account+"/register/complete", form...), http.StatusSeeOther)
			wantStatus(t, s.browser().post(account+"/login", "phone", storyPhone, "password", storyPassword),
				http.StatusUnprocessableEntity)
			s.password = nextPassword
			s.owns("the next holder", []store.Member{wanted}, []store.Member{customer})
		})
	}
}
