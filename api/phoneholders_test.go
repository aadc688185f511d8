package api

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/office"
	"portico/portal/onboarding"
	"portico/store"
)

const nextHolderPassword = "Zeegras55"

// phoneHistory follows unregisteredPhone from its first holder to the next one.
type phoneHistory struct {
	*site
	password string // of the present holder
}

// advanceHour advances the clock by an hour.
func (s *phoneHistory) advanceHour() { s.advance(time.Hour) }

// lastCodeTo waits until all messages are sent, because strict mode sends them after the response, and returns the last
// code to a phone.
func (s *phoneHistory) lastCodeTo(phone string) string {
	s.t.Helper()
	s.portal.Stop(s.t.Context())
	return s.lastCode(phone)
}

// registerCompanyNamed registers a company with a name and returns its administrator.
func (s *phoneHistory) registerCompanyNamed(phone, company string) store.Member {
	s.t.Helper()
	s.get("", "/v1/account/registCode", "phone_", phone).wantCode(s.t, "ok", phone)
	params := companyParams(phone, s.lastCodeTo(phone), "company_name_", company)
	user := dataOf[userData](s.t, s.post("", createCompanyPath, params...))
	m, err := s.db.Accounts.ByID(s.t.Context(), user.CompanyID, user.ID)
	noError(s.t, err)
	return m
}

// openAccountBy lets an administrator open an account for the phone.
func (s *phoneHistory) openAccountBy(administrator store.Member, in office.OpenAccountInput) store.Member {
	s.t.Helper()
	in.Phone, in.Name = unregisteredPhone, "掌柜"
	opened, err := s.portal.Backoffice.OpenAccount(s.t.Context(), access.Landing{Member: administrator}, in)
	noError(s.t, err)
	return opened.Member
}

