package standin

import (
	"crypto/rand"
	"time"
)

const (
	codeLife = 5 * time.Minute

	scopeBase  = "snsapi_base"
	scopeUser  = "snsapi_userinfo"
	scopeLogin = "snsapi_login"
)

// grant is what a person authorised. Its code is exchanged for it.
type grant struct {
	app     string
	person  person
	scope   string
	until   time.Time
	spent   bool
	trouble trouble
	asked   int // how often the code was sent to be exchanged
}

// makeCode makes a code for a grant.
func (s *standin) makeCode(app, scope string, p person, t trouble) string {
	g := &grant{app: app, person: p, scope: scope, until: s.Now().Add(codeLife), trouble: t}
	switch t {
	case expired:
		g.until = s.Now()
	case used:
		g.spent = true
	}
	code := "0" + randomText(31)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes.put(code, g)
	return code
}

// useCode exchanges a code, once. The trouble busy makes the first try fail and lets the next one succeed.
func (s *standin) useCode(app, code string) (grant, failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, ok := s.codes.items[code]
	if !ok || g.app != app {
		return grant{}, invalidCode
	}
	g.asked++
	switch {
	case g.spent:
		return grant{}, usedCode
	case !s.Now().Before(g.until):
		return grant{}, expiredCode
	case g.trouble == busy:
		g.trouble = none
		return grant{}, tooBusy
	}
	taken := *g
	g.spent = true
	return taken, noFailure
}

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// randomText returns n letters and digits that cannot be guessed.
func randomText(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return string(b)
}
