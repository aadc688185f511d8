package pages_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"portico/portal/onboarding"
	"portico/portal/verification"
)

// editionQuery asks for the lighting edition.
const editionQuery = "edition=lighting"

// signInLink matches the links and forms of a page that stay on the site.
var signInLink = regexp.MustCompile(`<(?:a|form)[^>]* (?:href|action)="(/[^"]*)"`)

// notSignIn matches the pages of this site that do not belong to the sign-in.
var notSignIn = regexp.MustCompile(`^/(agreement|assets|icon|style|share|logout)`)

// wantEdition checks that every link and form of a page asks for the edition, and returns their paths.
func wantEdition(t *testing.T, address, page string) (paths []string) {
	t.Helper()
	for _, match := range signInLink.FindAllStringSubmatch(page, -1) {
		way := html.UnescapeString(match[1])
		if notSignIn.MatchString(way) || strings.Contains(way, "lang=") && strings.Contains(way, editionQuery) {
			continue
		}
		u, err := url.Parse(way)
		if err != nil {
			t.Fatal(err)
		}
		if u.Query().Get("edition") != "lighting" {
			t.Errorf("%s: %s loses the edition", address, way)
		}
		paths = append(paths, u.Path)
	}
	if len(paths) == 0 {
		t.Errorf("%s has no way on", address)
	}
	return paths
}

func TestEveryLinkOfASignInPageKeepsTheEdition(t *testing.T) {
	s := newChatSite(t)
	for _, agent := range []string{desktopAgent, inWeChat} {
		for _, host := range []string{account, chatHost} {
			seen, next := map[string]bool{}, []string{"/", "/login"}
			for len(next) > 0 {
				path := next[0]
				next = next[1:]
				if seen[path] || strings.HasPrefix(path, "/wechat") || path == "/company" {
					continue
				}
				seen[path] = true
				r := s.inApp(agent).get(host + path + "?" + editionQuery)
				if r.StatusCode == http.StatusSeeOther {
					to := r.Header.Get("Location")
					if u, err := url.Parse(to); err != nil || u.Query().Get("edition") != "lighting" {
						t.Errorf("%s leads to %s", path, to)
					}
					continue
				}
				next = append(next, wantEdition(t, host+path, text(t, r))...)
			}
			doors := []string{"/login", "/login/account", "/login/code", "/forget/phone", "/forget/account"}
			for _, path := range doors {
				if !seen[path] {
					t.Errorf("%s: %s is not linked", host, path)
				}
			}
		}
	}
	page := wantPage(t, s.browser().get(ownHost+"/login?"+editionQuery), http.StatusOK)
	if at := found(t, page, `href="(http://store1001[^"]*)"`); !strings.Contains(at, editionQuery) {
		t.Errorf("the company's own domain leads to %s", at)
	}
	wantEdition(t, ownHost, page)
}

func TestEveryKindOfSignInKeepsTheEdition(t *testing.T) {
	s := newChatSite(t)
	wantRefused := func(how string, r *http.Response) {
		t.Helper()
		page := wantPage(t, r, http.StatusUnprocessableEntity, "灯饰版")
		if !strings.Contains(page, "/login?"+editionQuery) {
			t.Errorf("%s: the page of the refusal drops the edition", how)
		}
	}
	// First only the address of the form asks for the edition, then only a field does.
	for _, in := range []struct{ query, field string }{{"?" + editionQuery, ""}, {"", "lighting"}} {
		wantRefused("by phone", s.browser().post(account+"/login"+in.query,
			"phone", "13800000001", "password", onboarding.DemoPassword, "edition", in.field))
		wantRefused("by name", s.browser().post(account+"/login/account"+in.query,
			"login", "buyer1", "password", onboarding.DemoPassword, "edition", in.field))
		b := s.browser()
		b.post(account+"/login/code"+in.query, "phone", "13800000001", "action", "send_code", "edition", in.field)
		wantRefused("by code", b.post(account+"/login/code"+in.query,
			"phone", "13800000001", "code", s.lastCode("13800000001"), "edition", in.field))
		s.clock = s.clock.Add(verification.DefaultResend)
	}

	// A refused form and a switch of the language keep the edition, and so does the form that they show.
	for _, path := range []string{"/login", "/login/account", "/login/code"} {
		for _, fields := range [][]string{{"phone", ""}, {"phone", "", "lang", "en"}} {
			b := s.browser()
			page := text(t, b.post(account+path+"?"+editionQuery, fields...))
			wantEdition(t, path, page)
		}
	}
	wantEdition(t, "in Spanish", text(t, s.browser().get(account+"/login?lang=es&"+editionQuery)))
}

