package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/portal/onboarding"
)

const (
	desktopShop = "http://store1001.portico.test/home"
	onAccount   = "http://account.portico.test"
)

// foreignCode returns the address of a landing page with the auth code of an account that an attacker signed in to.
func (s *site) foreignCode(login string) string {
	b := s.browser()
	r := b.post("http://account.portico.test/login/account", "login", login, "password", onboarding.DemoPassword)
	if at := r.Header.Get("Location"); strings.Contains(at, "auth_code_=") {
		return at
	}
	return b.post("http://account.portico.test/bind", "action", "skip").Header.Get("Location")
}

func TestACodeFromAForeignSiteIsConfirmedBeforeItSignsIn(t *testing.T) {
	visitors := map[string]func(*site) *browser{
		"a new visitor": func(s *site) *browser { return s.browser() },
		"signed in on account. as somebody else": func(s *site) *browser {
			b := s.browser()
			wantStatus(t, b.signIn("account.portico.test", "13800000002"), http.StatusSeeOther)
			return b
		},
	}
	for who, visitor := range visitors {
		for how, headers := range map[string][]string{
			"a page of another site": {"Sec-Fetch-Site", "cross-site", "Referer", "http://evil.test/"},
			"without its address":    {"Sec-Fetch-Site", "cross-site"},
			"a look-alike":           {"Sec-Fetch-Site", "cross-site", "Referer", onAccount + ".evil.test/"},
			"a name in its address":  {"Sec-Fetch-Site", "cross-site", "Referer", onAccount + "@evil.test/"},
			"another scheme":         {"Sec-Fetch-Site", "cross-site", "Referer", "https://account.portico.test/"},
			"another port":           {"Sec-Fetch-Site", "cross-site", "Referer", "http://account.portico.test:81/"},
			"a company's own domain": {"Sec-Fetch-Site", "cross-site", "Referer", "http://jinsui.test/"},
			"a link in a message":    {"Sec-Fetch-Site", "none"},
			"a value to come":        {"Sec-Fetch-Site", "elsewhere"},
		} {
			t.Run(who+", "+how, func(t *testing.T) {
				s := newSite(t, options{})
				b, link := visitor(s), s.foreignCode("buyer1")
				page, at := b.follow(b.get(link, headers...), link)
				if at != desktopShop+"?asked=1" {
					t.Fatalf("at %s", at)
				}
				body := wantPage(t, page, http.StatusOK,
					"要以“王芳 (buyer1)”的身份登录吗？", "金穗粮油", `value="keep"`, `value="replace"`)
				wantTo(t, b.get(desktopShop), "/login?done=session_ended")

				// The attack once more: an account that waits for an answer is not signed in.
				again := s.foreignCode("buyer1")
				if _, at := b.follow(b.get(again, headers...), again); at != desktopShop+"?asked=1" {
					t.Fatalf("the second time at %s", at)
				}
				token := found(t, body, `name="token" value="([^"]+)"`)
				wantTo(t, b.post(desktopShop, "token", token, "action", "keep"), "/login")
				wantTo(t, b.get(desktopShop), "/login?done=session_ended")
			})
		}
	}
}

func TestAForeignCodeIsAcceptedByOnePress(t *testing.T) {
	s := newSite(t, options{})
	b, link := s.browser(), s.foreignCode("buyer1")
	b.follow(b.get(link, "Sec-Fetch-Site", "none"), link)
	wantTo(t, b.post(desktopShop, "action", "replace"), "/home")
	wantPage(t, b.get(desktopShop), http.StatusOK, "王芳")

	link = s.foreignCode("buyer1") // the same account: nothing changes that the person could overlook
	if page, at := b.follow(b.get(link, "Sec-Fetch-Site", "cross-site"), link); at != desktopShop {
		t.Errorf("at %s\n%s", at, text(t, page))
	}
	link = s.foreignCode("li.shop")
	page, at := b.follow(b.get(link, "Sec-Fetch-Site", "cross-site"), link)
	if at != desktopShop+"?asked=1" || !strings.Contains(text(t, page), "王芳 (buyer1)") {
		t.Errorf("another account is signed in, and the page is %s", at)
	}
}

