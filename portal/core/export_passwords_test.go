package core

import (
	"context"

	"portico/portal/access"
)

// Hashes returns how many password hashes were computed.
func (p *Passwords) Hashes() int64 { return p.Hasher.hashes.Load() }

// CrowdHashQueue takes every core and gives places to so many strangers, each from another network, until leave is
// called.
func (p *Passwords) CrowdHashQueue(strangers int) (leave func()) {
	q := p.Hasher.Queue
	q.mu.Lock()
	cores := q.free
	q.free = 0
	q.mu.Unlock()
	var places []*hashPlace
	for i := range strangers {
		from := access.WithCaller(
			context.Background(), access.Caller{Address: "10." + access.Decimal(int64(i)) + ".0.1"},
		)
		place, err := q.Reserve(from, LaneStrangers)
		if err != nil {
			panic(err)
		}
		places = append(places, place)
	}
	return func() {
		for _, place := range places {
			place.Leave()
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		for range cores {
			q.next()
		}
	}
}

// FreeACore gives back one of the cores that CrowdHashQueue took.
func (p *Passwords) FreeACore() {
	q := p.Hasher.Queue
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next()
}

// WaitForHash returns how many callers wait for a core.
func (p *Passwords) WaitForHash() (n int) {
	q := p.Hasher.Queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, lane := range q.lanes {
		n += len(lane)
	}
	return n
}
