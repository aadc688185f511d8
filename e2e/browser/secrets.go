package browser

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/program"
)

var tokenLike = regexp.MustCompile(`[A-Za-z0-9_-]{30,}`)

// WantNoSecrets looks for what must not be kept, in all that scripts can read here and in the server's log:
// whole phone numbers, the password, the codes this tab was sent with and the values of its cookies.
func (b *Tab) WantNoSecrets() {
	b.T.Helper()
	kept := Ask[string](b, `async () => JSON.stringify([{...localStorage}, {...sessionStorage}, await indexedDB.databases(), document.cookie, history.state, name])`)
	if leaked := slices.Concat(program.SecretsIn(kept), tokenLike.FindAllString(kept, -1), program.CodesIn(kept, b.SentCodes)); len(leaked) > 0 {
		b.T.Errorf("%s keeps %q", b.Address(), leaked)
	}
	cookies, err := proto.StorageGetCookies{BrowserContextID: b.Browser().BrowserContextID}.Call(b.Browser())
	b.Must(err)
	b.mu.Lock()
	canaries := slices.Clone(b.AuthCodes)
	b.mu.Unlock()
	for _, cookie := range cookies.Cookies {
		if len(cookie.Value) > 20 {
			canaries = append(canaries, cookie.Value)
		}
	}
	if len(canaries) < 2 {
		b.T.Errorf("only %d secrets to look for", len(canaries))
	}
	log := b.Server.Log()
	for _, canary := range canaries {
		if strings.Contains(kept, canary) || strings.Contains(log, canary) {
			b.T.Errorf("%q is kept at %s or logged", canary, b.Address())
		}
	}
}

// CodesInside are the auth codes of this tab that a text holds.
func CodesInside(b *Tab, text string) (found []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, code := range b.AuthCodes {
		if strings.Contains(text, code) {
			found = append(found, code)
		}
	}
	return found
}
