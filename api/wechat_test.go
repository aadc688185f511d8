package api

import (
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/store"
)

func TestWeChatCodeReturnsIdentity(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		identity := identityOf("o-new")
		identity.UnionID = "u-new"
		code, state := s.authoriseAtWeChat(identity)
		got := dataOf[identityData](t, s.get("", weChatUserPath, "code_", code, "state_", state))
		if got.OpenID != "o-new" || *got.UnionID != "u-new" || *got.Nick != identity.Nick ||
			*got.Head != identity.Portrait ||
			got.Linked ||
			got.Applied ||
			got.Ticket == "" {
			t.Errorf("%+v", got)
		}
		code, state = s.authoriseAtWeChat(signin.ProviderIdentity{Subject: "o-bare"})
		if got := s.get("", weChatUserPath, "code_", code, "state_", state); !strings.Contains(
			string(got.Data),
			`{"open_id_":"o-bare","union_id_":null,"nick_name_":null,"head_img_":null,"linked_":false,`+
				`"applied_":false,"ticket_":"`,
		) {
			t.Errorf("%s", got.body)
		}
		s.linkIdentity(platformWeChat, "o-linked", "13800000004") // whose account is under review
		if got := s.weChatIdentity(identityOf("o-linked")); !got.Linked || got.Applied {
			t.Errorf("%+v", got)
		}
	})
}

// The company may be left out. A company other than that of the authorisation is refused.
func TestStateIsBoundToClientCompanyAndProvider(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		identity := identityOf("o-1")
		try := func(code, state string, a apiRequest, more ...string) apiResponse {
			a.method, a.path, a.params = get, weChatUserPath, append([]string{"code_", code, "state_", state}, more...)
			return s.call(a)
		}
		code, state := s.authoriseAtWeChat(identity, "company_id_", "1001")
		for what, got := range map[string]func() apiResponse{
			"another kind":    func() apiResponse { return try(code, state, apiRequest{kind: "WEBAPP"}) },
			"another company": func() apiResponse { return try(code, state, apiRequest{}, "company_id_", "1002") },
			"another site": func() apiResponse {
				return try(code, state, apiRequest{headers: map[string]string{"X-Company-Id": "1002"}})
			},
			"no state":   func() apiResponse { return try(code, "", apiRequest{}) },
			"made up":    func() apiResponse { return try(code, strings.Repeat("a", 40), apiRequest{}) },
			"cut":        func() apiResponse { return try(code, state[:39], apiRequest{}) },
			"longer":     func() apiResponse { return try(code, state+"0", apiRequest{}) },
			"other case": func() apiResponse { return try(code, strings.ToUpper(state), apiRequest{}) },
			"declined":   func() apiResponse { return try("", state, apiRequest{}) },
			"of work-chat": func() apiResponse {
				return s.post("", workChatPath, "code_", code, "state_", state, "company_id_", "1001")
			},
			"of a browser": func() apiResponse { return try(code, s.browserState(), apiRequest{}) },
			"of the platform": func() apiResponse {
				_, other := s.authoriseAtWeChat(identity)
				return try(code, other, apiRequest{}, "company_id_", "1001")
			},
			"unknown provider": func() apiResponse { return try(code, "%"+state, apiRequest{}) },
		} {
			if n := s.wechat.exchangeCount(); got().Code != "wechat_failed" || s.wechat.exchangeCount() != n {
				t.Errorf("%s: not refused, or the code was exchanged", what)
			}
		}
		try(
			code, state, apiRequest{headers: map[string]string{"X-Company-Id": "1002"}}, "company_id_", "1001",
		).wantCode(t, "wrong_parameters")
		try(code, state, apiRequest{}, "company_id_", "9999").wantCode(t, "not_found")
		try(code, state, apiRequest{}).wantCode(t, "ok", "the company is left out")
		code, state = s.authoriseAtWeChat(identity, "company_id_", "1001")
		try(code, state, apiRequest{headers: map[string]string{"X-Company-Id": "1001"}}, "company_id_",
			"1001").wantCode(t, "ok")

		code, state = s.authoriseAtWeChat(identity)
		s.advance(signin.AuthorisationLife)
		try(code, state, apiRequest{}).wantCode(t, "wechat_expired", "after ten minutes")
		code, state = s.authoriseAtWeChat(identity, "company_id_", "1001")
		noError(t, s.portal.Operator.SetCompany(t.Context(), 1001, "chat", "off"))
		try(code, state, apiRequest{}).wantCode(t, "wechat_failed", "switched off meanwhile")
	})
}

// browserState returns the state of an authorisation that a browser began.
func (s *chatSite) browserState() string {
	s.t.Helper()
	place, err := s.portal.Access.Locate(s.t.Context(), access.LocateInput{Host: "account.portico.test"})
	noError(s.t, err)
	to, err := s.portal.Chatlogin.BeginAuthorisation(s.t.Context(), signin.BeginAuthorisationInput{
		Provider: access.WeChat, Place: place, Agent: "MicroMessenger/8", Mobile: true, Flow: "f",
	})
	noError(s.t, err)
	u, err := url.Parse(to)
	noError(s.t, err)
	return u.Query().Get("state")
}

