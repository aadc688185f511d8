package api

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"portico/portal/onboarding"
	"portico/portal/passwords"
	"portico/portal/replay"
	"portico/portal/signin"
	"portico/portal/verification"
	"portico/store"
)

// binding signs in as "nophone" and requests a code for the phone to bind.
// more are further parameters of bindPhone.
func (s *site) binding(phone string, more ...string) (in answeredLogin, bind func(password string) answered) {
	s.t.Helper()
	in = s.signIn("nophone")
	s.get(in.token(s.t), "/v1/account/bindPhoneCode", "phone_", phone).want(s.t, "ok", phone)
	code := s.code(phone)
	return in, func(password string) answered {
		s.t.Helper()
		params := append([]string{"phone_", phone, "code_", code}, more...)
		if password != "" {
			params = append(params, "password_", password)
		}
		return s.post(in.token(s.t), "/v1/account/bindPhone", params...)
	}
}

func (s *site) setBindPassword(token, password string) answered {
	s.t.Helper()
	return s.post(token, "/v1/account/setBindPhonePassword", "password_", password, "confirm_password_", password)
}

// boundTo checks which phone is bound to "nophone".
func (s *site) boundTo(phone string) {
	s.t.Helper()
	members, err := s.db.Accounts.ByLogin(s.t.Context(), "nophone")
	noError(s.t, err)
	if members[0].Phone != phone {
		s.t.Errorf("%q is bound, want %q", members[0].Phone, phone)
	}
}

// unbound takes the phone of "nophone" away again.
func (s *site) unbound() {
	s.t.Helper()
	members, err := s.db.Accounts.ByLogin(s.t.Context(), "nophone")
	noError(s.t, err)
	noError(s.t, s.db.Phones.Unbind(s.t.Context(), members[0].CompanyID, members[0].ID, members[0].PhoneID))
}

// The first of three ways to confirm a binding: a phone without a person gets the new password.
func TestBindingAPhoneNobodyRegistered(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in, bind := s.binding(nobodys)
		if got := bind(""); string(dataRaw(t, got)) != `{"bind_phone_":null,"needs_password_":true}` {
			t.Errorf("%s", got.body)
		}
		s.boundTo("")
		if got := s.setBindPassword(in.token(t), fresh); string(dataRaw(t, got)) != `{"bind_phone_":"`+nobodys+`"}` {
			t.Errorf("%s", got.body)
		}
		s.boundTo(nobodys)
		if by := s.signsIn(nobodys, fresh, "ok"); by.User == nil || by.User.Login != "nophone" {
			t.Errorf("%+v", by)
		}
		s.signsIn("nophone", onboarding.DemoPassword, "wrong_password") // its own password ended
		s.get(in.token(t), "/v1/account/getAccountList").want(t, "ok", "its own token stays")
		s.portal.Stop(t.Context())
		if all := s.sent(nobodys); all[len(all)-1].Notice != verification.NoticeBound {
			t.Errorf("the phone was not told: %+v", all)
		}
		for what, got := range map[string]answered{
			"bindPhone": bind(fresher), "setBindPhonePassword": s.setBindPassword(in.token(t), fresher),
			"bindPhoneCode": s.get(in.token(t), "/v1/account/bindPhoneCode", "phone_", "13912345679"),
		} {
			got.want(t, "wrong_parameters", what, "again")
		}
		s.signsIn(nobodys, fresh, "ok")
	})
}

func TestBindingANewPhoneWithItsPasswordAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		_, bind := s.binding(nobodys)
		if got := bind(fresh); string(dataRaw(t, got)) != `{"bind_phone_":"`+nobodys+`","needs_password_":false}` {
			t.Errorf("%s", got.body)
		}
		s.boundTo(nobodys)
		s.signsIn(nobodys, fresh, "ok")
	})
}

