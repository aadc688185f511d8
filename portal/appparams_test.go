package portal_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"portico/portal"
)

func TestAPageIsSignedAndSentToTheProviderAndBackToItself(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		c := p.program(portal.ClientWebApp)
		in := portal.AppParamsInput{CompanyID: 1001, URL: pageOf1001 + "?from=chat&x=1#top", Client: c.kind}
		first, err := p.AppParams(c.ctx(), in)
		noError(t, err)
		w := wayOf(t, portal.WeCom, first.AuthorizeURL)
		if first.App.ID != platformCorp || first.App.Agent != "1000002" || w.redirect != pageOf1001+"?from=chat&x=1" || w.scope != portal.ScopeSilent || len(w.state) != 40 {
			t.Errorf("%+v %+v", first.App, w)
		}
		if first.Timestamp != p.clock.now().Unix() || len(first.Nonce) != portal.RequestLength {
			t.Errorf("%d %q", first.Timestamp, first.Nonce)
		}
		for _, signature := range []string{first.CorpSignature, first.AgentSignature} {
			page, _, _ := strings.Cut(signature[strings.Index(signature, "http"):], "#")
			if !strings.Contains(signature, fmt.Sprintf("%d, %s, ", first.Timestamp, first.Nonce)) || page != pageOf1001+"?from=chat&x=1" {
				t.Errorf("signed %q", signature)
			}
		}
		second, err := p.AppParams(c.ctx(), in)
		noError(t, err)
		if second.Nonce == first.Nonce || wayOf(t, portal.WeCom, second.AuthorizeURL).state == w.state {
			t.Error("a nonce or a state came twice")
		}
		in.Provider = portal.WeChat
		account, err := p.AppParams(c.ctx(), in)
		noError(t, err)
		if account.App.ID != platformAccount || account.CorpSignature == "" || account.AgentSignature != "" || wayOf(t, portal.WeChat, account.AuthorizeURL).scope != portal.ScopeProfile {
			t.Errorf("%+v", account)
		}
		for kind, want := range map[string]int{"token": 1, "page": 1, "agent": 1} {
			if p.wecom.count(kind) != want {
				t.Errorf("%s was asked for %d times", kind, p.wecom.count(kind))
			}
		}
		if p.wechat.count("page") != 1 || p.wechat.count("agent") != 0 {
			t.Error("WeChat was asked for something else")
		}
		text := fmt.Sprintf("%v %+v %#v", first, account, first.App)
		for _, secret := range append(append([]string{platformSecret}, p.wecom.given...), p.wechat.given...) {
			if strings.Contains(text, secret) {
				t.Errorf("%s can be printed", secret)
			}
		}
	})
}

func TestOnlyPagesOfOursAreSigned(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		c := p.program(portal.ClientWebApp)
		before := p.rows("attempts")
		for _, page := range []string{
			"", "x", "/login", "https://evil.test/", "http://evil.test/login", "http://store1001.portico.test.evil.test/", "http://user@store1001.portico.test/", "http://store999999.portico.test/",
			"https://store1001.portico.test/login", "http://store1001.portico.test:8443/login", "javascript:alert(1)", "http:store1001.portico.test/", "http://STORE1001.portico.test/login",
			pageOf1001 + "?" + strings.Repeat("x", 1024), "http://store1001.portico.test\\@evil.test/", "//store1001.portico.test/login", "http://nobody.test/",
			"http://store1002.portico.test/login", // another company's
		} {
			_, err := p.AppParams(c.ctx(), portal.AppParamsInput{CompanyID: 1001, URL: page, Client: c.kind})
			field(t, err, "url", portal.PageForeign)
		}
		if p.rows("attempts") != before || p.wecom.count("token") != 0 {
			t.Error("something was written or asked for")
		}
		for _, page := range []string{pageOf1001, "http://jinsui.test/", "http://m.portico.test/shop?companyId=1001", "http://account.portico.test/login", "http://portico.test"} {
			_, err := p.AppParams(c.ctx(), portal.AppParamsInput{CompanyID: 1001, URL: page, Client: c.kind})
			noError(t, err)
		}
	})
}

