package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/portal/onboarding"
	"portico/store"
)

const completePath = "/v1/account/shopCompleteRegister"

// completionOf are the parameters of shopCompleteRegister in company 1001; change replaces or adds some of them.
func completionOf(phone, code string, change ...string) []string {
	return changed(
		[]string{
			"phone_", phone, "code_", code, "company_id_", "1001", "name_", "何苗", "password_", fresh,
			"confirm_password_", fresh,
		},
		change...)
}

// opened is an account that company 1001 opened for a phone; a phone nobody has is noted without a password.
func (s *site) opened(phone string) store.Account { return s.openedIn(1001, phone) }

func (s *site) openedIn(company int64, phone string) store.Account {
	s.t.Helper()
	ctx := s.t.Context()
	id, err := s.db.Phones.Add(ctx, store.Phone{Phone: phone, CreatedAt: 1})
	noError(s.t, err)
	if id == 0 {
		row, err := s.db.Phones.ByNumber(ctx, phone)
		noError(s.t, err)
		id = row.ID
	}
	client, err := s.db.Clients.Add(
		ctx, store.Client{CompanyID: company, Name: "何记食堂", State: store.ClientPartner, CreatedAt: 1},
	)
	noError(s.t, err)
	a := store.Account{
		CompanyID: company, Side: store.Shop, Type: store.TypeShop, Login: fmt.Sprint("opened.", company, ".", phone),
		Name: "小何", PhoneID: id, ClientID: client, State: store.AccountActive, Invited: true, CreatedAt: 1,
	}
	a.ID, err = s.db.Accounts.Add(ctx, a)
	noError(s.t, err)
	return a
}

// completing sends a code to set up an account and returns the code.
func (s *site) completing(phone string) (code string) {
	s.t.Helper()
	s.get("", "/v1/account/shopRegisterCode", "phone_", phone, "company_id_", "1001").want(s.t, "ok", phone)
	return s.code(strings.ReplaceAll(phone, " ", ""))
}

func TestSettingUpAnOpenedAccountByCalls(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		a := s.opened(nobodys)
		s.post("", "/v1/account/mixedLogin", "login_", nobodys, "password_", fresh).want(t, "phone_not_bound")
		code := s.completing("139 1234 5678")
		user := dataOf[answeredUser](
			t,
			s.post(
				"",
				completePath,
				completionOf(
					nobodys, code, "type_", "1", "id_", "1", "bind_phone_", "13800000001", "login_", "x", "invite", "x",
				)...),
		)
		if user.ID != a.ID || user.CompanyID != 1001 || user.Type != store.TypeShop || user.Login != a.Login ||
			user.Token == "" {
			t.Errorf("%+v", user)
		}
		m, err := s.db.Accounts.ByID(t.Context(), 1001, a.ID)
		noError(t, err)
		if m.Invited || m.Name != "何苗" || m.Phone != nobodys || m.PasswordHash != "" {
			t.Errorf("%+v", m)
		}
		sent := dataOf[authCode](
			t, s.get(user.Token, "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(user.ID)),
		)
		if landed := dataOf[answeredUser](
			t, s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", sent.Code),
		); landed.ID != a.ID {
			t.Errorf("%+v", landed)
		}
		if in := s.signsIn(nobodys, fresh, "ok"); in.User == nil || in.User.ID != a.ID {
			t.Errorf("%+v", in)
		}
		again := dataOf[answeredUser](t, s.post("", completePath, completionOf(nobodys, code)...))
		if again.ID != a.ID || again.Token == user.Token {
			t.Errorf("repeated: %+v", again)
		}
		s.post("", completePath, completionOf(nobodys, code, "name_", "别人")...).
			want(t, "wrong_parameters", "the same proof for something else")
		s.advance(time.Minute)
		s.get("", "/v1/account/shopRegisterCode", "phone_", nobodys, "company_id_", "1001").
			want(t, "phone_registered", "set up before")
	})
}

func TestARepetitionUnderAKeySetsUpOnce(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		s.opened(nobodys)
		in := asked{
			method: post, path: completePath, json: asJSON(completionOf(nobodys, s.completing(nobodys))),
			headers: map[string]string{"Idempotency-Key": "k"},
		}
		first := s.call(in).want(t, "ok")
		s.unchanged("repeated", func() {
			if again := s.call(in); string(again.Data) != string(first.Data) {
				t.Errorf("%s, then %s", first.body, again.body)
			}
		})
		in.json = strings.Replace(in.json, "何苗", "别人", 1)
		s.call(in).want(t, "wrong_parameters")
	})
}

