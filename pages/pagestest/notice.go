package pagestest

import (
	"net/http"
	"strings"
)

// WantSaidOnce checks that the page where a person arrives says a notice, and that no other page says it again.
func (b *Browser) WantSaidOnce(answer *http.Response, from, notice string) {
	b.T.Helper()
	at := b.ArrivesAt(answer, from)
	if page := b.LastPage; !strings.Contains(page, notice) {
		b.T.Errorf("%s does not say %q", at, notice)
	}
	if page := Text(b.T, b.Get(at)); strings.Contains(page, notice) {
		b.T.Errorf("%s says %q again", at, notice)
	}
}
