package pagestest

import (
	"net/http"
	"net/url"
	"strings"

	"portico/store"
)

// Opens opens an address and follows all redirects, those of pages that go on by themselves included.
func (b *Browser) Opens(address string) string {
	b.T.Helper()
	_, at := b.Follow(b.Get(address), address)
	return at
}

// ArrivesAt follows the answer to a form to the page where the person ends.
func (b *Browser) ArrivesAt(answer *http.Response, from string) string {
	b.T.Helper()
	r, at := b.Follow(answer, from)
	page := Text(b.T, r)
	for strings.Contains(page, `http-equiv="refresh"`) {
		next, err := url.Parse(at)
		if err != nil {
			b.T.Fatal(err)
		}
		to, err := next.Parse(RefreshOf(b.T, page))
		if err != nil {
			b.T.Fatal(err)
		}
		r, at = b.Follow(b.Get(to.String()), to.String())
		page = Text(b.T, r)
	}
	b.LastPage = page
	return at
}

// FirstPassword gives an account a first password, as an administrator does.
func (s *Site) FirstPassword(login string) (m store.Member, password string) {
	s.T.Helper()
	m = s.Account(login)
	b := s.Named("jinsui")
	page := Text(s.T, b.Post("http://store1001.portico.test/mgr/people/"+Decimal(m.ID), "action", "reset_password"))
	return m, Found(s.T, page, `class="secret" translate="no">([^<]+)<`)
}
