package api

import (
	"fmt"
	"strings"
	"testing"

	"portico/portal"
	"portico/portal/onboarding"
	"portico/store"
	"portico/store/storetest"
)

// callers are the callers of the matrix, with the login that each signs in with. A is company 1001, B is company 1002.
var callers = []struct{ name, login, company string }{
	{"nobody", "", ""},
	{"customer A", "buyer1", "1001"},
	{"employee A", "li.manager", "1001"},
	{"administrator A", "jinsui", "1001"},
	{"customer B", "cliente", "1002"},
	{"administrator B", "sur", "1002"},
	{"disabled", "gone", "1001"},
}

// matrix has the code that each call answers to each caller, in the order of callers, for company 1001 and its account
// "buyer1". A single code applies to all callers. All but customer B have a bound phone. Employee A and administrator B
// have the same phone.
var matrix = map[string]string{
	"getAppAuthenticationParams": "ok",
	"authorization":              "wechat_failed", // the state is the credential, and this one is invalid
	"login":                      "login_required ok not_found not_found not_found not_found account_disabled",
	"checkPhoneExitInCompany":    "ok",
	"registCode":                 "ok",
	"createCompany":              "code_wrong", // registCode sent another code
	"updateAndImportTrade": "login_required forbidden forbidden wrong_parameters forbidden wrong_parameters " +
		"account_disabled",
	"mixedLogin": "ok ok ok ok ok ok ok", // the token is ignored
	"bindPhone": "login_required wrong_parameters wrong_parameters wrong_parameters code_expired " +
		"wrong_parameters account_disabled",
	"bindPhoneCode": "login_required wrong_parameters wrong_parameters wrong_parameters ok " +
		"wrong_parameters account_disabled",
	"unbindPhoneCode": "login_required ok ok ok wrong_parameters code_already_sent account_disabled",
	"unbindPhone": "login_required validation_failed validation_failed validation_failed " +
		"wrong_parameters validation_failed account_disabled",
	"setBindPhonePassword": "login_required wrong_parameters wrong_parameters wrong_parameters code_expired " +
		"wrong_parameters account_disabled",
	"setDefaultCompany":        "login_required ok ok ok forbidden forbidden account_disabled",
	"experienceCode":           "ok",
	"experienceRegister":       "code_wrong",
	"getExperienceUser":        signedInOnly("wrong_parameters"),
	"getCompanyById":           "ok",
	"shopRegisterCode":         "not_in_company",
	"shopCompleteRegister":     "code_expired",
	"getAdminByLogin":          "ok",
	"checkPhoneExitInUser":     "ok",
	"resetCode":                "ok",
	"resetPhonePassword":       "code_expired",
	"modifyPwd":                signedInOnly("old_password_wrong"),
	"getAccountList":           signedInOnly("ok"),
	"getByHost":                "ok",
	"getLoginUserByAuthCode":   "login_required", // the code is the credential, and this one is invalid
	"bindJpushId":              "login_required ok not_found not_found not_found not_found account_disabled",
	"getAuthCode":              "login_required ok not_found not_found not_found not_found account_disabled",
	"markDoNotRemindBindPhone": "ok ok not_found not_found not_found not_found account_disabled",
	"bindOpenIdForLogin":       "login_required", // the ticket is the credential, and this one is invalid
	"openIdLogin":              "login_required",
	"getUploadToken":           "ok",
	"getWeChatUserInfo":        "wechat_failed",
	"getDefaultSetting":        "ok",
	"getByCompany":             "ok",
	"checkPhoneOrOpenId":       "ok",
	"registerCode":             "ok",
	"checkCode":                "code_wrong",
	"getByPhoneOrOpenId":       "not_found",
	"save":                     "code_expired", // the ticket is the credential, and this one is invalid
	"getById":                  "not_found",
	"buildRegionTree":          "ok",
	"buildSimpleRegionTree":    "ok",
}

// signedInOnly returns a row in which every caller with a valid token gets the code.
func signedInOnly(code string) string {
	return "login_required " + strings.Repeat(code+" ", 5) + "account_disabled"
}

