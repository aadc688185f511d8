package entry_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/onboarding"
)

const (
	DesktopShop = "http://store1001.portico.test/home"
	OnAccount   = "http://account.portico.test"
)

func TestAuthCodeFromAnotherSiteIsConfirmedBeforeItSignsIn(t *testing.T) {
	visitors := map[string]func(*pagestest.Site) *pagestest.Browser{
		"a new visitor": func(s *pagestest.Site) *pagestest.Browser { return s.Browser() },
		"signed in on account. as somebody else": func(s *pagestest.Site) *pagestest.Browser {
			b := s.Browser()
			pagestest.WantStatus(t, b.SignIn("account.portico.test", "13800000002"), http.StatusSeeOther)
			return b
		},
	}
	for who, visitor := range visitors {
		for how, headers := range map[string][]string{
			"a page of another site": {"Sec-Fetch-Site", "cross-site", "Referer", "http://evil.test/"},
			"without its address":    {"Sec-Fetch-Site", "cross-site"},
			"a look-alike":           {"Sec-Fetch-Site", "cross-site", "Referer", OnAccount + ".evil.test/"},
			"a name in its address":  {"Sec-Fetch-Site", "cross-site", "Referer", OnAccount + "@evil.test/"},
			"another scheme":         {"Sec-Fetch-Site", "cross-site", "Referer", "https://account.portico.test/"},
			"another port":           {"Sec-Fetch-Site", "cross-site", "Referer", "http://account.portico.test:81/"},
			"a company's own domain": {"Sec-Fetch-Site", "cross-site", "Referer", "http://jinsui.test/"},
			"a link in a message":    {"Sec-Fetch-Site", "none"},
			"a value to come":        {"Sec-Fetch-Site", "elsewhere"},
		} {
			t.Run(who+", "+how, func(t *testing.T) {
				s := pagestest.NewSite(t, pagestest.Options{})
				b, link := visitor(s), foreignLandingAddress(s, "buyer1")
				page, at := b.Follow(b.Get(link, headers...), link)
				if at != DesktopShop+"?asked=1" {
					t.Fatalf("at %s", at)
				}
				body := pagestest.WantPage(t, page, http.StatusOK,
					"要以“王芳 (buyer1)”的身份登录吗？", "金穗粮油", `value="keep"`, `value="replace"`)
				pagestest.WantRedirect(t, b.Get(DesktopShop), "/login?done=session_ended")

				// The attack is repeated: the account that waits for a confirmation is not signed in.
				again := foreignLandingAddress(s, "buyer1")
				if _, at := b.Follow(b.Get(again, headers...), again); at != DesktopShop+"?asked=1" {
					t.Fatalf("the second time at %s", at)
				}
				token := pagestest.FindIn(t, body, `name="token" value="([^"]+)"`)
				pagestest.WantRedirect(t, b.Post(DesktopShop, "token", token, "action", "keep"), "/login")
				pagestest.WantRedirect(t, b.Get(DesktopShop), "/login?done=session_ended")
			})
		}
	}
}

func TestAuthCodeFromAnotherSiteIsAcceptedByOneButton(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b, link := s.Browser(), foreignLandingAddress(s, "buyer1")
	b.Follow(b.Get(link, "Sec-Fetch-Site", "none"), link)
	pagestest.WantRedirect(t, b.Post(DesktopShop, "action", "replace"), "/home")
	pagestest.WantPage(t, b.Get(DesktopShop), http.StatusOK, "王芳")

	link = foreignLandingAddress(s, "buyer1") // for the account that is signed in already no confirmation is needed
	if page, at := b.Follow(b.Get(link, "Sec-Fetch-Site", "cross-site"), link); at != DesktopShop {
		t.Errorf("at %s\n%s", at, pagestest.Text(t, page))
	}
	link = foreignLandingAddress(s, "li.shop")
	page, at := b.Follow(b.Get(link, "Sec-Fetch-Site", "cross-site"), link)
	if at != DesktopShop+"?asked=1" || !strings.Contains(pagestest.Text(t, page), "王芳 (buyer1)") {
		t.Errorf("another account is signed in, and the page is %s", at)
	}
}

func TestConfirmationKeepsTheRequestedPage(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	r := b.Post("http://account.portico.test/login",
		"phone", "13800000001", "password", onboarding.DemoPassword, "return", "/home/orders?q=rice")
	link := r.Header.Get("Location")
	asked := b.Get(link, "Sec-Fetch-Site", "none")
	pagestest.WantRedirect(t, asked, "/home?asked=1&return=%2Fhome%2Forders%3Fq%3Drice")
	page := pagestest.Text(t, b.Get("http://store1001.portico.test"+asked.Header.Get("Location")))
	wanted := strings.ReplaceAll(pagestest.FindIn(t, page, `name="return" value="([^"]+)"`), "&amp;", "&")
	pagestest.WantRedirect(t, b.Post(DesktopShop, "action", "replace", "return", wanted), "/home/orders?q=rice")
	pagestest.WantRedirect(t, b.Post(DesktopShop, "action", "replace", "return", "//evil.test/home"), "/home")
}

