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

func TestAPageGetsWhatItNeedsToAuthorise(t *testing.T) {
	eachChat(t, func(t *testing.T, s *chatSite) {
		got := s.begun("provider_", "wecom", "company_id_", "1001", "url_", shopPage)
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
		again := s.begun("provider_", "wecom", "company_id_", "1001", "url_", shopPage)
		if again.AuthorizeURL == got.AuthorizeURL || again.Nonce == got.Nonce ||
			again.CorpSignature == got.CorpSignature {
			t.Errorf("twice the same: %+v", again)
		}

		got = s.begun()
		if got.CorpID != platformWeChat.ID || got.AgentID != nil || got.AgentSignature != nil ||
			!signatureForm.MatchString(got.CorpSignature) ||
			!strings.HasPrefix(got.AuthorizeURL, "https://wechat.test/") {
			t.Errorf("WeChat: %+v", got)
		}
		json := s.call(asked{method: post, path: paramsPath, json: `{"company_id_":1001,"url_":"` + shopPage + `"}`})
		if got := dataOf[answeredParams](t, json); got.CorpID != platformWeCom.ID {
			t.Errorf("work-chat comes first: %+v", got)
		}
		only := s.call(asked{
			method: post, path: paramsPath, params: []string{"url_", shopPage},
			headers: map[string]string{"X-Company-Id": "1001"},
		})
		if got := dataOf[answeredParams](t, only); got.CorpID != platformWeCom.ID {
			t.Errorf("the site's company: %+v", got)
		}
	})
}

func TestACompanysOwnApplicationIsAskedFor(t *testing.T) {
	eachChat(t, func(t *testing.T, s *chatSite) {
		set := func(company int64, name, value string) {
			noError(t, s.portal.Operator.SetCompany(t.Context(), company, name, value))
		}
		set(1001, "wecom", "ww00000000000000c1:1000007:own-secret-"+canary)
		app := func(company, corp string, more ...string) answered {
			return s.post(
				"",
				paramsPath,
				append(
					[]string{"url_", "http://m.portico.test/shop", "company_id_", company, "corp_id_", corp},
					more...)...)
		}
		is := func(got answered, corp, agent string) {
			t.Helper()
			if p := dataOf[answeredParams](t, got); p.CorpID != corp || *p.AgentID != agent {
				t.Errorf("%+v", p)
			}
		}
		is(app("1001", ""), "ww00000000000000c1", "1000007")
		is(app("", "ww00000000000000c1"), "ww00000000000000c1", "1000007")
		is(app("1001", "ww00000000000000c1"), "ww00000000000000c1", "1000007")
		is(app("1002", ""), platformWeCom.ID, platformWeCom.Agent)
		is(app("1002", platformWeCom.ID), platformWeCom.ID, platformWeCom.Agent)
		is(app("", platformWeCom.ID), platformWeCom.ID, platformWeCom.Agent)
		app("1002", "ww00000000000000c1").want(t, "not_found", "another company's")
		app("1001", platformWeCom.ID).want(t, "not_found", "it has one of its own")
		app("", "ww00000000000000ff").want(t, "not_found")
		app("9999", "").want(t, "not_found")

		set(1002, "wecom", "ww00000000000000c1:1000008:next-secret-"+canary)
		app("", "ww00000000000000c1").want(t, "wrong_parameters", "two companies share it")
		is(app("1001", "ww00000000000000c1"), "ww00000000000000c1", "1000007")
		is(app("1002", "ww00000000000000c1"), "ww00000000000000c1", "1000008")

		set(1001, "chat", "off")
		for _, provider := range []string{"", "wecom", "wechat"} {
			app("1001", "", "provider_", provider).want(t, "wechat_failed", provider)
		}
		app("1001", "ww00000000000000c1").want(t, "wechat_failed")
	})
}

