package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/store"
)

// The table lists the accounts of the demo data.
func TestMixedLoginAnswersEachDemoAccount(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		for _, c := range []struct {
			login, code string
			mgr, shop   int
			user        string // the login of user_, "" for null
		}{
			{"13800000001", "ok", 0, 1, "buyer1"},
			{"138 0000 0002", "ok", 1, 0, "jinsui"},
			{"13800000003", "ok", 2, 2, ""},
			{"13800000004", "under_review", 0, 0, ""},
			{"13800000005", "account_disabled", 0, 0, ""},
			{"13800000006", "partner_ended", 0, 0, ""},
			{"13800000007", "company_disabled", 0, 0, ""},
			{"13800000008", "trial_ended", 0, 0, ""},
			{"13800000009", "company_expired", 0, 0, ""},
			{"13800000010", "mall_not_open", 0, 0, ""},
			{"13800000011", "phone_not_bound", 0, 0, ""},
			{"13800000012", "ok", 1, 1, ""},
			{"nophone", "ok", 0, 1, "nophone"},
			{" NorthWind ", "ok", 1, 0, "northwind"},
			{"13899999999", "phone_not_bound", 0, 0, ""},
			{"nobody", "account_not_found", 0, 0, ""},
		} {
			got := s.post("", "/v1/account/mixedLogin", "login_", c.login, "password_", onboarding.DemoPassword).
				wantCode(t, c.code, c.login)
			if c.code != "ok" {
				if got.http != http.StatusOK || got.Message == "" || strings.Contains(got.Message, "{") {
					t.Errorf("%s: %d %q", c.login, got.http, got.Message)
				}
				continue
			}
			login := dataOf[loginData](t, got)
			if len(login.Mgr) != c.mgr || len(login.Shop) != c.shop || (login.User == nil) != (c.user == "") ||
				login.User != nil && (login.User.Login != c.user || login.User.Token == "") ||
				login.Ticket == "" {
				t.Errorf("%s: %s", c.login, got.body)
			}
		}
	})
}

func TestBlockedSignInNamesContacts(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		d := s.post("", "/v1/account/mixedLogin", "login_", "13800000005", "password_", onboarding.DemoPassword).
			wantCode(t, "account_disabled").
			refusalDetail(t)
		if d.CompanyID != 1001 || d.CompanyName != "金穗粮油" || len(d.Contacts) == 0 ||
			d.Contacts[0].Role != access.RoleAdministrator ||
			d.Contacts[0].Phone == "" {
			t.Errorf("%+v", d)
		}
	})
}

func TestRefusalIsInTheCallersLanguage(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		wrong := func(lang string, headers map[string]string) string {
			return s.call(apiRequest{
				method: post, path: "/v1/account/mixedLogin", lang: lang, headers: headers,
				params: []string{"login_", "13800000001", "password_", "Wrong2026"},
			}).
				wantCode(t, "wrong_password").
				Message
		}
		for _, c := range []struct{ lang, has string }{
			{"zh-CN,zh;q=0.9", "密码不正确"}, {"es-MX, en;q=0.5", "contraseña"}, {"en-GB", "password is wrong"},
			{"fr", "密码不正确"},
		} {
			if got := wrong(c.lang, nil); !strings.Contains(got, c.has) {
				t.Errorf("%s: %s", c.lang, got)
			}
			s.signIn("13800000001") // clears the failures
		}
		if got := wrong("fr", map[string]string{"X-Company-Id": "1003"}); !strings.Contains(got, "password is wrong") {
			t.Errorf("the company's language: %s", got)
		}
		s.signIn("13800000001")
		if got := wrong(strings.Repeat("de;q=0.1,", 30), nil); !strings.Contains(got, "密码不正确") {
			t.Errorf("a very long list: %s", got)
		}
	})
}

func TestSignInSelectsAccountByIDOrCompany(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		login := s.signIn("13800000003")
		wanted := login.Mgr[0]
		chosen := s.signIn("13800000003", "account_id_", fmt.Sprint(wanted.ID))
		if chosen.User == nil || chosen.User.ID != wanted.ID || len(chosen.Mgr) != 1 || len(chosen.Shop) != 0 {
			t.Errorf("by account_id_: %+v", chosen)
		}
		in1001 := s.signIn("13800000003", "company_id_", "1003")
		if in1001.User == nil || in1001.User.Login != "li.lights" {
			t.Errorf("by company_id_: %+v", in1001)
		}
		for what, params := range map[string][]string{
			"not_in_company": {"company_id_", "1004"}, "not_found": {"account_id_", "1"},
			"bad_request": {"account_id_", "x"},
		} {
			s.post(
				"", "/v1/account/mixedLogin",
				append([]string{"login_", "13800000003", "password_", onboarding.DemoPassword}, params...)...,
			).
				wantCode(t, what)
		}
		s.call(apiRequest{
			method: post, path: "/v1/account/mixedLogin", headers: map[string]string{"X-Company-Id": "1001"},
			params: []string{"login_", "13800000003", "password_", onboarding.DemoPassword, "company_id_", "1003"},
		}).wantCode(t, "wrong_parameters")
	})
}