// matrixParams are the parameters of each call. %d is the id of the account "buyer1". %p is a different digit for each
// caller, so that no two callers request a code for the same phone.
var matrixParams = map[string][]string{
	"getAppAuthenticationParams": {"company_id_", "1001", "url_", shopPage},
	"authorization":              {"company_id_", "1001", "code_", "noise", "state_", "noise"},
	"login":                      {"account_id_", "%d"},
	"bindOpenIdForLogin":         {"ticket_", "noise", "login_", "buyer1", "password_", onboarding.DemoPassword},
	"openIdLogin":                {"ticket_", "noise"},
	"getWeChatUserInfo":          {"code_", "noise", "state_", "noise"},
	"registCode":                 {"phone_", "1390000000%p"},
	"createCompany":              companyParams("1390000000%p", "000000"),
	"updateAndImportTrade":       {"industry_id_", "118", "import_", "1"},
	"bindPhone":                  {"phone_", "1390000000%p", "code_", "000000"},
	"bindPhoneCode":              {"phone_", "1390000000%p"},
	"setBindPhonePassword":       {"password_", "kettle.rain7", "confirm_password_", "kettle.rain7"},
	"experienceCode":             {"phone_", "1380000000%p"},
	"experienceRegister":         {"phone_", "1380000000%p", "code_", "000000", "industry_id_", "118"},
	"getExperienceUser":          {"role_", "mgr", "import_", "1"},
	"shopRegisterCode":           {"phone_", "1390000000%p", "company_id_", "1001"},
	"shopCompleteRegister": {
		"phone_",
		"1390000000%p",
		"code_",
		"000000",
		"company_id_",
		"1001",
		"password_",
		"kettle.rain7",
		"confirm_password_",
		"kettle.rain7",
	},
	"resetCode": {"phone_", "1380000000%p"},
	"resetPhonePassword": {
		"phone_",
		"1390000000%p",
		"code_",
		"000000",
		"password_",
		"kettle.rain7",
		"confirm_password_",
		"kettle.rain7",
	},
	"modifyPwd": {
		"old_password_",
		"Wrong2026",
		"password_",
		"kettle.rain7",
		"confirm_password_",
		"kettle.rain7",
	},
	"getUploadToken":     pictureParams(),
	"getByCompany":       {"company_id_", "1001"},
	"registerCode":       {"phone_", "1390000000%p", "company_id_", "1001"},
	"checkPhoneOrOpenId": {"phone_", "13800000001", "company_id_", "1001"},
	"checkCode":          {"phone_", "1390000000%p", "company_id_", "1001", "code_", "000000"},
	"getByPhoneOrOpenId": {"phone_", "13800000001", "company_id_", "1001", "ticket_", "noise"},
	"save": {
		"company_id_",
		"1001",
		"ticket_",
		"noise",
		"company_name_",
		"林记粮油",
		"contact_name_",
		"林静",
	},
	"getById":                 {"ticket_", "noise"},
	"checkPhoneExitInCompany": {"phone_", "13800000001", "company_id_", "1001"},
	"mixedLogin":              {"login_", "buyer1", "password_", onboarding.DemoPassword},
	"setDefaultCompany":       {"company_id_", "1001"},
	"getAdminByLogin":         {"login_", "buyer1"},
	"checkPhoneExitInUser":    {"phone_", "13800000001"},
	"getByHost":               {"host_", "store1001.portico.test"},
	"getLoginUserByAuthCode":  {"auth_code_", "noise"},
	"bindJpushId":             {"user_id_", "%d", "jpush_id_", "abc"},
	"getAuthCode":             {"account_id_", "%d"},
}

