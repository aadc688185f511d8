package portal

import (
	"context"
	"sync"
	"time"
)

// Limits of forms with a file that are on their way at the same time.
const (
	MaxSending        = 64 // to this program
	MaxSendingAddress = 8  // of one address

	sendingWait = 10 * time.Second
)

// sending counts the forms with a file that are on their way.
type sending struct {
	sync.Mutex
	all       int
	addresses map[string]int // by network
}

// StartSending takes a place for a form with a file, before any of it is read; done gives it back, once. Refused, each with
// how long to wait: TooManyAttempts past MaxSendingAddress, NotAvailable past MaxSending.
func (p *Portal) StartSending(ctx context.Context) (done func(), err error) {
	address, s := network(callerOf(ctx).Address), &p.sending
	s.Lock()
	defer s.Unlock()
	switch {
	case s.addresses[address] >= MaxSendingAddress && !p.noLimit:
		return nil, &Refused{Refusal: TooManyAttempts, Wait: sendingWait}
	case s.all >= MaxSending:
		return nil, &Refused{Refusal: NotAvailable, Wait: sendingWait}
	}
	if s.addresses == nil {
		s.addresses = map[string]int{}
	}
	s.all++
	s.addresses[address]++
	return sync.OnceFunc(func() {
		s.Lock()
		defer s.Unlock()
		s.all--
		if s.addresses[address]--; s.addresses[address] == 0 {
			delete(s.addresses, address)
		}
	}), nil
}
