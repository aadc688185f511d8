package api

import (
	"fmt"
	"strings"
	"testing"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/office"
	"portico/portal/onboarding"
	"portico/store"
	"portico/store/storetest"
)

const offeredPhone = "13800000001" // a customer of 1001

// offerAccountTo opens an account for a phone in company 1002, as its administrator does.
func (s *site) offerAccountTo(phone string) store.Member {
	s.t.Helper()
	administrator, err := s.db.Accounts.ByLogin(s.t.Context(), "sur")
	noError(s.t, err)
	in := office.OpenAccountInput{
		Side: "shop", Type: 3, Name: "采购", ClientName: "Cliente", Phone: phone, Again: true,
	}
	opened, err := s.portal.Backoffice.OpenAccount(s.t.Context(), access.Landing{Member: administrator[0]}, in)
	noError(s.t, err)
	return opened.Member
}

// offeredAccountCalls are the expected answers to calls that name the offered account in every parameter for an
// account, a company, a phone or a login. %d is the account's id, %l its login, %t the ticket of a linked WeChat, %b
// that of another one.
var offeredAccountCalls = map[string]struct {
	answer string
	params []string
}{
	"getAppAuthenticationParams": {
		"ok",
		[]string{"company_id_", "1002", "url_", "http://store1002.portico.test/home"},
	},
	"authorization": {
		"wechat_failed",
		[]string{"company_id_", "1002", "code_", "noise", "state_", "noise"},
	},
	"login":                   {"offered", []string{"account_id_", "%d"}},
	"checkPhoneExitInCompany": {"ok", []string{"phone_", offeredPhone, "company_id_", "1002"}},
	"registCode":              {"phone_registered", []string{"phone_", offeredPhone}},
	"createCompany":           {"code_expired", companyParams(offeredPhone, "000000")},
	"updateAndImportTrade":    {"forbidden", []string{"industry_id_", "118", "import_", "1"}},
	"mixedLogin": {
		"offered",
		[]string{"login_", offeredPhone, "password_", onboarding.DemoPassword, "account_id_", "%d"},
	},
	"bindPhone":       {"wrong_parameters", []string{"phone_", offeredPhone, "code_", "000000"}},
	"bindPhoneCode":   {"wrong_parameters", []string{"phone_", offeredPhone}},
	"unbindPhoneCode": {"ok", nil},
	"unbindPhone":     {"code_wrong", []string{"code_", "000000"}},
	"setBindPhonePassword": {
		"wrong_parameters",
		[]string{"password_", "kettle.rain7", "confirm_password_", "kettle.rain7"},
	},
	"setDefaultCompany": {"forbidden", []string{"company_id_", "1002"}},
	"experienceCode":    {"ok", []string{"phone_", offeredPhone}},
	"experienceRegister": {
		"code_wrong",
		[]string{"phone_", offeredPhone, "code_", "000000", "industry_id_", "118"},
	},
	"getExperienceUser":    {"wrong_parameters", []string{"role_", "shop"}},
	"getCompanyById":       {"ok", nil},
	"shopRegisterCode":     {"ok", []string{"phone_", offeredPhone, "company_id_", "1002"}},
	"shopCompleteRegister": {"code_wrong", setupParams(offeredPhone, "000000", "company_id_", "1002")},
	"getAdminByLogin":      {"account_not_found", []string{"login_", "%l"}},
	"checkPhoneExitInUser": {"ok", []string{"phone_", offeredPhone}},
	"resetCode":            {"account_not_found", []string{"login_", "%l"}},
	"resetPhonePassword": {
		"code_expired",
		[]string{"login_", "%l", "code_", "000000", "password_", newPassword, "confirm_password_", newPassword},
	},
	"modifyPwd": {
		"old_password_wrong",
		[]string{"old_password_", "Wrong2026", "password_", newPassword, "confirm_password_", newPassword},
	},
	"getAccountList":           {"ok", nil},
	"getByHost":                {"ok", []string{"host_", "store1002.portico.test"}},
	"getLoginUserByAuthCode":   {"login_required", []string{"auth_code_", "noise"}},
	"bindJpushId":              {"offered", []string{"user_id_", "%d", "jpush_id_", "abc"}},
	"getAuthCode":              {"offered", []string{"account_id_", "%d"}},
	"markDoNotRemindBindPhone": {"offered", nil},
	"bindOpenIdForLogin": {
		"offered",
		[]string{"ticket_", "%b", "login_", offeredPhone, "password_", onboarding.DemoPassword, "account_id_", "%d"},
	},
	"openIdLogin":        {"offered", []string{"ticket_", "%t", "account_id_", "%d"}},
	"getUploadToken":     {"ok", pictureParams()},
	"getWeChatUserInfo":  {"wechat_failed", []string{"code_", "noise", "state_", "noise"}},
	"getDefaultSetting":  {"ok", nil},
	"getByCompany":       {"ok", []string{"company_id_", "1002"}},
	"checkPhoneOrOpenId": {"ok", []string{"phone_", offeredPhone, "company_id_", "1002"}},
	"registerCode":       {"ok", []string{"phone_", offeredPhone, "company_id_", "1002"}},
	"checkCode": {
		"code_wrong",
		[]string{"phone_", offeredPhone, "company_id_", "1002", "code_", "000000"},
	},
	"getByPhoneOrOpenId": {"not_found", []string{"phone_", offeredPhone, "company_id_", "1002"}},
	"save": {
		"code_expired",
		[]string{"company_id_", "1002", "ticket_", "noise", "company_name_", "林记粮油", "contact_name_", "林静"},
	},
	"getById":               {"not_found", nil},
	"buildRegionTree":       {"ok", nil},
	"buildSimpleRegionTree": {"ok", nil},
}

