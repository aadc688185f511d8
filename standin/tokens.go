package standin

import "time"

const (
	tokenLife = 2 * time.Hour
	// how long a replaced token stays valid, and how long before its expiry a stable one is replaced
	overlap = 5 * time.Minute
)

// access is an access token of an application, or of a person who authorised an application.
type access struct {
	app    string
	person person
	scope  string
	until  time.Time
}

type jsTicket struct {
	value string
	until time.Time
}

// The kinds of tokens of an application. They are independent of each other.
const (
	stableKind = "stable"
	plainKind  = "plain"
	corpKind   = "corp"
)

// currentToken returns the token of an application and its remaining lifetime in whole seconds. It returns the newest
// token again while that is valid for longer than least. With fresh it returns a new one, and the old one expires soon.
func (s *standin) currentToken(app, kind string, least time.Duration, fresh bool) (string, int) {
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
	value := "84_" + randomText(133)
	s.tokens.put(value, &a)
	return value
}

// findToken returns what a token is for, whether it is known, and whether it is still valid.
func (s *standin) findToken(value string) (a access, known, alive bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.tokens.items[value]
	if !ok {
		return access{}, false, false
	}
	return *found, true, s.Now().Before(found.until)
}

// expireTokens makes one token expire, or all for "".
func (s *standin) expireTokens(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, a := range s.tokens.items {
		if value == "" || value == key {
			a.until = s.Now()
		}
	}
}

// ticket returns the ticket of an application, the same one while it is valid, and its remaining lifetime in seconds.
func (s *standin) ticket(app, kind string) (string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Now()
	t, ok := s.tickets.items[app+kind]
	if !ok || t.until.Sub(now) < time.Second {
		t = &jsTicket{randomText(86), now.Add(tokenLife)}
		s.tickets.put(app+kind, t)
	}
	return t.value, int(t.until.Sub(now) / time.Second)
}
