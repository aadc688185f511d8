// Package steps has what browser tests of several subjects do on pages, and the selectors of controls.
package steps

import (
	"fmt"
	"time"

	"portico/e2e/browser"
	"portico/e2e/program"
)

// AccountMenu is the selector of the button that opens the menu of a signed-in person.
const AccountMenu = `header details summary`

// Selectors of the controls for signing in and out.
const (
	SignInButton  = `form:has(input[name=password]) button:not([type=button])`
	SignOutButton = `form[action="/logout"] button`
	SkipButton    = `button[name=action][value=skip]`
)

// SignIn signs in on the account site with a phone or an account name.
func SignIn(b *browser.Tab, who string) {
	b.T.Helper()
	SignInAt(b, "account", who, program.Password)
}

// SignOut opens the account menu and signs out.
func SignOut(b *browser.Tab) {
	b.T.Helper()
	b.Press(AccountMenu)
	b.Follow(SignOutButton)
}

// SignInAt signs in on a host with a password. It tries again while the server is too busy.
func SignInAt(b *browser.Tab, host, who, with string) {
	b.T.Helper()
	path, name := program.SignInPage(who)
	for end := time.Now().Add(program.Patience); ; time.Sleep(50 * time.Millisecond) {
		b.Visit(host, path)
		b.Fill(name, who)
		b.Fill("password", with)
		b.Follow(SignInButton)
		if !b.WasTooBusy() || time.Now().After(end) {
			return
		}
	}
}

// CompanyButton is the selector of the button that enters a company.
func CompanyButton(id int) string { return fmt.Sprintf(`button[name=company_id][value="%d"]`, id) }

// DestinationButton is the selector of the button that enters a side of a company, in the list of destinations.
func DestinationButton(id int, side string) string {
	return fmt.Sprintf(`input[name=side][value="%s"] ~ button[name=company_id][value="%d"]`, side, id)
}

// StarButton is the selector of the button that makes a company the default company.
func StarButton(id int) string {
	return fmt.Sprintf(`input[name=company_id][value="%d"] ~ button[value=star]`, id)
}

// SideButton is the selector of the button that enters a side.
func SideButton(side string) string { return fmt.Sprintf(`button[name=side][value="%s"]`, side) }

// ChooseLanguage presses a button or link that chooses a language: in the menu at the top of the page on phones, at its
// end on desktops.
func ChooseLanguage(b *browser.Tab, lang string) {
	b.T.Helper()
	list := "nav.langs"
	if b.Screen.Mobile && b.Has(".lang-menu") {
		list = ".lang-menu"
		b.Press(".lang-menu summary")
	}
	b.Follow(fmt.Sprintf(`%s button[value="%s"], %s a[href$="lang=%s"]`, list, lang, list, lang))
}

// ShopOfPerson is the page on which a person arrives after signing in.
func ShopOfPerson(n program.Person, on browser.Screen) browser.Arrival {
	if on.Mobile {
		return browser.Arrival{Host: "m", Path: "/shop", Holder: n.Name, Company: "金穗粮油"}
	}
	return browser.Arrival{Host: "store1001", Path: "/home", Holder: n.Name, Company: "金穗粮油"}
}

// WantRefused checks a refused sign-in: the reason, and the phone number to call for help.
func WantRefused(b *browser.Tab, reason, help string) {
	b.T.Helper()
	b.WantAt("account", "/login")
	b.WantStatus(422)
	b.WantText(reason)
	if !b.Has(fmt.Sprintf(`main a[href="tel:%s"]`, help)) {
		b.T.Errorf("no link to call %s about %q", help, reason)
	}
}

// SideOf returns the host and the first path of a company's side.
func SideOf(b *browser.Tab, side string, company int64) (host, path string) {
	if b.Screen.Mobile {
		if side == "shop" {
			return "m", "/shop"
		}
		return "mgr", "/home"
	}
	return fmt.Sprintf("store%d", company), map[string]string{"shop": "/home", "mgr": "/mgr"}[side]
}
