package portal

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Limits of password hashing. A hash takes about 30 ms of a core, so that a full lane is emptied within HashWait by two
// cores.
const (
	// HashPlaces is how many may wait in each of the two lanes.
	HashPlaces = 64
	// HashCrowded is how many strangers wait before the next ones must do a proof of work.
	HashCrowded = 32
	// HashWait is how long one of them waits at most.
	HashWait = 2 * time.Second
	// HashRetry is when those turned away may come again.
	HashRetry = 2 * time.Second

	delaysKept = 64
)

// The widths are those of networks: how many strangers of one network may wait. Proven callers are held to four times as
// many, because the people of an office share one address.
const (
	HashWaitingNarrow = 4
	HashWaitingMiddle = 8
	HashWaitingWide   = 32

	provenShare = 4
)

// hashLane says who a password is hashed for. Each lane has its own places, and when people wait in both, the lanes take
// turns: a flood of strangers leaves every second hash to proven callers.
type hashLane int

const (
	laneProven    hashLane = iota // a known device, a session, or whoever has just proven a phone or a password
	laneStrangers                 // everybody else
	hashLanes
)

// crowd counts who waits, in all and by network. It is not safe for concurrent use.
type crowd struct {
	places   int
	limits   [networkWidths]int // of one network; all zero: no limit
	waiting  int
	networks map[string]int
}

func newCrowd(places int, fair bool, share int) crowd {
	c := crowd{places: places, networks: map[string]int{}}
	if fair {
		c.limits = [networkWidths]int{HashWaitingNarrow * share, HashWaitingMiddle * share, HashWaitingWide * share}
	}
	return c
}

// hasRoom says whether one more of these networks may wait.
func (c *crowd) hasRoom(from [networkWidths]string) bool {
	if c.waiting >= c.places {
		return false
	}
	for i, limit := range c.limits {
		if limit > 0 && c.networks[from[i]] >= limit {
			return false
		}
	}
	return true
}

func (c *crowd) add(from [networkWidths]string) {
	c.waiting++
	for i := range c.limits {
		c.networks[from[i]]++
	}
}

func (c *crowd) remove(from [networkWidths]string) {
	c.waiting--
	for i := range c.limits {
		if c.networks[from[i]]--; c.networks[from[i]] == 0 {
			delete(c.networks, from[i])
		}
	}
}

// hashPlace is one who waits for a core. Its turn has come when ready is closed.
type hashPlace struct {
	from  [networkWidths]string
	ready chan struct{}
}

// hashQueue lends the cores to those who need a password hashed: at once while a core is free, else in the order of
// their lane.
//
//	enter ── a core is free ─────────────────────────────→ hashing ── leave
//	  │                                                       ↑
//	  ├── there is a place ──→ waiting ── the turn comes ─────┘
//	  │                          └── HashWait passed, or the caller has gone ──→ out
//	  └── no place ──→ refused at once
type hashQueue struct {
	mu      sync.Mutex
	free    int // cores that nobody uses; 0 while anybody waits
	lanes   [hashLanes][]*hashPlace
	crowds  [hashLanes]crowd
	last    hashLane // the lane of the last turn
	pauses  crowd    // of those who pause in place of hashing
	delays  [delaysKept]time.Duration
	learned int // how many delays were noted
}

// newHashQueue makes a queue for so many cores. A fair one limits how many of one network may wait.
func newHashQueue(cores int, fair bool) *hashQueue {
	return &hashQueue{
		free:   cores,
		crowds: [hashLanes]crowd{newCrowd(HashPlaces, fair, provenShare), newCrowd(HashPlaces, fair, 1)},
		pauses: newCrowd(HashPlaces, fair, 1),
	}
}

func busy() error { return &Refused{Refusal: NotAvailable, Wait: HashRetry} }

// room refuses with NotAvailable whoever would get neither a core nor a place now. It is asked before anything is
// counted or written.
func (q *hashQueue) room(ctx context.Context, lane hashLane) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.free > 0 || q.crowds[lane].hasRoom(networks(callerOf(ctx).Address)) {
		return nil
	}
	return busy()
}

// crowded says whether so many strangers wait that the next ones must do a proof of work.
func (q *hashQueue) crowded() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.crowds[laneStrangers].waiting >= HashCrowded
}

// enter takes a core; leave gives it back. It refuses with NotAvailable when there is no place, and when the wait was
// longer than HashWait.
func (q *hashQueue) enter(ctx context.Context, lane hashLane) error {
	place := &hashPlace{from: networks(callerOf(ctx).Address), ready: make(chan struct{})}
	q.mu.Lock()
	switch {
	case q.free > 0:
		q.free--
		q.mu.Unlock()
		return nil
	case !q.crowds[lane].hasRoom(place.from):
		q.mu.Unlock()
		return busy()
	}
	q.lanes[lane] = append(q.lanes[lane], place)
	q.crowds[lane].add(place.from)
	q.mu.Unlock()

	timer := time.NewTimer(HashWait)
	defer timer.Stop()
	select {
	case <-place.ready:
		return nil
	case <-timer.C:
		return q.giveUp(lane, place, busy())
	case <-ctx.Done():
		return q.giveUp(lane, place, ctx.Err())
	}
}

// giveUp takes a place out of its lane. It returns nil when the turn has come meanwhile, and the core is the caller's.
func (q *hashQueue) giveUp(lane hashLane, place *hashPlace, err error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, each := range q.lanes[lane] {
		if each == place {
			q.lanes[lane] = append(q.lanes[lane][:i], q.lanes[lane][i+1:]...)
			q.crowds[lane].remove(place.from)
			return err
		}
	}
	return nil
}

// leave gives a core to the next one who waits.
func (q *hashQueue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	lane := (q.last + 1) % hashLanes
	if len(q.lanes[lane]) == 0 {
		lane = q.last
	}
	if len(q.lanes[lane]) == 0 {
		q.free++
		return
	}
	place := q.lanes[lane][0]
	q.lanes[lane] = q.lanes[lane][1:]
	q.crowds[lane].remove(place.from)
	q.last = lane
	close(place.ready)
}

// learn notes how long a stranger's password took, from the request for a core to the result.
func (q *hashQueue) learn(took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.delays[q.learned%delaysKept] = took
	q.learned++
}

// pause waits as long as one of the last strangers' passwords took, without a core, so that a refusal takes the time of
// a comparison. It refuses with NotAvailable when too many pause already, as enter does when the queue is full.
func (q *hashQueue) pause(ctx context.Context) error {
	from := networks(callerOf(ctx).Address)
	q.mu.Lock()
	if !q.pauses.hasRoom(from) {
		q.mu.Unlock()
		return busy()
	}
	q.pauses.add(from)
	delay := q.delays[rand.IntN(max(1, min(q.learned, delaysKept)))]
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.pauses.remove(from)
	}()
	select {
	case <-time.After(delay):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
