package standin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/standin"
)

func TestChosenPersonIsRedirectedWithCodeAndState(t *testing.T) {
	for _, page := range []string{baseInApp, userInApp, wechatScan, wecomInApp, wecomScan} {
		s := newSite(t)
		if resp, body := s.open(page); resp.StatusCode != http.StatusOK || !strings.Contains(body, `value="maria"`) {
			t.Fatalf("%s: %d", page, resp.StatusCode)
		}
		to := s.redirectOf(page + "&person=maria")
		code := to.Query().Get("code")
		if to.Host != "account.localhost:8080" || to.Path != "/wechat/callback" || to.Query().Get("from") != "商城" ||
			to.Query().Get("state") != state || len(code) != 32 {
			t.Errorf("%s: %s", page, to)
		}
	}
}

func TestOnlySilentPagesSkipTheQuestionForAKnownPerson(t *testing.T) {
	s := newSite(t)
	first := s.redirectOf(wecomScan + "&person=zhouyan")
	for _, silent := range []string{baseInApp, wecomInApp} {
		if to := s.redirectOf(silent); to.Query().Get("code") == "" ||
			to.Query().Get("code") == first.Query().Get("code") || to.Query().Get("state") != state {
			t.Errorf("%s: %s", silent, to)
		}
	}
	for _, asking := range []string{userInApp, wechatScan, wecomScan} {
		if resp, body := s.open(asking); resp.StatusCode != http.StatusOK ||
			strings.Index(body, "周妍") > strings.Index(body, "陈小满") {
			t.Errorf("%s: %d, or not the last one first", asking, resp.StatusCode)
		}
	}
	s.open("be?person=nobody")
	if resp, _ := s.open(wecomInApp); resp.StatusCode != http.StatusOK {
		t.Errorf("forgotten, and yet %d", resp.StatusCode)
	}
}

func TestDecliningRedirectsWithoutCodeOnlyInTheApp(t *testing.T) {
	s := newSite(t)
	to := s.redirectOf(userInApp + "&person=nobody")
	if to.Query().Has("code") || to.Query().Get("state") != state {
		t.Errorf("%s", to)
	}
	for _, page := range []string{wechatScan, wecomScan} {
		if resp, body := s.open(page + "&person=nobody&lang=en"); resp.StatusCode != http.StatusOK ||
			!strings.Contains(body, "stays here") {
			t.Errorf("%s: %d", page, resp.StatusCode)
		}
	}
}

func TestPersonEnteredByNameKeepsTheirIDs(t *testing.T) {
	s, restarted := newSite(t), newSite(t)
	for _, person := range []string{"new", "new-member"} {
		code := s.redirectOf(wecomInApp + "&person=" + person + "&name=" +
			url.QueryEscape(" 王 小明 ")).Query().Get("code")
		_, one := s.callAPI("cgi-bin/auth/getuserinfo?access_token=" + corpToken(s) + "&code=" + code)
		again := s.redirectOf(wecomInApp).Query().Get("code")
		_, two := s.callAPI("cgi-bin/auth/getuserinfo?access_token=" + corpToken(s) + "&code=" + again)
		later := restarted.redirectOf(wecomInApp + "&person=" + person + "&name=" +
			url.QueryEscape("王 小明")).Query().Get("code")
		_, three := restarted.callAPI("cgi-bin/auth/getuserinfo?access_token=" + corpToken(restarted) + "&code=" +
			later)
		field := map[string]string{"new": "openid", "new-member": "userid"}[person]
		if one[field] == nil || one[field] != two[field] || one[field] != three[field] {
			t.Errorf("%s: %v %v %v", person, one, two, three)
		}
		if _, body := s.open(wechatScan); !strings.Contains(body, "王 小明") {
			t.Errorf("%s: the entered person is not on the next page", person)
		}
	}
}

func TestInvalidNameIsRefused(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"", " ", strings.Repeat("长", 21), "a\nb", "\xff", "\u202eabc"} {
		resp, body := s.open(userInApp + "&person=new&name=" + url.QueryEscape(name))
		if resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, `aria-describedby="name-bad"`) {
			t.Errorf("%q: %d", name, resp.StatusCode)
		}
	}
	for _, person := range []string{"", "nobody-known", "n.", "n.!!", "m.AAA", "n.IA", "xiaoman%00"} {
		if resp, _ := s.open(userInApp + "&person=" + person); resp.StatusCode != http.StatusOK {
			t.Errorf("%q: %d", person, resp.StatusCode)
		}
	}
}

