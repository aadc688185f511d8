package e2e

import (
	"net/url"
	"slices"
	"strings"
)

// wantAt checks where the tab is: the host's first label, the path, and that no code stayed in the address.
func (b *tab) wantAt(host, path string) {
	b.t.Helper()
	u, err := url.Parse(b.here())
	b.must(err)
	if want, _ := url.Parse(b.site.at(host, path)); u.Host != want.Host || u.Path != want.Path {
		b.t.Fatalf("at %s, want %s\n%s", u, want, b.seen())
	}
	if strings.Contains(u.String(), "auth_code_") {
		b.t.Errorf("the code is still in the address: %s", u)
	}
}

func (b *tab) wantText(wanted ...string) {
	b.t.Helper()
	text := b.seen()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			b.t.Errorf("%s does not show %q:\n%s", b.here(), want, text)
		}
	}
}

func (b *tab) wantNoText(unwanted ...string) {
	b.t.Helper()
	text := b.seen()
	if i := slices.IndexFunc(unwanted, func(s string) bool { return strings.Contains(text, s) }); i >= 0 {
		b.t.Errorf("%s shows %q:\n%s", b.here(), unwanted[i], text)
	}
}

// wantToast checks what was said in passing; it may have gone from sight since.
func (b *tab) wantToast(want string) {
	b.t.Helper()
	if got := ask[string](b, `() => (document.querySelector(".toast") ?? document.querySelector("[role=status]"))?.textContent ?? ""`); got != want {
		b.t.Errorf("%s says %q, want %q", b.here(), got, want)
	}
}

func (b *tab) wantStatus(want int) {
	b.t.Helper()
	if got := ask[int](b, `() => performance.getEntriesByType("navigation")[0].responseStatus`); got != want {
		b.t.Errorf("%s has status %d, want %d", b.here(), got, want)
	}
}

// wantLang checks the page's language as browsers and screen readers learn it.
func (b *tab) wantLang(want string) {
	b.t.Helper()
	if got := ask[string](b, `() => document.documentElement.lang`); got != want {
		b.t.Errorf("%s is in %q, want %q", b.here(), got, want)
	}
}

func (b *tab) wantTitle(want string) {
	b.t.Helper()
	if got := ask[string](b, `() => document.title`); got != want {
		b.t.Errorf("%s is titled %q, want %q", b.here(), got, want)
	}
}
