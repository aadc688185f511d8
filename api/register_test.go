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
	"portico/portal/core"
	"portico/store"
	"portico/store/storetest"
)

const (
	createCompanyPath = "/v1/account/createCompany"
	initialisePath    = "/v1/account/updateAndImportTrade"
)

// companyParams returns the parameters of createCompany. change replaces or adds parameters: name, value, …
func companyParams(phone, code string, change ...string) []string {
	return withChanges(
		[]string{
			"phone_", phone, "code_", code, "password_", newPassword, "name_", "林静", "company_name_", "林记粮油", "agree_",
			"1",
		},
		change...)
}

// withChanges returns a copy of the parameters in which those of change are replaced or added.
func withChanges(params []string, change ...string) []string {
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

// asJSON returns the parameters as a JSON object of strings.
func asJSON(params []string) string {
	var fields []string
	for i := 0; i+1 < len(params); i += 2 {
		fields = append(fields, fmt.Sprintf("%q:%q", params[i], params[i+1]))
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// registerCode requests a code to register a phone and returns the code.
func (s *site) registerCode(phone string) (code string) {
	s.t.Helper()
	s.get("", "/v1/account/registCode", "phone_", phone).wantCode(s.t, "ok", phone)
	return s.lastCode(strings.ReplaceAll(phone, " ", ""))
}

// registerCompany registers a company by calls and returns its administrator.
func (s *site) registerCompany(phone string, change ...string) userData {
	s.t.Helper()
	got := s.post("", createCompanyPath, companyParams(phone, s.registerCode(phone), change...)...)
	return dataOf[userData](s.t, got)
}

// countRows returns the number of rows of a table.
func (s *site) countRows(table string) (n string) {
	s.t.Helper()
	counts, err := storetest.RowCounts(s.t.Context(), s.db)
	noError(s.t, err)
	for _, entry := range strings.Fields(counts) {
		if name, count, _ := strings.Cut(entry, "="); name == table {
			n = count
		}
	}
	if n == "" {
		s.t.Fatalf("no table %s in %s", table, counts)
	}
	return n
}

// wantUnchanged checks that do changes nothing in the database except for used signatures.
func (s *site) wantUnchanged(what string, do func()) {
	s.t.Helper()
	before, err := storetest.Dump(s.t.Context(), s.db)
	noError(s.t, err)
	do()
	after, err := storetest.Dump(s.t.Context(), s.db)
	noError(s.t, err)
	if withoutSignatures(before) != withoutSignatures(after) {
		s.t.Errorf("%s: the database changed", what)
	}
}

func TestCompanyIsRegisteredAndInitialisedByCalls(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		user := s.registerCompany("139 1234 5678")
		if user.Type != store.TypeAdministrator || user.Token == "" ||
			user.Login != fmt.Sprintf("admin%d", user.CompanyID) {
			t.Errorf("%+v", user)
		}
		c, err := s.db.Companies.ByID(t.Context(), user.CompanyID)
		noError(t, err)
		if c.Name != "林记粮油" || c.Standing != store.Trial || c.EndsAt != store.At(s.now().Add(access.TrialLife)) ||
			c.InitialisedAt != 0 ||
			c.Language != "en" {
			t.Errorf("%+v", c)
		}
		person, err := s.db.Persons.ByNumber(t.Context(), unregisteredPhone)
		noError(t, err)
		agreed, err := s.db.Acceptances.OfPerson(t.Context(), person.ID)
		noError(t, err)
		if len(agreed) != 1 || agreed[0].CompanyID != c.ID || agreed[0].Version == "" || agreed[0].Lang != "en" ||
			agreed[0].Address != homeAddress {
			t.Errorf("agreed to %+v", agreed)
		}

		first := s.post(user.Token, initialisePath, "industry_id_", "118", "import_", "1")
		if want := fmt.Sprintf(`{"company_id_":%d,"industry_id_":118,"imported_":true}`, c.ID); string(
			rawData(t, first),
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
		redeemed := dataOf[userData](t, s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", sent.Code))
		if redeemed.ID != user.ID || redeemed.Token == user.Token {
			t.Errorf("%+v", redeemed)
		}
		if login := s.wantSignIn(unregisteredPhone, newPassword, "ok"); login.User == nil || login.User.ID != user.ID {
			t.Errorf("%+v", login)
		}
		s.get("", "/v1/account/registCode", "phone_", unregisteredPhone).wantCode(t, "phone_registered")
	})
}

func TestCompanyRegistrationFieldsAreValidated(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		code := s.registerCode(unregisteredPhone)
		s.wantUnchanged("malformed", func() {
			for _, c := range []struct{ field, value string }{
				{"phone_", ""}, {"phone_", "1391234567"}, {"code_", ""}, {"code_", "12345x"}, {"password_", ""},
				{"password_", "123456"}, {"password_", "a1" + unregisteredPhone},
				{"name_", ""}, {"name_", strings.Repeat("林", access.MaxName+1)},
				{"company_name_", " "}, {"company_name_", strings.Repeat("x", access.MaxCompanyName+1)},
				{"agree_", "0"}, {"agree_", ""},
			} {
				for _, got := range []apiResponse{
					s.post("", createCompanyPath, companyParams(unregisteredPhone, code, c.field, c.value)...),
					s.call(
						apiRequest{method: post, path: createCompanyPath,
							json: asJSON(companyParams(unregisteredPhone, code, c.field, c.value))},
					),
				} {
					if d := got.wantCode(t, "validation_failed", c).
						refusalDetail(t); len(d.Fields) != 1 ||
						d.Fields[c.field] == "" {
						t.Errorf("%v: %s", c, got.body)
					}
				}
			}
			if d := s.post("", createCompanyPath).
				wantCode(t, "validation_failed").refusalDetail(t); len(d.Fields) != 6 {
				t.Errorf("%v", d.Fields)
			}
		})
		s.call(apiRequest{method: post, path: createCompanyPath, json: asJSON(companyParams(unregisteredPhone, code))}).
			wantCode(t, "ok", "the code can still be used")
	})
}

func TestCompanyRegistrationNeedsVerifiedPhone(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		companies, accounts, phones := s.countRows("companies"), s.countRows("accounts"), s.countRows("phones")
		s.post("", createCompanyPath, companyParams(unregisteredPhone, "123456")...).wantCode(t, "code_expired",
			"none was sent")
		code := s.registerCode(unregisteredPhone)
		s.post("", createCompanyPath, companyParams("13912345679", code)...).wantCode(t, "code_expired",
			"another phone's")
		s.call(apiRequest{method: post, path: createCompanyPath, kind: "PC", source: "PC",
			params: companyParams(unregisteredPhone, code)}).
			wantCode(t, "code_expired", "another kind of client's")
		s.get("", "/v1/base/experience/experienceCode", "phone_", unregisteredPhone).wantCode(t, "ok")
		if trial := s.lastCode(unregisteredPhone); trial != code {
			s.post("", createCompanyPath, companyParams(unregisteredPhone, trial)...).wantCode(t, "code_wrong",
				"another purpose's")
		}
		for range core.CodeTries {
			s.post("", createCompanyPath, companyParams(unregisteredPhone, differentCode(code))...)
		}
		s.post("", createCompanyPath, companyParams(unregisteredPhone, code)...).wantCode(t, "code_expired",
			"tried too often")
		s.advance(time.Minute)
		code = s.registerCode(unregisteredPhone)
		s.advance(core.CodeLife)
		s.post("", createCompanyPath, companyParams(unregisteredPhone, code)...).wantCode(t, "code_expired",
			"five minutes later")
		if s.countRows("companies") != companies || s.countRows("accounts") != accounts ||
			s.countRows("phones") != phones {
			t.Error("a company, account or phone was created")
		}
	})
}