// The test makes every call as every caller. A call without a row fails the test, and a refused call changes no row.
func TestEveryCallFollowsTheAccessMatrix(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		buyer, tokens := s.prepareMatrix()
		for _, c := range calls {
			row, ok := matrix[c.name()]
			want := strings.Fields(row)
			if len(want) == 1 {
				want = strings.Fields(strings.Repeat(row+" ", len(callers)))
			}
			if !ok || len(want) != len(callers) {
				t.Errorf("%s has no row for every caller", c.name())
				continue
			}
			id := "1001"
			if c.name() == "markDoNotRemindBindPhone" {
				id = fmt.Sprint(buyer)
			}
			for i, caller := range callers {
				filled := strings.NewReplacer("%d", fmt.Sprint(buyer), "%p", fmt.Sprint(i+1))
				params := make([]string, len(matrixParams[c.name()]))
				for j, a := range matrixParams[c.name()] {
					params[j] = filled.Replace(a)
				}
				before, err := storetest.RowCounts(t.Context(), s.db)
				noError(t, err)
				got := s.call(apiRequest{
					method: c.method, path: strings.Replace(c.path, "{id}", id, 1), params: params,
					token: tokens[caller.name](c),
				})
				got.wantCode(t, want[i], c.name(), caller.name)
				after, err := storetest.RowCounts(t.Context(), s.db)
				noError(t, err)
				if got.Code != "ok" && c.name() != "getLoginUserByAuthCode" && caller.name != "disabled" &&
					withoutSignatureCounts(before) != withoutSignatureCounts(after) {
					t.Errorf("%s refused to %s changes rows:\n%s\n%s", c.name(), caller.name, before, after)
				}
			}
		}
	}, func(o *portal.Options) { o.NoLimit = true }, withFiles(t), withChatApps)
}

// withoutSignatureCounts removes the signatures from row counts, because signatures of refused calls are stored too.
func withoutSignatureCounts(counts string) string {
	var rest []string
	for _, table := range strings.Fields(counts) {
		if !strings.HasPrefix(table, "signatures=") && !strings.HasPrefix(table, "read_signatures=") {
			rest = append(rest, table)
		}
	}
	return strings.Join(rest, " ")
}

// prepareMatrix adds the accounts that the demo data lacks and signs every caller in. It returns the id of "buyer1" and
// a function per caller that gives the token for a call. The disabled caller gets a new token for each call, because a
// token ends when it is refused.
func (s *site) prepareMatrix() (buyer int64, tokens map[string]func(call) string) {
	t := s.t
	t.Helper()
	person, err := s.db.Persons.ByNumber(t.Context(), "13800000001")
	noError(t, err)
	add := func(company int64, login string, client int64) int64 {
		id, err := s.db.Accounts.Add(t.Context(), store.Account{
			CompanyID: company, Side: store.Shop, Type: store.TypeShop, Login: login, ClientID: client,
			PasswordHash: person.PasswordHash, State: store.AccountActive, CreatedAt: 1,
		})
		noError(t, err)
		return id
	}
	add(1002, "cliente", 0)
	gone := add(1001, "gone", 0)
	tokens = map[string]func(call) string{}
	for _, caller := range callers {
		switch caller.name {
		case "nobody":
			tokens[caller.name] = func(call) string { return "" }
		case "disabled":
			tokens[caller.name] = func(c call) string {
				if c.has(public) {
					return ""
				}
				noError(t, s.db.Accounts.SetState(t.Context(), 1001, gone, store.AccountActive))
				token := s.signIn(caller.login).token(t)
				noError(t, s.db.Accounts.SetState(t.Context(), 1001, gone, store.AccountDisabled))
				return token
			}
		default:
			login := s.signIn(caller.login)
			if fmt.Sprint(login.User.CompanyID) != caller.company {
				t.Fatalf("%s belongs to company %d", caller.name, login.User.CompanyID)
			}
			token := login.token(t)
			tokens[caller.name] = func(call) string { return token }
		}
	}
	return s.signIn("buyer1").User.ID, tokens
}

