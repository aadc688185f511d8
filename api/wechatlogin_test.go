package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

func TestLinkedIdentitySignsIn(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		s.linkIdentity(platformWeChat, "o-wang", "13800000001")
		i := s.weChatIdentity(identityOf("o-wang"))
		got := dataOf[loginData](t, s.post("", openIDLoginPath, "ticket_", i.Ticket))
		if !i.Linked || got.User == nil || got.User.Login != "buyer1" || *got.Phone != "13800000001" ||
			len(got.Shop) != 1 ||
			got.Ticket == "" {
			t.Errorf("%+v", got)
		}
		s.get(got.token(t), "/v1/account/getAccountList").wantCode(t, "ok")

		s.linkIdentity(platformWeChat, "o-li", "13800000003")
		ticket := s.weChatIdentity(identityOf("o-li")).Ticket
		several := dataOf[loginData](t, s.post("", openIDLoginPath, "ticket_", ticket))
		if several.User != nil || len(several.Mgr) != 2 || len(several.Shop) != 2 {
			t.Fatalf("%+v", several)
		}
		for _, a := range append(several.Mgr, several.Shop...) {
			single := dataOf[loginData](t, s.post("", openIDLoginPath, "ticket_", ticket, "account_id_",
				fmt.Sprint(a.ID)))
			if single.User == nil || single.User.ID != a.ID {
				t.Errorf("%s: %+v", a.Login, single)
			}
		}
		login := dataOf[loginData](t, s.post("", openIDLoginPath, "ticket_", ticket, "company_id_", "1003"))
		if login.User == nil || login.User.Login != "li.lights" || len(login.Mgr)+len(login.Shop) != 1 {
			t.Errorf("%+v", login)
		}
		s.post("", openIDLoginPath, "ticket_", ticket, "company_id_", "1008").wantCode(t, "not_in_company")
		s.post("", openIDLoginPath, "ticket_", ticket, "account_id_", fmt.Sprint(got.User.ID)).
			wantCode(t, "not_found", "another person's account")
		site := map[string]string{"X-Company-Id": "1003"}
		s.call(apiRequest{method: post, path: openIDLoginPath, params: []string{"ticket_", ticket},
			headers: site}).wantCode(t, "ok")
		s.call(apiRequest{
			method: post, path: openIDLoginPath, params: []string{"ticket_", ticket, "company_id_", "1001"},
			headers: site,
		}).
			wantCode(t, "wrong_parameters")
		s.call(apiRequest{
			method: post, path: openIDLoginPath, params: []string{"ticket_", ticket, "company_id_", "1001"},
			headers: map[string]string{"X-Edition": "lighting"},
		}).
			wantCode(t, "lighting_not_enabled")
	})
}

// A company controls its own WeChat application and the codes that it receives, so these codes must not give access to
// another company.
func TestCompanyApplicationIdentityEntersOnlyThatCompany(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		own := signin.ProviderApp{Kind: store.WeChatAccount, ID: "wx00000000000000c1", Owner: 1001}
		noError(t, s.portal.Operator.SetCompany(t.Context(), 1001, "wechat", own.ID+":own-secret-"+canary))
		s.linkIdentity(own, "o-li", "13800000003")
		ticket := s.weChatIdentity(identityOf("o-li"), "company_id_", "1001").Ticket
		for _, params := range [][]string{{}, {"company_id_", "1001"}} {
			got := dataOf[loginData](t, s.post("", openIDLoginPath, append(params, "ticket_", ticket)...))
			if len(got.Mgr) != 1 || len(got.Shop) != 1 || got.Mgr[0].CompanyID != 1001 ||
				got.Shop[0].CompanyID != 1001 {
				t.Errorf("%+v", got)
			}
			if list := dataOf[[]companyAccounts](t, s.get(got.Ticket, "/v1/account/getAccountList")); len(list) != 1 {
				t.Errorf("the ticket opens %+v", list)
			}
		}
		otherSite := map[string]string{"X-Company-Id": "1002"}
		credentials := []string{"login_", "13800000003", "password_", onboarding.DemoPassword}
		s.post("", openIDLoginPath, "ticket_", ticket, "company_id_", "1002").wantCode(t, "wrong_parameters")
		s.call(apiRequest{method: post, path: openIDLoginPath, params: []string{"ticket_", ticket},
			headers: otherSite}).
			wantCode(t, "wrong_parameters")
		s.call(apiRequest{method: post, path: linkWeChatPath, params: append(credentials, "ticket_", ticket),
			headers: otherSite}).
			wantCode(t, "wrong_parameters")
		newTicket := s.weChatIdentity(identityOf("o-new"), "company_id_", "1001").Ticket
		got := dataOf[loginData](t, s.post("", linkWeChatPath, append(credentials, "ticket_", newTicket)...))
		if len(got.Mgr)+len(got.Shop) != 2 {
			t.Errorf("%+v", got)
		}
		trial := s.weChatIdentity(identityOf("o-trial"), "company_id_", "1001").Ticket
		s.post("", linkWeChatPath, "ticket_", trial, "login_", "13800000012", "password_", onboarding.DemoPassword).
			wantCode(t, "not_in_company")

		s.post("", openIDLoginPath, "ticket_", ticket).wantCode(t, "ok")
		noError(t, s.portal.Operator.SetCompany(t.Context(), 1001, "chat", "off"))
		s.post("", openIDLoginPath, "ticket_", ticket).wantCode(t, "wechat_failed", "chat was turned off meanwhile")
		s.post("", linkWeChatPath, append(credentials, "ticket_", newTicket)...).wantCode(t, "wechat_failed")
	}, func(o *portal.Options) { o.NoLimit = true })
}