func TestLightingEditionHeaderSelectsLightingAccounts(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		lighting := map[string]string{"X-Edition": "lighting"}
		params := []string{"login_", "13800000001", "password_", onboarding.DemoPassword}
		s.call(apiRequest{method: post, path: "/v1/account/mixedLogin", headers: lighting, params: params}).
			wantCode(t, "lighting_not_enabled")
		params[1] = "13800000003"
		got := dataOf[loginData](
			t, s.call(apiRequest{method: post, path: "/v1/account/mixedLogin", headers: lighting, params: params}),
		)
		if got.User == nil || got.User.CompanyID != 1003 {
			t.Errorf("%+v", got)
		}
	})
}

func TestUserHasExactlyTheDescribedFields(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		got := s.post("", "/v1/account/mixedLogin", "login_", "13800000001", "password_", onboarding.DemoPassword)
		data := dataOf[struct {
			User map[string]any `json:"user_"`
		}](t, got)
		want := strings.Fields(
			`company_id_ company_name_ company_theme_ env_ login_ id_ name_ type_ token_ auth_code_ phone_ bind_phone_
			client_id_ client_name_ client_type_id_ head_img_ duty_name_ dept_name_ isLighting
			wechat_bind_ company_shop_switch_ corp_id_
			agent_id_ corp_jsapi_ticket_ agent_jsapi_ticket_ pc_domain_`,
		)
		for _, name := range want {
			if _, ok := data.User[name]; !ok {
				t.Errorf("%s is missing", name)
			}
		}
		if len(data.User) != len(want) || data.User["corp_jsapi_ticket_"] != nil ||
			data.User["agent_jsapi_ticket_"] != nil {
			t.Errorf("%v", data.User)
		}
	})
}

// An account name that looks like a phone number, and a name that exists on both sides.
func TestSignInResolvesAmbiguousNames(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		person, err := s.db.Persons.ByNumber(t.Context(), "13800000001")
		noError(t, err)
		add := func(side store.Side, kind int, login string) int64 {
			id, err := s.db.Accounts.Add(t.Context(), store.Account{
				CompanyID: 1001, Side: side, Type: kind, Login: login, PasswordHash: person.PasswordHash,
				State: store.AccountActive, CreatedAt: 1,
			})
			noError(t, err)
			return id
		}
		named := add(store.Mgr, store.TypeEmployee, "13911112222")
		if got := s.signIn("13911112222"); got.User == nil || got.User.ID != named {
			t.Errorf("a name of eleven digits: %+v", got)
		}
		hidden := add(store.Mgr, store.TypeEmployee, "13800000001")
		if got := s.signIn("13800000001"); got.User == nil || got.User.Login != "buyer1" {
			t.Errorf("a registered phone comes first: %+v", got)
		}
		if got := s.signIn("13800000001", "account_id_", fmt.Sprint(hidden)); got.User == nil || got.User.ID != hidden {
			t.Errorf("the id selects the account by name: %+v", got)
		}
		mgr, shop := add(store.Mgr, store.TypeEmployee, "twin"), add(store.Shop, store.TypeShop, "twin")
		for _, id := range []int64{mgr, shop} {
			if got := s.signIn("twin", "account_id_", fmt.Sprint(id)); got.User == nil || got.User.ID != id {
				t.Errorf("twin %d: %+v", id, got)
			}
		}
	})
}

func TestRepeatedFailuresRequireASum(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		try := func(password string, more ...string) apiResponse {
			return s.post(
				"",
				"/v1/account/mixedLogin",
				append([]string{"login_", "13800000001", "password_", password}, more...)...)
		}
		for i := range signin.ProofFailures {
			got := try("Wrong2026")
			if got.Code == "too_many_attempts" {
				if got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
					t.Fatalf("%d %v", got.http, got.header)
				}
				s.advance(time.Minute)
				got = try("Wrong2026")
			}
			d := got.wantCode(t, "wrong_password", i).refusalDetail(t)
			if d.Left == nil || *d.Left != signin.ProofFailures-1-i {
				t.Errorf("try %d leaves %v", i, d.Left)
			}
		}
		s.advance(2 * time.Minute)
		d := try(onboarding.DemoPassword).wantCode(t, "validation_failed").refusalDetail(t)
		if d.Fields["answer_"] == "" || d.Question == nil || d.Question.Text == "" {
			t.Fatalf("%+v", d)
		}
		d = try(onboarding.DemoPassword, "question_", d.Question.Token, "answer_", "1").
			wantCode(t, "validation_failed").
			refusalDetail(t)
		try(
			onboarding.DemoPassword, "question_", d.Question.Token, "answer_", fmt.Sprint(d.Question.A+d.Question.B),
		).wantCode(t, "ok")
	})
}

