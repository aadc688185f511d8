package signin_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/signin"
)

func TestAProgramsPageIsSignedAndTheProviderReturnsToIt(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		c := p.Program(signin.ClientWebApp)
		in := signin.AppParamsInput{
			CompanyID: 1001, URL: chattest.PageOf1001 + "?from=chat&x=1#top", Client: c.Kind,
		}
		first, err := p.Chatlogin.AppParams(c.Context(), in)
		portaltest.NoError(t, err)
		w := chattest.ParseAuthorisation(t, access.WeCom, first.AuthorizeURL)
		if first.App.ID != chattest.PlatformCorp || first.App.Agent != "1000002" ||
			w.Redirect != chattest.PageOf1001+"?from=chat&x=1" ||
			w.Scope != signin.ScopeSilent ||
			len(w.State) != 40 {
			t.Errorf("%+v %+v", first.App, w)
		}
		if first.Timestamp != p.Clock.Now().Unix() || len(first.Nonce) != access.RequestLength {
			t.Errorf("%d %q", first.Timestamp, first.Nonce)
		}
		for _, signature := range []string{first.CorpSignature, first.AgentSignature} {
			page, _, _ := strings.Cut(signature[strings.Index(signature, "http"):], "#")
			if !strings.Contains(signature, fmt.Sprintf("%d, %s, ", first.Timestamp, first.Nonce)) ||
				page != chattest.PageOf1001+"?from=chat&x=1" {
				t.Errorf("signed %q", signature)
			}
		}
		second, err := p.Chatlogin.AppParams(c.Context(), in)
		portaltest.NoError(t, err)
		if second.Nonce == first.Nonce ||
			chattest.ParseAuthorisation(t, access.WeCom, second.AuthorizeURL).State == w.State {
			t.Error("a nonce or a state came twice")
		}
		in.Provider = access.WeChat
		account, err := p.Chatlogin.AppParams(c.Context(), in)
		portaltest.NoError(t, err)
		if account.App.ID != chattest.PlatformAccount || account.CorpSignature == "" ||
			account.AgentSignature != "" ||
			chattest.ParseAuthorisation(t, access.WeChat, account.AuthorizeURL).Scope != signin.ScopeProfile {
			t.Errorf("%+v", account)
		}
		for kind, want := range map[string]int{"token": 1, "page": 1, "agent": 1} {
			if p.Wecom.Count(kind) != want {
				t.Errorf("%s was asked for %d times", kind, p.Wecom.Count(kind))
			}
		}
		if p.Wechat.Count("page") != 1 || p.Wechat.Count("agent") != 0 {
			t.Error("WeChat was asked for something else")
		}
		text := fmt.Sprintf("%v %+v %#v", first, account, first.App)
		for _, secret := range append(append([]string{chattest.PlatformSecret}, p.Wecom.Given...),
			p.Wechat.Given...) {
			if strings.Contains(text, secret) {
				t.Errorf("%s can be printed", secret)
			}
		}
	})
}

func TestOnlyPagesOfThePlatformAreSigned(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		c := p.Program(signin.ClientWebApp)
		before := p.DumpRows("attempts")
		for _, page := range []string{
			"", "x", "/login", "https://evil.test/", "http://evil.test/login",
			"http://store1001.portico.test.evil.test/", "http://user@store1001.portico.test/",
			"http://store999999.portico.test/",
			"https://store1001.portico.test/login", "http://store1001.portico.test:8443/login", "javascript:alert(1)",
			"http:store1001.portico.test/", "http://STORE1001.portico.test/login",
			chattest.PageOf1001 + "?" + strings.Repeat("x", 1024), "http://store1001.portico.test\\@evil.test/",
			"//store1001.portico.test/login", "http://nobody.test/",
			"http://store1002.portico.test/login", // another company's
		} {
			_, err := p.Chatlogin.AppParams(
				c.Context(), signin.AppParamsInput{CompanyID: 1001, URL: page, Client: c.Kind},
			)
			portaltest.WantField(t, err, "url", access.PageForeign)
		}
		if p.DumpRows("attempts") != before || p.Wecom.Count("token") != 0 {
			t.Error("something was written or asked for")
		}
		for _, page := range []string{chattest.PageOf1001, "http://jinsui.test/",
			"http://m.portico.test/shop?companyId=1001", "http://account.portico.test/login", "http://portico.test"} {
			_, err := p.Chatlogin.AppParams(
				c.Context(), signin.AppParamsInput{CompanyID: 1001, URL: page, Client: c.Kind},
			)
			portaltest.NoError(t, err)
		}
	})
}

