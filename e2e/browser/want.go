package browser

import (
	"net/url"
	"slices"
	"strings"
)

// Arrival is the page on which a sign-in ends: its host and path, and the names of person and company that it shows.
type Arrival struct{ Host, Path, Holder, Company string }

// WantArrived checks that a sign-in has ended on a page.
func (b *Tab) WantArrived(want Arrival) {
	b.T.Helper()
	b.WantAt(want.Host, want.Path)
	b.WantStatus(200)
	b.WantText(want.Holder, want.Company)
}

// WantCount checks how many elements the page has.
func (b *Tab) WantCount(selector string, want int) {
	b.T.Helper()
	if n := Eval[int](b, `s => document.querySelectorAll(s).length`, selector); n != want {
		b.T.Errorf("%s shows %d of %s, want %d\n%s", b.Address(), n, selector, want, b.VisibleText())
	}
}

// WantAddress waits until the tab has loaded a URL.
func WantAddress(b *Tab, want string) {
	b.T.Helper()
	b.Await(want, `want => location.href === want && document.readyState === "complete"`, want)
}

// WantAt checks the page's host, by its first label, and path, and that no auth code stayed in the URL.
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

// WantText checks that the page shows some texts.
func (b *Tab) WantText(wanted ...string) {
	b.T.Helper()
	text := b.VisibleText()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			b.T.Errorf("%s does not show %q:\n%s", b.Address(), want, text)
		}
	}
}

// WantNoText checks that the page shows none of some texts.
func (b *Tab) WantNoText(unwanted ...string) {
	b.T.Helper()
	text := b.VisibleText()
	if i := slices.IndexFunc(unwanted, func(s string) bool { return strings.Contains(text, s) }); i >= 0 {
		b.T.Errorf("%s shows %q:\n%s", b.Address(), unwanted[i], text)
	}
}

// WantToast checks the page's flash message, even if it has disappeared since.
func (b *Tab) WantToast(want string) {
	b.T.Helper()
	if got := Eval[string](
		b, `() => (document.querySelector(".toast") ?? document.querySelector("[role=status]"))?.textContent ?? ""`,
	); got != want {
		b.T.Errorf("%s says %q, want %q", b.Address(), got, want)
	}
}

// WantStatus checks the HTTP status of the page.
func (b *Tab) WantStatus(want int) {
	b.T.Helper()
	if got := Eval[int](b, `() => performance.getEntriesByType("navigation")[0].responseStatus`); got != want {
		b.T.Errorf("%s has status %d, want %d", b.Address(), got, want)
	}
}

// WantLang checks the language that the page declares to browsers and screen readers.
func (b *Tab) WantLang(want string) {
	b.T.Helper()
	if got := Eval[string](b, `() => document.documentElement.lang.slice(0, 2)`); got != want {
		b.T.Errorf("%s is in %q, want %q", b.Address(), got, want)
	}
}
