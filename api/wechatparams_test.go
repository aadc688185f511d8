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
	"portico/portal/signin"
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
	}, func(o *portal.Options) { o.Providers.Apps = []signin.ProviderApp{platformWeChat} })
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		s.post("", authorizeParamsPath, "url_", shopPage, "company_id_", "1001").wantCode(t, "wechat_failed")
		noError(
			t,
			s.portal.Operator.SetCompany(t.Context(), 1001, "wecom", "ww00000000000000c2:1000007:own-secret-"+canary),
		)
		s.post("", authorizeParamsPath, "url_", shopPage, "company_id_", "1001").
			wantCode(t, "wechat_failed", "credentials, but no provider")
	}, func(o *portal.Options) { o.Providers = signin.Providers{} })
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
		for i := range signin.Signatures {
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
		s.advance(signin.AuthorisationLife)
		requestParams().wantCode(t, "ok")
	})
}
