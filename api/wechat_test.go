package api

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/chatlogin"
	"portico/portal/onboarding"
	"portico/store"
)

var (
	signatureForm = regexp.MustCompile(`^[0-9a-f]{40}$`)
	nonceForm     = regexp.MustCompile(`^[A-Za-z0-9]{20}$`)
	stateForm     = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

func TestAuthorizationParamsAreSignedForAPage(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		got := s.beginAuthorisation("provider_", "wecom", "company_id_", "1001", "url_", shopPage)
		if got.CorpID != platformWeCom.ID || got.AgentID == nil || *got.AgentID != platformWeCom.Agent ||
			got.Timestamp != s.now().Unix() ||
			!nonceForm.MatchString(got.Nonce) {
			t.Errorf("%+v", got)
		}
		if got.AgentSignature == nil || !signatureForm.MatchString(got.CorpSignature) ||
			!signatureForm.MatchString(*got.AgentSignature) ||
			got.CorpSignature == *got.AgentSignature {
			t.Errorf("%+v", got)
		}
		u, err := url.Parse(got.AuthorizeURL)
		noError(t, err)
		if q := u.Query(); q.Get("redirect_uri") != shopPage || !stateForm.MatchString(q.Get("state")) ||
			q.Get("appid") != platformWeCom.ID {
			t.Errorf("%s", got.AuthorizeURL)
		}
		again := s.beginAuthorisation("provider_", "wecom", "company_id_", "1001", "url_", shopPage)
		if again.AuthorizeURL == got.AuthorizeURL || again.Nonce == got.Nonce ||
			again.CorpSignature == got.CorpSignature {
			t.Errorf("two calls with the same result: %+v", again)
		}

		got = s.beginAuthorisation()
		if got.CorpID != platformWeChat.ID || got.AgentID != nil || got.AgentSignature != nil ||
			!signatureForm.MatchString(got.CorpSignature) ||
			!strings.HasPrefix(got.AuthorizeURL, "https://wechat.test/") {
			t.Errorf("WeChat: %+v", got)
		}
		json := s.call(apiRequest{method: post, path: authorizeParamsPath,
			json: `{"company_id_":1001,"url_":"` + shopPage + `"}`})
		if got := dataOf[authorizeData](t, json); got.CorpID != platformWeCom.ID {
			t.Errorf("work-chat comes first: %+v", got)
		}
		bySite := s.call(apiRequest{
			method: post, path: authorizeParamsPath, params: []string{"url_", shopPage},
			headers: map[string]string{"X-Company-Id": "1001"},
		})
		if got := dataOf[authorizeData](t, bySite); got.CorpID != platformWeCom.ID {
			t.Errorf("the site's company: %+v", got)
		}
	})
}

func TestCompanyChatApplicationIsUsed(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		set := func(company int64, name, value string) {
			noError(t, s.portal.Operator.SetCompany(t.Context(), company, name, value))
		}
		set(1001, "wecom", "ww00000000000000c1:1000007:own-secret-"+canary)
		app := func(company, corp string, more ...string) apiResponse {
			return s.post(
				"",
				authorizeParamsPath,
				append(
					[]string{"url_", "http://m.portico.test/shop", "company_id_", company, "corp_id_", corp},
					more...)...)
		}
		wantApp := func(got apiResponse, corp, agent string) {
			t.Helper()
			if p := dataOf[authorizeData](t, got); p.CorpID != corp || *p.AgentID != agent {
				t.Errorf("%+v", p)
			}
		}
		wantApp(app("1001", ""), "ww00000000000000c1", "1000007")
		wantApp(app("", "ww00000000000000c1"), "ww00000000000000c1", "1000007")
		wantApp(app("1001", "ww00000000000000c1"), "ww00000000000000c1", "1000007")
		wantApp(app("1002", ""), platformWeCom.ID, platformWeCom.Agent)
		wantApp(app("1002", platformWeCom.ID), platformWeCom.ID, platformWeCom.Agent)
		wantApp(app("", platformWeCom.ID), platformWeCom.ID, platformWeCom.Agent)
		app("1002", "ww00000000000000c1").wantCode(t, "not_found", "another company's")
		app("1001", platformWeCom.ID).wantCode(t, "not_found", "the company has its own application")
		app("", "ww00000000000000ff").wantCode(t, "not_found")
		app("9999", "").wantCode(t, "not_found")

		set(1002, "wecom", "ww00000000000000c1:1000008:next-secret-"+canary)
		app("", "ww00000000000000c1").wantCode(t, "wrong_parameters", "two companies share it")
		wantApp(app("1001", "ww00000000000000c1"), "ww00000000000000c1", "1000007")
		wantApp(app("1002", "ww00000000000000c1"), "ww00000000000000c1", "1000008")

		set(1001, "chat", "off")
		for _, provider := range []string{"", "wecom", "wechat"} {
			app("1001", "", "provider_", provider).wantCode(t, "wechat_failed", provider)
		}
		app("1001", "ww00000000000000c1").wantCode(t, "wechat_failed")
	})
}

