package chatapp

import (
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/browser"
	"portico/e2e/steps"
)

// Selectors of the controls of the pages about chat apps.
const (
	RegisterButton = `#care button[name=action][value=register]`
	ConnectButton  = `#care button[name=action][value=link]`
	CancelButton   = `#care button[name=action][value=cancel]`
	UnlinkButton   = `button[name=action][value=unlink]`
)

// methodLink is the selector of the link that starts a sign-in method.
func methodLink(method Method) string { return fmt.Sprintf(`main a[href="%s"]`, method.Begin) }

// PersonButton is the selector of the button that agrees as a person at the stand-in.
func PersonButton(person string) string {
	return fmt.Sprintf(`button[name=person][value="%s"]`, person)
}

// TroubleChoice is the selector of the box that makes the stand-in fail in a way.
func TroubleChoice(trouble string) string {
	return fmt.Sprintf(`input[name=trouble][value="%s"]`, trouble)
}

// SetAgent makes the tab a chat app or another browser, by its User-Agent.
func SetAgent(b *browser.Tab, agent string) {
	b.T.Helper()
	b.Agent = agent
	b.SetScreen(b.Screen)
}

// OpenIn makes the tab a place where a provider's sign-in method works: its app on a phone, a browser on a desktop.
func OpenIn(b *browser.Tab, provider string) Method {
	b.T.Helper()
	for _, d := range Methods {
		if d.Provider == provider && d.On == b.Screen {
			SetAgent(b, d.Agent)
			return d
		}
	}
	b.T.Fatalf("no sign-in method of %s on a %s", provider, b.Screen.Name)
	return Method{}
}

// SetPerson chooses the person who uses the chat app.
func SetPerson(b *browser.Tab, person string) {
	b.T.Helper()
	_, err := proto.NetworkSetCookie{
		Name:  "standin_person",
		Value: person,
		URL:   b.Server.URL("", "/dev/wechat/"),
		Path:  "/dev/wechat/",
	}.Call(b)
	b.Must(err)
}

// SignInThrough starts a sign-in method on the page. If the chat app asks, the person agrees.
func SignInThrough(b *browser.Tab, method Method, person string) {
	b.T.Helper()
	SetPerson(b, person)
	b.Follow(methodLink(method))
	if b.Has(PersonButton(person)) {
		b.Follow(PersonButton(person))
	}
	AwaitRedirect(b)
}

// AwaitRedirect waits until a page that opens the next one by itself has done so.
func AwaitRedirect(b *browser.Tab) {
	b.T.Helper()
	b.Await("the next page",
		`() => document.readyState === "complete" && !document.querySelector("meta[http-equiv=refresh]")`)
}

// SignOut signs out of the site that the tab is on.
func SignOut(b *browser.Tab) {
	b.T.Helper()
	steps.SignOut(b)
	b.WantCount(steps.SignInButton, 1)
}

// WantConfirmation checks the question before an app is connected. It names the account and the companies that the app
// will open.
func WantConfirmation(b *browser.Tab, text func(string) string, account string, companies ...string) {
	b.T.Helper()
	b.WantAt("account", "/wechat/confirm")
	b.WantLang(b.Lang)
	b.WantText(
		append(
			companies, account, text("chat.confirm_opens"), text("chat.confirm_submit"), text("chat.confirm_cancel"),
		)...)
}