// The second way: the phone's password confirms the binding.
func TestBindingARegisteredPhoneTakesItsPassword(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in, bind := s.binding("13800000001")
		phones := s.signIn("13800000001").token(t)
		if got := bind(""); string(dataRaw(t, got)) != `{"bind_phone_":null,"needs_password_":true}` {
			t.Errorf("%s", got.body)
		}
		wrong := bind("Wrong2026").want(t, "wrong_password")
		if d := wrong.detail(t); d.Left == nil || *d.Left != signin.ProofFailures-1 {
			t.Errorf("%s", wrong.body)
		}
		s.boundTo("")
		s.signIn("13800000001") // clears the failure
		bind(onboarding.DemoPassword).want(t, "ok", "the code was right before and is still good")
		s.boundTo("13800000001")
		if by := s.signIn("13800000001"); len(by.Shop) != 2 {
			t.Errorf("%+v", by)
		}
		s.get(phones, "/v1/account/getAccountList").want(t, "ok", "its password is as it was")
		s.get(in.token(t), "/v1/account/getAccountList").want(t, "ok")
	})
}

func TestWrongPasswordsOfAPhoneToBindAreLimited(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		_, bind := s.binding("13800000001")
		for range signin.FreeFailures + 1 {
			bind("Wrong2026").want(t, "wrong_password")
		}
		got := bind(onboarding.DemoPassword).want(t, "too_many_attempts")
		if got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			t.Errorf("%d %v", got.http, got.header)
		}
		s.boundTo("")
	})
}

// The third way: a new password is set and becomes the password of the phone.
func TestBindingWithoutThePhonesPasswordSetsANewOne(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in, bind := s.binding("13800000001")
		phones := s.signIn("13800000001").token(t)
		bind("").want(t, "ok")
		if d := s.setBindPassword(in.token(t), onboarding.DemoPassword).
			want(t, "validation_failed", "it is the old one").
			detail(t); d.Fields["password_"] == "" {
			t.Errorf("%+v", d)
		}
		s.setBindPassword(in.token(t), fresh).want(t, "ok")
		s.boundTo("13800000001")
		s.get(phones, "/v1/account/getAccountList").want(t, "login_required", "opened with the old password")
		s.get(in.token(t), "/v1/account/getAccountList").want(t, "ok", "its own token stays")
		s.signsIn("13800000001", onboarding.DemoPassword, "wrong_password")
		s.signsIn("13800000001", fresh, "ok")
		s.signsIn("buyer1", onboarding.DemoPassword, "wrong_password") // the other account's own password ended too
	})
}

func TestABindingKeepsTheAccountsOwnPasswordWhenItIsAskedTo(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		_, bind := s.binding("13800000001", "keep_passwords_", "1")
		bind(onboarding.DemoPassword).want(t, "ok")
		s.signsIn("nophone", onboarding.DemoPassword, "ok")
		s.signsIn("buyer1", onboarding.DemoPassword, "ok")
	})
	each(t, func(t *testing.T, s *site) {
		in, bind := s.binding("13800000001")
		bind("").want(t, "ok")
		s.post(
			in.token(t), "/v1/account/setBindPhonePassword", "password_", fresh, "confirm_password_", fresh,
			"keep_passwords_", "1",
		).want(t, "ok")
		s.signsIn("nophone", onboarding.DemoPassword, "ok")
		s.signsIn("buyer1", onboarding.DemoPassword, "ok")
	})
	each(t, func(t *testing.T, s *site) {
		_, bind := s.binding("13800000001", "keep_passwords_", "0")
		bind(onboarding.DemoPassword).want(t, "ok")
		s.signsIn("nophone", onboarding.DemoPassword, "wrong_password")
	})
}

func TestABindingsPasswordNeedsAFreshProofOfTheSameToken(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in, bind := s.binding("13800000001")
		s.setBindPassword(in.token(t), fresh).want(t, "code_expired", "the code was not shown")
		bind("").want(t, "ok")
		second := s.signIn("nophone").token(t)
		s.setBindPassword(second, fresh).want(t, "code_expired", "another token of the account")
		s.post(
			second, "/v1/account/bindPhone", "phone_", "13800000001", "code_", s.code("13800000001"), "password_",
			onboarding.DemoPassword,
		).
			want(t, "code_expired", "another token of the account")
		s.setBindPassword(s.signIn("northwind").token(t), fresh).want(t, "code_expired", "another account")
		s.setBindPassword("", fresh).want(t, "login_required")
		if d := s.post(
			in.token(t), "/v1/account/setBindPhonePassword", "password_", fresh, "confirm_password_", fresher,
		).
			want(t, "validation_failed").
			detail(t); d.Fields["confirm_password_"] == "" {
			t.Errorf("%+v", d)
		}
		s.advance(verification.ProofLife)
		s.setBindPassword(in.token(t), fresh).want(t, "code_expired", "ten minutes later")
		bind(onboarding.DemoPassword).want(t, "code_expired", "ten minutes later")
		s.boundTo("")
		s.signsIn("13800000001", onboarding.DemoPassword, "ok")
	})
}

