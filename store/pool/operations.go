package pool

import "sync"

const (
	// AtOnce is how many statements and transactions of requests may run or wait at the same time. Each
	// further one is refused at once.
	AtOnce = 256

	// Narrow, Middle and Wide are how many of them may come from one network of that
	// width. Without these limits, one caller with many connections could use up AtOnce, and all other
	// callers would be refused.
	Narrow = 64
	Middle = 128
	Wide   = 192
)

var limits = [...]int{Narrow, Middle, Wide}

// Networks are the networks of a caller, from narrow to wide.
type Networks [len(limits)]string

// Counter counts the operations of requests that run or wait now, in total and by network.
type Counter struct {
	mu       sync.Mutex
	all      int
	networks map[origin]int
}

type origin struct {
	width   int
	network string
}

// NewCounter returns a Counter that has counted nothing.
func NewCounter() *Counter { return &Counter{networks: map[origin]int{}} }

// Begin counts one more operation. It counts nothing and returns false when there are too many.
func (o *Counter) Begin(from Networks) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all >= AtOnce {
		return false
	}
	for width, network := range from {
		if network != "" && o.networks[origin{width, network}] >= limits[width] {
			return false
		}
	}
	o.all++
	for width, network := range from {
		o.networks[origin{width, network}]++
	}
	return true
}

// Now returns how many operations run or wait.
func (o *Counter) Now() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all
}

// End counts an operation that Begin counted no longer.
func (o *Counter) End(from Networks) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all--
	for width, network := range from {
		key := origin{width, network}
		if o.networks[key]--; o.networks[key] == 0 {
			delete(o.networks, key)
		}
	}
}
