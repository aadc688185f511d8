package sealing

import "portico/portal/access"

// DerivedCookie is the cookie of a session that the version before scs renewed with a salt.
func (s *Sealing) DerivedCookie(salt, former string) string {
	return s.Tag("renewed session", salt+"\x00"+access.Hashed(former))
}
