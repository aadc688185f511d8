package api

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/backoffice"
	"portico/portal/onboarding"
	"portico/store"
)

const nextPassword = "Zeegras55"

// story is a site and the password of the number that the story is about.
type story struct {
	*site
	password string
}

// later advances the clock by an hour.
func (s *story) later() { s.advance(time.Hour) }

// codeTo waits for the messages that are on their way, and returns the last code to the number: the strict mode sends
// messages after it has answered.
func (s *story) codeTo(phone string) string {
	s.t.Helper()
	s.portal.Stop(s.t.Context())
	return s.code(phone)
}

// founds registers a company, and returns its administrator.
func (s *story) founds(phone, company string) store.Member {
	s.t.Helper()
	s.get("", "/v1/account/registCode", "phone_", phone).want(s.t, "ok", phone)
	params := companyOf(phone, s.codeTo(phone), "company_name_", company)
	user := dataOf[answeredUser](s.t, s.post("", createPath, params...))
	m, err := s.db.Accounts.ByID(s.t.Context(), user.CompanyID, user.ID)
	noError(s.t, err)
	return m
}

// opens lets an administrator open an account for the number.
func (s *story) opens(administrator store.Member, in backoffice.OpenAccountInput) store.Member {
	s.t.Helper()
	in.Phone, in.Name = nobodys, "掌柜"
	opened, err := s.portal.Backoffice.OpenAccount(s.t.Context(), access.Landing{Member: administrator}, in)
	noError(s.t, err)
	return opened.Member
}