func TestRegisteredPhoneCannotRegisterACompany(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.get("", "/v1/account/registCode", "phone_", "13800000011").wantCode(t, "phone_registered")
		if len(s.messagesTo("13800000011")) != 0 {
			t.Error("a code was sent")
		}
		code, companies := s.registerCode(unregisteredPhone), s.countRows("companies")
		s.registerPhone(unregisteredPhone) // the phone is registered meanwhile
		s.post("", createCompanyPath, companyParams(unregisteredPhone, code)...).wantCode(t, "phone_registered")
		if s.countRows("companies") != companies {
			t.Error("a company was created")
		}
	})
}

// registerPhone registers a phone with the demo password.
func (s *site) registerPhone(phone string) {
	s.t.Helper()
	demo, err := s.db.Persons.ByNumber(s.t.Context(), "13800000001")
	noError(s.t, err)
	_, err = s.db.Persons.Add(s.t.Context(), store.Person{Phone: phone, PasswordHash: demo.PasswordHash, CreatedAt: 1})
	noError(s.t, err)
}

// In strict mode the server discloses that a phone is registered only after its code was right.
func TestStrictPrivacyDisclosesRegisteredPhoneOnlyAfterRightCode(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		const known = "13800000001"
		wantAlike := func(what string, known, unknown apiResponse) {
			t.Helper()
			if known.http != unknown.http ||
				strings.Replace(string(known.body), known.RequestID, "", 1) != strings.Replace(
					string(unknown.body), unknown.RequestID, "", 1,
				) {
				t.Errorf("%s:\n%s\n%s", what, known.body, unknown.body)
			}
		}
		create := func(phone, code string, change ...string) apiResponse {
			return s.post("", createCompanyPath, companyParams(phone, code, change...)...)
		}
		wantAlike("no code", create(known, "123456"), create(unregisteredPhone, "123456").wantCode(t, "code_expired"))
		for range 2 {
			wantAlike(
				"registCode", s.get("", "/v1/account/registCode", "phone_", known),
				s.get("", "/v1/account/registCode", "phone_", unregisteredPhone),
			)
		}
		s.portal.Stop(t.Context()) // waits for the messages, which are sent in the background
		right := map[string]string{known: s.lastCode(known), unregisteredPhone: s.lastCode(unregisteredPhone)}
		wantAlike(
			"a wrong code", create(known, differentCode(right[known])).wantCode(t, "code_wrong"),
			create(unregisteredPhone, differentCode(right[unregisteredPhone])),
		)
		wantAlike(
			"a bad password", create(known, right[known], "password_", "123456").wantCode(t, "validation_failed"),
			create(unregisteredPhone, right[unregisteredPhone], "password_", "123456"),
		)
		companies := s.countRows("companies")
		create(known, right[known]).wantCode(t, "phone_registered")
		if s.countRows("companies") != companies {
			t.Error("a company was created")
		}
		create(unregisteredPhone, right[unregisteredPhone]).wantCode(t, "ok")
	}, func(o *portal.Options) { o.Strict = true })
}