func TestWhatNamesNoCompanyOrProviderIsRefused(t *testing.T) {
	eachChat(t, func(t *testing.T, s *chatSite) {
		for field, params := range map[string][]string{
			"company_id_": {"url_", shopPage},
			"provider_":   {"url_", shopPage, "company_id_", "1001", "provider_", "qq"}, "url_": {"company_id_",
				"1001"},
		} {
			if d := s.post("", paramsPath, params...).
				want(t, "validation_failed", field).
				detail(t); d.Fields[field] == "" ||
				len(d.Fields) != 1 {
				t.Errorf("%s: %v", field, d.Fields)
			}
		}
		s.post("", paramsPath, "url_", shopPage, "company_id_", "1001", "provider_", "wecom", "corp_id_", "").
			want(t, "ok")
		s.call(asked{
			method: post, path: paramsPath, params: []string{"url_", shopPage, "company_id_", "1001"},
			headers: map[string]string{"X-Company-Id": "1002"},
		}).
			want(t, "wrong_parameters")
	})
	eachChat(t, func(t *testing.T, s *chatSite) {
		got := dataOf[answeredParams](t, s.post("", paramsPath, "url_", shopPage, "company_id_", "1001"))
		if got.CorpID != platformWeChat.ID {
			t.Errorf("where there is no work-chat: %+v", got)
		}
		s.post("", paramsPath, "url_", shopPage, "company_id_", "1001", "provider_", "wecom").want(t, "wechat_failed")
	}, func(o *portal.Options) { o.Providers.Apps = []chatapps.ProviderApp{platformWeChat} })
	eachChat(t, func(t *testing.T, s *chatSite) {
		s.post("", paramsPath, "url_", shopPage, "company_id_", "1001").want(t, "wechat_failed")
		noError(
			t,
			s.portal.Operator.SetCompany(t.Context(), 1001, "wecom", "ww00000000000000c2:1000007:own-secret-"+canary),
		)
		s.post("", paramsPath, "url_", shopPage, "company_id_", "1001").
			want(t, "wechat_failed", "credentials, and nobody to ask")
	}, func(o *portal.Options) { o.Providers = chatapps.Providers{} })
}

// The server signs pages, and sends codes to addresses, only on sites of the company and the platform.
func TestOnlyPagesOfOurOwnAreSigned(t *testing.T) {
	eachChat(t, func(t *testing.T, s *chatSite) {
		noError(t, s.portal.Operator.SetCompany(t.Context(), 1001, "domain", "jinsui.test"))
		try := func(page string) answered {
			return s.post("", paramsPath, "company_id_", "1001", "url_", page)
		}
		for _, page := range []string{
			shopPage, "http://account.portico.test/login", "http://portico.test",
			"http://m.portico.test/shop?companyId=1001#/a?b=c", "http://jinsui.test/x",
			"http://mgr.portico.test/home?x=%E5%95%86",
		} {
			try(page).want(t, "ok", page)
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
			s.unchanged(page, func() {
				if d := try(page).want(t, "validation_failed", page).detail(t); d.Fields["url_"] == "" {
					t.Errorf("%q: %v", page, d.Fields)
				}
			})
		}
		s.post("", paramsPath, "provider_", "wechat", "url_", shopPage).
			want(t, "validation_failed", "a company's page for the platform")
	}, func(o *portal.Options) { o.NoLimit = true })
}

