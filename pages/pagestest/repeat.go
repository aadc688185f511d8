package pagestest

// SentTwice sends a form, and then the same form again, as after a lost response. Both must redirect to the same page,
// and the second one must not set the session's cookie.
func (b *Browser) SentTwice(to, address string, pairs ...string) {
	b.T.Helper()
	WantTo(b.T, b.Post(address, pairs...), to)
	r := b.Post(address, pairs...)
	WantTo(b.T, r, to)
	for _, cookie := range r.Cookies() {
		if cookie.Name == "portico_session" {
			b.T.Errorf("the cookie of the session is set again: %q", cookie.Value)
		}
	}
}

// Told counts the notices to a phone.
func (s *Site) Told(phone string) (n int) {
	s.P.Stop(s.T.Context())
	for _, m := range s.Messages {
		if m.Phone == phone && m.Notice != "" {
			n++
		}
	}
	return n
}
