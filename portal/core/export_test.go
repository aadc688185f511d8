package core

import "portico/portal/access"

// DerivedCookie returns the cookie of a session that an earlier version, which derived cookies from a salt, renewed.
func (s *Sealing) DerivedCookie(salt, former string) string {
	return s.Tag("renewed session", salt+"\x00"+access.Hashed(former))
}
