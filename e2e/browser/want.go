package browser

import (
	"net/url"
	"slices"
	"strings"
)

// Arrival is where a demo phone or login lands on a screen, and who it is there.
type Arrival struct{ Host, Path, Holder, Company string }

func (b *Tab) WantArrived(want Arrival) {
	b.T.Helper()
	b.WantAt(want.Host, want.Path)
	b.WantStatus(200)
	b.WantText(want.Holder, want.Company)
}

// WantCount counts what a page shows.
func (b *Tab) WantCount(selector string, want int) {
	b.T.Helper()
	if n := Ask[int](b, `s => document.querySelectorAll(s).length`, selector); n != want {
		b.T.Errorf("%s shows %d of %s, want %d\n%s", b.Address(), n, selector, want, b.VisibleText())
	}
}

func WantAddress(b *Tab, want string) {
	b.T.Helper()
	b.Await(want, `want => location.href === want && document.readyState === "complete"`, want)
}

// WantAt checks where the tab is: the host's first label, the path, and that no code stayed in the address.
func (b *Tab) WantAt(host, path string) {
	b.T.Helper()
	u, err := url.Parse(b.Address())
	b.Must(err)
	if want, _ := url.Parse(b.Server.URL(host, path)); u.Host != want.Host || u.Path != want.Path {
		b.T.Fatalf("at %s, want %s\n%s", u, want, b.VisibleText())
	}
	if strings.Contains(u.String(), "auth_code_") {
		b.T.Errorf("the code is still in the address: %s", u)
	}
}

func (b *Tab) WantText(wanted ...string) {
	b.T.Helper()
	text := b.VisibleText()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			b.T.Errorf("%s does not show %q:\n%s", b.Address(), want, text)
		}
	}
}

func (b *Tab) WantNoText(unwanted ...string) {
	b.T.Helper()
	text := b.VisibleText()
	if i := slices.IndexFunc(unwanted, func(s string) bool { return strings.Contains(text, s) }); i >= 0 {
		b.T.Errorf("%s shows %q:\n%s", b.Address(), unwanted[i], text)
	}
}

// WantToast checks what was said in passing; it may have gone from sight since.
func (b *Tab) WantToast(want string) {
	b.T.Helper()
	if got := Ask[string](b, `() => (document.querySelector(".toast") ?? document.querySelector("[role=status]"))?.textContent ?? ""`); got != want {
		b.T.Errorf("%s says %q, want %q", b.Address(), got, want)
	}
}

func (b *Tab) WantStatus(want int) {
	b.T.Helper()
	if got := Ask[int](b, `() => performance.getEntriesByType("navigation")[0].responseStatus`); got != want {
		b.T.Errorf("%s has status %d, want %d", b.Address(), got, want)
	}
}

// WantLang checks the page's language as browsers and screen readers learn it.
func (b *Tab) WantLang(want string) {
	b.T.Helper()
	if got := Ask[string](b, `() => document.documentElement.lang`); got != want {
		b.T.Errorf("%s is in %q, want %q", b.Address(), got, want)
	}
}