// The browser counts what it was given, letter by letter; it comes back without the code it came with before.
func TestAPageIsSignedAsItIsWritten(t *testing.T) {
	eachChat(t, func(t *testing.T, s *chatSite) {
		base := "http://store1001.portico.test"
		for page, want := range map[string][2]string{
			"/a|b'(c)?x=1|2&y=商": {"/a|b'(c)?x=1|2&y=商", "/a|b'(c)?x=1|2&y=商"}, "/%41%7e?": {"/%41%7e?", "/%41%7e"},
			"":                                    {"", ""},
			"/s?code=old&a=1&state=old#/r?code=2": {"/s?code=old&a=1&state=old", "/s?a=1"},
			"/s?state=x&code":                     {"/s?state=x&code", "/s"}, "/s?codes=1#": {"/s?codes=1",
				"/s?codes=1"},
		} {
			got := s.begun("provider_", "wecom", "company_id_", "1001", "url_", base+page)
			u, err := url.Parse(got.AuthorizeURL)
			noError(t, err)
			if signed := s.wecom.signed[len(s.wecom.signed)-1]; signed != base+want[0] ||
				u.Query().Get("redirect_uri") != base+want[1] {
				t.Errorf("%s: signed %s, comes back to %s", page, signed, u.Query().Get("redirect_uri"))
			}
		}
	})
}

func TestTicketsAreFetchedOnceForEverybody(t *testing.T) {
	eachChat(t, func(t *testing.T, s *chatSite) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { s.begun("provider_", "wecom", "company_id_", "1001", "url_", shopPage) })
		}
		all.Wait()
		if got := fmt.Sprint(s.wecom.fetched); got != "map[access:1 agent:1 page:1]" {
			t.Error(got)
		}
		s.advance(2 * time.Hour)
		s.begun("provider_", "wecom", "company_id_", "1001", "url_", shopPage)
		if got := fmt.Sprint(s.wecom.fetched); got != "map[access:2 agent:2 page:2]" {
			t.Error("two hours on:", got)
		}
	})
}

func TestPagesSignedAreLimited(t *testing.T) {
	eachChat(t, func(t *testing.T, s *chatSite) {
		ask := func() answered { return s.post("", paramsPath, "company_id_", "1001", "url_", shopPage) }
		for i := range chatlogin.Signatures {
			ask().want(t, "ok", i)
		}
		if got := ask().want(t, "too_many_attempts"); got.header.Get("Retry-After") == "" {
			t.Errorf("%v", got.header)
		}
		s.call(asked{
			method: post, path: paramsPath, params: []string{"company_id_", "1001", "url_", shopPage},
			address: "203.0.113.99",
		}).
			want(t, "ok", "another address")
		s.advance(chatlogin.AuthorisationLife)
		ask().want(t, "ok")
	})
}

func TestACodeOfWeChatGivesTheIdentity(t *testing.T) {
	eachChat(t, func(t *testing.T, s *chatSite) {
		who := somebody("o-new")
		who.UnionID = "u-new"
		code, state := s.cameBack(who)
		got := dataOf[answeredIdentity](t, s.get("", weChatPath, "code_", code, "state_", state))
		if got.OpenID != "o-new" || *got.UnionID != "u-new" || *got.Nick != who.Nick || *got.Head != who.Head ||
			got.Linked ||
			got.Applied ||
			got.Ticket == "" {
			t.Errorf("%+v", got)
		}
		code, state = s.cameBack(chatapps.ProviderIdentity{Subject: "o-bare"})
		if got := s.get("", weChatPath, "code_", code, "state_", state); !strings.Contains(
			string(got.Data),
			`{"open_id_":"o-bare","union_id_":null,"nick_name_":null,"head_img_":null,"linked_":false,`+
				`"applied_":false,"ticket_":"`,
		) {
			t.Errorf("%s", got.body)
		}
		s.link(platformWeChat, "o-linked", "13800000004") // whose account is under review
		if got := s.recognised(somebody("o-linked")); !got.Linked || got.Applied {
			t.Errorf("%+v", got)
		}
	})
}