func TestAnOpenedAccountIsSetUpByTheHolderOfItsPhone(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		s.opened(nobodys)
		s.post("", completePath, completionOf(nobodys, "123456")...).want(t, "code_expired", "none was sent")
		code := s.completing(nobodys)
		s.post("", completePath, completionOf(nobodys, other(code))...).want(t, "code_wrong")
		s.post("", completePath, completionOf(nobodys, code, "company_id_", "1002")...).
			want(t, "code_expired", "another company's")
		const stranger = "13912345679"
		s.get("", "/v1/account/shopRegisterCode", "phone_", stranger, "company_id_", "1001").want(t, "not_in_company")
		const former, twice = "13912345670", "13912345671" // what a code was sent for is not there any more
		gone, set := s.opened(former), s.opened(twice)
		formers, twices := s.completing(former), s.completing(twice)
		noError(t, s.db.Phones.Unbind(t.Context(), 1001, gone.ID, gone.PhoneID))
		noError(t, s.db.Accounts.SetUp(t.Context(), 1001, set.ID, set.PhoneID, "何苗"))
		got := s.post("", completePath, completionOf(former, formers)...).want(t, "not_in_company")
		if strings.Contains(string(got.body), "token_") {
			t.Errorf("%s", got.body)
		}
		s.post("", completePath, completionOf(twice, twices)...).want(t, "phone_registered")
		if _, err := s.db.Phones.ByNumber(t.Context(), stranger); err == nil {
			t.Error("a phone was registered")
		}
		for field, value := range map[string]string{
			"phone_": "1", "code_": "x", "company_id_": "0", "name_": "\u202e", "password_": "123456",
			"confirm_password_": fresher,
		} {
			got := s.post("", completePath, completionOf(nobodys, code, field, value)...).
				want(t, "validation_failed", field)
			if got.detail(t).Fields[field] == "" {
				t.Errorf("%s: %s", field, got.body)
			}
		}
		user := dataOf[answeredUser](t, s.post("", completePath, completionOf(nobodys, code, "name_", "")...))
		m, err := s.db.Accounts.ByID(t.Context(), 1001, user.ID)
		noError(t, err)
		if m.Name != "小何" {
			t.Errorf("without a name it is %q", m.Name)
		}
	})
}

func TestAPhonesPasswordIsConfirmedOrReplacedWhenAnAccountIsSetUp(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		const known = "13800000011" // registered, without an account
		a := s.opened(known)
		code := s.completing(known)
		s.post("", completePath, completionOf(known, code, "confirm_password_", "")...).want(t, "wrong_password")
		got := s.post("", completePath, completionOf(known, code, "password_", "", "confirm_password_", "")...)
		if got.want(t, "validation_failed").detail(t).Fields["password_"] == "" {
			t.Errorf("without a password: %s", got.body)
		}
		if m, err := s.db.Accounts.ByID(t.Context(), 1001, a.ID); err != nil || !m.Invited {
			t.Errorf("%+v %v", m, err)
		}
		user := dataOf[answeredUser](t, s.post("", completePath, completionOf(known, code)...))
		if user.ID != a.ID {
			t.Errorf("%+v", user)
		}
		s.signsIn(known, fresh, "ok")
		s.signsIn(known, onboarding.DemoPassword, "wrong_password")
	})
}

func TestAPasswordThatIsGivenForAPhoneThatHasOneIsThatOne(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		const known = "13800000011"
		a := s.opened(known)
		user := dataOf[answeredUser](
			t,
			s.post(
				"",
				completePath,
				completionOf(
					known, s.completing(known), "password_", onboarding.DemoPassword, "confirm_password_", "",
				)...),
		)
		if user.ID != a.ID {
			t.Errorf("%+v", user)
		}
	})
}

func TestABlockedAccountIsNotSetUp(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		a := s.opened(nobodys)
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
		code := s.completing(nobodys)
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
			s.post("", completePath, completionOf(nobodys, code)...).want(t, what)
		}
		change(func(*store.Company) {})()
		state(store.AccountActive)()
		noError(t, s.db.Clients.SetState(ctx, 1001, a.ClientID, store.ClientPartner))
		s.post("", completePath, completionOf(nobodys, code)...).
			want(t, "ok", "once nothing blocks it, with the same code")
		state(store.AccountDisabled)()
		s.post("", completePath, completionOf(nobodys, code)...).want(t, "account_disabled", "a repetition")
	})
}
