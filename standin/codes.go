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

// grant is what somebody authorised, until its code is exchanged.
type grant struct {
	app     string
	who     person
	scope   string
	until   time.Time
	spent   bool
	trouble trouble
	asked   int // how often it was offered for exchange
}

// mint makes a code.
func (s *standin) mint(app, scope string, who person, t trouble) string {
	g := &grant{app: app, who: who, scope: scope, until: s.Now().Add(codeLife), trouble: t}
	switch t {
	case expired:
		g.until = s.Now()
	case used:
		g.spent = true
	}
	code := "0" + random(31)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes.put(code, g)
	return code
}

// spend takes a code once. What was in its way for one try is out of it for the next.
func (s *standin) spend(app, code string) (grant, failure) {
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
	return taken, fine
}

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// random is so many letters and digits, none guessed.
func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return string(b)
}