func TestTheQuestionKeepsThePageThatWasWanted(t *testing.T) {
	b := newSite(t, options{}).browser()
	r := b.post("http://account.portico.test/login",
		"phone", "13800000001", "password", onboarding.DemoPassword, "return", "/home/orders?q=rice")
	link := r.Header.Get("Location")
	asked := b.get(link, "Sec-Fetch-Site", "none")
	wantTo(t, asked, "/home?asked=1&return=%2Fhome%2Forders%3Fq%3Drice")
	page := text(t, b.get("http://store1001.portico.test"+asked.Header.Get("Location")))
	wanted := strings.ReplaceAll(found(t, page, `name="return" value="([^"]+)"`), "&amp;", "&")
	wantTo(t, b.post(desktopShop, "action", "replace", "return", wanted), "/home/orders?q=rice")
	wantTo(t, b.post(desktopShop, "action", "replace", "return", "//evil.test/home"), "/home")
}

func TestARedirectFromTheSignInSiteNeedsNoConfirmation(t *testing.T) {
	for how, headers := range map[string][]string{
		"below one site":            {"Sec-Fetch-Site", "same-site"},
		"on one host":               {"Sec-Fetch-Site", "same-origin"},
		"an old web view":           nil,
		"each host is its own site": {"Sec-Fetch-Site", "cross-site", "Referer", "http://account.portico.test/"},
		"this machine in dev":       {"Sec-Fetch-Site", "cross-site", "Referer", "http://127.0.0.1/"},
		"the native app":            {"Sec-Fetch-Site", "none", "User-Agent", desktopAgent + " PorticoApp/3.2.1 (iOS)"},
	} {
		s := newSite(t, options{})
		b, link := s.browser(), s.foreignCode("buyer1")
		r := b.get(link, headers...)
		wantTo(t, r, "/home")
		if r.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: the page that receives the code tells its address", how)
		}
	}
	s := newSite(t, options{})
	b, link := s.browser(), s.foreignCode("buyer1")
	inApp := []string{"Sec-Fetch-Site", "cross-site", "User-Agent", desktopAgent + " PorticoApp/3.2.1 (iOS)"}
	wantTo(t, b.get(link, inApp...), "/home?asked=1")
}

func TestTheLandingSiteLearnsTheOriginOfTheSignInAndNothingElse(t *testing.T) {
	r := newSite(t, options{}).browser().signIn("account.portico.test", "13800000001")
	wantStatus(t, r, http.StatusSeeOther)
	if policy := r.Header.Get("Referrer-Policy"); policy != "strict-origin" {
		t.Errorf("the policy is %q", policy)
	}
}

// A redirect keeps the site where the navigation began, so after a chat app's callback it would look foreign to the
// landing site.
func TestASignInByChatAppContinuesFromAPlatformPage(t *testing.T) {
	s := newChatSite(t)
	b := s.inApp(inWeChat)
	form := hiddenFields(b.proveLink("xiao", "13800000001"))
	form.Set("action", "link")
	wantStatus(t, b.do(http.MethodPost, chatHost+"/wechat/confirm", form), http.StatusSeeOther)
	wantStatus(t, b.post(chatHost+"/logout"), http.StatusSeeOther)

	r := b.comesBack("xiao", "Sec-Fetch-Site", "cross-site", "Referer", "https://provider.test/")
	page := wantPage(t, r, http.StatusOK, "正在前往订货商城")
	if r.Header.Get("Referrer-Policy") != "strict-origin" {
		t.Error("the landing site does not learn where the browser comes from")
	}
	landed := b.get(refreshOf(t, page), "Sec-Fetch-Site", "same-site")
	wantTo(t, landed, "/shop")

	wantStatus(t, b.post(chatHost+"/logout"), http.StatusSeeOther)
	wantStatus(t, b.comesBack("xiao"), http.StatusSeeOther) // an old web view is redirected at once
}

// The script of the app's sign-in page goes to a landing site with a code. Below localhost the site recognises it by
// the origin.
func TestTheAppsSignInPageSendsItsOrigin(t *testing.T) {
	b := newSite(t, options{}).browser()
	b.agent += " PorticoApp/3.2.1 (iOS)"
	r := b.get(onAccount + "/login")
	if wantPage(t, r, http.StatusOK, "/native/enter"); r.Header.Get("Referrer-Policy") != "strict-origin" {
		t.Errorf("the policy is %q", r.Header.Get("Referrer-Policy"))
	}
	played := b.get(desktopShop + "?native=ios&auth_code_=c")
	if wantStatus(t, played, http.StatusSeeOther); played.Header.Get("Referrer-Policy") != "strict-origin" {
		t.Errorf("while the app is played the policy is %q", played.Header.Get("Referrer-Policy"))
	}
	if page := text(t, b.get(ownHost+"/login")); strings.Contains(page, "/native/enter") {
		t.Error("a company's own domain asks for the app's token")
	}
}
