package core

import (
	"sync"
	"time"
)

// Recent remembers keys for a while, in memory. It keeps them in generations and drops the oldest generation as a
// whole, so that no lookup ever scans it. A key is remembered for at least the time given to NewRecent, unless more
// than most keys come within it: then the oldest are forgotten earlier. It is safe for concurrent use.
type Recent[K comparable, V any] struct {
	mu          sync.Mutex
	span        time.Duration // how long a generation accepts keys
	most        int           // how many keys a generation holds
	generations []generation[K, V]
}

type generation[K comparable, V any] struct {
	begun time.Time
	keys  map[K]V
}

// recentParts is the number of generations that share the time and the capacity. One more is kept, because the newest
// one is not full.
const recentParts = 10

// NewRecent makes a Recent that remembers up to most keys for at least kept.
func NewRecent[K comparable, V any](kept time.Duration, most int) *Recent[K, V] {
	return &Recent[K, V]{span: kept / recentParts, most: most / recentParts}
}

// Add remembers a key with a value. If the key is remembered already, Add changes nothing and returns its value.
func (r *Recent[K, V]) Add(key K, value V, now time.Time) (before V, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if before, known = r.find(key); known {
		return before, true
	}
	newest := len(r.generations) - 1
	if newest < 0 || len(r.generations[newest].keys) >= r.most || now.Sub(r.generations[newest].begun) >= r.span {
		r.generations = append(r.generations, generation[K, V]{now, map[K]V{}})
		newest++
	}
	r.generations[newest].keys[key] = value
	for len(r.generations) > recentParts+1 || now.Sub(r.generations[0].begun) >= (recentParts+1)*r.span {
		r.generations = r.generations[1:]
	}
	return before, false
}

// Get returns the value of a remembered key.
func (r *Recent[K, V]) Get(key K) (value V, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.find(key)
}

func (r *Recent[K, V]) find(key K) (value V, known bool) {
	for i := len(r.generations) - 1; i >= 0 && !known; i-- {
		value, known = r.generations[i].keys[key]
	}
	return value, known
}

// Size returns the number of keys.
func (r *Recent[K, V]) Size() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.generations {
		n += len(g.keys)
	}
	return n
}
