package api

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/passwords"
	"portico/portal/verification"
	"portico/store"
)

const (
	createPath     = "/v1/account/createCompany"
	initialisePath = "/v1/account/updateAndImportTrade"
)

// companyOf are the parameters of createCompany; change replaces or adds some of them.
func companyOf(phone, code string, change ...string) []string {
	return changed(
		[]string{
			"phone_", phone, "code_", code, "password_", fresh, "name_", "林静", "company_name_", "林记粮油", "agree_", "1",
		},
		change...)
}

// changed replaces parameters by their names, and adds those that are not there.
func changed(params []string, change ...string) []string {
	params = slices.Clone(params)
	for i := 0; i+1 < len(change); i += 2 {
		at := 0
		for at < len(params) && params[at] != change[i] {
			at += 2
		}
		if at == len(params) {
			params = append(params, change[i], "")
		}
		params[at+1] = change[i+1]
	}
	return params
}

// asJSON are the same parameters as a JSON body, all of them texts.
func asJSON(params []string) string {
	var fields []string
	for i := 0; i+1 < len(params); i += 2 {
		fields = append(fields, fmt.Sprintf("%q:%q", params[i], params[i+1]))
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// registering sends a code to register with a phone and returns the code.
func (s *site) registering(phone string) (code string) {
	s.t.Helper()
	s.get("", "/v1/account/registCode", "phone_", phone).want(s.t, "ok", phone)
	return s.code(strings.ReplaceAll(phone, " ", ""))
}

// registered registers a company by signed calls.
func (s *site) registered(phone string, change ...string) answeredUser {
	s.t.Helper()
	got := s.post("", createPath, companyOf(phone, s.registering(phone), change...)...)
	return dataOf[answeredUser](s.t, got)
}

// rows counts a table.
func (s *site) rows(table string) (n string) {
	s.t.Helper()
	counts, err := s.db.RowCounts(s.t.Context())
	noError(s.t, err)
	for _, one := range strings.Fields(counts) {
		if name, count, _ := strings.Cut(one, "="); name == table {
			n = count
		}
	}
	if n == "" {
		s.t.Fatalf("no table %s in %s", table, counts)
	}
	return n
}

// unchanged checks that the database, except for signatures, is as it was before.
func (s *site) unchanged(what string, do func()) {
	s.t.Helper()
	before, err := s.db.Dump(s.t.Context())
	noError(s.t, err)
	do()
	after, err := s.db.Dump(s.t.Context())
	noError(s.t, err)
	if withoutSignatures(before) != withoutSignatures(after) {
		s.t.Errorf("%s: something changed", what)
	}
}

func TestFromAPhoneToARunningCompanyByCalls(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		user := s.registered("139 1234 5678")
		if user.Type != store.TypeAdministrator || user.Token == "" ||
			user.Login != fmt.Sprintf("admin%d", user.CompanyID) {
			t.Errorf("%+v", user)
		}
		c, err := s.db.Companies.ByID(t.Context(), user.CompanyID)
		noError(t, err)
		if c.Name != "林记粮油" || c.Standing != store.Trial || c.EndsAt != store.At(s.now().Add(onboarding.TrialLife)) ||
			c.InitialisedAt != 0 ||
			c.Language != "en" {
			t.Errorf("%+v", c)
		}
		phone, err := s.db.Phones.ByNumber(t.Context(), nobodys)
		noError(t, err)
		agreed, err := s.db.Acceptances.OfPhone(t.Context(), phone.ID)
		noError(t, err)
		if len(agreed) != 1 || agreed[0].CompanyID != c.ID || agreed[0].Version == "" || agreed[0].Lang != "en" ||
			agreed[0].Address != homeAddress {
			t.Errorf("agreed to %+v", agreed)
		}

		first := s.post(user.Token, initialisePath, "industry_id_", "118", "import_", "1")
		if want := fmt.Sprintf(`{"company_id_":%d,"industry_id_":118,"imported_":true}`, c.ID); string(
			dataRaw(t, first),
		) != want {
			t.Errorf("%s", first.body)
		}
		products, err := s.db.Catalogue.Products(t.Context(), c.ID)
		noError(t, err)
		if len(products) < 12 {
			t.Errorf("%d products", len(products))
		}
		list := dataOf[[]companyAccounts](t, s.get(user.Token, "/v1/account/getAccountList"))
		if len(list) != 1 || list[0].CompanyID != c.ID || len(list[0].Mgr) != 1 || list[0].Mgr[0].State != "active" ||
			len(list[0].Shop) != 0 {
			t.Errorf("%+v", list)
		}
		sent := dataOf[authCode](
			t, s.get(user.Token, "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(user.ID)),
		)
		redeemed := dataOf[answeredUser](t, s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", sent.Code))
		if redeemed.ID != user.ID || redeemed.Token == user.Token {
			t.Errorf("%+v", redeemed)
		}
		if in := s.signsIn(nobodys, fresh, "ok"); in.User == nil || in.User.ID != user.ID {
			t.Errorf("%+v", in)
		}
		s.get("", "/v1/account/registCode", "phone_", nobodys).want(t, "phone_registered")
	})
}

func TestACompanyIsMadeOfWholeFieldsOnly(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		code := s.registering(nobodys)
		s.unchanged("malformed", func() {
			for _, c := range []struct{ field, value string }{
				{"phone_", ""}, {"phone_", "1391234567"}, {"code_", ""}, {"code_", "12345x"}, {"password_", ""},
				{"password_", "123456"}, {"password_", "a1" + nobodys},
				{"name_", ""}, {"name_", "\u202e"}, {"name_", strings.Repeat("林", access.MaxName+1)},
				{"company_name_", " "}, {"company_name_", strings.Repeat("x", access.MaxCompanyName+1)},
				{"agree_", "0"}, {"agree_", ""},
			} {
				for _, got := range []answered{
					s.post("", createPath, companyOf(nobodys, code, c.field, c.value)...),
					s.call(
						asked{method: post, path: createPath, json: asJSON(companyOf(nobodys, code, c.field, c.value))},
					),
				} {
					if d := got.want(t, "validation_failed", c).
						detail(t); len(d.Fields) != 1 ||
						d.Fields[c.field] == "" {
						t.Errorf("%v: %s", c, got.body)
					}
				}
			}
			if d := s.post("", createPath).want(t, "validation_failed").detail(t); len(d.Fields) != 6 {
				t.Errorf("%v", d.Fields)
			}
		})
		s.call(asked{method: post, path: createPath, json: asJSON(companyOf(nobodys, code))}).
			want(t, "ok", "the code is still good")
	})
}