func TestACompanyIsNamedByItsIdOrByItsApplication(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		ctx := t.Context()
		noError(t, p.SetCompany(ctx, 1002, "wecom", "ww00000000000000c1:1000007:"+companySecret))
		noError(t, p.SetCompany(ctx, 1003, "wecom", "ww00000000000000c1:1000008:"+companySecret)) // another application of the same enterprise
		c := p.program(portal.ClientWebApp)
		for name, want := range map[string]struct {
			in     portal.AppParamsInput
			agent  string
			refuse error
		}{
			"its id":                          {portal.AppParamsInput{CompanyID: 1002}, "1000007", nil},
			"its site":                        {portal.AppParamsInput{Site: 1003}, "1000008", nil},
			"the application of two":          {portal.AppParamsInput{CorpID: "ww00000000000000c1"}, "", portal.WrongParameters},
			"its application and id":          {portal.AppParamsInput{CorpID: "ww00000000000000c1", CompanyID: 1002}, "1000007", nil},
			"the other's application and id":  {portal.AppParamsInput{CorpID: "ww00000000000000c1", CompanyID: 1003}, "1000008", nil},
			"the other's application at home": {portal.AppParamsInput{CorpID: "ww00000000000000c1", Site: 1003}, "1000008", nil},
			"the platform's application":      {portal.AppParamsInput{CorpID: platformCorp}, "1000002", nil},
			"a company without its own":       {portal.AppParamsInput{CorpID: platformCorp, CompanyID: 1001}, "1000002", nil},
			"another's application":           {portal.AppParamsInput{CorpID: "ww00000000000000c1", CompanyID: 1001}, "", portal.NotFound},
			"an application that is none":     {portal.AppParamsInput{CorpID: "ww00000000000000ee"}, "", portal.NotFound},
			"a company that is none":          {portal.AppParamsInput{CompanyID: 424242}, "", portal.NotFound},
			"nothing":                         {portal.AppParamsInput{}, "", portal.ValidationFailed},
			"another's site":                  {portal.AppParamsInput{CompanyID: 1002, Site: 1001}, "", portal.WrongParameters},
		} {
			want.in.URL, want.in.Client = "http://account.portico.test/login", c.kind
			got, err := p.AppParams(c.ctx(), want.in)
			if !errors.Is(err, want.refuse) || got.App.Agent != want.agent {
				t.Errorf("%s: %s, %v", name, got.App.Agent, err)
			}
		}
		noError(t, p.SetCompany(ctx, 1002, "chat", "off"))
		_, err := p.AppParams(c.ctx(), portal.AppParamsInput{CompanyID: 1002, URL: "http://account.portico.test/login", Client: c.kind})
		refused(t, err, portal.WeChatFailed)
	})
}

func TestAnAddressHasMorePagesSignedThanBrowsersBeginAuthorisations(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		c := p.program(portal.ClientWebApp)
		for range portal.Authorisations + 1 { // a site's server asks for all its visitors
			_, err := p.AppParams(c.ctx(), portal.AppParamsInput{CompanyID: 1001, URL: pageOf1001, Client: c.kind})
			noError(t, err)
		}
		other := p.browser(host1001, inWeChat)
		other.address = c.address
		other.goes(portal.WeChat)
	})
}

func TestAPageIsNotSignedWhereTheProviderFails(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		c := p.program(portal.ClientWebApp)
		in := portal.AppParamsInput{CompanyID: 1001, URL: pageOf1001, Client: c.kind}
		for _, kind := range []string{"token", "page", "agent"} {
			p.wecom.failWith(kind, &portal.ProviderFailure{Code: "60020", Message: "not allow to access from your ip"})
			got, err := p.AppParams(c.ctx(), in)
			if with := refused(t, err, portal.WeChatFailed); with.Detail != "not allow to access from your ip" || got != (portal.AppParams{}) {
				t.Errorf("%s: %+v %+v", kind, with, got)
			}
		}
		p.wecom.failWith("", nil)
		_, err := p.AppParams(c.ctx(), in)
		noError(t, err)
		if n := strings.Count(p.rows(), "authorisations ["); n != 1 {
			t.Errorf("%d authorisations began", n)
		}
	})
}
