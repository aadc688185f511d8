package interaction

import (
	"testing"

	"portico/e2e/browser"
)

// The tab fails the test for what the Content-Security-Policy refuses, for errors on the console and for requests to
// other hosts.
func TestAPIPageShowsCallsAndSearchesThem(t *testing.T) {
	t.Parallel()
	b := browser.NewScriptedTab(t, browser.Normal, browser.Desktop)
	b.Visit("api", "/docs#modifyPwd") // as the list of calls links it
	wantCall(b, "modifyPwd")
	b.WantText("old_password_wrong", "old_password_", "API docs by")
	b.Await("a link to another call", `() => {
		document.querySelector("main a[href='#/sign-in']").click()
		return [...document.querySelectorAll("main a")].some(a => a.getAttribute("href") === "#/sign-in/mixedlogin")
	}`)
	b.Press("main a[href='#/sign-in/mixedlogin']")
	wantCall(b, "mixedLogin")
	b.Await("the search", `() => {
		const named = [...document.querySelectorAll("main *")].filter(e => e.textContent.startsWith("Search"))
		named.at(-1).click()
		return document.activeElement.placeholder === "Search docs..."
	}`)
	b.Must(b.InsertText("licence"))
	b.Await("what was found", `() => document.body.innerText.includes("/v1/common/upload/getUploadToken")`)
}

func TestAPIPageSignsAndMakesACallInDev(t *testing.T) {
	t.Parallel()
	b := browser.NewScriptedTab(t, browser.Normal, browser.Phone)
	b.Visit("api", "/docs#mixedLogin")
	wantCall(b, "mixedLogin")
	b.Press(".open")
	if chosen := b.Value(".call"); chosen != "mixedLogin" {
		t.Errorf("the form has %s", chosen)
	}
	b.Fill(".secret", "portico-dev-sign-secret")
	b.Fill("login_", "13800000001")
	b.Fill("password_", "Demo2026")
	b.Press(".try form > button")
	b.Await("the answer", `() => document.querySelector(".try [role=status]").innerText.includes("HTTP 200 · 1 ok")`)
	if len(b.Value(".token")) < 20 {
		t.Error("the form does not keep the token")
	}
}

func TestAPIPageListsCallsWithoutScripts(t *testing.T) {
	t.Parallel()
	b := browser.NewTab(t, browser.Normal, browser.Phone)
	b.BlockScripts()
	b.Visit("api", "/docs#mixedLogin")
	b.WantText("Sign a call", "/v1/account/mixedLogin", "password_", "The password is wrong.")
	if wide := browser.Eval[bool](b, `() => document.documentElement.scrollWidth > innerWidth`); wide {
		t.Error("the page is wider than the screen")
	}
}

// wantCall waits until Redoc shows a call at the top.
func wantCall(b *browser.Tab, name string) {
	b.T.Helper()
	b.Await("the call "+name, `name => [...document.querySelectorAll("main h2")].some(h => {
		const top = h.getBoundingClientRect().top
		return h.innerText === name && top > -50 && top < innerHeight / 2
	})`, name)
}
