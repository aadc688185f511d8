package api

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/store"
)

// beginBinding signs in as "nophone" and requests a code for the phone to bind. bind calls bindPhone with that code and
// the parameters in more; it leaves out an empty password.
func (s *site) beginBinding(phone string, more ...string) (login loginData, bind func(password string) apiResponse) {
	s.t.Helper()
	login = s.signIn("nophone")
	s.get(login.token(s.t), "/v1/account/bindPhoneCode", "phone_", phone).wantCode(s.t, "ok", phone)
	code := s.lastCode(phone)
	return login, func(password string) apiResponse {
		s.t.Helper()
		params := append([]string{"phone_", phone, "code_", code}, more...)
		if password != "" {
			params = append(params, "password_", password)
		}
		return s.post(login.token(s.t), "/v1/account/bindPhone", params...)
	}
}

// setBindPassword calls setBindPhonePassword.
func (s *site) setBindPassword(token, password string) apiResponse {
	s.t.Helper()
	return s.post(token, "/v1/account/setBindPhonePassword", "password_", password, "confirm_password_", password)
}

// wantBoundPhone checks which phone is bound to the account "nophone". "" means none.
func (s *site) wantBoundPhone(phone string) {
	s.t.Helper()
	members, err := s.db.Accounts.ByLogin(s.t.Context(), "nophone")
	noError(s.t, err)
	if members[0].Phone != phone {
		s.t.Errorf("%q is bound, want %q", members[0].Phone, phone)
	}
}

// unbindPhone unbinds the phone of the account "nophone" and gives it a password of its own again, by its hash.
func (s *site) unbindPhone(hash string) {
	s.t.Helper()
	members, err := s.db.Accounts.ByLogin(s.t.Context(), "nophone")
	noError(s.t, err)
	noError(s.t, s.db.Persons.Unbind(s.t.Context(), members[0].CompanyID, members[0].ID, members[0].PersonID))
	noError(s.t, s.db.Passwords.SetAccount(s.t.Context(), members[0].CompanyID, members[0].ID, hash))
}

// The first of three ways to confirm a binding: an unregistered phone gets the new password.
func TestBindingUnregisteredPhoneSetsItsPassword(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		login, bind := s.beginBinding(unregisteredPhone)
		if got := bind(""); string(rawData(t, got)) != `{"bind_phone_":null,"needs_password_":true}` {
			t.Errorf("%s", got.body)
		}
		s.wantBoundPhone("")
		if got := s.setBindPassword(login.token(t),
			newPassword); string(rawData(t, got)) != `{"bind_phone_":"`+unregisteredPhone+`"}` {
			t.Errorf("%s", got.body)
		}
		s.wantBoundPhone(unregisteredPhone)
		if by := s.wantSignIn(unregisteredPhone, newPassword, "ok"); by.User == nil || by.User.Login != "nophone" {
			t.Errorf("%+v", by)
		}
		s.wantSignIn("nophone", onboarding.DemoPassword, "wrong_password") // the account's own password ended
		s.get(login.token(t), "/v1/account/getAccountList").wantCode(t, "ok", "the caller's token remains valid")
		s.portal.Stop(t.Context())
		if messages := s.messagesTo(unregisteredPhone); messages[len(messages)-1].Notice != core.NoticeBound {
			t.Errorf("the phone got no notice: %+v", messages)
		}
		for what, got := range map[string]apiResponse{
			"bindPhone":            bind(secondPassword),
			"setBindPhonePassword": s.setBindPassword(login.token(t), secondPassword),
			"bindPhoneCode":        s.get(login.token(t), "/v1/account/bindPhoneCode", "phone_", "13912345679"),
		} {
			got.wantCode(t, "wrong_parameters", what, "again")
		}
		s.wantSignIn(unregisteredPhone, newPassword, "ok")
	})
}