func TestNoCompanyArisesBeforeThePhoneIsProven(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		companies, accounts, phones := s.rows("companies"), s.rows("accounts"), s.rows("phones")
		s.post("", createPath, companyOf(nobodys, "123456")...).want(t, "code_expired", "none was sent")
		code := s.registering(nobodys)
		s.post("", createPath, companyOf("13912345679", code)...).want(t, "code_expired", "another phone's")
		s.call(asked{method: post, path: createPath, kind: "PC", source: "PC", params: companyOf(nobodys, code)}).
			want(t, "code_expired", "another kind of client's")
		s.get("", "/v1/base/experience/experienceCode", "phone_", nobodys).want(t, "ok")
		if trial := s.code(nobodys); trial != code {
			s.post("", createPath, companyOf(nobodys, trial)...).want(t, "code_wrong", "another purpose's")
		}
		for range verification.CodeTries {
			s.post("", createPath, companyOf(nobodys, other(code))...)
		}
		s.post("", createPath, companyOf(nobodys, code)...).want(t, "code_expired", "tried too often")
		s.advance(time.Minute)
		code = s.registering(nobodys)
		s.advance(verification.CodeLife)
		s.post("", createPath, companyOf(nobodys, code)...).want(t, "code_expired", "five minutes later")
		if s.rows("companies") != companies || s.rows("accounts") != accounts || s.rows("phones") != phones {
			t.Error("something arose")
		}
	})
}

func TestARegisteredPhoneRegistersNothing(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		s.get("", "/v1/account/registCode", "phone_", "13800000011").want(t, "phone_registered")
		if len(s.sent("13800000011")) != 0 {
			t.Error("a code was sent")
		}
		code, companies := s.registering(nobodys), s.rows("companies")
		s.setPasswordOfNew(nobodys) // by another way, meanwhile
		s.post("", createPath, companyOf(nobodys, code)...).want(t, "phone_registered")
		if s.rows("companies") != companies {
			t.Error("a company was made")
		}
	})
}