// The company may be left out. A company other than that of the authorisation is refused.
func TestAStateIsOfOneClientCompanyAndProvider(t *testing.T) {
	eachChat(t, func(t *testing.T, s *chatSite) {
		who := somebody("o-1")
		try := func(code, state string, a asked, more ...string) answered {
			a.method, a.path, a.params = get, weChatPath, append([]string{"code_", code, "state_", state}, more...)
			return s.call(a)
		}
		code, state := s.cameBack(who, "company_id_", "1001")
		for what, got := range map[string]func() answered{
			"another kind":    func() answered { return try(code, state, asked{kind: "WEBAPP"}) },
			"another company": func() answered { return try(code, state, asked{}, "company_id_", "1002") },
			"another site": func() answered {
				return try(code, state, asked{headers: map[string]string{"X-Company-Id": "1002"}})
			},
			"no state":   func() answered { return try(code, "", asked{}) },
			"made up":    func() answered { return try(code, strings.Repeat("a", 40), asked{}) },
			"cut":        func() answered { return try(code, state[:39], asked{}) },
			"longer":     func() answered { return try(code, state+"0", asked{}) },
			"other case": func() answered { return try(code, strings.ToUpper(state), asked{}) },
			"declined":   func() answered { return try("", state, asked{}) },
			"of work-chat": func() answered {
				return s.post("", workChatPath, "code_", code, "state_", state, "company_id_", "1001")
			},
			"of a browser": func() answered { return try(code, s.browserState(), asked{}) },
			"of the platform": func() answered {
				_, other := s.cameBack(who)
				return try(code, other, asked{}, "company_id_", "1001")
			},
			"unknown provider": func() answered { return try(code, "%"+state, asked{}) },
		} {
			if n := s.wechat.asked(); got().Code != "wechat_failed" || s.wechat.asked() != n {
				t.Errorf("%s: not refused, or asked about", what)
			}
		}
		try(
			code, state, asked{headers: map[string]string{"X-Company-Id": "1002"}}, "company_id_", "1001",
		).want(t, "wrong_parameters")
		try(code, state, asked{}, "company_id_", "9999").want(t, "not_found")
		try(code, state, asked{}).want(t, "ok", "the company is left out")
		code, state = s.cameBack(who, "company_id_", "1001")
		try(code, state, asked{headers: map[string]string{"X-Company-Id": "1001"}}, "company_id_", "1001").want(t, "ok")

		code, state = s.cameBack(who)
		s.advance(chatlogin.AuthorisationLife)
		try(code, state, asked{}).want(t, "wechat_expired", "after ten minutes")
		code, state = s.cameBack(who, "company_id_", "1001")
		noError(t, s.portal.Operator.SetCompany(t.Context(), 1001, "chat", "off"))
		try(code, state, asked{}).want(t, "wechat_failed", "switched off meanwhile")
	})
}

// browserState is a state of an authorisation that a browser began.
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

func TestACodeIsExchangedOnce(t *testing.T) {
	eachChat(t, func(t *testing.T, s *chatSite) {
		s.wechat.slow = 200 * time.Millisecond
		code, state := s.cameBack(somebody("o-1"))
		answers := make([]answered, 10)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = s.get("", weChatPath, "code_", code, "state_", state) })
		}
		all.Wait()
		for _, got := range answers {
			if who := dataOf[answeredIdentity](t, got); who.OpenID != "o-1" {
				t.Errorf("%+v", who)
			}
		}
		if n := s.wechat.asked(); n != 1 {
			t.Errorf("exchanged %d times", n)
		}
		s.get("", weChatPath, "code_", code+"x", "state_", state).want(t, "wechat_expired", "another code")
		s.advance(chatlogin.AuthorisationAgain - time.Millisecond)
		s.get("", weChatPath, "code_", code, "state_", state).want(t, "ok", "for two minutes")
		s.advance(time.Second)
		s.get("", weChatPath, "code_", code, "state_", state).want(t, "wechat_expired", "later")
		_, fresh := s.cameBack(somebody("o-1"))
		s.get("", weChatPath, "code_", code, "state_", fresh).
			want(t, "wechat_expired", "a code that was used, with a fresh state")
		code, state = s.cameBack(somebody("o-1"))
		s.advance(5 * time.Minute)
		s.get("", weChatPath, "code_", code, "state_", state).want(t, "wechat_expired", "too old for the provider")
	})
}