func TestBindingUnregisteredPhoneWithPasswordTakesOneCall(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		_, bind := s.beginBinding(unregisteredPhone)
		if got := bind(newPassword); string(rawData(t,
			got)) != `{"bind_phone_":"`+unregisteredPhone+`","needs_password_":false}` {
			t.Errorf("%s", got.body)
		}
		s.wantBoundPhone(unregisteredPhone)
		s.wantSignIn(unregisteredPhone, newPassword, "ok")
	})
}

// The second way: the phone's password confirms the binding.
func TestBindingRegisteredPhoneRequiresItsPassword(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		login, bind := s.beginBinding("13800000001")
		phones := s.signIn("13800000001").token(t)
		if got := bind(""); string(rawData(t, got)) != `{"bind_phone_":null,"needs_password_":true}` {
			t.Errorf("%s", got.body)
		}
		wrong := bind("Wrong2026").wantCode(t, "wrong_password")
		if d := wrong.refusalDetail(t); d.Left == nil || *d.Left != signin.ProofFailures-1 {
			t.Errorf("%s", wrong.body)
		}
		s.wantBoundPhone("")
		s.signIn("13800000001") // clears the failure
		bind(onboarding.DemoPassword).wantCode(t, "ok", "the code can still be used")
		s.wantBoundPhone("13800000001")
		if by := s.signIn("13800000001"); len(by.Shop) != 2 {
			t.Errorf("%+v", by)
		}
		s.get(phones, "/v1/account/getAccountList").wantCode(t, "ok", "the phone's password did not change")
		s.get(login.token(t), "/v1/account/getAccountList").wantCode(t, "ok")
	})
}

func TestWrongPasswordsWhenBindingAreLimited(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		_, bind := s.beginBinding("13800000001")
		for range signin.FreeFailures + 1 {
			bind("Wrong2026").wantCode(t, "wrong_password")
		}
		got := bind(onboarding.DemoPassword).wantCode(t, "too_many_attempts")
		if got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			t.Errorf("%d %v", got.http, got.header)
		}
		s.wantBoundPhone("")
	})
}

// The third way: a new password is set and becomes the password of the phone.
func TestBindingRegisteredPhoneCanReplaceItsPassword(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		login, bind := s.beginBinding("13800000001")
		phones := s.signIn("13800000001").token(t)
		bind("").wantCode(t, "ok")
		if d := s.setBindPassword(login.token(t), onboarding.DemoPassword).
			wantCode(t, "validation_failed", "the password is the old one").
			refusalDetail(t); d.Fields["password_"] == "" {
			t.Errorf("%+v", d)
		}
		s.setBindPassword(login.token(t), newPassword).wantCode(t, "ok")
		s.wantBoundPhone("13800000001")
		s.get(phones, "/v1/account/getAccountList").wantCode(t, "login_required", "opened with the old password")
		s.get(login.token(t), "/v1/account/getAccountList").wantCode(t, "ok", "the caller's token remains valid")
		s.wantSignIn("13800000001", onboarding.DemoPassword, "wrong_password")
		s.wantSignIn("13800000001", newPassword, "ok")
		// the own password of the other account ended too
		s.wantSignIn("buyer1", onboarding.DemoPassword, "wrong_password")
	})
}

func TestBindingKeepsAccountPasswordOnRequest(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		_, bind := s.beginBinding("13800000001", "keep_passwords_", "1")
		bind(onboarding.DemoPassword).wantCode(t, "ok")
		s.wantSignIn("nophone", onboarding.DemoPassword, "ok")
		s.wantSignIn("buyer1", onboarding.DemoPassword, "ok")
	})
	eachDatabase(t, func(t *testing.T, s *site) {
		login, bind := s.beginBinding("13800000001")
		bind("").wantCode(t, "ok")
		s.post(
			login.token(t), "/v1/account/setBindPhonePassword", "password_", newPassword, "confirm_password_",
			newPassword,
			"keep_passwords_", "1",
		).wantCode(t, "ok")
		s.wantSignIn("nophone", onboarding.DemoPassword, "ok")
		s.wantSignIn("buyer1", onboarding.DemoPassword, "ok")
	})
	eachDatabase(t, func(t *testing.T, s *site) {
		_, bind := s.beginBinding("13800000001", "keep_passwords_", "0")
		bind(onboarding.DemoPassword).wantCode(t, "ok")
		s.wantSignIn("nophone", onboarding.DemoPassword, "wrong_password")
	})
}