func TestIdentityTicketIsBoundToClientAndExpires(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		s.linkIdentity(platformWeChat, "o-wang", "13800000001")
		ticket := s.weChatIdentity(identityOf("o-wang")).Ticket
		last := byte('A')
		if ticket[len(ticket)-1] == last {
			last = 'Q'
		}
		login, applicant := s.signIn("13800000001"), s.proveApplicant("13912345678", "1001")
		for what, wrong := range map[string]string{
			"none": "", "an open id": "o-wang", "cut": ticket[:len(ticket)-1], "longer": ticket + "A",
			"altered": ticket[:len(ticket)-1] + string(last), "twice": ticket + ticket,
			"a sign-in's": login.Ticket, "a token": login.token(t), "an applicant's": applicant, "noise": "AAAA",
		} {
			for _, params := range [][]string{
				{openIDLoginPath}, {linkWeChatPath, "login_", "13800000001", "password_", onboarding.DemoPassword},
			} {
				got := s.post("", params[0], append(params[1:], "ticket_", wrong)...).wantCode(t, "login_required",
					what)
				if got.http != http.StatusUnauthorized {
					t.Errorf("%s: %d", what, got.http)
				}
			}
		}
		for _, kind := range []string{"WEBAPP", "PC"} {
			s.call(apiRequest{method: post, path: openIDLoginPath, kind: kind, params: []string{"ticket_", ticket}}).
				wantCode(t, "login_required", kind)
			s.call(apiRequest{
				method: post, path: linkWeChatPath, kind: kind,
				params: []string{"ticket_", ticket, "login_", "13800000001", "password_", onboarding.DemoPassword},
			}).
				wantCode(t, "login_required", kind)
		}
		got := s.post(ticket, chooseAccountPath, "account_id_", fmt.Sprint(login.User.ID))
		if got.http != http.StatusUnauthorized {
			t.Errorf("an identity ticket was accepted as a token: %s", got.body)
		}
		s.post("", openIDLoginPath, "ticket_", ticket).wantCode(t, "ok")
		s.advance(signin.IdentityTicketLife - time.Millisecond)
		s.post("", openIDLoginPath, "ticket_", ticket).wantCode(t, "ok", "within ten minutes")
		s.advance(time.Millisecond)
		s.post("", openIDLoginPath, "ticket_", ticket).wantCode(t, "wechat_expired")
		s.post("", linkWeChatPath, "ticket_", ticket, "login_", "13800000001", "password_", onboarding.DemoPassword).
			wantCode(t, "wechat_expired")
	})
}