// wantAccounts signs in with the phone and checks that the person can enter exactly the accounts of entered and sees
// exactly the offers of offered.
func (s *phoneHistory) wantAccounts(when string, entered, offered []store.Member) {
	s.t.Helper()
	s.advanceHour()
	login := s.wantSignIn(unregisteredPhone, s.password, "ok")
	if single := len(entered) == 1; (login.User != nil) != single {
		s.t.Errorf("%s: the user is %+v", when, login.User)
	}
	states := map[int64]string{}
	for _, a := range append(login.Mgr, login.Shop...) {
		states[a.ID] = a.State
	}
	for _, c := range dataOf[[]companyAccounts](s.t, s.get(login.Ticket, "/v1/account/getAccountList")) {
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
		members, err := s.db.Accounts.After(s.t.Context(), company, "", 0, 1000)
		noError(s.t, err)
		for _, m := range members {
			isMember := func(other store.Member) bool { return other.ID == m.ID }
			code, state := "not_found", ""
			switch {
			case slices.ContainsFunc(entered, isMember):
				code, state = "ok", "active"
			case slices.ContainsFunc(offered, isMember):
				code, state = "offered", "offered"
			}
			if states[m.ID] != state {
				s.t.Errorf("%s: %s is %q, want %q", when, m.Login, states[m.ID], state)
			}
			entering := s.get(login.Ticket, "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(m.ID))
			entering.wantCode(s.t, code, when, m.Login)
		}
	}
}

// wantNoSignIn checks that nobody can sign in with the phone, and that no code is sent to reset its password.
func (s *phoneHistory) wantNoSignIn(when, password string) {
	s.t.Helper()
	s.advanceHour()
	want := "phone_not_bound"
	if s.options.Strict {
		want = "wrong_password"
	}
	s.post("", "/v1/account/mixedLogin", "login_", unregisteredPhone, "password_", password).wantCode(s.t, want, when)
	s.portal.Stop(s.t.Context())
	before := len(s.messagesTo(unregisteredPhone))
	s.get("", "/v1/account/resetCode", "phone_", unregisteredPhone)
	s.portal.Stop(s.t.Context())
	if len(s.messagesTo(unregisteredPhone)) != before {
		s.t.Errorf("%s: a code is sent", when)
	}
}

// unbindFrom unbinds the phone from an account.
func (s *phoneHistory) unbindFrom(m store.Member) {
	s.t.Helper()
	s.advanceHour()
	login := s.wantSignIn(unregisteredPhone, s.password, "ok")
	user := dataOf[userData](s.t, s.post(login.Ticket, chooseAccountPath, "account_id_", fmt.Sprint(m.ID)))
	s.get(user.Token, "/v1/account/unbindPhoneCode").wantCode(s.t, "ok")
	s.post(user.Token, "/v1/account/unbindPhone", "code_", s.lastCodeTo(unregisteredPhone), "password_",
		"Haring4711").wantCode(s.t, "ok")
}

// Another person's company opens accounts for a phone. The phone's holder registers, binds, unbinds and gives the phone
// up by calls; then the next holder verifies it. Each holder sees and enters only the accounts that they accepted.
func TestPhoneHolderEntersOnlyAcceptedAccounts(t *testing.T) {
	for name, strict := range map[string]bool{"spec": false, "strict": true} {
		t.Run(name, func(t *testing.T) {
			eachDatabaseWithChat(t, func(t *testing.T, chat *chatSite) {
				s := &phoneHistory{chat.site, newPassword}
				otherAdministrator := s.registerCompanyNamed("13900000666", "金穗粮油")
				customer := s.openAccountBy(otherAdministrator,
					office.OpenAccountInput{Side: "shop", Type: 3, ClientName: "芳华便利店"})
				employee := s.openAccountBy(otherAdministrator, office.OpenAccountInput{Side: "mgr", Type: 1})
				s.wantNoSignIn("before the holder registered", newPassword)
				params := setupParams(unregisteredPhone, "123456", "company_id_",
					fmt.Sprint(otherAdministrator.CompanyID))
				s.post("", setupPath, params...).wantCode(t, "code_expired", "the stranger has no code")

				s.advanceHour()
				own := s.registerCompanyNamed(unregisteredPhone, "海风商行")
				s.wantAccounts("registered", []store.Member{own}, []store.Member{employee, customer})

				s.advanceHour()
				// linked by a person who knew the account's password
				planted := chat.weChatIdentity(identityOf("o-planted")).Ticket
				s.post("", linkWeChatPath, "ticket_", planted, "login_", "nophone", "password_",
					onboarding.DemoPassword).
					wantCode(t, "ok")
				s.advanceHour()
				login := s.signIn("nophone")
				bound, err := s.db.Accounts.ByID(t.Context(), 1001, login.User.ID)
				noError(t, err)
				s.get(login.token(t), "/v1/account/bindPhoneCode", "phone_", unregisteredPhone).wantCode(t, "ok")
				s.post(login.token(t), "/v1/account/bindPhone", "phone_", unregisteredPhone, "code_",
					s.lastCodeTo(unregisteredPhone),
					"password_", newPassword).wantCode(t, "ok")
				s.wantAccounts("bound", []store.Member{own, bound}, []store.Member{employee, customer})
				planted = chat.weChatIdentity(identityOf("o-planted")).Ticket
				s.post("", openIDLoginPath, "ticket_", planted).wantRefusal(t, "the WeChat linked before the binding")
				s.post("", "/v1/account/mixedLogin", "login_", "nophone", "password_", onboarding.DemoPassword).
					wantRefusal(t, "the password from before the binding")

				s.advanceHour()
				kept := chat.weChatIdentity(identityOf("o-former")).Ticket
				s.post("", linkWeChatPath, "ticket_", kept, "login_", unregisteredPhone, "password_",
					newPassword).wantCode(t, "ok")

				s.unbindFrom(bound)
				s.wantAccounts("unbound", []store.Member{own}, []store.Member{employee, customer})
				former := s.wantSignIn(unregisteredPhone, newPassword, "ok")
				s.unbindFrom(own)
				s.get(former.token(t), "/v1/account/getAccountList").wantCode(t, "login_required", "given up")
				s.wantNoSignIn("given up", newPassword)
				kept = chat.weChatIdentity(identityOf("o-former")).Ticket
				s.post("", openIDLoginPath, "ticket_", kept).wantRefusal(t, "the former holder's WeChat")

				sur, err := s.db.Accounts.ByLogin(t.Context(), "sur")
				noError(t, err)
				offer := s.openAccountBy(sur[0],
					office.OpenAccountInput{Side: "shop", Type: 3, ClientName: "Cantina"})
				s.wantNoSignIn("offered to the next holder", newPassword)
				s.advanceHour()
				s.get("", "/v1/account/shopRegisterCode", "phone_", unregisteredPhone, "company_id_",
					"1002").wantCode(t, "ok")
				params = setupParams(unregisteredPhone, s.lastCodeTo(unregisteredPhone), "company_id_", "1002",
					"password_", nextHolderPassword,
					"confirm_password_", nextHolderPassword)
				user := dataOf[userData](t, s.post("", setupPath, params...))
				if user.ID != offer.ID {
					t.Errorf("the next holder is %+v", user)
				}
				s.wantSignIn(unregisteredPhone, newPassword, "wrong_password")
				s.password = nextHolderPassword
				kept = chat.weChatIdentity(identityOf("o-former")).Ticket
				s.post("", openIDLoginPath, "ticket_", kept).
					wantRefusal(t, "the former holder's WeChat at the next holder's accounts")
				s.wantAccounts("the next holder", []store.Member{offer}, []store.Member{employee, customer})
			}, func(o *portal.Options) { o.Strict = strict })
		})
	}
}

// wantRefusal checks that a sign-in is refused, for any reason.
func (got apiResponse) wantRefusal(t testing.TB, what string) {
	t.Helper()
	if got.Code == "ok" {
		t.Errorf("%s still signs in", what)
	}
}
