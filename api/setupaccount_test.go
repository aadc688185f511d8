package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/portal/onboarding"
	"portico/store"
)

const setupPath = "/v1/account/shopCompleteRegister"

// setupParams returns the parameters of shopCompleteRegister in company 1001. change replaces or adds parameters.
func setupParams(phone, code string, change ...string) []string {
	return withChanges(
		[]string{
			"phone_", phone, "code_", code, "company_id_", "1001", "name_", "何苗", "password_", newPassword,
			"confirm_password_", newPassword,
		},
		change...)
}

// openAccount opens an account for a phone in company 1001, as a back office does. An unregistered phone is stored
// without a password.
func (s *site) openAccount(phone string) store.Account { return s.openAccountIn(1001, phone) }

// openAccountIn is openAccount for another company.
func (s *site) openAccountIn(company int64, phone string) store.Account {
	s.t.Helper()
	ctx := s.t.Context()
	id, err := s.db.Persons.Add(ctx, store.Person{Phone: phone, CreatedAt: 1})
	noError(s.t, err)
	if id == 0 {
		row, err := s.db.Persons.ByNumber(ctx, phone)
		noError(s.t, err)
		id = row.ID
	}
	client, err := s.db.Clients.Add(
		ctx, store.Client{CompanyID: company, Name: "何记食堂", State: store.ClientPartner, CreatedAt: 1},
	)
	noError(s.t, err)
	a := store.Account{
		CompanyID: company, Side: store.Shop, Type: store.TypeShop, Login: fmt.Sprint("opened.", company, ".", phone),
		Name: "小何", PersonID: id, ClientID: client, State: store.AccountActive, Invited: true, CreatedAt: 1,
	}
	a.ID, err = s.db.Accounts.Add(ctx, a)
	noError(s.t, err)
	return a
}

// setupCode requests a code to set up an account in company 1001 and returns the code.
func (s *site) setupCode(phone string) (code string) {
	s.t.Helper()
	s.get("", "/v1/account/shopRegisterCode", "phone_", phone, "company_id_", "1001").wantCode(s.t, "ok", phone)
	return s.lastCode(strings.ReplaceAll(phone, " ", ""))
}

func TestInvitedAccountIsSetUpByCalls(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		a := s.openAccount(unregisteredPhone)
		s.post("", "/v1/account/mixedLogin", "login_", unregisteredPhone, "password_", newPassword).
			wantCode(t, "phone_not_bound")
		code := s.setupCode("139 1234 5678")
		user := dataOf[userData](
			t,
			s.post(
				"",
				setupPath,
				setupParams(
					unregisteredPhone, code, "type_", "1", "id_", "1", "bind_phone_", "13800000001", "login_", "x",
					"invite", "x",
				)...),
		)
		if user.ID != a.ID || user.CompanyID != 1001 || user.Type != store.TypeShop || user.Login != a.Login ||
			user.Token == "" {
			t.Errorf("%+v", user)
		}
		m, err := s.db.Accounts.ByID(t.Context(), 1001, a.ID)
		noError(t, err)
		if m.Invited || m.Name != "何苗" || m.Phone != unregisteredPhone || m.PasswordHash != "" {
			t.Errorf("%+v", m)
		}
		sent := dataOf[authCode](
			t, s.get(user.Token, "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(user.ID)),
		)
		if landed := dataOf[userData](
			t, s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", sent.Code),
		); landed.ID != a.ID {
			t.Errorf("%+v", landed)
		}
		if login := s.wantSignIn(unregisteredPhone, newPassword, "ok"); login.User == nil || login.User.ID != a.ID {
			t.Errorf("%+v", login)
		}
		again := dataOf[userData](t, s.post("", setupPath, setupParams(unregisteredPhone, code)...))
		if again.ID != a.ID || again.Token == user.Token {
			t.Errorf("repeated: %+v", again)
		}
		s.post("", setupPath, setupParams(unregisteredPhone, code, "name_", "别人")...).
			wantCode(t, "wrong_parameters", "the same code with other content")
		s.advance(time.Minute)
		s.get("", "/v1/account/shopRegisterCode", "phone_", unregisteredPhone, "company_id_", "1001").
			wantCode(t, "phone_registered", "already set up")
	})
}

func TestRepeatedSetupWithIdempotencyKeyRunsOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.openAccount(unregisteredPhone)
		in := apiRequest{
			method: post, path: setupPath, json: asJSON(setupParams(unregisteredPhone, s.setupCode(unregisteredPhone))),
			headers: map[string]string{"Idempotency-Key": "k"},
		}
		first := s.call(in).wantCode(t, "ok")
		s.wantUnchanged("repeated", func() {
			if again := s.call(in); string(again.Data) != string(first.Data) {
				t.Errorf("%s, then %s", first.body, again.body)
			}
		})
		in.json = strings.Replace(in.json, "何苗", "别人", 1)
		s.call(in).wantCode(t, "wrong_parameters")
	})
}