// An identity is linked after the password of the account was checked, and the person gets a notice.
func TestIdentityIsLinkedAfterPasswordCheck(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		ticket := s.weChatIdentity(identityOf("o-new")).Ticket
		bind := func(login, password string, more ...string) apiResponse {
			return s.post(
				"",
				linkWeChatPath,
				append([]string{"ticket_", ticket, "login_", login, "password_", password}, more...)...)
		}
		s.post("", openIDLoginPath, "ticket_", ticket).wantCode(t, "account_not_found", "not linked")
		for what, got := range map[string]func() apiResponse{
			"wrong_password":    func() apiResponse { return bind("13800000003", "Wrong2026") },
			"phone_not_bound":   func() apiResponse { return bind("13912345678", onboarding.DemoPassword) },
			"account_not_found": func() apiResponse { return bind("nobody", onboarding.DemoPassword) },
			"validation_failed": func() apiResponse { return bind("", "") },
			"not_found": func() apiResponse {
				return bind("13800000003", onboarding.DemoPassword, "account_id_", "1")
			},
		} {
			got().wantCode(t, what)
			if s.countRows("identities") != "0" {
				t.Errorf("%s: the identity was linked", what)
			}
		}
		got := dataOf[loginData](t, bind("13800000001", onboarding.DemoPassword))
		if got.User == nil || got.User.Login != "buyer1" || s.countRows("identities") != "1" {
			t.Errorf("%+v", got)
		}
		s.get(got.token(t), "/v1/account/getAccountList").wantCode(t, "ok")
		s.restart() // waits for the message
		if sent := s.messagesTo("13800000001"); len(sent) != 1 || sent[0].Notice != core.NoticeLinked ||
			sent[0].Lang != "en" {
			t.Errorf("%+v", sent)
		}
		if got := dataOf[loginData](t, s.post("", openIDLoginPath, "ticket_", ticket)); got.User == nil ||
			got.User.Login != "buyer1" {
			t.Errorf("%+v", got)
		}
		if !s.weChatIdentity(identityOf("o-new")).Linked {
			t.Error("not linked")
		}
		bind("13800000001", onboarding.DemoPassword).wantCode(t, "ok", "again")
		for range signin.FreeFailures + 2 { // the password is right, so these do not count as failures
			bind("13800000002", onboarding.DemoPassword).wantCode(t, "wrong_parameters",
				"the ticket belongs to another person")
		}
		s.signIn("13800000002")
		if s.countRows("identities") != "1" {
			t.Error("another link")
		}

		ticket = s.weChatIdentity(identityOf("o-named")).Ticket
		if got := dataOf[loginData](
			t, bind("nophone", onboarding.DemoPassword),
		); got.User == nil || got.User.Login != "nophone" ||
			got.Phone != nil {
			t.Errorf("%+v", got)
		}
		ticket = s.weChatIdentity(identityOf("o-several")).Ticket
		several := s.signIn("13800000003")
		chosen := dataOf[loginData](
			t, bind("13800000003", onboarding.DemoPassword, "account_id_", fmt.Sprint(several.Mgr[1].ID)),
		)
		if chosen.User == nil || chosen.User.ID != several.Mgr[1].ID {
			t.Errorf("%+v", chosen)
		}
	})
}

func TestLinkingIsRateLimitedLikeSignIn(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		ticket := s.weChatIdentity(identityOf("o-new")).Ticket
		try := func(password string, more ...string) apiResponse {
			return s.post(
				"",
				linkWeChatPath,
				append([]string{"ticket_", ticket, "login_", "13800000001", "password_", password}, more...)...)
		}
		for range signin.ProofFailures {
			if try("Wrong2026").Code == "too_many_attempts" {
				s.advance(time.Minute)
				ticket = s.weChatIdentity(identityOf("o-new")).Ticket
				try("Wrong2026").wantCode(t, "wrong_password")
			}
		}
		s.advance(2 * time.Minute)
		ticket = s.weChatIdentity(identityOf("o-new")).Ticket
		d := try(onboarding.DemoPassword).wantCode(t, "validation_failed").refusalDetail(t)
		if d.Question == nil {
			t.Fatalf("%+v", d)
		}
		try(
			onboarding.DemoPassword, "question_", d.Question.Token, "answer_", fmt.Sprint(d.Question.A+d.Question.B),
		).wantCode(t, "ok")
	})
}

// Otherwise the administrator who gave the first password could sign in by the link later.
func TestFirstPasswordCannotLinkIdentity(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		s.linkIdentity(platformWeChat, "o-xu", "nophone")
		s.linkIdentity(platformWeCom, "XuJing", "nophone")
		_, password := s.giveFirstPassword("nophone")
		ticket := s.weChatIdentity(identityOf("o-new")).Ticket
		s.post("", linkWeChatPath, "ticket_", ticket, "login_", "nophone", "password_", password).
			wantCode(t, "password_not_set")
		if s.weChatIdentity(identityOf("o-new")).Linked {
			t.Error("linked")
		}
		if s.weChatIdentity(identityOf("o-xu")).Linked { // linked before the first password was given
			t.Error("the former link still works")
		}
		s.post("", openIDLoginPath, "ticket_", s.weChatIdentity(identityOf("o-xu")).Ticket).
			wantCode(t, "account_not_found")
		if dataOf[workChatData](t, s.signInByWorkChat("XuJing")).Linked {
			t.Error("the former link at WeCom still works")
		}
		s.advance(credentials.FirstPasswordLife)
		s.post(
			"", linkWeChatPath, "ticket_", s.weChatIdentity(identityOf("o-new")).Ticket, "login_", "nophone",
			"password_", password,
		).
			wantCode(t, "password_not_set", "the first password has expired")
	})
}