func TestSetBindPhonePasswordNeedsRecentCodeCheckBySameToken(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		login, bind := s.beginBinding("13800000001")
		s.setBindPassword(login.token(t), newPassword).wantCode(t, "code_expired", "the code was not shown")
		bind("").wantCode(t, "ok")
		second := s.signIn("nophone").token(t)
		s.setBindPassword(second, newPassword).wantCode(t, "code_expired", "another token of the account")
		s.post(
			second, "/v1/account/bindPhone", "phone_", "13800000001", "code_", s.lastCode("13800000001"), "password_",
			onboarding.DemoPassword,
		).
			wantCode(t, "code_expired", "another token of the account")
		s.setBindPassword(s.signIn("northwind").token(t), newPassword).wantCode(t, "code_expired", "another account")
		s.setBindPassword("", newPassword).wantCode(t, "login_required")
		if d := s.post(
			login.token(t), "/v1/account/setBindPhonePassword", "password_", newPassword, "confirm_password_",
			secondPassword,
		).
			wantCode(t, "validation_failed").
			refusalDetail(t); d.Fields["confirm_password_"] == "" {
			t.Errorf("%+v", d)
		}
		s.advance(core.ProofLife)
		s.setBindPassword(login.token(t), newPassword).wantCode(t, "code_expired", "ten minutes later")
		bind(onboarding.DemoPassword).wantCode(t, "code_expired", "ten minutes later")
		s.wantBoundPhone("")
		s.wantSignIn("13800000001", onboarding.DemoPassword, "ok")
	})
}

// When a person registers a phone while another person binds it, the person who registered keeps their password.
func TestPhoneRegisteredDuringBindingKeepsItsPassword(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.options.Hash = core.HashCost{Memory: 4 << 10, Passes: 100, Threads: 1} // long enough to register in
		s.restart()
		members, err := s.db.Accounts.ByLogin(t.Context(), "nophone")
		noError(t, err)
		for what, begin := range map[string]func(phone string) func() apiResponse{
			"bindPhone": func(phone string) func() apiResponse {
				_, bind := s.beginBinding(phone)
				return func() apiResponse { return bind(newPassword) }
			},
			"setBindPhonePassword": func(phone string) func() apiResponse {
				login, bind := s.beginBinding(phone)
				bind("").wantCode(t, "ok", phone)
				return func() apiResponse { return s.setBindPassword(login.token(t), newPassword) }
			},
		} {
			code := ""
			// A phone that is registered too early or too late is refused or bound. On a busy machine the right moment
			// is later.
			for i := 0; code != "data_abnormal" && i < 40; i++ {
				phone := fmt.Sprintf("1391234%02d%02d", len(what), i)
				finish, got := begin(phone), make(chan apiResponse)
				go func() { got <- finish() }()
				time.Sleep(time.Duration(100+20*i) * time.Millisecond)
				s.registerPhone(phone)
				if code = (<-got).Code; code == "data_abnormal" {
					s.wantSignIn(phone, newPassword, "wrong_password")
					s.wantBoundPhone("")
				}
				if code == "ok" {
					s.unbindPhone(members[0].PasswordHash) // the binding has ended it
				}
			}
			if code != "data_abnormal" {
				t.Errorf("%s: %s", what, code)
			}
		}
	})
}