func TestOnlyThePhoneHolderSetsUpAnInvitedAccount(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.openAccount(unregisteredPhone)
		s.post("", setupPath, setupParams(unregisteredPhone, "123456")...).wantCode(t, "code_expired", "none was sent")
		code := s.setupCode(unregisteredPhone)
		s.post("", setupPath, setupParams(unregisteredPhone, differentCode(code))...).wantCode(t, "code_wrong")
		s.post("", setupPath, setupParams(unregisteredPhone, code, "company_id_", "1002")...).
			wantCode(t, "code_expired", "another company's")
		const uninvited = "13912345679"
		s.get("", "/v1/account/shopRegisterCode", "phone_", uninvited, "company_id_", "1001").
			wantCode(t, "not_in_company")
		// their accounts change after the codes were sent
		const unboundPhone, alreadySetUp = "13912345670", "13912345671"
		unboundAccount, setUpAccount := s.openAccount(unboundPhone), s.openAccount(alreadySetUp)
		unboundCode, setUpCode := s.setupCode(unboundPhone), s.setupCode(alreadySetUp)
		noError(t, s.db.Persons.Unbind(t.Context(), 1001, unboundAccount.ID, unboundAccount.PersonID))
		noError(t, s.db.Accounts.SetUp(t.Context(), 1001, setUpAccount.ID, setUpAccount.PersonID, "何苗"))
		got := s.post("", setupPath, setupParams(unboundPhone, unboundCode)...).wantCode(t, "not_in_company")
		if strings.Contains(string(got.body), "token_") {
			t.Errorf("%s", got.body)
		}
		s.post("", setupPath, setupParams(alreadySetUp, setUpCode)...).wantCode(t, "phone_registered")
		if _, err := s.db.Persons.ByNumber(t.Context(), uninvited); err == nil {
			t.Error("a phone was registered")
		}
		for field, value := range map[string]string{
			"phone_": "1", "code_": "x", "company_id_": "0", "name_": "\u0007", "password_": "123456",
			"confirm_password_": secondPassword,
		} {
			got := s.post("", setupPath, setupParams(unregisteredPhone, code, field, value)...).
				wantCode(t, "validation_failed", field)
			if got.refusalDetail(t).Fields[field] == "" {
				t.Errorf("%s: %s", field, got.body)
			}
		}
		user := dataOf[userData](t, s.post("", setupPath, setupParams(unregisteredPhone, code, "name_", "")...))
		m, err := s.db.Accounts.ByID(t.Context(), 1001, user.ID)
		noError(t, err)
		if m.Name != "小何" {
			t.Errorf("without name_ the name is %q", m.Name)
		}
	})
}

func TestSetupConfirmsOrReplacesPhonePassword(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		const known = "13800000011" // registered, without an account
		a := s.openAccount(known)
		code := s.setupCode(known)
		s.post("", setupPath, setupParams(known, code, "confirm_password_", "")...).wantCode(t, "wrong_password")
		got := s.post("", setupPath, setupParams(known, code, "password_", "", "confirm_password_", "")...)
		if got.wantCode(t, "validation_failed").refusalDetail(t).Fields["password_"] == "" {
			t.Errorf("without a password: %s", got.body)
		}
		if m, err := s.db.Accounts.ByID(t.Context(), 1001, a.ID); err != nil || !m.Invited {
			t.Errorf("%+v %v", m, err)
		}
		user := dataOf[userData](t, s.post("", setupPath, setupParams(known, code)...))
		if user.ID != a.ID {
			t.Errorf("%+v", user)
		}
		s.wantSignIn(known, newPassword, "ok")
		s.wantSignIn(known, onboarding.DemoPassword, "wrong_password")
	})
}

func TestSetupAcceptsExistingPhonePassword(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		const known = "13800000011"
		a := s.openAccount(known)
		user := dataOf[userData](
			t,
			s.post(
				"",
				setupPath,
				setupParams(
					known, s.setupCode(known), "password_", onboarding.DemoPassword, "confirm_password_", "",
				)...),
		)
		if user.ID != a.ID {
			t.Errorf("%+v", user)
		}
	})
}

func TestBlockedAccountCannotBeSetUp(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		a := s.openAccount(unregisteredPhone)
		company, err := s.db.Companies.ByID(ctx, 1001)
		noError(t, err)
		change := func(f func(*store.Company)) func() {
			return func() {
				c := company
				f(&c)
				noError(t, s.db.Companies.Update(ctx, c))
			}
		}
		state := func(state store.AccountState) func() {
			return func() { noError(t, s.db.Accounts.SetState(ctx, 1001, a.ID, state)) }
		}
		code := s.setupCode(unregisteredPhone)
		for what, block := range map[string]func(){
			"company_disabled": change(func(c *store.Company) { c.Disabled = true }),
			"company_expired":  change(func(c *store.Company) { c.EndsAt = 1 }),
			"trial_ended":      change(func(c *store.Company) { c.Standing, c.EndsAt = store.Trial, 1 }),
			"shop_disabled":    change(func(c *store.Company) { c.Mall = store.MallDisabled }),
			"mall_not_open":    change(func(c *store.Company) { c.Mall = store.MallNotOpen }),
			"account_disabled": state(store.AccountDisabled),
			"under_review":     state(store.AccountUnderReview),
			"partner_ended":    func() { noError(t, s.db.Clients.SetState(ctx, 1001, a.ClientID, store.ClientEnded)) },
		} {
			change(func(*store.Company) {})()
			state(store.AccountActive)()
			noError(t, s.db.Clients.SetState(ctx, 1001, a.ClientID, store.ClientPartner))
			block()
			s.post("", setupPath, setupParams(unregisteredPhone, code)...).wantCode(t, what)
		}
		change(func(*store.Company) {})()
		state(store.AccountActive)()
		noError(t, s.db.Clients.SetState(ctx, 1001, a.ClientID, store.ClientPartner))
		s.post("", setupPath, setupParams(unregisteredPhone, code)...).
			wantCode(t, "ok", "once nothing blocks it, with the same code")
		state(store.AccountDisabled)()
		s.post("", setupPath, setupParams(unregisteredPhone, code)...).wantCode(t, "account_disabled", "a repetition")
	})
}
