package standin

import "time"

const (
	tokenLife = 2 * time.Hour
	overlap   = 5 * time.Minute // for which a token outlives its successor, and before whose end a stable one is renewed
)

// access is an access token: of an application, or, where a person authorised it, of theirs at one.
type access struct {
	app   string
	who   person
	scope string
	until time.Time
}

type jsTicket struct {
	value string
	until time.Time
}

// The kinds of tokens that applications ask for; they do not touch each other.
const (
	stableKind = "stable"
	plainKind  = "plain"
	corpKind   = "corp"
)

// give returns the token of an application and its life in whole seconds. While the newest has longer to live than least it is
// given again, unless a fresh one is wanted; then the old one ends soon.
func (s *standin) give(app, kind string, least time.Duration, fresh bool) (string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Now()
	value := s.newest.items[app+kind]
	old, ok := s.tokens.items[value]
	if ok && !fresh && old.until.Sub(now) > least {
		return value, int(old.until.Sub(now) / time.Second)
	}
	if ok && old.until.After(now.Add(overlap)) {
		old.until = now.Add(overlap)
	}
	value = s.addToken(access{app: app, until: now.Add(tokenLife)})
	s.newest.put(app+kind, value)
	return value, int(tokenLife / time.Second)
}

func (s *standin) addToken(a access) string {
	value := "84_" + random(133)
	s.tokens.put(value, &a)
	return value
}

// access finds what a token is good for.
func (s *standin) access(value string) (a access, known, alive bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.tokens.items[value]
	if !ok {
		return access{}, false, false
	}
	return *found, true, s.Now().Before(found.until)
}

// end ends one token, or all of them for "".
func (s *standin) end(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, a := range s.tokens.items {
		if value == "" || value == key {
			a.until = s.Now()
		}
	}
}

// ticket returns the ticket of an application, the same while it is good, and its life in whole seconds.
func (s *standin) ticket(app, kind string) (string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Now()
	t, ok := s.tickets.items[app+kind]
	if !ok || t.until.Sub(now) < time.Second {
		t = &jsTicket{random(86), now.Add(tokenLife)}
		s.tickets.put(app+kind, t)
	}
	return t.value, int(t.until.Sub(now) / time.Second)
}
