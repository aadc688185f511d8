package core

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"portico/portal/access"
	"portico/server/tracing"
)

// Limits of password hashing. A hash takes about 30 ms of a core, so that a full lane is emptied within HashWait by two
// cores.
const (
	// HashPlaces is how many may have a place in each lane: from before their try is counted until they have a core.
	HashPlaces = 64
	// HashCrowded is how many strangers wait before the next ones must do a proof of work.
	HashCrowded = 8
	// HashWait is how long a caller waits for a core at most.
	HashWait = 2 * time.Second
	// HashRetry is the wait that a refused caller is given.
	HashRetry = 2 * time.Second

	delaysKept = 64
)

// How many strangers of a network may have a place, by the network's width. The limits are four times as high for
// proven callers, because the people of an office share one address, and for strangers while a core is free.
const (
	HashWaitingNarrow = 4
	HashWaitingMiddle = 8
	HashWaitingWide   = 32

	provenShare = 4
	freeShare   = 4

	// ownWidths is how many of the widths, from the narrowest, are a stranger's own network. Its wider ones have other
	// customers of the provider, too.
	ownWidths = 2
)

// hashLane says who a password is hashed for. Each lane has its own places. When proven callers and others wait, they
// take turns: a flood of strangers leaves every second hash to proven callers. Of the others, those who have worked for
// it come first: their work would buy nothing if they stood behind a flood that does none.
type hashLane int

const (
	LaneProven    hashLane = iota // a known device, a session, or a person who has just proven a phone or a password
	LaneWorked                    // a stranger who brings a proof of work, or the answer to a question
	LaneStrangers                 // all others
	hashLanes
)

// crowd counts the callers who wait, in total and by network. It is not safe for concurrent use.
type crowd struct {
	places   int
	limits   [access.NetworkWidths]int // of one network; all zero: no limit
	waiting  int
	networks map[string]int
}

func newCrowd(places int, fair bool, share int) crowd {
	c := crowd{places: places, networks: map[string]int{}}
	if fair {
		c.limits = [access.NetworkWidths]int{
			HashWaitingNarrow * share,
			HashWaitingMiddle * share,
			HashWaitingWide * share,
		}
	}
	return c
}

// hasRoom says whether one more of these networks may wait; share multiplies the networks' limits. No network gets more
// than half of the places, because an attacker with many accounts counts as a proven caller.
func (c *crowd) hasRoom(from [access.NetworkWidths]string, share int) bool {
	return c.waiting < c.places && c.allows(from, share, access.NetworkWidths)
}

// allows says whether the first so many widths of a caller's network are within their limits.
func (c *crowd) allows(from [access.NetworkWidths]string, share, widths int) bool {
	for i, limit := range c.limits[:widths] {
		if limit > 0 && c.networks[from[i]] >= min(limit*share, c.places/2) {
			return false
		}
	}
	return true
}

func (c *crowd) add(from [access.NetworkWidths]string) {
	c.waiting++
	for i := range c.limits {
		c.networks[from[i]]++
	}
}

func (c *crowd) remove(from [access.NetworkWidths]string) {
	c.waiting--
	for i := range c.limits {
		if c.networks[from[i]]--; c.networks[from[i]] == 0 {
			delete(c.networks, from[i])
		}
	}
}

// hashPlace is one caller's place in the queue. Its turn has come when ready is closed.
type hashPlace struct {
	queue *hashQueue
	lane  hashLane
	from  [access.NetworkWidths]string
	state placeState // guarded by the queue
	ready chan struct{}
}

type placeState int

const (
	placeReserved placeState = iota // counted, so that the caller's try can be counted
	placeOutside                    // not counted: a stranger for whom the lane is full, and who is asked for work
	placeWaiting
	placeHashing // has a core, and is no longer counted
	placeLeft
)

// delay is how long the check of a stranger's password took.
type delay struct {
	wait time.Duration // for a core
	hash time.Duration // of one spelling
}