func TestWeChatCodeIsExchangedOnce(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		s.wechat.exchangeDelay = 200 * time.Millisecond
		code, state := s.authoriseAtWeChat(identityOf("o-1"))
		answers := make([]apiResponse, 10)
		var group sync.WaitGroup
		for i := range answers {
			group.Go(func() { answers[i] = s.get("", weChatUserPath, "code_", code, "state_", state) })
		}
		group.Wait()
		for _, got := range answers {
			if identity := dataOf[identityData](t, got); identity.OpenID != "o-1" {
				t.Errorf("%+v", identity)
			}
		}
		if n := s.wechat.exchangeCount(); n != 1 {
			t.Errorf("exchanged %d times", n)
		}
		s.get("", weChatUserPath, "code_", code+"x", "state_", state).wantCode(t, "wechat_expired", "another code")
		s.advance(signin.AuthorisationAgain - time.Millisecond)
		s.get("", weChatUserPath, "code_", code, "state_", state).wantCode(t, "ok", "for two minutes")
		s.advance(time.Second)
		s.get("", weChatUserPath, "code_", code, "state_", state).wantCode(t, "wechat_expired", "later")
		_, newState := s.authoriseAtWeChat(identityOf("o-1"))
		s.get("", weChatUserPath, "code_", code, "state_", newState).
			wantCode(t, "wechat_expired", "a used code with a new state")
		code, state = s.authoriseAtWeChat(identityOf("o-1"))
		s.advance(5 * time.Minute)
		s.get("", weChatUserPath, "code_", code, "state_", state).wantCode(t, "wechat_expired",
			"too old for the provider")
	})
}

func TestProviderRefusalMessageIsReturned(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		code, state := s.authoriseAtWeChat(identityOf("o-1"))
		s.wechat.setFailure(&signin.ProviderFailure{Code: "50002", Message: "用户受限"})
		for range 2 {
			got := s.get("", weChatUserPath, "code_", code, "state_", state).wantCode(t, "wechat_failed")
			if !strings.Contains(got.Message, "用户受限") {
				t.Errorf("%s", got.body)
			}
		}
		if n := s.wechat.exchangeCount(); n != 1 {
			t.Errorf("exchanged %d times", n)
		}
		s.wecom.setFailure(&signin.ProviderFailure{Code: "timeout"})
		s.post("", authorizeParamsPath, "company_id_", "1001", "url_", shopPage).wantCode(t, "wechat_failed")
		s.wecom.setFailure(nil)
		s.post("", authorizeParamsPath, "company_id_", "1001", "url_", shopPage).wantCode(t, "ok",
			"the provider answers again")
	})
}

func TestWorkChatCodeSignsIn(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		if got := dataOf[workChatData](t, s.signInByWorkChat("LiWei")); got.Linked || got.User != nil ||
			got.Ticket == "" {
			t.Errorf("an identity that is not linked: %+v", got)
		}
		s.linkIdentity(platformWeCom, "WangFang", "13800000001")
		got := dataOf[workChatData](t, s.signInByWorkChat("WangFang"))
		if !got.Linked || got.User == nil || got.User.Login != "buyer1" {
			t.Fatalf("%+v", got)
		}
		s.get(got.User.Token, "/v1/account/getAccountList").wantCode(t, "ok")
		s.linkIdentity(platformWeCom, "LiWei", "13800000003")
		got = dataOf[workChatData](t, s.signInByWorkChat("LiWei"))
		if !got.Linked || got.User != nil {
			t.Errorf("two accounts in the company: %+v", got)
		}
		login := dataOf[loginData](t, s.post("", openIDLoginPath, "ticket_", got.Ticket))
		if len(login.Mgr) != 1 || len(login.Shop) != 1 || login.User != nil || login.Shop[0].CompanyID != 1001 {
			t.Errorf("%+v", login)
		}
		s.post("", workChatPath, "code_", "x", "state_", "y").wantCode(t, "validation_failed", "no company")
		s.call(apiRequest{
			method: post, path: workChatPath, params: []string{"company_id_", "1001"},
			headers: map[string]string{"X-Company-Id": "1002"},
		}).
			wantCode(t, "wrong_parameters")
		late := s.beginAuthorisation("provider_", "wecom", "company_id_", "1001").AuthorizeURL
		code, state := s.wecom.authorise(t, late, signin.ProviderIdentity{Subject: "LiWei"})
		s.post("", workChatPath, "code_", code, "state_", state, "company_id_", "1002").
			wantCode(t, "wechat_failed", "another company")
		s.advance(signin.AuthorisationLife)
		s.post("", workChatPath, "code_", code, "state_", state, "company_id_", "1001").wantCode(t, "wechat_expired")

		s.wecom.invalidateTokens() // the code can still be used after the stale token was refused
		dataOf[workChatData](t, s.signInByWorkChat("LiWei"))
	})
}