func TestAccountIsChosenByTicketOrToken(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		s.linkIdentity(platformWeChat, "o-li", "13800000003")
		login := dataOf[loginData](t, s.post("", openIDLoginPath, "ticket_",
			s.weChatIdentity(identityOf("o-li")).Ticket))
		choose := func(token string, id int64) apiResponse {
			return s.post(token, chooseAccountPath, "account_id_", fmt.Sprint(id))
		}
		tokens := []string{login.Ticket}
		for _, a := range append(login.Mgr, login.Shop...) {
			user := dataOf[userData](t, choose(tokens[len(tokens)-1], a.ID)) // with the ticket first, with tokens then
			if user.ID != a.ID || user.CompanyID != a.CompanyID || user.Token == "" {
				t.Errorf("%s: %+v", a.Login, user)
			}
			tokens = append(tokens, user.Token)
		}
		for _, token := range tokens {
			s.get(token, "/v1/account/getAccountList").wantCode(t, "ok")
			choose(token, s.signIn("13800000001").User.ID).wantCode(t, "not_found", "another person's account")
			choose(token, 9999).wantCode(t, "not_found")
			if d := choose(token, 0).wantCode(t, "validation_failed").refusalDetail(t); d.Fields["account_id_"] == "" {
				t.Errorf("%+v", d)
			}
			s.call(apiRequest{
				method: post, path: chooseAccountPath, kind: "PC", token: token,
				params: []string{"account_id_", fmt.Sprint(login.Shop[0].ID)},
			}).
				wantCode(t, "login_required", "another kind")
		}
		choose("", login.Shop[0].ID).wantCode(t, "login_required")

		of1003 := dataOf[loginData](t, s.post(
			"", "/v1/account/mixedLogin", "login_", "13800000003", "password_", onboarding.DemoPassword, "company_id_",
			"1003",
		))
		choose(of1003.token(t), login.Mgr[0].ID).wantCode(t, "not_found", "the sign-in was for another company")
		noError(t, s.db.Accounts.SetState(t.Context(), login.Mgr[0].CompanyID, login.Mgr[0].ID, store.AccountDisabled))
		choose(login.Ticket, login.Mgr[0].ID).wantCode(t, "account_disabled")
		s.advance(core.TicketLife)
		choose(login.Ticket, login.Shop[0].ID).wantCode(t, "login_required", "the ticket has expired")
	})
}

// A chosen account belongs to the sign-in: it ends with the sign-in and does not extend it.
func TestChosenAccountEndsWithItsSignIn(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		login := s.signIn("13800000001")
		token, id := login.token(t), fmt.Sprint(login.User.ID)
		again := func() string {
			t.Helper()
			return dataOf[userData](t, s.post(token, chooseAccountPath, "account_id_", id)).Token
		}
		s.advance(signin.FreshSession + time.Minute)
		token = again()
		code := dataOf[authCode](t, s.get(token, "/openapi/v1/auth/getAuthCode", "account_id_", id)).Code
		redeemed := dataOf[userData](t, s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", code)).Token
		s.post(redeemed, chooseAccountPath, "account_id_", id).wantCode(t, "login_required",
			"a redeemed token is valid only for its account")
		s.get(token, "/v1/account/unbindPhoneCode").wantCode(t, "ok")
		if d := s.post(token, "/v1/account/unbindPhone", "code_", s.lastCode("13800000001")).
			wantCode(t, "validation_failed", "the sign-in is too old").
			refusalDetail(t); d.Fields["password_"] == "" {
			t.Errorf("%+v", d)
		}

		token = s.signIn("13800000001").token(t)
		for range 13 {
			s.advance(28 * 24 * time.Hour)
			token = again()
		}
		s.get(token, "/v1/account/getAccountList").wantCode(t, "ok", "within a year")
		s.advance(2 * 24 * time.Hour)
		s.get(token, "/v1/account/getAccountList").wantCode(t, "login_required", "after a year, chosen or not")
	})
}

