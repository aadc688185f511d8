package api

import (
	"fmt"
	"strings"
	"testing"

	"portico/portal/onboarding"
	"portico/store"
)

// userFieldsOf returns the user_ of a successful response.
func userFieldsOf(t testing.TB, got apiResponse) map[string]any {
	t.Helper()
	return dataOf[struct {
		User map[string]any `json:"user_"`
	}](t, got).User
}

func TestLinkingCallReturnsWeChatAsBound(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		credentials := []string{"login_", "13800000001", "password_", onboarding.DemoPassword}
		if user := userFieldsOf(t, s.post("", "/v1/account/mixedLogin",
			credentials...)); user["wechat_bind_"] != false {
			t.Errorf("before: %v", user["wechat_bind_"])
		}
		bound := s.post("", linkWeChatPath, append(credentials, "ticket_",
			s.weChatIdentity(identityOf("o-new")).Ticket)...)
		if user := userFieldsOf(t, bound); user["wechat_bind_"] != true || user["auth_code_"] != nil {
			t.Errorf("the call that links: %v", user)
		}
		again := s.post("", openIDLoginPath, "ticket_", s.weChatIdentity(identityOf("o-new")).Ticket)
		if user := userFieldsOf(t, again); user["wechat_bind_"] != true {
			t.Errorf("the next one: %v", user["wechat_bind_"])
		}
	})
}

func TestSignInWithTargetReturnsAuthCode(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		credentials := []string{"login_", "13800000001", "password_", onboarding.DemoPassword}
		redeem := func(user map[string]any) string {
			t.Helper()
			code, _ := user["auth_code_"].(string)
			got := s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", code)
			if got.Code == "ok" && dataOf[map[string]any](t, got)["auth_code_"] != nil {
				t.Error("a used code is returned again")
			}
			return got.Code
		}
		s.post("", "/v1/account/mixedLogin", append(credentials, "target_", "mMgr")...).wantCode(t, "wrong_parameters")
		s.post("", "/v1/account/mixedLogin", append(credentials, "target_", "desk")...).wantCode(t, "validation_failed")
		signed := s.post("", "/v1/account/mixedLogin", append(credentials, "target_", "mShop")...)
		if code := redeem(userFieldsOf(t, signed)); code != "ok" {
			t.Errorf("mixedLogin: %s", code)
		}
		bound := s.post(
			"",
			linkWeChatPath,
			append(credentials, "target_", "pcShop", "ticket_", s.weChatIdentity(identityOf("o-new")).Ticket)...)
		if code := redeem(userFieldsOf(t, bound)); code != "ok" {
			t.Errorf("bindOpenIdForLogin: %s", code)
		}
		byTicket := s.post("", openIDLoginPath, "target_", "pcShop", "ticket_",
			s.weChatIdentity(identityOf("o-new")).Ticket)
		if code := redeem(userFieldsOf(t, byTicket)); code != "ok" {
			t.Errorf("openIdLogin: %s", code)
		}
		login := s.signIn("13800000003")
		account := fmt.Sprint(login.Mgr[0].ID)
		chosen := dataOf[map[string]any](t, s.post(login.Ticket, chooseAccountPath, "account_id_", account, "target_",
			"mMgr"))
		if code := redeem(chosen); code != "ok" {
			t.Errorf("account/login: %s", code)
		}
		s.post(login.Ticket, chooseAccountPath, "account_id_", account, "target_", "mShop").
			wantCode(t, "wrong_parameters")
	})
}

func TestUserHasStoredProfileFields(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		members, err := s.db.Accounts.ByLogin(t.Context(), "buyer1")
		noError(t, err)
		m := members[0]
		m.DutyName, m.DeptName = "店长", "采购部"
		noError(t, s.db.Accounts.Edit(t.Context(), m.Account))
		noError(t, s.db.Clients.SetType(t.Context(), m.CompanyID, m.ClientID, 3))
		noError(t, s.db.Portraits.SetOfAccount(t.Context(), m.CompanyID, m.ID, "/portrait/abc.jpg"))
		user := userFieldsOf(
			t,
			s.post("", "/v1/account/mixedLogin", "login_", "buyer1", "password_", onboarding.DemoPassword),
		)
		for name, want := range map[string]any{
			"duty_name_": "店长", "dept_name_": "采购部", "client_type_id_": 3.0, "env_": "dev",
			"head_img_": "http://account.portico.test/portrait/abc.jpg",
		} {
			if user[name] != want {
				t.Errorf("%s is %v", name, user[name])
			}
		}
		noError(
			t, s.db.Portraits.SetOfAccount(t.Context(), m.CompanyID, m.ID, "https://pictures.example.com/1.jpg"),
		) // a portrait from another server
		user = userFieldsOf(
			t,
			s.post("", "/v1/account/mixedLogin", "login_", "buyer1", "password_", onboarding.DemoPassword),
		)
		if head, _ := user["head_img_"].(string); !strings.HasPrefix(head, "https://pictures.example.com/") {
			t.Errorf("%s", head)
		}
		if m.Side != store.Shop {
			t.Error("the account is of the other side")
		}
	})
}
