package browser

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/program"
)

// tokenLike matches strings that are long enough to be tokens.
var tokenLike = regexp.MustCompile(`[A-Za-z0-9_-]{30,}`)

// WantNoSecrets checks that neither the storage which scripts can read nor the server's log contains a secret: whole
// phone numbers, passwords, the verification and auth codes of this tab, and the values of its cookies.
func (b *Tab) WantNoSecrets() {
	b.T.Helper()
	kept := Eval[string](
		b,
		`async () => JSON.stringify([{...localStorage}, {...sessionStorage}, await indexedDB.databases(),
			document.cookie, history.state, name])`,
	)
	if leaked := slices.Concat(
		program.SecretsIn(kept), tokenLike.FindAllString(kept, -1), program.CodesIn(kept, b.SentCodes),
	); len(leaked) > 0 {
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

// AuthCodesIn returns the auth codes of this tab that a text contains.
func AuthCodesIn(b *Tab, text string) (found []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, code := range b.AuthCodes {
		if strings.Contains(text, code) {
			found = append(found, code)
		}
	}
	return found
}