// hashQueue gives cores to callers who need a password hashed: at once while a core is free, else in the order of their
// lane. A caller who finds no place is refused at once, before anything is read or written. A stranger whose own
// network did not cause the crowd gets a place outside the queue instead, and is asked for a proof of work.
//
//	reserve → reserved ── take ──→ waiting ── the turn comes ──→ hashing
//	   │         ↑  └──── take, a core is free ───────────────────↑ │
//	   │         └─ HashWait passed, or the caller has gone ─ waiting │
//	   └→ refused            reserved, hashing ── leave ──→ left ←────┘
type hashQueue struct {
	mu      sync.Mutex
	free    int // unused cores; 0 while a caller waits
	lanes   [hashLanes][]*hashPlace
	crowds  [hashLanes]crowd
	last    hashLane // LaneProven if the last turn was a proven caller's, else LaneWorked
	pauses  crowd    // callers who pause instead of hashing
	delays  [delaysKept]delay
	learned int // how many delays were noted
	cores   int
	counted access.Counted
}

// newHashQueue makes a queue for so many cores. A fair one limits how many of one network may wait.
func newHashQueue(cores int, fair bool) *hashQueue {
	return &hashQueue{
		free:  cores,
		cores: cores,
		crowds: [hashLanes]crowd{
			newCrowd(HashPlaces, fair, provenShare), newCrowd(HashPlaces, fair, 1), newCrowd(HashPlaces, fair, 1),
		},
		pauses: newCrowd(HashPlaces, fair, 1),
	}
}

// The reasons for which callers are refused, as labels of the metrics.
const (
	refusedFull = "full" // no place was free
	refusedLate = "late" // no core was free within HashWait

	refusedUntilWorked = "asked" // a stranger for whom no place was free is asked for work first
)

// count counts a caller who is refused.
func (q *hashQueue) count(reason string) {
	if q.counted.HashRefused != nil {
		q.counted.HashRefused(reason)
	}
}

// busy returns the refusal of a caller, and counts it.
func (q *hashQueue) busy(reason string) error {
	q.count(reason)
	return &access.Refused{Refusal: access.NotAvailable, Wait: HashRetry}
}

// Room refuses with NotAvailable a caller who would get no place now.
func (q *hashQueue) Room(ctx context.Context, lane hashLane) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, ok := q.entry(lane, access.Networks(access.CallerOf(ctx).Address)); !ok {
		return q.busy(refusedFull)
	}
	return nil
}

// entry says whether a caller gets a place in a lane, and which. The queue is locked.
func (q *hashQueue) entry(lane hashLane, from [access.NetworkWidths]string) (state placeState, ok bool) {
	share := 1
	if q.free > 0 {
		share = freeShare
	}
	c := &q.crowds[lane]
	if c.hasRoom(from, share) {
		return placeReserved, true
	}
	return placeOutside, lane == LaneStrangers && c.allows(from, share, ownWidths)
}