func TestChosenTroubleIsPlayed(t *testing.T) {
	s := newSite(t)
	if to := s.redirectOf(userInApp + "&trouble=state&person=maria"); to.Query().Get("state") == state ||
		to.Query().Get("code") == "" {
		t.Errorf("another state: %s", to)
	}
	for trouble, want := range map[string]int{"expired": 42003, "used": 40163, "busy": 45011} {
		code := s.redirectOf(userInApp + "&trouble=" + trouble + "&person=maria").Query().Get("code")
		if got, answer := s.callAPI(exchange(standin.AppID, code)); got != want {
			t.Errorf("%s: %v", trouble, answer)
		}
	}
	for _, unknown := range []string{userInApp + "&trouble=stale", wechatScan + "&trouble=snapshot",
		wecomInApp + "&trouble=flood"} {
		if resp, _ := s.open(unknown + "&person=maria"); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", unknown, resp.StatusCode)
		}
	}
}

func TestInvalidPagesAreRefusedLikeAtTheProviders(t *testing.T) {
	s := newSite(t)
	with := func(page, old, replacement string) string { return strings.Replace(page, old, replacement, 1) }
	for name, c := range map[string]struct{ page, says string }{
		"another site":     {with(userInApp, escapedReturnTo, "http%3A%2F%2Fevil.test%2F"), "10003"},
		"a site like ours": {with(userInApp, escapedReturnTo, "http%3A%2F%2Flocalhost.evil.test%2F"), "10003"},
		"another port":     {with(wechatScan, escapedReturnTo, "https%3A%2F%2Fshop.test%2F"), "10003"},
		"somebody in front": {with(wechatScan, escapedReturnTo, "http%3A%2F%2Flocalhost%40evil.test%2F"),
			"10003"},
		"a script":                  {with(userInApp, escapedReturnTo, "javascript%3Aalert(1)"), "10003"},
		"a path":                    {with(userInApp, escapedReturnTo, "%2Fwechat"), "10003"},
		"another site than WeCom's": {with(wecomScan, escapedReturnTo, "http%3A%2F%2Fevil.test%2F"), "50001"},
		"in WeCom":                  {with(wecomInApp, escapedReturnTo, "http%3A%2F%2Fevil.test%2F"), "50001"},
		"nowhere":                   {with(userInApp, escapedReturnTo, ""), "10011"},
		"no application":            {with(userInApp, standin.AppID, ""), "10012"},
		"an id of no form":          {with(userInApp, standin.AppID, "wx1"), "40013"},
		"WeCom at WeChat's QR code": {with(wechatScan, standin.OpenAppID, standin.CorpID), "40013"},
		"WeChat at WeCom's QR code": {with(wecomScan, standin.CorpID, standin.AppID), "40013"},
		"a website in the app":      {with(userInApp, standin.AppID, standin.OpenAppID), "10016"},
		"an account's QR code":      {with(wechatScan, standin.OpenAppID, standin.AppID), "10005"},
		"another agent":             {with(wecomInApp, "agentid=1000002", "agentid=1000003"), "40056"},
		"no agent":                  {with(wecomInApp, "&agentid=1000002", ""), "40056"},
		"no scope":                  {with(userInApp, "snsapi_userinfo", ""), "10010"},
		"another scope":             {with(userInApp, "snsapi_userinfo", "snsapi_login"), "10005"},
		"a QR code's scope":         {with(wechatScan, "snsapi_login", "snsapi_base"), "10005"},
		"a token":                   {with(userInApp, "response_type=code", "response_type=token"), "response_type"},
		"another way in":            {with(wecomScan, "CorpApp", "ServiceApp"), "login_type"},
		"a long state":              {with(userInApp, state, strings.Repeat("a", 129)), "128"},
		"a state of signs":          {with(userInApp, state, "a.b-c"), "128"},
		"another order": {with(with(userInApp, "&response_type=code", ""), "&state",
			"&response_type=code&state"), "order"},
	} {
		resp, body := s.open(c.page+"&lang=en", "Accept-Language", "es")
		if resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, c.says) ||
			strings.Contains(body, `name="person"`) || resp.Header.Get("Location") != "" {
			t.Errorf("%s: %d %s", name, resp.StatusCode, body)
		}
	}
}

