package api

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/store"
)

// While the management side is closed to WeChat, no sign-in by WeChat leads to it, whatever the User-Agent says. WeCom
// and passwords do.
func TestManagementSideCanBeClosedToWeChat(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		s.linkIdentity(platformWeChat, "o-li", "13800000003")
		s.linkIdentity(platformWeChat, "o-chen", "13800000002")
		s.linkIdentity(platformWeCom, "ChenJing", "13800000002")
		before := dataOf[loginData](t, s.post("", openIDLoginPath, "ticket_",
			s.weChatIdentity(identityOf("o-chen")).Ticket))
		user := *before.User
		code := dataOf[struct {
			Code string `json:"auth_code_"`
		}](t, s.get(user.Token, "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(user.ID))).Code
		s.options.Providers.ManagerClosed = true
		s.restart()
		s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", code).wantCode(t, "wechat_manager_closed")
		enter := []string{"account_id_", fmt.Sprint(user.ID)}
		s.get(user.Token, "/openapi/v1/auth/getAuthCode", enter...).wantCode(t, "wechat_manager_closed")
		s.get(user.Token, "/openapi/v1/auth/getAuthCode", enter...).wantCode(t, "login_required")
		for _, agent := range []string{"Mozilla/5.0 (iPhone) MicroMessenger/8.0.40", "PorticoClient/3.1 (Android 14)"} {
			s.wantManagerClosed(t, agent)
		}
		for _, a := range s.signIn("13800000003").Shop { // only the management side is left
			noError(t, s.db.Accounts.SetState(t.Context(), a.CompanyID, a.ID, store.AccountDisabled))
		}
		ticket := s.weChatIdentity(identityOf("o-li")).Ticket
		s.post("", openIDLoginPath, "ticket_", ticket, "company_id_", "1001").wantCode(t, "wechat_manager_closed")
	})
}

// wantManagerClosed checks, with a User-Agent, that WeChat opens no account of the management side.
func (s *chatSite) wantManagerClosed(t *testing.T, agent string) {
	t.Helper()
	calls := func(path, token string, params ...string) apiResponse {
		return s.call(apiRequest{
			method: post, path: path, token: token, params: params,
			change: func(r *http.Request) { r.Header.Set("User-Agent", agent) },
		})
	}
	const closed = "wechat_manager_closed"
	ticket, administratorTicket := s.weChatIdentity(identityOf("o-li")).Ticket,
		s.weChatIdentity(identityOf("o-chen")).Ticket
	newTicket := s.weChatIdentity(identityOf("o-new")).Ticket
	calls(openIDLoginPath, "", "ticket_", administratorTicket).wantCode(t, closed)
	bind := []string{"ticket_", newTicket, "password_", onboarding.DemoPassword}
	calls(linkWeChatPath, "", append(bind, "login_", "13800000002")...).wantCode(t, closed)
	if s.weChatIdentity(identityOf("o-new")).Linked {
		t.Error("the identity was linked")
	}
	login := dataOf[loginData](t, calls(openIDLoginPath, "", "ticket_", ticket))
	for _, a := range login.Mgr {
		if a.State != closed {
			t.Errorf("%s is listed as %s", a.Login, a.State)
		}
	}
	mgr, shop := fmt.Sprint(login.Mgr[0].ID), fmt.Sprint(login.Shop[0].ID)
	calls(openIDLoginPath, "", "ticket_", ticket, "account_id_", mgr).wantCode(t, closed)
	calls(chooseAccountPath, login.Ticket, "account_id_", mgr).wantCode(t, closed)
	calls(chooseAccountPath, login.Ticket, "account_id_", shop).wantCode(t, "ok")
	s.get(login.Ticket, "/openapi/v1/auth/getAuthCode", "account_id_", mgr).wantCode(t, closed)
	calls(linkWeChatPath, "", append(bind, "login_", "13800000003", "account_id_", mgr)...).wantCode(t, closed)

	begun := s.beginAuthorisation("provider_", "wecom", "company_id_", "1001")
	code, state := s.wecom.authorise(t, begun.AuthorizeURL, signin.ProviderIdentity{Subject: "ChenJing"})
	calls(workChatPath, "", "code_", code, "state_", state, "company_id_", "1001").wantCode(t, "ok")
	calls("/v1/account/mixedLogin", "", "login_", "13800000002", "password_", onboarding.DemoPassword).wantCode(t, "ok")
}

func TestCompanyWithChatOffRefusesIdentitySignIn(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		s.linkIdentity(platformWeChat, "o-li", "13800000003")
		s.linkIdentity(platformWeChat, "o-chen", "13800000002")
		s.linkIdentity(platformWeCom, "ChenJing", "13800000002")
		ticket, administratorTicket := s.weChatIdentity(identityOf("o-li")).Ticket,
			s.weChatIdentity(identityOf("o-chen")).Ticket
		newTicket := s.weChatIdentity(identityOf("o-new")).Ticket
		login := dataOf[loginData](t, s.post("", openIDLoginPath, "ticket_", ticket))
		shop := login.Shop[0]
		chosen := dataOf[userData](t, s.post(login.Ticket, chooseAccountPath, "account_id_", fmt.Sprint(shop.ID))).Token
		code := dataOf[authCode](
			t, s.get(chosen, "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(shop.ID)),
		).Code
		noError(t, s.portal.Operator.SetCompany(t.Context(), shop.CompanyID, "chat", "off"))
		s.advance(2 * time.Second)

		s.post("", openIDLoginPath, "ticket_", administratorTicket).wantCode(t, "chat_closed")
		s.post("", openIDLoginPath, "ticket_", ticket, "company_id_", fmt.Sprint(shop.CompanyID)).
			wantCode(t, "chat_closed")
		s.post(
			"", linkWeChatPath, "ticket_", newTicket, "login_", "13800000002", "password_", onboarding.DemoPassword,
		).wantCode(t, "chat_closed")
		if s.weChatIdentity(identityOf("o-new")).Linked {
			t.Error("the identity was linked")
		}
		begun := s.beginAuthorisation("provider_", "wecom", "corp_id_", platformWeCom.ID)
		workCode, state := s.wecom.authorise(t, begun.AuthorizeURL, signin.ProviderIdentity{Subject: "ChenJing"})
		s.post(
			"", workChatPath, "code_", workCode, "state_", state, "corp_id_", platformWeCom.ID,
		).wantCode(t, "chat_closed")
		s.post(login.Ticket, chooseAccountPath, "account_id_", fmt.Sprint(shop.ID)).wantCode(t, "chat_closed")
		s.get(chosen, "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(shop.ID)).wantCode(t, "chat_closed")
		s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", code).wantCode(t, "chat_closed")
		listed := dataOf[loginData](t, s.post("", openIDLoginPath, "ticket_", ticket))
		if listed.Shop[0].State != "chat_closed" {
			t.Errorf("it is listed as %s", listed.Shop[0].State)
		}
		mixed := s.signIn("13800000003") // the password still works
		s.post(mixed.Ticket, chooseAccountPath, "account_id_", fmt.Sprint(shop.ID)).wantCode(t, "ok")
	})
}
