package e2e

import (
	"fmt"

	"github.com/go-rod/rod/lib/proto"
)

// The controls of the pages of chat apps.
const (
	registerButton = `#care button[name=action][value=register]`
	connectButton  = `#care button[name=action][value=link]`
	cancelButton   = `#care button[name=action][value=cancel]`
	unlinkButton   = `button[name=action][value=unlink]`
	unlinkDetails  = `main details:has(button[value=unlink]) summary`
)

func doorLink(d chatDoor) string { return fmt.Sprintf(`main a[href="%s"]`, d.begin) }
func personButton(person string) string {
	return fmt.Sprintf(`button[name=person][value="%s"]`, person)
}
func troubleChoice(trouble string) string {
	return fmt.Sprintf(`input[name=trouble][value="%s"]`, trouble)
}

// shownIn opens the pages in an app, or in a browser, by its User-Agent.
func (b *tab) shownIn(agent string) {
	b.t.Helper()
	b.agent = agent
	b.on(b.screen)
}

// in opens the pages where a provider's door is: its app on a phone, a browser on a desktop.
func (b *tab) in(provider string) chatDoor {
	b.t.Helper()
	for _, d := range chatDoors {
		if d.provider == provider && d.on == b.screen {
			b.shownIn(d.agent)
			return d
		}
	}
	b.t.Fatalf("no door of %s on a %s", provider, b.screen.name)
	return chatDoor{}
}

// is says who one is at the chat app.
func (b *tab) is(person string) {
	b.t.Helper()
	_, err := proto.NetworkSetCookie{Name: "standin_person", Value: person, URL: b.site.at("", "/dev/wechat/"), Path: "/dev/wechat/"}.Call(b)
	b.must(err)
}

// through takes a door of the page: where the chat app asks, who one is agrees.
func (b *tab) through(d chatDoor, person string) {
	b.t.Helper()
	b.is(person)
	b.follow(doorLink(d))
	if b.has(personButton(person)) {
		b.follow(personButton(person))
	}
	b.goneOn()
}

// goneOn waits until a page that opens the next one by itself has done so.
func (b *tab) goneOn() {
	b.t.Helper()
	b.await("the next page",
		`() => document.readyState === "complete" && !document.querySelector("meta[http-equiv=refresh]")`)
}

// signedOut signs out of the site the tab is on.
func (b *tab) signedOut() {
	b.t.Helper()
	b.follow(signOutButton)
	b.wantCount(signInButton, 1)
}

// confirms checks what a person is asked before an app is connected: whose account, and what it opens.
func (b *tab) confirms(text func(string) string, account string, companies ...string) {
	b.t.Helper()
	b.wantAt("account", "/wechat/confirm")
	b.wantLang(b.lang)
	b.wantText(append(companies, account, text("chat.confirm_opens"), text("chat.confirm_submit"), text("chat.confirm_cancel"))...)
}