func TestTokenIsValidOnlyUnchangedAndForItsTokenType(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		token := s.signIn("13800000001").token(t)
		s.get(token, "/v1/account/getAccountList").wantCode(t, "ok")
		for n := 1; n < len(token); n += 7 {
			s.get(token[:n], "/v1/account/getAccountList").wantCode(t, "login_required", "cut", n)
		}
		for _, wrong := range []string{token + "a", "", " ", strings.ToUpper(token), strings.Repeat("x", 43), "null"} {
			got := s.get(wrong, "/v1/account/getAccountList").wantCode(t, "login_required", wrong)
			if got.http != http.StatusUnauthorized {
				t.Errorf("%d", got.http)
			}
		}
		for kind, code := range map[string]string{"APP": "ok", "WEBAPP": "login_required", "PC": "login_required"} {
			s.call(apiRequest{method: get, path: "/v1/account/getAccountList", token: token, kind: kind}).
				wantCode(t, code, kind)
		}
		for company, code := range map[string]string{"1001": "ok", "1002": "login_required"} {
			s.call(apiRequest{
				method: get, path: "/v1/account/getAccountList", token: token,
				headers: map[string]string{"X-Company-Id": company},
			}).
				wantCode(t, code, company)
		}
		cookie, err := s.portal.Signin.Login(t.Context(), signin.LoginInput{
			Phone:    "13800000001",
			Password: onboarding.DemoPassword,
			Browser:  access.Browser{Place: access.Place{Host: "account.portico.test"}},
		})
		noError(t, err)
		s.get(cookie.Token, "/v1/account/getAccountList").wantCode(t, "login_required", "a browser's session")
		ctx := s.portal.Sessions.LoadSession(t.Context(), token)
		if _, err := s.portal.Sessions.Session(ctx, access.Place{Host: "account.portico.test"}); err == nil {
			t.Error("a token is a browser's session")
		}
	})
}

func TestTokenExpiryIsExtendedByUseButTicketExpiryIsNot(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		login := s.signIn("13800000001")
		token := login.token(t)
		for range 3 {
			s.advance(29 * 24 * time.Hour)
			s.get(token, "/v1/account/getAccountList").wantCode(t, "ok")
		}
		s.advance(30*24*time.Hour + time.Second)
		s.get(token, "/v1/account/getAccountList").wantCode(t, "login_required", "after 30 idle days")

		login = s.signIn("13800000003")
		account := fmt.Sprint(login.Shop[0].ID)
		s.get(login.Ticket, "/v1/account/getAccountList").wantCode(t, "ok")
		s.get(login.Ticket, "/openapi/v1/auth/getAuthCode", "account_id_", account).wantCode(t, "ok")
		s.post(login.Ticket, "/v1/account/setDefaultCompany", "company_id_", "1002").wantCode(t, "ok")
		s.post(login.Ticket, "/v1/account/bindJpushId", "user_id_", account, "jpush_id_", "abc").
			wantCode(t, "login_required", "a ticket can only choose an account")
		s.advance(14 * time.Minute)
		s.get(login.Ticket, "/v1/account/getAccountList").wantCode(t, "ok", "after 14 minutes")
		s.advance(time.Minute + time.Second)
		s.get(login.Ticket, "/v1/account/getAccountList").wantCode(t, "login_required", "after 15 minutes")
	})
}

func TestDisabledAccountOrCompanyRefusesTokenWithReason(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		token := s.signIn("13800000001").token(t)
		other := s.signIn("nophone").token(t)
		id := s.signIn("13800000001").User.ID
		noError(t, s.db.Accounts.SetState(t.Context(), 1001, id, store.AccountDisabled))
		s.get(token, "/v1/account/getAccountList").wantCode(t, "account_disabled")
		noError(t, s.db.Accounts.SetState(t.Context(), 1001, id, store.AccountActive))
		s.get(token, "/v1/account/getAccountList").wantCode(t, "login_required", "the token ended")
		noError(t, s.portal.Operator.DisableCompany(t.Context(), 1001))
		s.get(other, "/v1/account/getAccountList").wantCode(t, "company_disabled")
	})
}