func TestAuthorizationParamsNeedCompanyAndProvider(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		for field, params := range map[string][]string{
			"company_id_": {"url_", shopPage},
			"provider_":   {"url_", shopPage, "company_id_", "1001", "provider_", "qq"}, "url_": {"company_id_",
				"1001"},
		} {
			if d := s.post("", authorizeParamsPath, params...).
				wantCode(t, "validation_failed", field).
				refusalDetail(t); d.Fields[field] == "" ||
				len(d.Fields) != 1 {
				t.Errorf("%s: %v", field, d.Fields)
			}
		}
		s.post("", authorizeParamsPath, "url_", shopPage, "company_id_", "1001", "provider_", "wecom", "corp_id_", "").
			wantCode(t, "ok")
		s.call(apiRequest{
			method: post, path: authorizeParamsPath, params: []string{"url_", shopPage, "company_id_", "1001"},
			headers: map[string]string{"X-Company-Id": "1002"},
		}).
			wantCode(t, "wrong_parameters")
	})
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		got := dataOf[authorizeData](t, s.post("", authorizeParamsPath, "url_", shopPage, "company_id_", "1001"))
		if got.CorpID != platformWeChat.ID {
			t.Errorf("without WeCom: %+v", got)
		}
		s.post("", authorizeParamsPath, "url_", shopPage, "company_id_", "1001", "provider_", "wecom").
			wantCode(t, "wechat_failed")
	}, func(o *portal.Options) { o.Providers.Apps = []chatapps.ProviderApp{platformWeChat} })
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		s.post("", authorizeParamsPath, "url_", shopPage, "company_id_", "1001").wantCode(t, "wechat_failed")
		noError(
			t,
			s.portal.Operator.SetCompany(t.Context(), 1001, "wecom", "ww00000000000000c2:1000007:own-secret-"+canary),
		)
		s.post("", authorizeParamsPath, "url_", shopPage, "company_id_", "1001").
			wantCode(t, "wechat_failed", "credentials, but no provider")
	}, func(o *portal.Options) { o.Providers = chatapps.Providers{} })
}