func TestRedirectsAreAllowedOnlyToThisMachineAndOwnSites(t *testing.T) {
	s := newSite(t)
	for _, to := range []string{"http://localhost:8080/", "https://store1001.localhost/x", "http://127.0.0.1:1/a?b=c#d",
		"http://[::1]:8080/", "https://shop.test:8443/wechat/callback"} {
		page := strings.Replace(userInApp, escapedReturnTo, url.QueryEscape(to), 1) + "&person=linzhou"
		if got := s.redirectOf(page); !strings.HasPrefix(got.String(), strings.SplitN(to, "#",
			2)[0]) || got.Query().Get("code") == "" {
			t.Errorf("%s: %s", to, got)
		}
	}
}

func TestEveryWellFormedApplicationIDIsAccepted(t *testing.T) {
	s := newSite(t)
	for page, own := range map[string]string{userInApp: standin.AppID, wechatScan: standin.OpenAppID,
		wecomInApp: standin.CorpID, wecomScan: standin.CorpID} {
		theirs := own[:2] + "0123456789abcdef"
		if to := s.redirectOf(strings.Replace(page, own, theirs, 1) + "&person=maria"); to.Query().Get("code") == "" {
			t.Errorf("%s: %s", theirs, to)
		}
	}
}

func TestPagesUseAndKeepTheReadersLanguage(t *testing.T) {
	for want, headers := range map[string][]string{
		"Desarrollo":  {"Accept-Language", "fr, es-MX;q=0.8, en"},
		"development": {"Accept-Language", "en-GB", "Cookie", "lang=xx"},
		"仅供开发":        {},
		"替身":          {"Accept-Language", "es", "Cookie", "lang=zh"},
	} {
		s := newSite(t)
		if _, body := s.open(userInApp, headers...); !strings.Contains(strings.ToLower(body), strings.ToLower(want)) {
			t.Errorf("%v: no %q", headers, want)
		}
	}
	s := newSite(t)
	s.open(userInApp + "&lang=es")
	if _, body := s.open(wechatScan, "Accept-Language", "en"); !strings.Contains(body, `lang="es"`) ||
		!strings.Contains(body, "Quién escanea") {
		t.Error("the language chosen is not kept")
	}
}

func TestPagesLoadNoForeignContentAndCannotBeFramed(t *testing.T) {
	s := newSite(t)
	for _, page := range []string{"", userInApp, wechatScan, wecomScan, "connect/qrconnect"} {
		resp, body := s.open(page)
		policy := resp.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") ||
			strings.Contains(policy, "form-action") || resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", page, resp.Header)
		}
		if strings.Contains(body, "<script") || strings.Contains(body, "style=") ||
			strings.Contains(body, "standin.scan") {
			t.Errorf("%s: %s", page, body)
		}
	}
	if resp, body := s.open("standin.css"); resp.Header.Get("Content-Type") != "text/css; charset=utf-8" ||
		!strings.Contains(body, ".ribbon") {
		t.Error("no style")
	}
}

func TestIndexPageShowsPersonAndLinks(t *testing.T) {
	s := newSite(t)
	if resp, _ := s.open("be?person=diego"); resp.StatusCode != http.StatusSeeOther ||
		resp.Header.Get("Location") != standin.Path {
		t.Fatalf("%d", resp.StatusCode)
	}
	_, body := s.open("")
	for _, want := range []string{"<strong>Diego Ramos</strong>", "http://account.localhost:8080/wechat",
		"http://account.localhost:8080/wechatpro", "MicroMessenger/", "wxwork/"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	if resp, _ := s.open("be?person=new&name="); resp.Header.Get("Location") != standin.Path+"?name=" {
		t.Errorf("%v", resp.Header)
	}
	if resp, _ := s.open("?name="); resp.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("%d", resp.StatusCode)
	}
}