// When a phone is registered while somebody else binds it, the person who registered keeps their own password.
func TestAPhoneRegisteredWhileItIsBoundIsNotTakenOver(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		s.options.Hash = passwords.HashCost{Memory: 4 << 10, Passes: 100, Threads: 1} // long enough to register in
		s.restart()
		for what, begin := range map[string]func(phone string) func() answered{
			"bindPhone": func(phone string) func() answered {
				_, bind := s.binding(phone)
				return func() answered { return bind(fresh) }
			},
			"setBindPhonePassword": func(phone string) func() answered {
				in, bind := s.binding(phone)
				bind("").want(t, "ok", phone)
				return func() answered { return s.setBindPassword(in.token(t), fresh) }
			},
		} {
			code := ""
			// A phone that is registered too early or too late is refused or bound. On a busy machine the right moment
			// is later.
			for i := 0; code != "data_abnormal" && i < 40; i++ {
				phone := fmt.Sprintf("1391234%02d%02d", len(what), i)
				finish, got := begin(phone), make(chan answered)
				go func() { got <- finish() }()
				time.Sleep(time.Duration(100+20*i) * time.Millisecond)
				s.setPasswordOfNew(phone)
				if code = (<-got).Code; code == "data_abnormal" {
					s.signsIn(phone, fresh, "wrong_password")
					s.boundTo("")
				}
				if code == "ok" {
					s.unbound()
				}
			}
			if code != "data_abnormal" {
				t.Errorf("%s: %s", what, code)
			}
		}
	})
}

func TestAWrongCodeBindsNothing(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in, bind := s.binding(nobodys)
		try := func(params ...string) answered { return s.post(in.token(t), "/v1/account/bindPhone", params...) }
		try("phone_", nobodys, "code_", other(s.code(nobodys)), "password_", fresh).want(t, "code_wrong")
		try(
			"phone_", "13800000001", "code_", s.code(nobodys), "password_", onboarding.DemoPassword,
		).want(t, "code_expired", "another phone")
		for field, got := range map[string]answered{
			"phone_": try("phone_", "123", "code_", "123456"), "code_": try("phone_", nobodys, "code_", "12"),
		} {
			if d := got.want(t, "validation_failed").detail(t); d.Fields[field] == "" || len(d.Fields) != 1 {
				t.Errorf("%s: %s", field, got.body)
			}
		}
		s.boundTo("")
		bind(fresh).want(t, "ok")
	})
}

func TestACompanyMayKeepItsPhonesToItself(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		company, err := s.db.Companies.ByID(t.Context(), 1001)
		noError(t, err)
		company.ID, company.ExclusivePhones = 1100, true
		_, err = s.db.Companies.Save(t.Context(), company)
		noError(t, err)
		phone := "13800000012" // company 1008's
		row, err := s.db.Phones.ByNumber(t.Context(), phone)
		noError(t, err)
		_, err = s.db.Accounts.Add(t.Context(), store.Account{
			CompanyID: 1100, Side: store.Mgr, Type: store.TypeEmployee, Login: "keeper", PasswordHash: row.PasswordHash,
			State: store.AccountActive, CreatedAt: 1,
		})
		noError(t, err)
		token := s.signIn("keeper").token(t)
		s.get(token, "/v1/account/bindPhoneCode", "phone_", phone).want(t, "ok")
		for _, password := range []string{"", onboarding.DemoPassword} {
			s.post(token, "/v1/account/bindPhone", "phone_", phone, "code_", s.code(phone), "password_", password).
				want(t, "phone_bound_elsewhere", password)
		}
		s.setBindPassword(token, fresh).want(t, "phone_bound_elsewhere")
		if by := s.signIn(phone); len(by.Mgr)+len(by.Shop) != 2 {
			t.Errorf("%+v", by)
		}
	})
}