// The same id at another application or provider is another identity.
func TestSameIDAtAnotherApplicationIsAnotherIdentity(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		noError(t, s.portal.Operator.SetCompany(t.Context(), 1002, "wechat", "wx00000000000000b2:own-secret-"+canary))
		s.linkIdentity(platformWeChat, "same", "13800000001")
		for more, linked := range map[string]bool{"": true, "1001": true, "1002": false} {
			if got := s.weChatIdentity(identityOf("same"), "company_id_", more); got.Linked != linked {
				t.Errorf("%s: %+v", more, got)
			}
		}
		if got := dataOf[workChatData](t, s.signInByWorkChat("same")); got.Linked {
			t.Errorf("%+v", got)
		}
		joined := identityOf("other") // the same person at another application of the same owner
		joined.UnionID = "u-1"
		i := s.weChatIdentity(joined)
		s.post("", openIDLoginPath, "ticket_", i.Ticket).wantCode(t, "account_not_found")
	})
}

// The table lists the blocked accounts of the demo data.
func TestBlockedAccountsCannotSignInByIdentity(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		_, err := s.db.Persons.Add(t.Context(), store.Person{Phone: "13700001111", CreatedAt: 1})
		noError(t, err)
		for phone, code := range map[string]string{
			"13800000004": "under_review", "13800000005": "account_disabled", "13800000006": "partner_ended",
			"13800000007": "company_disabled", "13800000008": "trial_ended",
			"13800000009": "company_expired", "13800000010": "mall_not_open", "13700001111": "phone_not_bound",
		} {
			s.linkIdentity(platformWeChat, "o"+phone, phone)
			s.linkIdentity(platformWeCom, "w"+phone, phone)
			s.post("", openIDLoginPath, "ticket_", s.weChatIdentity(identityOf("o"+phone)).Ticket).wantCode(t, code)
			begun := s.beginAuthorisation("provider_", "wecom", "company_id_", "", "corp_id_", platformWeCom.ID)
			work, state := s.wecom.authorise(t, begun.AuthorizeURL, signin.ProviderIdentity{Subject: "w" + phone})
			s.post("", workChatPath, "code_", work, "state_", state, "corp_id_", platformWeCom.ID).wantCode(t, code)
			if bound := s.post(
				"", linkWeChatPath, "ticket_", s.weChatIdentity(identityOf("new"+phone)).Ticket, "login_", phone,
				"password_",
				onboarding.DemoPassword,
			); phone != "13700001111" {
				bound.wantCode(t, code)
			}
			if s.weChatIdentity(identityOf("new" + phone)).Linked {
				t.Errorf("%s: the identity was linked", phone)
			}
		}
		s.changeCompany(1001, func(c *store.Company) { c.Mall = store.MallDisabled })
		s.linkIdentity(platformWeChat, "o-wang", "13800000001")
		s.linkIdentity(platformWeCom, "WangFang", "13800000001")
		s.post("", openIDLoginPath, "ticket_", s.weChatIdentity(identityOf("o-wang")).Ticket).
			wantCode(t, "shop_disabled")
		s.signInByWorkChat("WangFang").wantCode(t, "shop_disabled")
		s.post(
			"", linkWeChatPath, "ticket_", s.weChatIdentity(identityOf("o-new")).Ticket, "login_", "13800000001",
			"password_",
			onboarding.DemoPassword,
		).
			wantCode(t, "shop_disabled")
		s.changeCompany(1001, func(c *store.Company) { c.Mall = store.MallOpen })
		lighting := apiRequest{method: post, path: linkWeChatPath, headers: map[string]string{"X-Edition": "lighting"}}
		lighting.params = []string{
			"ticket_", s.weChatIdentity(identityOf("o-new")).Ticket, "login_", "13800000001", "password_",
			onboarding.DemoPassword,
		}
		s.call(lighting).wantCode(t, "lighting_not_enabled")
		code, state := s.wecom.authorise(
			t, s.beginAuthorisation("provider_", "wecom", "company_id_", "1001").AuthorizeURL,
			signin.ProviderIdentity{Subject: "WangFang"},
		)
		lighting.path, lighting.params = workChatPath, []string{"code_", code, "state_", state, "company_id_", "1001"}
		s.call(lighting).wantCode(t, "lighting_not_enabled")
		s.post("", workChatPath, lighting.params...).wantCode(t, "ok", "the same code without the lighting edition")
		s.linkIdentity(platformWeCom, "other-company", "13800000012")
		s.signInByWorkChat("other-company").wantCode(t, "not_in_company")
	}, func(o *portal.Options) { o.NoLimit = true })
}