// owns checks what a program's user sees and can enter by the number: these accounts, these offers, and nothing else.
func (s *story) owns(when string, entered, offered []store.Member) {
	s.t.Helper()
	s.later()
	in := s.signsIn(nobodys, s.password, "ok")
	if single := len(entered) == 1; (in.User != nil) != single {
		s.t.Errorf("%s: the user is %+v", when, in.User)
	}
	states := map[int64]string{}
	for _, a := range append(in.Mgr, in.Shop...) {
		states[a.ID] = a.State
	}
	for _, c := range dataOf[[]companyAccounts](s.t, s.get(in.Ticket, "/v1/account/getAccountList")) {
		for _, a := range append(c.Mgr, c.Shop...) {
			if states[a.ID] != a.State {
				s.t.Errorf("%s: %s is %q in one list and %q in the other", when, a.Login, states[a.ID], a.State)
			}
		}
	}
	if len(states) != len(entered)+len(offered) {
		s.t.Errorf("%s: the accounts are %v", when, states)
	}
	for company := int64(1001); company < 1020; company++ {
		all, err := s.db.Accounts.After(s.t.Context(), company, "", 0, 1000)
		noError(s.t, err)
		for _, m := range all {
			is := func(other store.Member) bool { return other.ID == m.ID }
			code, state := "not_found", ""
			switch {
			case slices.ContainsFunc(entered, is):
				code, state = "ok", "active"
			case slices.ContainsFunc(offered, is):
				code, state = "offered", "offered"
			}
			if states[m.ID] != state {
				s.t.Errorf("%s: %s is %q, want %q", when, m.Login, states[m.ID], state)
			}
			entering := s.get(in.Ticket, "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(m.ID))
			entering.want(s.t, code, when, m.Login)
		}
	}
}

// nobody checks that nobody can sign in with the number.
func (s *story) nobody(when, password string) {
	s.t.Helper()
	s.later()
	want := "phone_not_bound"
	if s.options.Strict {
		want = "wrong_password"
	}
	s.post("", "/v1/account/mixedLogin", "login_", nobodys, "password_", password).want(s.t, want, when)
	s.portal.Stop(s.t.Context())
	before := len(s.sent(nobodys))
	s.get("", "/v1/account/resetCode", "phone_", nobodys)
	s.portal.Stop(s.t.Context())
	if len(s.sent(nobodys)) != before {
		s.t.Errorf("%s: a code is sent", when)
	}
}

// unbinds unbinds the number from an account.
func (s *story) unbinds(m store.Member) {
	s.t.Helper()
	s.later()
	in := s.signsIn(nobodys, s.password, "ok")
	user := dataOf[answeredUser](s.t, s.post(in.Ticket, chosenPath, "account_id_", fmt.Sprint(m.ID)))
	s.get(user.Token, "/v1/account/unbindPhoneCode").want(s.t, "ok")
	s.post(user.Token, "/v1/account/unbindPhone", "code_", s.codeTo(nobodys), "password_", "Haring4711").want(s.t, "ok")
}

// A stranger's company opens accounts for a number. Its holder registers, binds, unbinds and gives the number up by
// calls; the next holder proves it. Each sees and enters only what they accepted.
func TestTheStoryOfANumberThatAStrangerOpensAccountsFor(t *testing.T) {
	for name, strict := range map[string]bool{"spec": false, "strict": true} {
		t.Run(name, func(t *testing.T) {
			eachChat(t, func(t *testing.T, chat *chatSite) {
				s := &story{chat.site, fresh}
				stranger := s.founds("13900000666", "金穗粮油")
				customer := s.opens(stranger, backoffice.OpenAccountInput{Side: "shop", Type: 3, ClientName: "芳华便利店"})
				employee := s.opens(stranger, backoffice.OpenAccountInput{Side: "mgr", Type: 1})
				s.nobody("before the holder came", fresh)
				params := completionOf(nobodys, "123456", "company_id_", fmt.Sprint(stranger.CompanyID))
				s.post("", completePath, params...).want(t, "code_expired", "the stranger has no code")

				s.later()
				own := s.founds(nobodys, "海风商行")
				s.owns("registered", []store.Member{own}, []store.Member{employee, customer})

				s.later()
				planted := chat.recognised(somebody("o-planted")).Ticket // by somebody who knew the account's password
				s.post("", bindPath, "ticket_", planted, "login_", "nophone", "password_", onboarding.DemoPassword).
					want(t, "ok")
				s.later()
				in := s.signIn("nophone")
				bound, err := s.db.Accounts.ByID(t.Context(), 1001, in.User.ID)
				noError(t, err)
				s.get(in.token(t), "/v1/account/bindPhoneCode", "phone_", nobodys).want(t, "ok")
				s.post(in.token(t), "/v1/account/bindPhone", "phone_", nobodys, "code_", s.codeTo(nobodys),
					"password_", fresh).want(t, "ok")
				s.owns("bound", []store.Member{own, bound}, []store.Member{employee, customer})
				planted = chat.recognised(somebody("o-planted")).Ticket
				s.post("", ticketPath, "ticket_", planted).refused(t, "the WeChat linked before the binding")
				s.post("", "/v1/account/mixedLogin", "login_", "nophone", "password_", onboarding.DemoPassword).
					refused(t, "the password from before the binding")

				s.later()
				kept := chat.recognised(somebody("o-former")).Ticket
				s.post("", bindPath, "ticket_", kept, "login_", nobodys, "password_", fresh).want(t, "ok")

				s.unbinds(bound)
				s.owns("unbound", []store.Member{own}, []store.Member{employee, customer})
				former := s.signsIn(nobodys, fresh, "ok")
				s.unbinds(own)
				s.get(former.token(t), "/v1/account/getAccountList").want(t, "login_required", "given up")
				s.nobody("given up", fresh)
				kept = chat.recognised(somebody("o-former")).Ticket
				s.post("", ticketPath, "ticket_", kept).refused(t, "the former holder's WeChat")

				sur, err := s.db.Accounts.ByLogin(t.Context(), "sur")
				noError(t, err)
				wanted := s.opens(sur[0], backoffice.OpenAccountInput{Side: "shop", Type: 3, ClientName: "Cantina"})
				s.nobody("offered to the next holder", fresh)
				s.later()
				s.get("", "/v1/account/shopRegisterCode", "phone_", nobodys, "company_id_", "1002").want(t, "ok")
				params = completionOf(nobodys, s.codeTo(nobodys), "company_id_", "1002", "password_", nextPassword,
					"confirm_password_", nextPassword)
				user := dataOf[answeredUser](t, s.post("", completePath, params...))
				if user.ID != wanted.ID {
					t.Errorf("the next holder is %+v", user)
				}
				s.signsIn(nobodys, fresh, "wrong_password")
				s.password = nextPassword
				kept = chat.recognised(somebody("o-former")).Ticket
				s.post("", ticketPath, "ticket_", kept).
					refused(t, "the former holder's WeChat at the next holder's accounts")
				s.owns("the next holder", []store.Member{wanted}, []store.Member{employee, customer})
			}, func(o *portal.Options) { o.Strict = strict })
		})
	}
}

// refused checks that a sign-in is refused, whatever the reason.
func (got answered) refused(t testing.TB, what string) {
	t.Helper()
	if got.Code == "ok" {
		t.Errorf("%s still signs in", what)
	}
}