func TestWhatAProviderRefusesIsToldInItsWords(t *testing.T) {
	eachChat(t, func(t *testing.T, s *chatSite) {
		code, state := s.cameBack(somebody("o-1"))
		s.wechat.fails(&chatapps.ProviderFailure{Code: "50002", Message: "用户受限"})
		for range 2 {
			got := s.get("", weChatPath, "code_", code, "state_", state).want(t, "wechat_failed")
			if !strings.Contains(got.Message, "用户受限") {
				t.Errorf("%s", got.body)
			}
		}
		if n := s.wechat.asked(); n != 1 {
			t.Errorf("asked %d times", n)
		}
		s.wecom.fails(&chatapps.ProviderFailure{Code: "timeout"})
		s.post("", paramsPath, "company_id_", "1001", "url_", shopPage).want(t, "wechat_failed")
		s.wecom.fails(nil)
		s.post("", paramsPath, "company_id_", "1001", "url_", shopPage).want(t, "ok", "it answers again")
	})
}

func TestWorkChatSignsInAtOnce(t *testing.T) {
	eachChat(t, func(t *testing.T, s *chatSite) {
		if got := dataOf[answeredWorkChat](t, s.atWorkChat("LiWei")); got.Linked || got.User != nil ||
			got.Ticket == "" {
			t.Errorf("nobody's: %+v", got)
		}
		s.link(platformWeCom, "WangFang", "13800000001")
		got := dataOf[answeredWorkChat](t, s.atWorkChat("WangFang"))
		if !got.Linked || got.User == nil || got.User.Login != "buyer1" {
			t.Fatalf("%+v", got)
		}
		s.get(got.User.Token, "/v1/account/getAccountList").want(t, "ok")
		s.link(platformWeCom, "LiWei", "13800000003")
		got = dataOf[answeredWorkChat](t, s.atWorkChat("LiWei"))
		if !got.Linked || got.User != nil {
			t.Errorf("two accounts in the company: %+v", got)
		}
		in := dataOf[answeredLogin](t, s.post("", ticketPath, "ticket_", got.Ticket))
		if len(in.Mgr) != 1 || len(in.Shop) != 1 || in.User != nil || in.Shop[0].CompanyID != 1001 {
			t.Errorf("%+v", in)
		}
		s.post("", workChatPath, "code_", "x", "state_", "y").want(t, "validation_failed", "no company")
		s.call(asked{
			method: post, path: workChatPath, params: []string{"company_id_", "1001"},
			headers: map[string]string{"X-Company-Id": "1002"},
		}).
			want(t, "wrong_parameters")
		late := s.begun("provider_", "wecom", "company_id_", "1001").AuthorizeURL
		code, state := s.wecom.agree(t, late, chatapps.ProviderIdentity{Subject: "LiWei"})
		s.post("", workChatPath, "code_", code, "state_", state, "company_id_", "1002").
			want(t, "wechat_failed", "another company")
		s.advance(chatlogin.AuthorisationLife)
		s.post("", workChatPath, "code_", code, "state_", state, "company_id_", "1001").want(t, "wechat_expired")

		s.wecom.forgets() // the token is stale, the code is not spent by that
		dataOf[answeredWorkChat](t, s.atWorkChat("LiWei"))
	})
}

// The same id at another application or provider is another identity.
func TestTheSameTextElsewhereIsAnotherIdentity(t *testing.T) {
	eachChat(t, func(t *testing.T, s *chatSite) {
		noError(t, s.portal.Operator.SetCompany(t.Context(), 1002, "wechat", "wx00000000000000b2:own-secret-"+canary))
		s.link(platformWeChat, "same", "13800000001")
		for more, linked := range map[string]bool{"": true, "1001": true, "1002": false} {
			if got := s.recognised(somebody("same"), "company_id_", more); got.Linked != linked {
				t.Errorf("%s: %+v", more, got)
			}
		}
		if got := dataOf[answeredWorkChat](t, s.atWorkChat("same")); got.Linked {
			t.Errorf("%+v", got)
		}
		joined := somebody("other") // the same person at another application of the same owner
		joined.UnionID = "u-1"
		i := s.recognised(joined)
		s.post("", ticketPath, "ticket_", i.Ticket).want(t, "account_not_found")
	})
}