func TestBindingWithWrongCodeIsRefused(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		login, bind := s.beginBinding(unregisteredPhone)
		try := func(params ...string) apiResponse { return s.post(login.token(t), "/v1/account/bindPhone", params...) }
		try("phone_", unregisteredPhone, "code_", differentCode(s.lastCode(unregisteredPhone)), "password_",
			newPassword).wantCode(t, "code_wrong")
		try(
			"phone_", "13800000001", "code_", s.lastCode(unregisteredPhone), "password_", onboarding.DemoPassword,
		).wantCode(t, "code_expired", "another phone")
		for field, got := range map[string]apiResponse{
			"phone_": try("phone_", "123", "code_", "123456"), "code_": try("phone_", unregisteredPhone, "code_", "12"),
		} {
			if d := got.wantCode(t, "validation_failed").refusalDetail(t); d.Fields[field] == "" || len(d.Fields) != 1 {
				t.Errorf("%s: %s", field, got.body)
			}
		}
		s.wantBoundPhone("")
		bind(newPassword).wantCode(t, "ok")
	})
}

func TestBindingExclusivePhoneIsRefused(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		company, err := s.db.Companies.ByID(t.Context(), 1001)
		noError(t, err)
		company.ID, company.ExclusivePhones = 1100, true
		_, err = s.db.Companies.Save(t.Context(), company)
		noError(t, err)
		phone := "13800000012" // company 1008's
		row, err := s.db.Persons.ByNumber(t.Context(), phone)
		noError(t, err)
		_, err = s.db.Accounts.Add(t.Context(), store.Account{
			CompanyID: 1100, Side: store.Mgr, Type: store.TypeEmployee, Login: "keeper", PasswordHash: row.PasswordHash,
			State: store.AccountActive, CreatedAt: 1,
		})
		noError(t, err)
		token := s.signIn("keeper").token(t)
		s.get(token, "/v1/account/bindPhoneCode", "phone_", phone).wantCode(t, "ok")
		for _, password := range []string{"", onboarding.DemoPassword} {
			s.post(token, "/v1/account/bindPhone", "phone_", phone, "code_", s.lastCode(phone), "password_", password).
				wantCode(t, "phone_bound_elsewhere", password)
		}
		s.setBindPassword(token, newPassword).wantCode(t, "phone_bound_elsewhere")
		if by := s.signIn(phone); len(by.Mgr)+len(by.Shop) != 2 {
			t.Errorf("%+v", by)
		}
	})
}

func TestUnbindingPhoneEndsSessionsOpenedByIt(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		phone := "13800000001"
		byPhone, byName, secondByName := s.signIn(phone), s.signIn("buyer1"), s.signIn("buyer1")
		unbind := func(token, code string, more ...string) apiResponse {
			return s.post(token, "/v1/account/unbindPhone", append([]string{"code_", code}, more...)...)
		}
		unbind(byName.token(t), "123456").wantCode(t, "code_expired", "none was sent")
		unbind(byName.token(t), "").wantCode(t, "validation_failed")
		s.get(byName.token(t), "/v1/account/unbindPhoneCode").wantCode(t, "ok")
		unbind(byPhone.token(t), s.lastCode(phone)).wantCode(t, "code_expired", "another token")
		unbind(byName.token(t), differentCode(s.lastCode(phone))).wantCode(t, "code_wrong")
		if got := unbind(byName.token(t), s.lastCode(phone)); string(rawData(t, got)) != `{}` {
			t.Errorf("%s", got.body)
		}
		s.get(byPhone.token(t), "/v1/account/getAccountList").wantCode(t, "login_required", "opened with the phone")
		s.get(secondByName.token(t), "/v1/account/getAccountList").wantCode(t, "login_required",
			"another token of the account")
		s.get(byName.token(t), "/v1/account/getAccountList").wantCode(t, "ok", "the caller's token")
		s.wantSignIn(phone, onboarding.DemoPassword, "phone_not_bound")
		if by := s.signIn("buyer1"); by.Phone != nil {
			t.Errorf("%+v", by)
		}
		unbind(byName.token(t), differentCode(s.lastCode(phone))).wantCode(t, "wrong_parameters", "another code")
		s.advance(core.RepeatWindow)
		unbind(byName.token(t), s.lastCode(phone)).wantCode(t, "wrong_parameters", "later")
		s.portal.Stop(t.Context())
		if messages := s.messagesTo(phone); messages[len(messages)-1].Notice != core.NoticeUnbound {
			t.Errorf("the phone got no notice: %+v", messages)
		}
	})
}

