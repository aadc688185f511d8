package core

import (
	"sync"
	"time"
)

const (
	// MaxMenuChoices is how many choices in a menu an address (an IPv6 /64) can have counted in a minute.
	MaxMenuChoices = 60

	menuAddresses = 4096 // that are counted in one minute
)

// menuBound is how many choices each address has had counted in the running minute; nothing of it is kept beyond that.
type menuBound struct {
	sync.Mutex
	minute    time.Time
	addresses map[string]int
}

// Allows counts a choice of an address, and reports whether it is within the limits of the minute.
func (b *menuBound) Allows(address string, now time.Time) bool {
	b.Lock()
	defer b.Unlock()
	if minute := now.Truncate(time.Minute); !minute.Equal(b.minute) || b.addresses == nil {
		b.minute, b.addresses = minute, map[string]int{}
	}
	if n, known := b.addresses[address]; n >= MaxMenuChoices || !known && len(b.addresses) >= menuAddresses {
		return false
	}
	b.addresses[address]++
	return true
}