// The holder of the phone accepts the account by shopCompleteRegister, with a code. All other calls treat it as an
// offer.
func TestOnlyShopCompleteRegisterAcceptsAnOfferedAccount(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		offer := s.offerAccountTo(offeredPhone)
		token := s.signIn(offeredPhone).token(t)
		s.linkIdentity(platformWeChat, "o-holder", offeredPhone)
		filled := strings.NewReplacer("%d", fmt.Sprint(offer.ID), "%l", offer.Login,
			"%t", s.weChatIdentity(identityOf("o-holder")).Ticket, "%b", s.weChatIdentity(identityOf("o-new")).Ticket)
		for _, c := range calls {
			row := offeredAccountCalls[c.name()]
			var params []string
			for _, param := range row.params {
				params = append(params, filled.Replace(param))
			}
			id := "1002"
			if c.name() == "markDoNotRemindBindPhone" {
				id = fmt.Sprint(offer.ID)
			}
			before, err := storetest.RowCounts(t.Context(), s.db)
			noError(t, err)
			path := strings.Replace(c.path, "{id}", id, 1)
			got := s.call(apiRequest{method: c.method, path: path, params: params, token: token})
			got.wantCode(t, row.answer, c.name())
			after, err := storetest.RowCounts(t.Context(), s.db)
			noError(t, err)
			if got.Code != "ok" && withoutSignatureCounts(before) != withoutSignatureCounts(after) {
				t.Errorf("%s is refused and changes rows:\n%s\n%s", c.name(), before, after)
			}
			if m, err := s.db.Accounts.ByID(t.Context(), 1002, offer.ID); err != nil || m.Account != offer.Account {
				t.Errorf("%s changes the account: %+v, %v", c.name(), m.Account, err)
			}
		}
		s.get("", "/v1/account/getAdminByLogin", "login_", offer.Login).wantCode(t, "account_not_found")
		params := []string{"phone_", offeredPhone, "company_id_", "1002"}
		in := dataOf[phoneState](t, s.post("", "/v1/account/checkPhoneExitInCompany", params...))
		if in.Exists == nil || *in.Exists {
			t.Error("the phone has an account in the company")
		}
		list := dataOf[[]companyAccounts](t, s.get(token, "/v1/account/getAccountList"))
		if len(list) != 2 || list[1].Shop[0].ID != offer.ID || list[1].Shop[0].State != "offered" || list[1].Default {
			t.Errorf("%+v", list)
		}
	}, func(o *portal.Options) { o.NoLimit = true }, withFiles(t))
}

func TestPhoneWithOnlyAnOfferDoesNotExistForLookups(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.offerAccountTo(unregisteredPhone)
		in := dataOf[phoneState](t, s.post("", "/v1/account/checkPhoneExitInUser", "phone_", unregisteredPhone))
		if in.Exists == nil || *in.Exists || in.Bound == nil || *in.Bound {
			t.Errorf("%+v", in)
		}
		s.post("", "/v1/account/mixedLogin", "login_", unregisteredPhone, "password_", newPassword).
			wantCode(t, "phone_not_bound")
		s.get("", "/v1/account/resetCode", "phone_", unregisteredPhone).wantCode(t, "phone_not_bound")
	})
}

func TestOfferIsAcceptedWithPhonePassword(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		offer := s.offerAccountTo(offeredPhone)
		s.get("", "/v1/account/shopRegisterCode", "phone_", offeredPhone, "company_id_", "1002").wantCode(t, "ok")
		params := setupParams(offeredPhone, s.lastCode(offeredPhone), "company_id_", "1002",
			"password_", onboarding.DemoPassword, "confirm_password_", onboarding.DemoPassword)
		user := dataOf[userData](t, s.post("", setupPath, params...))
		if user.ID != offer.ID {
			t.Errorf("%+v", user)
		}
		login := s.signIn(offeredPhone)
		if login.User != nil || len(login.Shop) != 2 || login.Shop[1].State != "active" {
			t.Errorf("%+v", login)
		}
	})
}
