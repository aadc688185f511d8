package signin_test

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"portico/locale"
	"portico/pages/pagestest"
)

const phoneAgent = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) " +
	"Chrome/120.0.0.0 Mobile Safari/537.36"

// The page that /login opens is the first of the ways to sign in, on phones and desktops, and after a sign-in by code.
func TestTheChosenWayToSignInIsTheFirst(t *testing.T) {
	const page = pagestest.AccountSite + "/login"
	s := pagestest.NewSite(t, pagestest.Options{})
	for number, b := range map[string]*pagestest.Browser{
		"13800000001": s.BrowserWithAgent(phoneAgent), "13800000002": s.Browser(),
	} {
		wantFirstTab(t, number, b, page, "/login")
		b.Post(page+"/code", "phone", number, "action", "send_code")
		pagestest.WantStatus(t, b.Post(page+"/code", "phone", number, "code", s.LastCode(number)), http.StatusSeeOther)
		b.Post(pagestest.AccountSite + "/logout")
		wantFirstTab(t, number+" after a code", b, page, "/login/code")
	}
}

// wantFirstTab checks that the first tab of a page is the current one and leads to a path.
func wantFirstTab(t *testing.T, name string, b *pagestest.Browser, page, path string) {
	t.Helper()
	_, tabs, found := strings.Cut(pagestest.Text(t, b.Get(page)), `<nav class="tabs"`)
	_, first, _ := strings.Cut(tabs, "<a ")
	first, _, _ = strings.Cut(first, ">")
	if !found || !strings.Contains(first, `aria-current="page"`) || !strings.Contains(first, `href="`+path+`"`) {
		t.Errorf("%s: the first tab is %q", name, first)
	}
}

// Binding a phone may have ended the password of the name, and the person knows only that one.
func TestAWrongPasswordOfANameLeadsToThePhone(t *testing.T) {
	for _, lang := range []locale.Lang{"zh", "es", "en"} {
		s := pagestest.NewSite(t, pagestest.Options{})
		hint := html.EscapeString(lang.T("login.name_or_phone"))
		b, page := s.Browser(), pagestest.AccountSite+"/login/account?lang="+string(lang)
		if strings.Contains(pagestest.Text(t, b.Get(page)), hint) {
			t.Errorf("%s: said before anything is wrong", lang)
		}
		refused := b.Post(page, "login", "northwind", "password", "wrong1")
		pagestest.WantPage(t, refused, http.StatusUnprocessableEntity, hint)
	}
}