// Every call that needs a token answers the reason why the account is blocked.
func TestEveryBlockingStateRefusesEveryToken(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		ctx := t.Context()
		company, err := s.db.Companies.ByID(ctx, 1001)
		noError(t, err)
		change := func(f func(*store.Company)) {
			c := company
			f(&c)
			noError(t, s.db.Companies.Update(ctx, c))
		}
		account := func(state store.AccountState) func(loginData) {
			return func(login loginData) { noError(t, s.db.Accounts.SetState(ctx, 1001, login.User.ID, state)) }
		}
		companyIs := func(f func(*store.Company)) func(loginData) { return func(loginData) { change(f) } }
		member := s.signIn("buyer1")
		m, err := s.db.Accounts.ByID(ctx, 1001, member.User.ID)
		noError(t, err)
		reset := func() {
			t.Helper()
			change(func(*store.Company) {})
			account(store.AccountActive)(member)
			noError(t, s.db.Clients.SetState(ctx, 1001, m.ClientID, store.ClientPartner))
		}
		for code, block := range map[string]func(loginData){
			"company_disabled": companyIs(func(c *store.Company) { c.Disabled = true }),
			"company_expired":  companyIs(func(c *store.Company) { c.EndsAt = 1 }),
			"trial_ended":      companyIs(func(c *store.Company) { c.Standing, c.EndsAt = store.Trial, 1 }),
			"shop_disabled":    companyIs(func(c *store.Company) { c.Mall = store.MallDisabled }),
			"mall_not_open":    companyIs(func(c *store.Company) { c.Mall = store.MallNotOpen }),
			"account_disabled": account(store.AccountDisabled),
			"under_review":     account(store.AccountUnderReview),
			"partner_ended": func(loginData) {
				noError(t, s.db.Clients.SetState(ctx, 1001, m.ClientID, store.ClientEnded))
			},
		} {
			for _, c := range calls {
				if c.has(public) {
					continue
				}
				reset()
				token := s.signIn("buyer1").token(t)
				block(member)
				s.call(apiRequest{method: c.method, path: c.path, token: token}).wantCode(t, code, c.name())
				s.call(apiRequest{method: c.method, path: c.path, token: token}).
					wantCode(t, "login_required", c.name(), "the token ended")
			}
			s.post("", "/v1/account/mixedLogin", "login_", "buyer1", "password_", onboarding.DemoPassword).
				wantCode(t, code, "signing in")
			reset()
			login := s.signIn("buyer1")
			sent := dataOf[authCode](
				t, s.get(login.token(t), "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(login.User.ID)),
			)
			block(member)
			s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", sent.Code).wantCode(t, code,
				"redeeming a code")
		}
	})
}

func TestLosingTheLightingEditionEndsItsTokens(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		lights, err := s.db.Companies.ByID(t.Context(), 1003)
		noError(t, err)
		set := func(on bool) {
			lights.Lighting = on
			noError(t, s.db.Companies.Update(t.Context(), lights))
		}
		signIn := func() loginData {
			set(true)
			return dataOf[loginData](t, s.call(apiRequest{
				method: post, path: "/v1/account/mixedLogin", headers: map[string]string{"X-Edition": "lighting"},
				params: []string{"login_", "northwind", "password_", onboarding.DemoPassword},
			}))
		}
		for _, c := range calls {
			if c.has(public) {
				continue
			}
			token := signIn().token(t)
			set(false)
			s.call(apiRequest{method: c.method, path: c.path, token: token}).wantCode(t, "lighting_not_enabled",
				c.name())
		}
		login := signIn()
		sent := dataOf[authCode](
			t, s.get(login.token(t), "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(login.User.ID)),
		)
		set(false)
		s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", sent.Code).wantCode(t, "lighting_not_enabled")
	})
}

func TestUnprovenDesktopDomainIsNotARedirectTarget(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		login := s.signIn("northwind")
		c, err := s.db.Companies.ByID(t.Context(), 1003)
		noError(t, err)
		c.PCDomain = "https://evil.test"
		noError(t, s.db.Companies.Update(t.Context(), c))
		s.get(login.token(t), "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(login.User.ID), "target_",
			"pcMgr").
			wantCode(t, "redirect_failed")
	})
}

func TestSignInWithoutPhonePasswordReturnsPasswordNotSet(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.setPasswordHash(offeredPhone, "")
		login := []string{"login_", offeredPhone, "password_", onboarding.DemoPassword}
		s.post("", "/v1/account/mixedLogin", login...).wantCode(t, "password_not_set")
	})
}