func TestACompanyIsFoundByItsIDOrByItsChatApplication(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		ctx := t.Context()
		portaltest.NoError(
			t, p.Operator.SetCompany(ctx, 1002, "wecom", "ww00000000000000c1:1000007:"+chattest.CompanySecret),
		)
		portaltest.NoError(
			t, p.Operator.SetCompany(ctx, 1003, "wecom", "ww00000000000000c1:1000008:"+chattest.CompanySecret),
		) // another application of the same enterprise
		c := p.Program(signin.ClientWebApp)
		for name, want := range map[string]struct {
			in     signin.AppParamsInput
			agent  string
			refuse error
		}{
			"its id":   {signin.AppParamsInput{CompanyID: 1002}, "1000007", nil},
			"its site": {signin.AppParamsInput{Site: 1003}, "1000008", nil},
			"the application of two": {signin.AppParamsInput{CorpID: "ww00000000000000c1"}, "",
				access.WrongParameters},
			"its application and id": {signin.AppParamsInput{CorpID: "ww00000000000000c1", CompanyID: 1002},
				"1000007", nil},
			"the other's application and id": {signin.AppParamsInput{CorpID: "ww00000000000000c1", CompanyID: 1003},
				"1000008", nil},
			"the other's application at home": {signin.AppParamsInput{CorpID: "ww00000000000000c1", Site: 1003},
				"1000008", nil},
			"the platform's application": {signin.AppParamsInput{CorpID: chattest.PlatformCorp}, "1000002",
				nil},
			"a company without its own": {signin.AppParamsInput{CorpID: chattest.PlatformCorp,
				CompanyID: 1001}, "1000002", nil},
			"another's application": {signin.AppParamsInput{CorpID: "ww00000000000000c1", CompanyID: 1001},
				"", access.NotFound},
			"an application that is none": {signin.AppParamsInput{CorpID: "ww00000000000000ee"}, "",
				access.NotFound},
			"a company that is none": {signin.AppParamsInput{CompanyID: 424242}, "", access.NotFound},
			"nothing":                {signin.AppParamsInput{}, "", access.ValidationFailed},
			"another's site": {signin.AppParamsInput{CompanyID: 1002, Site: 1001}, "",
				access.WrongParameters},
		} {
			want.in.URL, want.in.Client = "http://account.portico.test/login", c.Kind
			got, err := p.Chatlogin.AppParams(c.Context(), want.in)
			if !errors.Is(err, want.refuse) || got.App.Agent != want.agent {
				t.Errorf("%s: %s, %v", name, got.App.Agent, err)
			}
		}
		portaltest.NoError(t, p.Operator.SetCompany(ctx, 1002, "chat", "off"))
		_, err := p.Chatlogin.AppParams(
			c.Context(),
			signin.AppParamsInput{CompanyID: 1002, URL: "http://account.portico.test/login", Client: c.Kind},
		)
		portaltest.Refused(t, err, access.WeChatFailed)
	})
}

func TestTheLimitOfSignedPagesIsHigherThanTheLimitOfAuthorisations(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		c := p.Program(signin.ClientWebApp)
		for range 201 { // a browser may begin 200. A site's server asks for all its visitors
			_, err := p.Chatlogin.AppParams(
				c.Context(), signin.AppParamsInput{CompanyID: 1001, URL: chattest.PageOf1001, Client: c.Kind},
			)
			portaltest.NoError(t, err)
		}
		other := p.Browser(chattest.Host1001, chattest.InWeChat)
		other.Address = c.Address
		other.Begin(access.WeChat)
	})
}

func TestAPageIsNotSignedWhereTheProviderFails(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		c := p.Program(signin.ClientWebApp)
		in := signin.AppParamsInput{CompanyID: 1001, URL: chattest.PageOf1001, Client: c.Kind}
		for _, kind := range []string{"token", "page", "agent"} {
			p.Wecom.FailWith(
				kind, &signin.ProviderFailure{Code: "60020", Message: "not allow to access from your ip"},
			)
			got, err := p.Chatlogin.AppParams(c.Context(), in)
			if with := portaltest.Refused(
				t, err, access.WeChatFailed,
			); with.Detail != "not allow to access from your ip" ||
				got != (signin.AppParams{}) {
				t.Errorf("%s: %+v %+v", kind, with, got)
			}
		}
		p.Wecom.FailWith("", nil)
		_, err := p.Chatlogin.AppParams(c.Context(), in)
		portaltest.NoError(t, err)
		if n := strings.Count(p.DumpRows(), "authorisations ["); n != 1 {
			t.Errorf("%d authorisations began", n)
		}
	})
}
