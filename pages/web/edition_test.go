package web_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/core"
	"portico/portal/onboarding"
)

// EditionQuery asks for the lighting edition.
const EditionQuery = "edition=lighting"

// localLink matches the links and forms of a page that lead to the same site.
var localLink = regexp.MustCompile(`<(?:a|form)[^>]* (?:href|action)="(/[^"]*)"`)

// otherPages matches the paths of this site that do not belong to the sign-in.
var otherPages = regexp.MustCompile(`^/(agreement|assets|icon|style|share|logout)`)

// wantEditionInLinks returns the paths to which a page links. It fails the test when a link or form drops the edition,
// or when there is none.
func wantEditionInLinks(t *testing.T, address, page string) (paths []string) {
	t.Helper()
	for _, match := range localLink.FindAllStringSubmatch(page, -1) {
		link := html.UnescapeString(match[1])
		if otherPages.MatchString(link) || strings.Contains(link, "lang=") && strings.Contains(link, EditionQuery) {
			continue
		}
		u, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		if u.Query().Get("edition") != "lighting" {
			t.Errorf("%s: %s loses the edition", address, link)
		}
		paths = append(paths, u.Path)
	}
	if len(paths) == 0 {
		t.Errorf("%s has no links", address)
	}
	return paths
}

func TestEveryLinkOfASignInPageKeepsTheEdition(t *testing.T) {
	s := pagestest.NewChatSite(t)
	for _, agent := range []string{pagestest.DesktopAgent, pagestest.InWeChat} {
		for _, host := range []string{pagestest.AccountSite, pagestest.ChatSite} {
			seen, next := map[string]bool{}, []string{"/", "/login"}
			for len(next) > 0 {
				path := next[0]
				next = next[1:]
				if seen[path] || strings.HasPrefix(path, "/wechat") || path == "/company" {
					continue
				}
				seen[path] = true
				r := s.BrowserWithAgent(agent).Get(host + path + "?" + EditionQuery)
				if r.StatusCode == http.StatusSeeOther {
					to := r.Header.Get("Location")
					if u, err := url.Parse(to); err != nil || u.Query().Get("edition") != "lighting" {
						t.Errorf("%s leads to %s", path, to)
					}
					continue
				}
				next = append(next, wantEditionInLinks(t, host+path, pagestest.Text(t, r))...)
			}
			signInPaths := []string{"/login", "/login/account", "/login/code", "/forget/phone", "/forget/account"}
			for _, path := range signInPaths {
				if !seen[path] {
					t.Errorf("%s: %s is not linked", host, path)
				}
			}
		}
	}
	page := pagestest.WantPage(t, s.Browser().Get(pagestest.OwnHost+"/login?"+EditionQuery), http.StatusOK)
	if at := pagestest.FindIn(t, page, `href="(http://store1001[^"]*)"`); !strings.Contains(at, EditionQuery) {
		t.Errorf("the company's own domain leads to %s", at)
	}
	wantEditionInLinks(t, pagestest.OwnHost, page)
}

func TestEverySignInMethodKeepsTheEdition(t *testing.T) {
	s := pagestest.NewChatSite(t)
	wantRefused := func(how string, r *http.Response) {
		t.Helper()
		page := pagestest.WantPage(t, r, http.StatusUnprocessableEntity, "灯饰版")
		if !strings.Contains(page, "/login?"+EditionQuery) {
			t.Errorf("%s: the page of the refusal drops the edition", how)
		}
	}
	// First only the address of the form asks for the edition, then only a field does.
	for _, in := range []struct{ query, field string }{{"?" + EditionQuery, ""}, {"", "lighting"}} {
		wantRefused("by phone", s.Browser().Post(pagestest.AccountSite+"/login"+in.query,
			"phone", "13800000001", "password", onboarding.DemoPassword, "edition", in.field))
		wantRefused("by name", s.Browser().Post(pagestest.AccountSite+"/login/account"+in.query,
			"login", "buyer1", "password", onboarding.DemoPassword, "edition", in.field))
		b := s.Browser()
		b.Post(pagestest.AccountSite+"/login/code"+in.query, "phone", "13800000001", "action", "send_code", "edition",
			in.field)
		wantRefused("by code", b.Post(pagestest.AccountSite+"/login/code"+in.query,
			"phone", "13800000001", "code", s.LastCode("13800000001"), "edition", in.field))
		s.Clock = s.Clock.Add(core.DefaultResend)
	}

	// A refused form and a switch of the language keep the edition, and so does the form that they show.
	for _, path := range []string{"/login", "/login/account", "/login/code"} {
		for _, fields := range [][]string{{"phone", ""}, {"phone", "", "lang", "en"}} {
			b := s.Browser()
			page := pagestest.Text(t, b.Post(pagestest.AccountSite+path+"?"+EditionQuery, fields...))
			wantEditionInLinks(t, path, page)
		}
	}
	wantEditionInLinks(t, "in Spanish", pagestest.Text(t,
		s.Browser().Get(pagestest.AccountSite+"/login?lang=es&"+EditionQuery)))
}