// The phone is freed, like that of an expired sandbox, while its next holder registers a company with it.
func TestPhoneFreedDuringRegistrationGetsNoCompany(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		// the hash is slow, so that the phone can be freed during the registration
		s.options.Hash = core.HashCost{Memory: 4 << 10, Passes: 100, Threads: 1}
		s.restart()
		// If the phone is freed too early or too late, the registration succeeds. On a busy machine the right moment is
		// later.
		for i := range 40 {
			phone := fmt.Sprintf("1391235%04d", i)
			id, err := s.db.Persons.Add(t.Context(), store.Person{Phone: phone, CreatedAt: 1})
			noError(t, err)
			params, got := companyParams(phone, s.registerCode(phone)), make(chan apiResponse)
			go func() { got <- s.post("", createCompanyPath, params...) }()
			time.Sleep(time.Duration(100+20*i) * time.Millisecond)
			if err := s.db.Persons.Free(t.Context(), id, 1); err != nil && !errors.Is(err, store.ErrNotFound) {
				t.Fatal(err)
			}
			if answer := <-got; answer.Code == "ok" {
				continue
			} else if answer.wantCode(t, "data_abnormal"); strings.Contains(string(answer.body), "token_") {
				t.Errorf("%s", answer.body)
			}
			s.post("", createCompanyPath, params...).wantCode(t, "ok", "called again")
			if members, err := s.db.Accounts.ByPerson(t.Context(), id); err != nil || len(members) != 0 {
				t.Errorf("the former holder has the accounts %v, %v", members, err)
			}
			return
		}
		t.Error("no phone was freed during a registration")
	})
}

func TestExclusivePhoneCannotRegisterACompany(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.setPasswordHash("13800000001", "") // such a person signs in by a chat app or by codes
		s.makePhonesExclusive(1001)
		companies := s.countRows("companies")
		s.get("", "/v1/account/registCode", "phone_", "13800000001").wantCode(t, "phone_registered")
		s.post("", createCompanyPath, companyParams("13800000001", "123456")...).wantCode(t, "code_expired")
		if s.countRows("companies") != companies {
			t.Error("a company was created")
		}
	})
}

// makePhonesExclusive sets that the phones of a company cannot be used in other companies.
func (s *site) makePhonesExclusive(companyID int64) {
	s.t.Helper()
	c, err := s.db.Companies.ByID(s.t.Context(), companyID)
	noError(s.t, err)
	c.ExclusivePhones = true
	noError(s.t, s.db.Companies.Update(s.t.Context(), c))
}