// setPasswordOfNew registers a phone with the demo password.
func (s *site) setPasswordOfNew(phone string) {
	s.t.Helper()
	demo, err := s.db.Phones.ByNumber(s.t.Context(), "13800000001")
	noError(s.t, err)
	_, err = s.db.Phones.Add(s.t.Context(), store.Phone{Phone: phone, PasswordHash: demo.PasswordHash, CreatedAt: 1})
	noError(s.t, err)
}

// In strict mode the server discloses that a phone is registered only after its code was right.
func TestStrictTellsWhoIsRegisteredOnceTheCodeWasRight(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		const known = "13800000001"
		alike := func(what string, one, two answered) {
			t.Helper()
			if one.http != two.http ||
				strings.Replace(string(one.body), one.RequestID, "", 1) != strings.Replace(
					string(two.body), two.RequestID, "", 1,
				) {
				t.Errorf("%s:\n%s\n%s", what, one.body, two.body)
			}
		}
		create := func(phone, code string, change ...string) answered {
			return s.post("", createPath, companyOf(phone, code, change...)...)
		}
		alike("no code", create(known, "123456"), create(nobodys, "123456").want(t, "code_expired"))
		for range 2 {
			alike(
				"registCode", s.get("", "/v1/account/registCode", "phone_", known),
				s.get("", "/v1/account/registCode", "phone_", nobodys),
			)
		}
		s.portal.Stop(t.Context()) // messages go in the background
		right := map[string]string{known: s.code(known), nobodys: s.code(nobodys)}
		alike(
			"a wrong code", create(known, other(right[known])).want(t, "code_wrong"),
			create(nobodys, other(right[nobodys])),
		)
		alike(
			"a bad password", create(known, right[known], "password_", "123456").want(t, "validation_failed"),
			create(nobodys, right[nobodys], "password_", "123456"),
		)
		companies := s.rows("companies")
		create(known, right[known]).want(t, "phone_registered")
		if s.rows("companies") != companies {
			t.Error("a company was made")
		}
		create(nobodys, right[nobodys]).want(t, "ok")
	}, func(o *portal.Options) { o.Strict = true })
}

// A number that is taken from the person who tried the product, while its next holder registers with it.
func TestAPersonWhoseNumberIsFreedMeanwhileGetsNoCompany(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		s.options.Hash = passwords.HashCost{Memory: 4 << 10, Passes: 100, Threads: 1} // long enough to free it in
		s.restart()
		// A phone that is freed too early or too late gets its company; on a busy machine the moment is later.
		for i := range 40 {
			phone := fmt.Sprintf("1391235%04d", i)
			id, err := s.db.Phones.Add(t.Context(), store.Phone{Phone: phone, CreatedAt: 1})
			noError(t, err)
			params, got := companyOf(phone, s.registering(phone)), make(chan answered)
			go func() { got <- s.post("", createPath, params...) }()
			time.Sleep(time.Duration(100+20*i) * time.Millisecond)
			if err := s.db.Phones.Free(t.Context(), id, 1); err != nil && !errors.Is(err, store.ErrNotFound) {
				t.Fatal(err)
			}
			if answer := <-got; answer.Code == "ok" {
				continue
			} else if answer.want(t, "data_abnormal"); strings.Contains(string(answer.body), "token_") {
				t.Errorf("%s", answer.body)
			}
			s.post("", createPath, params...).want(t, "ok", "called again")
			if members, err := s.db.Accounts.ByPhone(t.Context(), id); err != nil || len(members) != 0 {
				t.Errorf("the person before has %v, %v", members, err)
			}
			return
		}
		t.Error("it was never freed meanwhile")
	})
}

func TestAPhoneThatACompanyKeepsToItselfRegistersNone(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		s.setPassword("13800000001", "") // a chat app signs in, or codes
		s.keepsPhones(1001)
		companies := s.rows("companies")
		s.get("", "/v1/account/registCode", "phone_", "13800000001").want(t, "phone_registered")
		s.post("", createPath, companyOf("13800000001", "123456")...).want(t, "code_expired")
		if s.rows("companies") != companies {
			t.Error("a company was made")
		}
	})
}

// keepsPhones has a company keep its phones to itself.
func (s *site) keepsPhones(companyID int64) {
	s.t.Helper()
	c, err := s.db.Companies.ByID(s.t.Context(), companyID)
	noError(s.t, err)
	c.ExclusivePhones = true
	noError(s.t, s.db.Companies.Update(s.t.Context(), c))
}

