package gateway

import (
	"sync"
	"time"
)

const (
	breakAfter = 5 // failures in a row
	breakFor   = 30 * time.Second
)

// breaker leaves a provider alone that fails every time. After its rest one message tries it; the others go
// on waiting until that one is accepted, or for another rest.
//
//	closed --5 failures--> open --30 s--> one tries --accepted or refused--> closed
//	                         ^--------------failed------+
type breaker struct {
	mu       sync.Mutex
	failed   int // in a row
	until    time.Time
	provider string // whose failures these are
}

// allows says whether the provider may be asked now.
func (b *breaker) allows(now time.Time) *Failure {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed < breakAfter {
		return nil
	}
	if now.Before(b.until) {
		return &Failure{Provider: b.provider, Code: codeResting, Kind: Temporary}
	}
	b.until = now.Add(breakFor)
	return nil
}

// up reports whether the provider is in use. After breakAfter failures in a row it is down, until the provider accepts
// a message after the pause.
func (b *breaker) up() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failed < breakAfter
}

// report counts how a try ended, and says whether the provider is now left alone. A provider that decides,
// be it against the message, is well: phones that do not exist, or asked for too often, break nothing. Nor does
// a person who leaves before the answer.
func (b *breaker) report(f *Failure, now time.Time) (opened bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case f == nil || f.answered():
		b.failed = 0
	case f.Code == codeCancelled:
		if b.failed >= breakAfter {
			b.until = now
		}
	default:
		b.provider = f.Provider
		b.failed++
		if b.failed >= breakAfter {
			b.until = now.Add(breakFor)
		}
		return b.failed == breakAfter
	}
	return false
}