func TestUnbindingAPhone(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		phone := "13800000001"
		byPhone, byName, elsewhere := s.signIn(phone), s.signIn("buyer1"), s.signIn("buyer1")
		unbind := func(token, code string, more ...string) answered {
			return s.post(token, "/v1/account/unbindPhone", append([]string{"code_", code}, more...)...)
		}
		unbind(byName.token(t), "123456").want(t, "code_expired", "none was sent")
		unbind(byName.token(t), "").want(t, "validation_failed")
		s.get(byName.token(t), "/v1/account/unbindPhoneCode").want(t, "ok")
		unbind(byPhone.token(t), s.code(phone)).want(t, "code_expired", "another token")
		unbind(byName.token(t), other(s.code(phone))).want(t, "code_wrong")
		if got := unbind(byName.token(t), s.code(phone)); string(dataRaw(t, got)) != `{}` {
			t.Errorf("%s", got.body)
		}
		s.get(byPhone.token(t), "/v1/account/getAccountList").want(t, "login_required", "opened by the phone")
		s.get(elsewhere.token(t), "/v1/account/getAccountList").want(t, "login_required", "another of the account")
		s.get(byName.token(t), "/v1/account/getAccountList").want(t, "ok", "the caller's")
		s.signsIn(phone, onboarding.DemoPassword, "phone_not_bound")
		if by := s.signIn("buyer1"); by.Phone != nil {
			t.Errorf("%+v", by)
		}
		unbind(byName.token(t), other(s.code(phone))).want(t, "wrong_parameters", "another code")
		s.advance(replay.RepeatWindow)
		unbind(byName.token(t), s.code(phone)).want(t, "wrong_parameters", "later")
		s.portal.Stop(t.Context())
		if all := s.sent(phone); all[len(all)-1].Notice != verification.NoticeUnbound {
			t.Errorf("the phone was not told: %+v", all)
		}
	})
}

func TestUnbindingLeavesAWayIn(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		phone := "13800000003" // of four accounts
		in := s.signIn(phone)
		noError(t, s.db.Passwords.SetAccount(t.Context(), 1001, in.Shop[0].ID, ""))
		chosen, rest := s.signIn(phone, "account_id_", fmt.Sprint(in.Shop[0].ID)).
			token(t),
			s.signIn(phone, "company_id_", "1002").
				token(t)
		s.get(chosen, "/v1/account/unbindPhoneCode").want(t, "ok")
		unbind := func(more ...string) answered {
			return s.post(chosen, "/v1/account/unbindPhone", append([]string{"code_", s.code(phone)}, more...)...)
		}
		if got := unbind().want(t, "password_not_set"); got.Status != 1028 || got.http != http.StatusOK {
			t.Errorf("%d %s", got.http, got.body)
		}
		unbind("password_", "123456").want(t, "validation_failed", "a password the rule does not take")
		s.get(chosen, "/v1/account/getAccountList").want(t, "ok", "nothing changed")
		unbind("password_", fresh).want(t, "ok")
		s.get(chosen, "/v1/account/getAccountList").want(t, "login_required", "the phone opens it no more")
		s.get(rest, "/v1/account/getAccountList").want(t, "ok", "another account of the phone")
		if by := s.signsIn("li.shop", fresh, "ok"); by.Phone != nil || by.User == nil {
			t.Errorf("%+v", by)
		}
		if by := s.signIn(phone); len(by.Mgr)+len(by.Shop) != 3 {
			t.Errorf("%+v", by)
		}
	})
}

func TestAnOldSignInUnbindsWithThePasswordOnly(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		phone := "13800000001"
		token := s.signIn(phone).token(t)
		s.advance(signin.FreshSession + time.Second)
		s.get(token, "/v1/account/unbindPhoneCode").want(t, "ok")
		unbind := func(more ...string) answered {
			return s.post(token, "/v1/account/unbindPhone", append([]string{"code_", s.code(phone)}, more...)...)
		}
		if d := unbind().want(t, "validation_failed").detail(t); d.Fields["password_"] == "" {
			t.Errorf("%+v", d)
		}
		unbind("password_", "Wrong2026").want(t, "wrong_password")
		s.signIn(phone) // clears the failure
		unbind("password_", onboarding.DemoPassword).want(t, "ok")
		s.signsIn(phone, onboarding.DemoPassword, "phone_not_bound")

		bare := s.signIn("13800000002") // without a password of its own there is nothing to ask for
		noError(t, s.db.Passwords.SetAccount(t.Context(), 1001, bare.User.ID, ""))
		s.get(bare.token(t), "/v1/account/unbindPhoneCode").want(t, "ok")
		s.advance(signin.FreshSession + time.Second)
		s.post(bare.token(t), "/v1/account/unbindPhone", "code_", s.code("13800000002"), "password_", fresh).
			want(t, "login_required")
		s.get(bare.token(t), "/v1/account/unbindPhoneCode").want(t, "login_required")
	})
}