func TestARedirectFromTheSignInSiteNeedsNoConfirmation(t *testing.T) {
	for how, headers := range map[string][]string{
		"below one site":            {"Sec-Fetch-Site", "same-site"},
		"on one host":               {"Sec-Fetch-Site", "same-origin"},
		"an old web view":           nil,
		"each host is its own site": {"Sec-Fetch-Site", "cross-site", "Referer", "http://account.portico.test/"},
		"this machine in dev":       {"Sec-Fetch-Site", "cross-site", "Referer", "http://127.0.0.1/"},
		"the native app": {"Sec-Fetch-Site", "none", "User-Agent",
			pagestest.DesktopAgent + " PorticoApp/3.2.1 (iOS)"},
	} {
		s := pagestest.NewSite(t, pagestest.Options{})
		b, link := s.Browser(), foreignLandingAddress(s, "buyer1")
		r := b.Get(link, headers...)
		pagestest.WantRedirect(t, r, "/home")
		if r.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: the page that receives the code tells its address", how)
		}
	}
	s := pagestest.NewSite(t, pagestest.Options{})
	b, link := s.Browser(), foreignLandingAddress(s, "buyer1")
	inApp := []string{"Sec-Fetch-Site", "cross-site", "User-Agent", pagestest.DesktopAgent + " PorticoApp/3.2.1 (iOS)"}
	pagestest.WantRedirect(t, b.Get(link, inApp...), "/home?asked=1")
}

func TestLandingSiteGetsOnlyTheOriginOfTheSignIn(t *testing.T) {
	r := pagestest.NewSite(t, pagestest.Options{}).Browser().SignIn("account.portico.test", "13800000001")
	pagestest.WantStatus(t, r, http.StatusSeeOther)
	if policy := r.Header.Get("Referrer-Policy"); policy != "strict-origin" {
		t.Errorf("the policy is %q", policy)
	}
}

// Sec-Fetch-Site names the site where a navigation began, also after redirects. A redirect right after a chat app's
// callback would look like one from another site, so a page of the platform continues.
func TestChatSignInContinuesFromAPlatformPage(t *testing.T) {
	s := pagestest.NewChatSite(t)
	b := s.BrowserWithAgent(pagestest.InWeChat)
	form := pagestest.HiddenFields(b.ProveAccountForLink("xiao", "13800000001"))
	form.Set("action", "link")
	pagestest.WantStatus(t, b.Do(http.MethodPost, pagestest.ChatSite+"/wechat/confirm", form), http.StatusSeeOther)
	pagestest.WantStatus(t, b.Post(pagestest.ChatSite+"/logout"), http.StatusSeeOther)

	r := b.ReturnFromChatApp("xiao", "Sec-Fetch-Site", "cross-site", "Referer", "https://provider.test/")
	page := pagestest.WantPage(t, r, http.StatusOK, "正在前往订货商城")
	if r.Header.Get("Referrer-Policy") != "strict-origin" {
		t.Error("the landing site does not learn where the browser comes from")
	}
	landed := b.Get(pagestest.RefreshTarget(t, page), "Sec-Fetch-Site", "same-site")
	pagestest.WantRedirect(t, landed, "/shop")

	pagestest.WantStatus(t, b.Post(pagestest.ChatSite+"/logout"), http.StatusSeeOther)
	pagestest.WantStatus(t, b.ReturnFromChatApp("xiao"), http.StatusSeeOther) // an old web view is redirected at once
}

// The script of the app's sign-in page opens a landing site with an auth code. On localhost the landing site recognises
// it by its origin.
func TestSignInPageInTheAppSendsItsOrigin(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	b.Agent += " PorticoApp/3.2.1 (iOS)"
	r := b.Get(OnAccount + "/login")
	if pagestest.WantPage(t, r, http.StatusOK, "/native/enter"); r.Header.Get("Referrer-Policy") != "strict-origin" {
		t.Errorf("the policy is %q", r.Header.Get("Referrer-Policy"))
	}
	simulated := b.Get(DesktopShop + "?native=ios&auth_code_=c")
	pagestest.WantStatus(t, simulated, http.StatusSeeOther)
	if policy := simulated.Header.Get("Referrer-Policy"); policy != "strict-origin" {
		t.Errorf("while the app is simulated the policy is %q", policy)
	}
	if page := pagestest.Text(t, b.Get(pagestest.OwnHost+"/login")); strings.Contains(page, "/native/enter") {
		t.Error("a company's own domain asks for the app's token")
	}
}

// foreignLandingAddress returns the address of a landing page with the auth code of an account to which an attacker
// signed in.
func foreignLandingAddress(s *pagestest.Site, login string) string {
	b := s.Browser()
	r := b.Post("http://account.portico.test/login/account", "login", login, "password", onboarding.DemoPassword)
	if at := r.Header.Get("Location"); strings.Contains(at, "auth_code_=") {
		return at
	}
	return b.Post("http://account.portico.test/bind", "action", "skip").Header.Get("Location")
}