func TestAnEditionParameterSpelledAnotherWayIsNotServedFromTheCache(t *testing.T) {
	s := newSite(t, options{})
	for _, query := range []string{editionQuery, "%65dition=lighting", "edition=%6Cighting"} {
		wantEdition(t, query, text(t, s.browser().get(account+"/login?"+query)))
	}
	page := text(t, s.browser().get(account+"/login?edition=other"))
	if strings.Contains(page, "edition") {
		t.Error("another edition is asked for")
	}
	if page := text(t, s.browser().get(account+"/login")); strings.Contains(page, "edition") {
		t.Error("the page in memory asks for the edition")
	}
}

func TestASignInByChatAppKeepsTheEditionWhateverItsOutcome(t *testing.T) {
	s := newChatSite(t)
	begin := func(b *browser, from string) string {
		t.Helper()
		to, err := b.get(from).Location()
		if err != nil {
			t.Fatal(err)
		}
		return to.Query().Get("state")
	}
	b := s.inApp(inWeChat)
	state := begin(b, chatHost+"/wechat?"+editionQuery)
	r := b.get(chatHost + "/wechat/callback?code=&state=" + state) // declined
	if at := r.Header.Get("Location"); !strings.HasPrefix(at, "/jumperror?") || !strings.Contains(at, editionQuery) {
		t.Fatalf("declined: %s", at)
	}
	wantEdition(t, "declined", text(t, b.get(chatHost+r.Header.Get("Location"))))
	wantRedirect(t, b.get(chatHost+"/wechat/callback?code=xiao&state="+state), "/wechat/link?"+editionQuery)
	for _, path := range []string{"/wechat/link", "/wechat/link/account", "/wechat/link/code"} {
		wantEdition(t, path, text(t, b.get(chatHost+path))) // the chat identity keeps the edition
	}
	r = b.post(chatHost+"/wechat/link", "phone", "13800000001", "password", onboarding.DemoPassword)
	wantPage(t, r, http.StatusUnprocessableEntity, "灯饰版")

	plain := s.inApp(inWeChat)
	form := hiddenFields(plain.proveLink("wang", "13800000001"))
	form.Set("action", "link")
	wantStatus(t, plain.do(http.MethodPost, chatHost+"/wechat/confirm", form), http.StatusSeeOther)
	wantStatus(t, plain.post(chatHost+"/logout"), http.StatusSeeOther)
	wantPage(t, plain.get(chatHost+"/wechat/callback?code=wang&state="+begin(plain, chatHost+"/wechat?"+editionQuery)),
		http.StatusUnprocessableEntity, "灯饰版")
	own := s.inApp(inWeChat).get(ownHost + "/wechat?" + editionQuery)
	if at := own.Header.Get("Location"); !strings.Contains(at, editionQuery) {
		t.Errorf("the company's own domain leads to %s", at)
	}
	wechatWork := s.inApp(strings.Replace(inWeChat, "MicroMessenger/", "wxwork/4.1.30 MicroMessenger/", 1))
	page := text(t, wechatWork.get(chatHost+"/login?"+editionQuery))
	if at := refreshOf(t, page); at != "/wechatpro?"+editionQuery {
		t.Errorf("work-chat begins at %s", at)
	}
}

func TestResettingAPasswordKeepsTheEdition(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.post(account+"/forget/phone?"+editionQuery, "phone", "13800000001", "action", "send_code")
	r := b.post(account+"/forget/phone?"+editionQuery, "phone", "13800000001", "code", s.lastCode("13800000001"),
		"password", "Zitrone77", "confirm_password", "Zitrone77")
	if at := r.Header.Get("Location"); !strings.HasPrefix(at, "/login?") || !strings.Contains(at, editionQuery) {
		t.Fatalf("%d %s", r.StatusCode, at)
	}
	wantEdition(t, "after the reset", text(t, b.get(account+r.Header.Get("Location"))))
	s.clock = s.clock.Add(verification.DefaultResend)
	r = b.post(account+"/forget/account?"+editionQuery, "login", "buyer1")
	if at := r.Header.Get("Location"); !strings.Contains(at, editionQuery) {
		t.Fatalf("%d %s", r.StatusCode, at)
	}
	wantEdition(t, "the second step", text(t, b.get(account+r.Header.Get("Location"))))
}