func TestTheReminderToBindStops(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in, somebody := s.signIn("nophone"), s.signIn("buyer1")
		mark := func(token string, id int64, more ...string) answered {
			return s.post(token, fmt.Sprintf("/v1/account/noAuth/markDoNotRemindBindPhone/%d", id), more...)
		}
		reminded := func(id int64) bool {
			t.Helper()
			m, err := s.db.Accounts.ByID(t.Context(), 1001, id)
			noError(t, err)
			return m.BindReminder
		}
		was := reminded(in.User.ID)
		mark("noise", in.User.ID).want(t, "login_required")
		mark(in.token(t), in.User.ID, "user_id_", fmt.Sprint(somebody.User.ID)).want(t, "wrong_parameters")
		foreign := mark(somebody.token(t), in.User.ID).want(t, "not_found")
		none := mark(somebody.token(t), 999_999).want(t, "not_found")
		if foreign.http != http.StatusNotFound || foreign.Message != none.Message ||
			string(foreign.Data) != string(none.Data) {
			t.Errorf("%s %s", foreign.body, none.body)
		}
		if reminded(in.User.ID) != was || !was {
			t.Errorf("reminded %v, was %v", reminded(in.User.ID), was)
		}
		mark(in.token(t), in.User.ID, "user_id_", fmt.Sprint(in.User.ID)).want(t, "ok")
		mark(in.token(t), in.User.ID).want(t, "ok", "again, and by the path alone")
		if reminded(in.User.ID) || !reminded(somebody.User.ID) {
			t.Error("the wrong one is reminded")
		}
	})
}

func TestTheReminderStopsWithoutATokenAndSaysNothingOfTheAccount(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		nophone, other := s.memberOf("nophone"), s.memberOf("northwind")
		mark := func(id int64, more ...string) answered {
			return s.post("", fmt.Sprintf("/v1/account/noAuth/markDoNotRemindBindPhone/%d", id), more...)
		}
		reminded := func(m store.Member) bool {
			t.Helper()
			now, err := s.db.Accounts.ByID(t.Context(), m.CompanyID, m.ID)
			noError(t, err)
			return now.BindReminder
		}
		mark(nophone.ID, "user_id_", fmt.Sprint(other.ID)).want(t, "wrong_parameters")
		if !reminded(nophone) || !reminded(other) {
			t.Fatal("a refused call stops a reminder")
		}
		known, again := mark(nophone.ID, "user_id_", fmt.Sprint(nophone.ID)), mark(nophone.ID)
		unknown := mark(999_999)
		for _, a := range []answered{known, again, unknown} {
			a.want(t, "ok")
			if a.http != known.http || string(a.Data) != string(known.Data) || a.Message != known.Message {
				t.Errorf("%s differs from %s", a.body, known.body)
			}
		}
		if reminded(nophone) || !reminded(other) {
			t.Error("the wrong one is reminded")
		}
	})
}

// memberOf is the one account of a name.
func (s *site) memberOf(login string) store.Member {
	s.t.Helper()
	members, err := s.db.Accounts.ByLogin(s.t.Context(), login)
	noError(s.t, err)
	if len(members) != 1 {
		s.t.Fatalf("%d accounts are called %s", len(members), login)
	}
	return members[0]
}

func TestAnOfferedAccountKeepsItsReminderAndLooksLikeAnyOther(t *testing.T) {
	eachChat(t, func(t *testing.T, s *chatSite) {
		offer := s.offersTo(offerTo)
		s.post("", fmt.Sprintf("/v1/account/noAuth/markDoNotRemindBindPhone/%d", offer.ID)).want(t, "ok")
		m, err := s.db.Accounts.ByID(t.Context(), offer.CompanyID, offer.ID)
		if noError(t, err); m.BindReminder != offer.BindReminder {
			t.Error("an account that nobody has accepted was changed")
		}
	})
}