// Parameters for values that the server decides are ignored, in JSON and in a form.
func TestNewAccountsIgnoreFieldsThatTheServerSets(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		extra := func(own ...string) []string {
			return slices.DeleteFunc(
				append(slices.Clone(forbiddenFields), "company_id_", "role_", "import_", "agree_"),
				func(f string) bool { return slices.Contains(own, f) },
			)
		}
		companies, accounts := s.countRows("companies"), s.countRows("accounts")
		for _, c := range []struct {
			path           string
			params, fields []string
		}{
			{createCompanyPath, companyParams("13912345670", "123456"), extra("agree_")},
			{openSandboxPath, sandboxParams("13912345670", "123456"), extra()},
			{setupPath, setupParams("13912345670", "123456"), extra("company_id_")},
		} {
			for _, field := range c.fields {
				body := asJSON(withChanges(c.params, field, "1"))
				s.call(apiRequest{method: post, path: c.path, json: body}).wantCode(t, "code_expired", c.path, field)
			}
		}
		if s.countRows("companies") != companies || s.countRows("accounts") != accounts {
			t.Error("a company or account was created without a code")
		}

		var extraParams []string
		for _, field := range forbiddenFields {
			extraParams = append(extraParams, field, "1")
		}
		extraParams = append(extraParams, "type_", "3", "bind_phone_", "13800000001", "role", "administrator")
		before, err := s.db.Companies.ByID(t.Context(), 1001)
		noError(t, err)
		const third, fourth = "13912345671", "13912345672"
		made := dataOf[userData](
			t,
			s.post(
				"",
				createCompanyPath,
				withChanges(companyParams(third, s.registerCode(third)),
					append(extraParams, "company_id_", "1001")...)...),
		)
		if made.Type != store.TypeAdministrator || made.CompanyID == 1001 || made.CompanyID == 1 {
			t.Errorf("%+v", made)
		}
		s.get("", "/v1/base/experience/experienceCode", "phone_", fourth).wantCode(t, "ok")
		sandbox := dataOf[sandboxData](
			t, s.post("", openSandboxPath, withChanges(sandboxParams(fourth, s.lastCode(fourth)),
				append(extraParams, "company_id_", "1001")...)...),
		)
		role := asJSON(withChanges([]string{"role_", "shop"}, append(extraParams, "company_id_", "1001")...))
		user := dataOf[userData](t, s.call(apiRequest{method: post, path: enterSandboxPath, token: sandbox.Ticket,
			json: role}))
		initialised := asJSON(withChanges([]string{"industry_id_", "118"},
			append(extraParams, "company_id_", "1001")...))
		s.call(apiRequest{method: post, path: initialisePath, token: made.Token, json: initialised}).wantCode(t, "ok")
		if user.CompanyID != sandbox.CompanyID || user.Type != store.TypeShop {
			t.Errorf("%+v", user)
		}
		for _, phone := range []string{third, fourth} {
			p, err := s.db.Persons.ByNumber(t.Context(), phone)
			noError(t, err)
			members, err := s.db.Accounts.ByPerson(t.Context(), p.ID)
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

// When the owner of a sandbox registers, the sandbox becomes the company and the former tokens end.
func TestRegistrationAdoptsTheTrialSandbox(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		sandbox := s.openSandbox(unregisteredPhone, "118")
		mgr := s.enterSandbox(sandbox.Ticket, "mgr", "import_", "1")
		user := s.registerCompany(unregisteredPhone)
		if user.CompanyID != sandbox.CompanyID || user.ID != mgr.ID || user.Token == mgr.Token {
			t.Errorf("%+v of %+v", user, mgr)
		}
		for _, token := range []string{sandbox.Ticket, mgr.Token} {
			s.get(token, "/v1/account/getAccountList").wantCode(t, "login_required")
		}
		c, err := s.db.Companies.ByID(t.Context(), user.CompanyID)
		noError(t, err)
		if c.Sandbox || c.Name != "林记粮油" || c.EndsAt != store.At(s.now().Add(access.TrialLife)) {
			t.Errorf("%+v", c)
		}
		s.post(user.Token, initialisePath, "industry_id_", "118", "import_", "1").
			wantCode(t, "wrong_parameters", "it has sample data already")
		s.post(user.Token, enterSandboxPath, "role_", "mgr").wantCode(t, "wrong_parameters",
			"there is no sandbox any more")
	})
}