// A native app gets the code from WeChat itself, so the call needs no state of this server.
func TestANativeAppSignsInWithItsOwnWeChatApplication(t *testing.T) {
	mobile := signin.ProviderApp{
		Kind:   store.WeChatMobile,
		ID:     "wx00000000000000d1",
		Secret: "mobile-secret-" + canary,
	}
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		s.linkIdentity(mobile, "o-wang", "13800000001")
		code, _ := s.wechat.authorise(t, s.wechat.AuthorizeURL(mobile, "", "", ""), identityOf("o-wang"))
		params := []string{"code_", code, "app_", "mobile", "state_", "the app's own"}
		identity := dataOf[identityData](t, s.get("", weChatUserPath, params...))
		if !identity.Linked || identity.OpenID != "o-wang" {
			t.Errorf("%+v", identity)
		}
		login := dataOf[loginData](t, s.post("", openIDLoginPath, "ticket_", identity.Ticket))
		if login.User == nil || login.User.Login != "buyer1" {
			t.Errorf("%+v", login)
		}
		again := dataOf[identityData](t, s.get("", weChatUserPath, "code_", code, "app_", "mobile"))
		if again.OpenID != identity.OpenID {
			t.Errorf("the same call again: %+v", again)
		}
		other := s.call(apiRequest{method: get, path: weChatUserPath, kind: "WEBAPP", params: params})
		if d := other.wantCode(t, "validation_failed").refusalDetail(t); d.Fields["app_"] == "" {
			t.Errorf("%+v", d)
		}
		s.get("", weChatUserPath, "code_", code, "app_", "website").wantCode(t, "validation_failed")
		s.get("", weChatUserPath, "code_", code).wantCode(t, "wechat_failed", "without app_ the state is checked")
	}, func(o *portal.Options) { o.Providers.Apps = append(o.Providers.Apps, mobile) })
}

// No secret, token or ticket of a provider leaves the program or is stored in plain text.
func TestProviderSecretsAreNotDisclosedOrStored(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		noError(
			t,
			s.portal.Operator.SetCompany(t.Context(), 1002, "wecom", "ww00000000000000c1:1000007:own-secret-"+canary),
		)
		s.linkIdentity(platformWeChat, "o-wang", "13800000001")
		s.linkIdentity(platformWeCom, "WangFang", "13800000001")
		var responses []apiResponse
		record := func(got apiResponse) apiResponse {
			responses = append(responses, got)
			return got
		}
		for _, company := range []string{"1001", "1002"} {
			record(s.post("", authorizeParamsPath, "company_id_", company, "url_",
				"http://m.portico.test/shop")).wantCode(t, "ok")
			record(s.post(
				"", authorizeParamsPath, "company_id_", company, "url_", "http://m.portico.test/shop", "provider_",
				"wechat",
			)).wantCode(t, "ok")
		}
		record(s.signInByWorkChat("WangFang")).wantCode(t, "ok")
		code, state := s.authoriseAtWeChat(identityOf("o-wang"))
		ticket := dataOf[identityData](t, record(s.get("", weChatUserPath, "code_", code, "state_", state))).Ticket
		login := dataOf[loginData](t, record(s.post("", openIDLoginPath, "ticket_", ticket)))
		record(s.post(login.Ticket, chooseAccountPath, "account_id_", fmt.Sprint(login.User.ID))).wantCode(t, "ok")
		record(
			s.post("", linkWeChatPath, "ticket_", ticket, "login_", "13800000001", "password_",
				onboarding.DemoPassword),
		).wantCode(t, "ok")
		s.wechat.setFailure(&signin.ProviderFailure{Code: "40001"})
		s.wecom.setFailure(&signin.ProviderFailure{Code: "42001"})
		code, state = s.authoriseAtWeChat(identityOf("o-wang")) // signed with cached tickets
		record(s.get("", weChatUserPath, "code_", code, "state_", state)).wantCode(t, "wechat_failed")
		s.advance(2 * time.Hour)
		record(s.post("", authorizeParamsPath, "company_id_", "1001", "url_", shopPage)).wantCode(t, "wechat_failed")

		dump, err := storetest.Dump(t.Context(), s.db)
		noError(t, err)
		s.logMu.Lock()
		defer s.logMu.Unlock()
		if !strings.Contains(s.log.String(), "page_not_signed") ||
			!strings.Contains(s.log.String(), "exchange_failed") {
			t.Error("the failures are not in the log")
		}
		for _, secret := range []string{canary, ticket, code, state} {
			for _, got := range responses {
				if body := strings.Replace(
					string(got.body), ticket, "", 1,
				); strings.Contains(body, secret) && secret != ticket ||
					strings.Contains(fmt.Sprint(got.header), secret) {
					t.Errorf("a secret is in the response %s", got.body)
				}
			}
			if strings.Contains(s.log.String(), secret) {
				t.Errorf("%s is in the log", secret)
			}
			if strings.Contains(dump, secret) {
				t.Errorf("%s is in the database", secret)
			}
		}
	})
}