func TestUnbindingRequiresAccountPassword(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		phone := "13800000003" // of four accounts
		login := s.signIn(phone)
		noError(t, s.db.Passwords.SetAccount(t.Context(), 1001, login.Shop[0].ID, ""))
		chosen, otherAccount := s.signIn(phone, "account_id_", fmt.Sprint(login.Shop[0].ID)).
			token(t),
			s.signIn(phone, "company_id_", "1002").
				token(t)
		s.get(chosen, "/v1/account/unbindPhoneCode").wantCode(t, "ok")
		unbind := func(more ...string) apiResponse {
			return s.post(chosen, "/v1/account/unbindPhone", append([]string{"code_", s.lastCode(phone)}, more...)...)
		}
		if got := unbind().wantCode(t, "password_not_set"); got.Status != 1028 || got.http != http.StatusOK {
			t.Errorf("%d %s", got.http, got.body)
		}
		unbind("password_", "123456").wantCode(t, "validation_failed", "the rule refuses the password")
		s.get(chosen, "/v1/account/getAccountList").wantCode(t, "ok", "nothing changed")
		unbind("password_", newPassword).wantCode(t, "ok")
		s.get(chosen, "/v1/account/getAccountList").wantCode(t, "login_required",
			"the phone no longer opens the account")
		s.get(otherAccount, "/v1/account/getAccountList").wantCode(t, "ok", "another account of the phone")
		if by := s.wantSignIn("li.shop", newPassword, "ok"); by.Phone != nil || by.User == nil {
			t.Errorf("%+v", by)
		}
		if by := s.signIn(phone); len(by.Mgr)+len(by.Shop) != 3 {
			t.Errorf("%+v", by)
		}
	})
}

func TestUnbindingWithOldSessionRequiresPassword(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		phone := "13800000001"
		token := s.signIn(phone).token(t)
		s.advance(signin.FreshSession + time.Second)
		s.get(token, "/v1/account/unbindPhoneCode").wantCode(t, "ok")
		unbind := func(more ...string) apiResponse {
			return s.post(token, "/v1/account/unbindPhone", append([]string{"code_", s.lastCode(phone)}, more...)...)
		}
		if d := unbind().wantCode(t, "validation_failed").refusalDetail(t); d.Fields["password_"] == "" {
			t.Errorf("%+v", d)
		}
		unbind("password_", "Wrong2026").wantCode(t, "wrong_password")
		s.signIn(phone) // clears the failure
		unbind("password_", onboarding.DemoPassword).wantCode(t, "ok")
		s.wantSignIn(phone, onboarding.DemoPassword, "phone_not_bound")

		withoutPassword := s.signIn("13800000002") // this account has no password to confirm with
		noError(t, s.db.Passwords.SetAccount(t.Context(), 1001, withoutPassword.User.ID, ""))
		s.get(withoutPassword.token(t), "/v1/account/unbindPhoneCode").wantCode(t, "ok")
		s.advance(signin.FreshSession + time.Second)
		s.post(withoutPassword.token(t), "/v1/account/unbindPhone", "code_", s.lastCode("13800000002"), "password_",
			newPassword).
			wantCode(t, "login_required")
		s.get(withoutPassword.token(t), "/v1/account/unbindPhoneCode").wantCode(t, "login_required")
	})
}

