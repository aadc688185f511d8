package core

import (
	"context"
	"sync"
	"time"

	"portico/portal/access"
)

// Limits of forms with a file that are on their way at the same time.
const (
	MaxSending        = 64 // to this program
	MaxSendingByToken = 48 // for senders with only an upload token; the rest is for proven senders
	MaxSendingAddress = 8  // of one IPv4 address or IPv6 /64
	MaxSendingMiddle  = 16 // of one IPv4 /24 or IPv6 /48
	MaxSendingWide    = 32 // of one IPv4 /16 or IPv6 /32

	// MinSendingRate is how many bytes of a form with a file must arrive each second, and SendingGrace how far it may
	// fall behind. SendingTime is how long it may take in total.
	MinSendingRate = 1 << 10
	SendingGrace   = 10 * time.Second
	SendingTime    = 2 * time.Minute

	sendingWait = 10 * time.Second
)

// SendingDue returns when the next byte of a form with a file must have arrived, by the number of bytes since its file
// began.
func SendingDue(began time.Time, bytes int64) time.Time {
	return began.Add(min(SendingTime, SendingGrace+time.Duration(bytes)*time.Second/MinSendingRate))
}

// sending counts the forms with a file that are on their way.
type sending struct {
	sync.Mutex
	all, byToken int
	networks     map[sendingNetwork]int
}

type sendingNetwork struct {
	width   int
	network string
}

// StartSending takes a place for a form whose file begins now; done gives it back. proven says that its sender has a
// session or has proven a phone. Refused, each with how long to wait: TooManyAttempts past the limit of a network,
// NotAvailable past MaxSending and MaxSendingByToken.
func (v *Verification) StartSending(ctx context.Context, proven bool) (done func(), err error) {
	from, s := access.Networks(access.CallerOf(ctx).Address), &v.sending
	limits := [access.NetworkWidths]int{MaxSendingAddress, MaxSendingMiddle, MaxSendingWide}
	s.Lock()
	defer s.Unlock()
	for i, limit := range limits {
		if s.networks[sendingNetwork{i, from[i]}] >= limit && !v.core.NoLimit {
			v.core.Access.CountLimited("sending")
			return nil, &access.Refused{Refusal: access.TooManyAttempts, Wait: sendingWait}
		}
	}
	if s.all >= MaxSending || !proven && s.byToken >= MaxSendingByToken {
		return nil, &access.Refused{Refusal: access.NotAvailable, Wait: sendingWait}
	}
	if s.networks == nil {
		s.networks = map[sendingNetwork]int{}
	}
	s.count(from, proven, 1)
	return sync.OnceFunc(func() {
		s.Lock()
		defer s.Unlock()
		s.count(from, proven, -1)
	}), nil
}

func (s *sending) count(from [access.NetworkWidths]string, proven bool, by int) {
	s.all += by
	if !proven {
		s.byToken += by
	}
	for i := range from {
		n := sendingNetwork{i, from[i]}
		if s.networks[n] += by; s.networks[n] == 0 {
			delete(s.networks, n)
		}
	}
}