// Reserve takes a place, or refuses with NotAvailable at once. The caller must call Leave.
func (q *hashQueue) Reserve(ctx context.Context, lane hashLane) (*hashPlace, error) {
	place := &hashPlace{
		queue: q,
		lane:  lane,
		from:  access.Networks(access.CallerOf(ctx).Address),
		ready: make(chan struct{}),
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	var ok bool
	if place.state, ok = q.entry(lane, place.from); !ok {
		return nil, q.busy(refusedFull)
	}
	if place.state == placeOutside {
		q.count(refusedUntilWorked)
		return place, nil
	}
	q.crowds[lane].add(place.from)
	return place, nil
}

// Crowded says whether so many other strangers have places that this caller must do a proof of work.
func (place *hashPlace) Crowded() bool {
	place.queue.mu.Lock()
	defer place.queue.mu.Unlock()
	crowded := place.state == placeOutside || place.queue.crowds[LaneStrangers].waiting > HashCrowded
	return place.lane == LaneStrangers && crowded
}

// take waits for a core. It refuses with NotAvailable when none came within HashWait.
func (place *hashPlace) take(ctx context.Context) error {
	began := time.Now()
	_, span := tracing.Start(ctx, "wait for a core")
	err := place.wait(ctx)
	if err == nil && place.queue.counted.Hashed != nil {
		place.queue.counted.Hashed(time.Since(began))
	}
	if err != nil {
		span.End("refused")
		return err
	}
	span.End("")
	return nil
}

func (place *hashPlace) wait(ctx context.Context) error {
	q := place.queue
	q.mu.Lock()
	if place.state == placeOutside {
		q.mu.Unlock()
		return q.busy(refusedFull)
	}
	if q.free > 0 {
		q.free--
		q.give(place)
		q.mu.Unlock()
		return nil
	}
	place.state = placeWaiting
	q.lanes[place.lane] = append(q.lanes[place.lane], place)
	q.mu.Unlock()

	timer := time.NewTimer(HashWait)
	defer timer.Stop()
	select {
	case <-place.ready:
		return nil
	case <-timer.C:
		return place.giveUp(func() error { return q.busy(refusedLate) })
	case <-ctx.Done():
		return place.giveUp(ctx.Err)
	}
}

// giveUp stops waiting and returns the error of why. It returns nil when the place got a core in the meantime.
func (place *hashPlace) giveUp(why func() error) error {
	q := place.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if place.state == placeHashing {
		return nil
	}
	place.state = placeReserved
	i := slices.Index(q.lanes[place.lane], place)
	q.lanes[place.lane] = slices.Delete(q.lanes[place.lane], i, i+1)
	return why()
}

// Leave gives the place back, and its core to the next one who waits. It can be called again.
func (place *hashPlace) Leave() {
	q := place.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	switch place.state {
	case placeReserved:
		q.crowds[place.lane].remove(place.from)
	case placeHashing:
		q.next()
	}
	place.state = placeLeft
}

// give lets a place hash. The queue is locked.
func (q *hashQueue) give(place *hashPlace) {
	q.crowds[place.lane].remove(place.from)
	place.state = placeHashing
	close(place.ready)
}

// next gives a core that was given back to the lane whose turn it is. The queue is locked.
func (q *hashQueue) next() {
	order := [hashLanes]hashLane{LaneProven, LaneWorked, LaneStrangers}
	if q.last == LaneProven {
		order = [hashLanes]hashLane{LaneWorked, LaneStrangers, LaneProven}
	}
	for _, lane := range order {
		if len(q.lanes[lane]) > 0 {
			place := q.lanes[lane][0]
			q.lanes[lane] = q.lanes[lane][1:]
			q.last = min(lane, LaneWorked)
			q.give(place)
			return
		}
	}
	q.free++
}

// noteDelay stores how long the check of a stranger's password took.
func (q *hashQueue) noteDelay(took delay) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.delays[q.learned%delaysKept] = took
	q.learned++
}

// Pause waits as long as the comparison of a wrong password takes, so that the time of a refusal does not tell whether
// a password was compared. It uses no core. It waits as long as one of the last strangers waited for a core, plus the
// time of one hash for each spelling of the password. It refuses with NotAvailable when too many callers pause already,
// as Reserve does when the queue is full.
func (q *hashQueue) Pause(ctx context.Context, password string) error {
	from := access.Networks(access.CallerOf(ctx).Address)
	q.mu.Lock()
	if !q.pauses.hasRoom(from, 1) {
		q.mu.Unlock()
		return q.busy(refusedFull)
	}
	q.pauses.add(from)
	last := q.delays[rand.IntN(max(1, min(q.learned, delaysKept)))]
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.pauses.remove(from)
	}()
	select {
	case <-time.After(last.wait + time.Duration(len(spellings(password)))*last.hash):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// HashWaiting returns how many callers wait until their password is hashed.
func (p *Passwords) HashWaiting() int { return p.Hasher.Queue.waiting() }

// HashCores returns how many passwords are hashed at the same time.
func (p *Passwords) HashCores() int { return p.Hasher.Queue.cores }

// waiting counts the callers who have a place and no core yet.
func (q *hashQueue) waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for lane := range q.crowds {
		n += q.crowds[lane].waiting
	}
	return n
}