// The server signs pages and sends codes only for sites of the company and the platform.
func TestOnlyPagesOfPlatformAndCompanyAreSigned(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		noError(t, s.portal.Operator.SetCompany(t.Context(), 1001, "domain", "jinsui.test"))
		try := func(page string) apiResponse {
			return s.post("", authorizeParamsPath, "company_id_", "1001", "url_", page)
		}
		for _, page := range []string{
			shopPage, "http://account.portico.test/login", "http://portico.test",
			"http://m.portico.test/shop?companyId=1001#/a?b=c", "http://jinsui.test/x",
			"http://mgr.portico.test/home?x=%E5%95%86",
		} {
			try(page).wantCode(t, "ok", page)
		}
		for _, page := range []string{
			"", "/home", "//store1001.portico.test/", "store1001.portico.test", "https://store1001.portico.test/",
			"http://store1001.portico.test:81/", "http://store1001.portico.test./",
			"http://STORE1001.portico.test/", "http://evil.test/", "http://portico.test.evil.test/",
			"http://evil.test#@store1001.portico.test/", "http://evil.test/?http://store1001.portico.test/",
			"http://store1001.portico.test@evil.test/", "http://evil.test@store1001.portico.test/",
			"http://a:b@store1001.portico.test/", `http://evil.test\@store1001.portico.test/`,
			`http:\\store1001.portico.test\`, "http://store1001.portico.test%2eevil.test/",
			"http://evil.test%00.portico.test/", "http:store1001.portico.test/",
			"javascript://store1001.portico.test/%0aalert(1)",
			"data:text/html,x", "file:///etc/passwd", "http://store1002.portico.test/home",
			"http://store9999.portico.test/", "http://x.store1001.portico.test/", "http://[::1]/",
			"http://store1001.portico.test/\r\nX: y", " http://store1001.portico.test/",
			"http://store1001.portico.test /", "http://store1001.pörtico.test/", shopPage + strings.Repeat("x", 1024),
		} {
			s.wantUnchanged(page, func() {
				if d := try(page).wantCode(t, "validation_failed", page).refusalDetail(t); d.Fields["url_"] == "" {
					t.Errorf("%q: %v", page, d.Fields)
				}
			})
		}
		s.post("", authorizeParamsPath, "provider_", "wechat", "url_", shopPage).
			wantCode(t, "validation_failed", "a company's page for the platform")
	}, func(o *portal.Options) { o.NoLimit = true })
}

// The page's address is signed exactly as it was sent. The redirect address is the same without an earlier code and
// state.
func TestPageURLIsSignedUnchanged(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		base := "http://store1001.portico.test"
		for page, want := range map[string][2]string{
			"/a|b'(c)?x=1|2&y=商": {"/a|b'(c)?x=1|2&y=商", "/a|b'(c)?x=1|2&y=商"}, "/%41%7e?": {"/%41%7e?", "/%41%7e"},
			"":                                    {"", ""},
			"/s?code=old&a=1&state=old#/r?code=2": {"/s?code=old&a=1&state=old", "/s?a=1"},
			"/s?state=x&code":                     {"/s?state=x&code", "/s"}, "/s?codes=1#": {"/s?codes=1",
				"/s?codes=1"},
		} {
			got := s.beginAuthorisation("provider_", "wecom", "company_id_", "1001", "url_", base+page)
			u, err := url.Parse(got.AuthorizeURL)
			noError(t, err)
			if signed := s.wecom.signed[len(s.wecom.signed)-1]; signed != base+want[0] ||
				u.Query().Get("redirect_uri") != base+want[1] {
				t.Errorf("%s: signed %s, comes back to %s", page, signed, u.Query().Get("redirect_uri"))
			}
		}
	})
}

func TestProviderTicketsAreFetchedOnce(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() { s.beginAuthorisation("provider_", "wecom", "company_id_", "1001", "url_", shopPage) })
		}
		group.Wait()
		if got := fmt.Sprint(s.wecom.fetched); got != "map[access:1 agent:1 page:1]" {
			t.Error(got)
		}
		s.advance(2 * time.Hour)
		s.beginAuthorisation("provider_", "wecom", "company_id_", "1001", "url_", shopPage)
		if got := fmt.Sprint(s.wecom.fetched); got != "map[access:2 agent:2 page:2]" {
			t.Error("after two hours:", got)
		}
	})
}

func TestSignedPagesAreRateLimited(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		requestParams := func() apiResponse {
			return s.post("", authorizeParamsPath, "company_id_", "1001", "url_",
				shopPage)
		}
		for i := range chatlogin.Signatures {
			requestParams().wantCode(t, "ok", i)
		}
		if got := requestParams().wantCode(t, "too_many_attempts"); got.header.Get("Retry-After") == "" {
			t.Errorf("%v", got.header)
		}
		s.call(apiRequest{
			method: post, path: authorizeParamsPath, params: []string{"company_id_", "1001", "url_", shopPage},
			address: "203.0.113.99",
		}).
			wantCode(t, "ok", "another address")
		s.advance(chatlogin.AuthorisationLife)
		requestParams().wantCode(t, "ok")
	})
}

func TestWeChatCodeReturnsIdentity(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		identity := identityOf("o-new")
		identity.UnionID = "u-new"
		code, state := s.authoriseAtWeChat(identity)
		got := dataOf[identityData](t, s.get("", weChatUserPath, "code_", code, "state_", state))
		if got.OpenID != "o-new" || *got.UnionID != "u-new" || *got.Nick != identity.Nick ||
			*got.Head != identity.Head ||
			got.Linked ||
			got.Applied ||
			got.Ticket == "" {
			t.Errorf("%+v", got)
		}
		code, state = s.authoriseAtWeChat(chatapps.ProviderIdentity{Subject: "o-bare"})
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
		s.advance(chatlogin.AuthorisationLife)
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
	to, err := s.portal.Chatlogin.BeginAuthorisation(s.t.Context(), chatlogin.BeginAuthorisationInput{
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
			if who := dataOf[identityData](t, got); who.OpenID != "o-1" {
				t.Errorf("%+v", who)
			}
		}
		if n := s.wechat.exchangeCount(); n != 1 {
			t.Errorf("exchanged %d times", n)
		}
		s.get("", weChatUserPath, "code_", code+"x", "state_", state).wantCode(t, "wechat_expired", "another code")
		s.advance(chatlogin.AuthorisationAgain - time.Millisecond)
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
		s.wechat.setFailure(&chatapps.ProviderFailure{Code: "50002", Message: "用户受限"})
		for range 2 {
			got := s.get("", weChatUserPath, "code_", code, "state_", state).wantCode(t, "wechat_failed")
			if !strings.Contains(got.Message, "用户受限") {
				t.Errorf("%s", got.body)
			}
		}
		if n := s.wechat.exchangeCount(); n != 1 {
			t.Errorf("exchanged %d times", n)
		}
		s.wecom.setFailure(&chatapps.ProviderFailure{Code: "timeout"})
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
		code, state := s.wecom.authorise(t, late, chatapps.ProviderIdentity{Subject: "LiWei"})
		s.post("", workChatPath, "code_", code, "state_", state, "company_id_", "1002").
			wantCode(t, "wechat_failed", "another company")
		s.advance(chatlogin.AuthorisationLife)
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
		_, err := s.db.AddPhone(t.Context(), store.Phone{Phone: "13700001111", CreatedAt: 1})
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
			work, state := s.wecom.authorise(t, begun.AuthorizeURL, chatapps.ProviderIdentity{Subject: "w" + phone})
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
			chatapps.ProviderIdentity{Subject: "WangFang"},
		)
		lighting.path, lighting.params = workChatPath, []string{"code_", code, "state_", state, "company_id_", "1001"}
		s.call(lighting).wantCode(t, "lighting_not_enabled")
		s.post("", workChatPath, lighting.params...).wantCode(t, "ok", "the same code without the lighting edition")
		s.linkIdentity(platformWeCom, "other-company", "13800000012")
		s.signInByWorkChat("other-company").wantCode(t, "not_in_company")
	}, func(o *portal.Options) { o.NoLimit = true })
}