// Parameters for values that the server decides are ignored, in JSON and in a form.
func TestFieldsOfNewAccountsAreNotTheClients(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		extra := func(own ...string) []string {
			return slices.DeleteFunc(
				append(slices.Clone(forbiddenFields), "company_id_", "role_", "import_", "agree_"),
				func(f string) bool { return slices.Contains(own, f) },
			)
		}
		companies, accounts := s.rows("companies"), s.rows("accounts")
		for _, c := range []struct {
			path           string
			params, fields []string
		}{
			{createPath, companyOf("13912345670", "123456"), extra("agree_")},
			{tryPath, tryingOf("13912345670", "123456"), extra()},
			{completePath, completionOf("13912345670", "123456"), extra("company_id_")},
		} {
			for _, field := range c.fields {
				body := asJSON(changed(c.params, field, "1"))
				s.call(asked{method: post, path: c.path, json: body}).want(t, "code_expired", c.path, field)
			}
		}
		if s.rows("companies") != companies || s.rows("accounts") != accounts {
			t.Error("a company or account was made without a code")
		}

		var all []string
		for _, field := range forbiddenFields {
			all = append(all, field, "1")
		}
		all = append(all, "type_", "3", "bind_phone_", "13800000001", "role", "administrator")
		before, err := s.db.Companies.ByID(t.Context(), 1001)
		noError(t, err)
		const third, fourth = "13912345671", "13912345672"
		made := dataOf[answeredUser](
			t,
			s.post(
				"",
				createPath,
				changed(companyOf(third, s.registering(third)), append(all, "company_id_", "1001")...)...),
		)
		if made.Type != store.TypeAdministrator || made.CompanyID == 1001 || made.CompanyID == 1 {
			t.Errorf("%+v", made)
		}
		s.get("", "/v1/base/experience/experienceCode", "phone_", fourth).want(t, "ok")
		sandbox := dataOf[answeredExperience](
			t, s.post("", tryPath, changed(tryingOf(fourth, s.code(fourth)), append(all, "company_id_", "1001")...)...),
		)
		role := asJSON(changed([]string{"role_", "shop"}, append(all, "company_id_", "1001")...))
		user := dataOf[answeredUser](t, s.call(asked{method: post, path: rolePath, token: sandbox.Ticket, json: role}))
		initialised := asJSON(changed([]string{"industry_id_", "118"}, append(all, "company_id_", "1001")...))
		s.call(asked{method: post, path: initialisePath, token: made.Token, json: initialised}).want(t, "ok")
		if user.CompanyID != sandbox.CompanyID || user.Type != store.TypeShop {
			t.Errorf("%+v", user)
		}
		for _, phone := range []string{third, fourth} {
			p, err := s.db.Phones.ByNumber(t.Context(), phone)
			noError(t, err)
			members, err := s.db.Accounts.ByPhone(t.Context(), p.ID)
			noError(t, err)
			for _, m := range members {
				if m.CompanyID != made.CompanyID && m.CompanyID != sandbox.CompanyID ||
					m.State != store.AccountActive ||
					m.Phone != phone ||
					m.ID == 1 {
					t.Errorf("%+v", m)
				}
			}
		}
		if after, err := s.db.Companies.ByID(t.Context(), 1001); err != nil || after != before {
			t.Errorf("%+v, then %+v: %v", before, after, err)
		}
	})
}

// What was opened by a trial of the phone ends when its owner registers, and the trial becomes the company.
func TestRegisteringMakesATrialTheCompany(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		tried := s.tried(nobodys, "118")
		mgr := s.role(tried.Ticket, "mgr", "import_", "1")
		made := s.registered(nobodys)
		if made.CompanyID != tried.CompanyID || made.ID != mgr.ID || made.Token == mgr.Token {
			t.Errorf("%+v of %+v", made, mgr)
		}
		for _, token := range []string{tried.Ticket, mgr.Token} {
			s.get(token, "/v1/account/getAccountList").want(t, "login_required")
		}
		c, err := s.db.Companies.ByID(t.Context(), made.CompanyID)
		noError(t, err)
		if c.Sandbox || c.Name != "林记粮油" || c.EndsAt != store.At(s.now().Add(onboarding.TrialLife)) {
			t.Errorf("%+v", c)
		}
		s.post(made.Token, initialisePath, "industry_id_", "118", "import_", "1").
			want(t, "wrong_parameters", "it was filled before")
		s.post(made.Token, rolePath, "role_", "mgr").want(t, "wrong_parameters", "no sandbox is left")
	})
}