func TestSignOutRevokesTokensOfTheSignIn(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		place, err := s.portal.Access.Locate(t.Context(), access.LocateInput{Host: "account.portico.test"})
		noError(t, err)
		in, err := s.portal.Signin.Login(
			t.Context(),
			signin.LoginInput{
				Phone:    "13800000001",
				Password: onboarding.DemoPassword,
				Browser:  access.Browser{Place: place},
			},
		)
		noError(t, err)
		to, err := s.portal.Entry.Enter(t.Context(), access.EnterInput{
			Session: in.Session, AccountID: in.Step.AccountID, Place: place, Device: access.Device{Width: 390},
		})
		noError(t, err)
		user := dataOf[userData](t, s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", to.Code))
		s.get(user.Token, "/v1/account/getAccountList").wantCode(t, "ok")
		app := s.signIn("13800000001").token(t)
		devices, err := s.portal.Sessions.Devices(t.Context(), in.Session)
		noError(t, err)
		i := slices.IndexFunc(devices, func(d core.DeviceView) bool { return d.Client == signin.ClientApp })
		if len(devices) != 2 || i < 0 {
			t.Fatalf("the list of devices is %+v", devices)
		}
		noError(t, s.portal.Sessions.EndDevice(t.Context(), in.Session, devices[i].Ref))
		s.get(app, "/v1/account/getAccountList").wantCode(t, "login_required", "ended by its owner")
		s.get(user.Token, "/v1/account/getAccountList").wantCode(t, "ok")
		_, err = s.portal.Sessions.SignOut(s.portal.Sessions.LoadSession(t.Context(), in.Token), place)
		noError(t, err)
		s.get(user.Token, "/v1/account/getAccountList").wantCode(t, "login_required", "signed out")
	})
}

func TestDefaultCompanyMustBeACompanyOfTheCaller(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		login := s.signIn("13800000003")
		set := func(token, company string) apiResponse {
			return s.post(token, "/v1/account/setDefaultCompany", "company_id_", company)
		}
		set(login.Ticket, "1002").wantCode(t, "ok")
		list := dataOf[[]companyAccounts](t, s.get(login.Ticket, "/v1/account/getAccountList"))
		if !list[0].Default || list[0].CompanyID != 1002 || !list[0].Mgr[0].Default || list[1].Default {
			t.Errorf("%+v", list)
		}
		set(login.Ticket, "1004").wantCode(t, "forbidden", "the person has no account in the company")
		set(login.Ticket, "9999").wantCode(t, "forbidden", "the company does not exist")
		set(login.Ticket, "").wantCode(t, "validation_failed")
		set(s.signIn("li.manager").token(t), "1001").wantCode(t, "ok", "an account's own company")
		set(s.signIn("li.manager").token(t), "1002").wantCode(t, "forbidden", "another company of its phone")
		set(s.signIn("nophone").token(t), "1001").wantCode(t, "ok")
	})
}

func TestPushIDBelongsToOneTokenAndAccount(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		first, second := s.signIn("13800000001"), s.signIn("nophone")
		bind := func(login loginData, user int64, id string) apiResponse {
			return s.post(login.token(t), "/v1/account/bindJpushId", "user_id_", fmt.Sprint(user), "jpush_id_", id)
		}
		bind(first, first.User.ID, "190e35f7e0712b3c4d5").wantCode(t, "ok")
		bind(second, first.User.ID, "190e35f7e0712b3c4d5").wantCode(t, "not_found", "another person's account")
		ids := func(account int64) []string {
			t.Helper()
			ids, err := s.db.Devices.PushIDs(t.Context(), account)
			noError(t, err)
			return ids
		}
		if got := ids(first.User.ID); len(got) != 1 {
			t.Errorf("%v", got)
		}
		bind(second, second.User.ID, "190e35f7e0712b3c4d5").wantCode(t, "ok")
		if got := ids(first.User.ID); len(got) != 0 {
			t.Errorf("the device has a new owner, but the old one still has %v", got)
		}
		for _, id := range []string{"", "a b", "<x>", strings.Repeat("a", 65)} {
			if d := bind(first, first.User.ID, id).
				wantCode(t, "validation_failed").refusalDetail(t); d.Fields["jpush_id_"] == "" {
				t.Errorf("%q: %+v", id, d)
			}
		}
		s.advance(31 * 24 * time.Hour)
		noError(t, s.portal.Sweep(t.Context()))
		if got := ids(second.User.ID); len(got) != 0 {
			t.Errorf("the token has ended, but its push ids remain: %v", got)
		}
	})
}