// The refusals for blocked accounts of the demo data.
func TestWhatBlocksASignInBlocksItByIdentity(t *testing.T) {
	eachChat(t, func(t *testing.T, s *chatSite) {
		_, err := s.db.Phones.Add(t.Context(), store.Phone{Phone: "13700001111", CreatedAt: 1})
		noError(t, err)
		for phone, code := range map[string]string{
			"13800000004": "under_review", "13800000005": "account_disabled", "13800000006": "partner_ended",
			"13800000007": "company_disabled", "13800000008": "trial_ended",
			"13800000009": "company_expired", "13800000010": "mall_not_open", "13700001111": "phone_not_bound",
		} {
			s.link(platformWeChat, "o"+phone, phone)
			s.link(platformWeCom, "w"+phone, phone)
			s.post("", ticketPath, "ticket_", s.recognised(somebody("o"+phone)).Ticket).want(t, code)
			begun := s.begun("provider_", "wecom", "company_id_", "", "corp_id_", platformWeCom.ID)
			work, state := s.wecom.agree(t, begun.AuthorizeURL, chatapps.ProviderIdentity{Subject: "w" + phone})
			s.post("", workChatPath, "code_", work, "state_", state, "corp_id_", platformWeCom.ID).want(t, code)
			if bound := s.post(
				"", bindPath, "ticket_", s.recognised(somebody("new"+phone)).Ticket, "login_", phone, "password_",
				onboarding.DemoPassword,
			); phone != "13700001111" {
				bound.want(t, code)
			}
			if s.recognised(somebody("new" + phone)).Linked {
				t.Errorf("%s: linked all the same", phone)
			}
		}
		s.company(1001, func(c *store.Company) { c.Mall = store.MallDisabled })
		s.link(platformWeChat, "o-wang", "13800000001")
		s.link(platformWeCom, "WangFang", "13800000001")
		s.post("", ticketPath, "ticket_", s.recognised(somebody("o-wang")).Ticket).want(t, "shop_disabled")
		s.atWorkChat("WangFang").want(t, "shop_disabled")
		s.post(
			"", bindPath, "ticket_", s.recognised(somebody("o-new")).Ticket, "login_", "13800000001", "password_",
			onboarding.DemoPassword,
		).
			want(t, "shop_disabled")
		s.company(1001, func(c *store.Company) { c.Mall = store.MallOpen })
		lighting := asked{method: post, path: bindPath, headers: map[string]string{"X-Edition": "lighting"}}
		lighting.params = []string{
			"ticket_", s.recognised(somebody("o-new")).Ticket, "login_", "13800000001", "password_",
			onboarding.DemoPassword,
		}
		s.call(lighting).want(t, "lighting_not_enabled")
		code, state := s.wecom.agree(
			t, s.begun("provider_", "wecom", "company_id_", "1001").AuthorizeURL,
			chatapps.ProviderIdentity{Subject: "WangFang"},
		)
		lighting.path, lighting.params = workChatPath, []string{"code_", code, "state_", state, "company_id_", "1001"}
		s.call(lighting).want(t, "lighting_not_enabled")
		s.post("", workChatPath, lighting.params...).want(t, "ok", "the same code without it")
		s.link(platformWeCom, "elsewhere", "13800000012")
		s.atWorkChat("elsewhere").want(t, "not_in_company")
	}, func(o *portal.Options) { o.NoLimit = true })
}
