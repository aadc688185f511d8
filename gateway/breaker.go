package gateway

import (
	"sync"
	"time"
)

const (
	breakAfter = 5                // failures in a row
	breakFor   = 30 * time.Second // how long a provider gets no requests
)

// breaker is a circuit breaker: it stops requests to a provider that fails every time. After breakFor one request is
// allowed. The others are refused until that one succeeds, or for another breakFor.
//
//	closed ──5 failures──▶ open ──30 s──▶ one request ──answered──▶ closed
//	                        ▲                  └──────failed──▶ open
type breaker struct {
	mu       sync.Mutex
	failed   int       // in a row
	until    time.Time // no request is allowed before
	provider string    // the provider that failed
}

// allows returns nil when a request to the provider is allowed now, and otherwise the failure to return.
func (b *breaker) allows(now time.Time) *Failure {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed < breakAfter {
		return nil
	}
	if now.Before(b.until) {
		return &Failure{Provider: b.provider, Code: codePaused, Kind: Temporary}
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

// report counts the result of a request. It returns true when this failure opened the breaker. A provider that refuses
// a message works: an unknown phone, or one that gets too many messages, is not a failure of the provider. A
// request that its caller cancelled does not count either.
func (b *breaker) report(f *Failure, now time.Time) (opened bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case f == nil || f.hasDecision():
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