func TestBindReminderIsTurnedOffByItsOwner(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		login, other := s.signIn("nophone"), s.signIn("buyer1")
		mark := func(token string, id int64, more ...string) apiResponse {
			return s.post(token, fmt.Sprintf("/v1/account/noAuth/markDoNotRemindBindPhone/%d", id), more...)
		}
		reminded := func(id int64) bool {
			t.Helper()
			m, err := s.db.Accounts.ByID(t.Context(), 1001, id)
			noError(t, err)
			return m.BindReminder
		}
		before := reminded(login.User.ID)
		mark("noise", login.User.ID).wantCode(t, "login_required")
		mark(login.token(t), login.User.ID, "user_id_", fmt.Sprint(other.User.ID)).wantCode(t, "wrong_parameters")
		foreign := mark(other.token(t), login.User.ID).wantCode(t, "not_found")
		none := mark(other.token(t), 999_999).wantCode(t, "not_found")
		if foreign.http != http.StatusNotFound || foreign.Message != none.Message ||
			string(foreign.Data) != string(none.Data) {
			t.Errorf("%s %s", foreign.body, none.body)
		}
		if reminded(login.User.ID) != before || !before {
			t.Errorf("reminded %v, was %v", reminded(login.User.ID), before)
		}
		mark(login.token(t), login.User.ID, "user_id_", fmt.Sprint(login.User.ID)).wantCode(t, "ok")
		mark(login.token(t), login.User.ID).wantCode(t, "ok", "again, and by the path alone")
		if reminded(login.User.ID) || !reminded(other.User.ID) {
			t.Error("the reminder of the wrong account was turned off")
		}
	})
}

func TestBindReminderIsTurnedOffWithoutTokenAndDisclosesNoAccount(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		nophone, other := s.memberByLogin("nophone"), s.memberByLogin("northwind")
		mark := func(id int64, more ...string) apiResponse {
			return s.post("", fmt.Sprintf("/v1/account/noAuth/markDoNotRemindBindPhone/%d", id), more...)
		}
		reminded := func(m store.Member) bool {
			t.Helper()
			now, err := s.db.Accounts.ByID(t.Context(), m.CompanyID, m.ID)
			noError(t, err)
			return now.BindReminder
		}
		mark(nophone.ID, "user_id_", fmt.Sprint(other.ID)).wantCode(t, "wrong_parameters")
		if !reminded(nophone) || !reminded(other) {
			t.Fatal("a refused call stops a reminder")
		}
		known, again := mark(nophone.ID, "user_id_", fmt.Sprint(nophone.ID)), mark(nophone.ID)
		unknown := mark(999_999)
		for _, a := range []apiResponse{known, again, unknown} {
			a.wantCode(t, "ok")
			if a.http != known.http || string(a.Data) != string(known.Data) || a.Message != known.Message {
				t.Errorf("%s differs from %s", a.body, known.body)
			}
		}
		if reminded(nophone) || !reminded(other) {
			t.Error("the reminder of the wrong account was turned off")
		}
	})
}

// memberByLogin returns the account with a name. It fails the test unless there is exactly one.
func (s *site) memberByLogin(login string) store.Member {
	s.t.Helper()
	members, err := s.db.Accounts.ByLogin(s.t.Context(), login)
	noError(s.t, err)
	if len(members) != 1 {
		s.t.Fatalf("%d accounts are called %s", len(members), login)
	}
	return members[0]
}

func TestBindReminderOfOfferedAccountIsKept(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		offer := s.offerAccountTo(offeredPhone)
		s.post("", fmt.Sprintf("/v1/account/noAuth/markDoNotRemindBindPhone/%d", offer.ID)).wantCode(t, "ok")
		m, err := s.db.Accounts.ByID(t.Context(), offer.CompanyID, offer.ID)
		if noError(t, err); m.BindReminder != offer.BindReminder {
			t.Error("an account that was not accepted yet was changed")
		}
	})
}
