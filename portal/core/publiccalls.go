package core

import (
	"context"
	"sync"
	"time"

	"portico/portal/access"
)

// How many signed calls without a valid token a network may make in a minute. The signature does not limit them: its
// secret is in every app.
const (
	PublicCallsNarrow = 300   // of an IPv4 address or IPv6 /64
	PublicCallsMiddle = 1500  // of an IPv4 /24 or IPv6 /48
	PublicCallsWide   = 10000 // of an IPv4 /16 or IPv6 /32
	// PublicNetworksHeld is how many networks are counted at the same time; about 15 MB. More are not counted.
	PublicNetworksHeld = 100_000
)

// publicCalls counts the calls of the current minute.
type publicCalls struct {
	mu     sync.Mutex
	minute int64 // since 1970
	counts map[publicCaller]int
}

type publicCaller struct {
	width   int
	network string
}

// LimitPublicCall counts a signed call that carries no valid token. It refuses with TooManyAttempts, and counts
// nothing, when the caller's network has made too many in this minute.
func (l *Limits) LimitPublicCall(ctx context.Context) error {
	if l.core.NoLimit {
		return nil
	}
	now, c := l.core.Now(), &l.publicCalls
	minute := now.Unix() / 60
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.minute != minute || c.counts == nil {
		c.minute, c.counts = minute, map[publicCaller]int{}
	}
	from := access.Networks(access.CallerOf(ctx).Address)
	limits := [access.NetworkWidths]int{PublicCallsNarrow, PublicCallsMiddle, PublicCallsWide}
	for i, limit := range limits {
		if c.counts[publicCaller{i, from[i]}] >= limit {
			l.core.Access.CountLimited("public_calls")
			return &access.Refused{Refusal: access.TooManyAttempts, Wait: time.Unix((minute+1)*60, 0).Sub(now)}
		}
	}
	for i := range limits {
		caller := publicCaller{i, from[i]}
		if _, counted := c.counts[caller]; counted || len(c.counts) < PublicNetworksHeld {
			c.counts[caller]++
		}
	}
	return nil
}