func TestUnusualSpellingOfTheEditionIsNotServedFromTheCache(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for _, query := range []string{EditionQuery, "%65dition=lighting", "edition=%6Cighting"} {
		wantEditionInLinks(t, query, pagestest.Text(t, s.Browser().Get(pagestest.AccountSite+"/login?"+query)))
	}
	page := pagestest.Text(t, s.Browser().Get(pagestest.AccountSite+"/login?edition=other"))
	if strings.Contains(page, "edition") {
		t.Error("the page asks for another edition")
	}
	if page := pagestest.Text(t, s.Browser().Get(pagestest.AccountSite+"/login")); strings.Contains(page, "edition") {
		t.Error("the page in memory asks for the edition")
	}
}

func TestChatSignInKeepsTheEditionWhenItSucceedsOrFails(t *testing.T) {
	s := pagestest.NewChatSite(t)
	begin := func(b *pagestest.Browser, from string) string {
		t.Helper()
		to, err := b.Get(from).Location()
		if err != nil {
			t.Fatal(err)
		}
		return to.Query().Get("state")
	}
	b := s.BrowserWithAgent(pagestest.InWeChat)
	state := begin(b, pagestest.ChatSite+"/wechat?"+EditionQuery)
	r := b.Get(pagestest.ChatSite + "/wechat/callback?code=&state=" + state) // declined
	if at := r.Header.Get("Location"); !strings.HasPrefix(at, "/jumperror?") || !strings.Contains(at, EditionQuery) {
		t.Fatalf("declined: %s", at)
	}
	wantEditionInLinks(t, "declined", pagestest.Text(t, b.Get(pagestest.ChatSite+r.Header.Get("Location"))))
	pagestest.WantRedirect(t, b.Get(pagestest.ChatSite+"/wechat/callback?code=xiao&state="+state),
		"/wechat/link?"+EditionQuery)
	for _, path := range []string{"/wechat/link", "/wechat/link/account", "/wechat/link/code"} {
		// the chat identity keeps the edition
		wantEditionInLinks(t, path, pagestest.Text(t, b.Get(pagestest.ChatSite+path)))
	}
	r = b.Post(pagestest.ChatSite+"/wechat/link", "phone", "13800000001", "password", onboarding.DemoPassword)
	pagestest.WantPage(t, r, http.StatusUnprocessableEntity, "灯饰版")

	plain := s.BrowserWithAgent(pagestest.InWeChat)
	form := pagestest.HiddenFields(plain.ProveAccountForLink("wang", "13800000001"))
	form.Set("action", "link")
	pagestest.WantStatus(t, plain.Do(http.MethodPost, pagestest.ChatSite+"/wechat/confirm", form), http.StatusSeeOther)
	pagestest.WantStatus(t, plain.Post(pagestest.ChatSite+"/logout"), http.StatusSeeOther)
	pagestest.WantPage(t, plain.Get(pagestest.ChatSite+"/wechat/callback?code=wang&state="+begin(plain,
		pagestest.ChatSite+"/wechat?"+EditionQuery)),
		http.StatusUnprocessableEntity, "灯饰版")
	own := s.BrowserWithAgent(pagestest.InWeChat).Get(pagestest.OwnHost + "/wechat?" + EditionQuery)
	if at := own.Header.Get("Location"); !strings.Contains(at, EditionQuery) {
		t.Errorf("the company's own domain leads to %s", at)
	}
	weCom := s.BrowserWithAgent(strings.Replace(pagestest.InWeChat, "MicroMessenger/",
		"wxwork/4.1.30 MicroMessenger/", 1))
	page := pagestest.Text(t, weCom.Get(pagestest.ChatSite+"/login?"+EditionQuery))
	if at := pagestest.RefreshTarget(t, page); at != "/wechatpro?"+EditionQuery {
		t.Errorf("WeCom begins at %s", at)
	}
}

func TestResettingAPasswordKeepsTheEdition(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.Post(pagestest.AccountSite+"/forget/phone?"+EditionQuery, "phone", "13800000001", "action", "send_code")
	r := b.Post(pagestest.AccountSite+"/forget/phone?"+EditionQuery, "phone", "13800000001", "code",
		s.LastCode("13800000001"),
		"password", "Zitrone77", "confirm_password", "Zitrone77")
	if at := r.Header.Get("Location"); !strings.HasPrefix(at, "/login?") || !strings.Contains(at, EditionQuery) {
		t.Fatalf("%d %s", r.StatusCode, at)
	}
	wantEditionInLinks(t, "after the reset", pagestest.Text(t, b.Get(pagestest.AccountSite+r.Header.Get("Location"))))
	s.Clock = s.Clock.Add(core.DefaultResend)
	r = b.Post(pagestest.AccountSite+"/forget/account?"+EditionQuery, "login", "buyer1")
	if at := r.Header.Get("Location"); !strings.Contains(at, EditionQuery) {
		t.Fatalf("%d %s", r.StatusCode, at)
	}
	wantEditionInLinks(t, "the second step", pagestest.Text(t, b.Get(pagestest.AccountSite+r.Header.Get("Location"))))
}
