package core

import (
	"context"
	"sync"
	"time"

	"portico/portal/access"
	"portico/store"
)

// Turns gives turns for a kind of work. It is safe for concurrent use.
type Turns struct {
	rule Rule

	mu      sync.Mutex
	taken   int
	takenBy map[string]int
	freed   chan struct{} // closed when a turn ends
}

// Rule says how many turns there are.
type Rule struct {
	// All is how many turns there are at once, and Each how many of them one company may have.
	All, Each int
	// Kept is how many of them are only for companies with a contract, so that companies on trial, which anybody can
	// have, cannot take all.
	Kept int
	// Wait is the longest time that Take waits.
	Wait time.Duration
}

// NewTurns makes the turns of a kind of work.
func NewTurns(rule Rule) *Turns {
	return &Turns{rule: rule, takenBy: map[string]int{}, freed: make(chan struct{})}
}

// Taker is who takes a turn: a company, and whether it is one without a contract.
type Taker struct {
	Name string
	Free bool
}

// TakerOf returns the company of an account as a Taker.
func TakerOf(here access.Landing) Taker {
	return Taker{Name: access.Decimal(here.Member.CompanyID), Free: IsFree(here.Member.Company)}
}

// IsFree reports whether a company has no contract: one on trial, and one that somebody tries without registering.
func IsFree(c store.Company) bool { return c.Sandbox || c.Standing == store.Trial }

// Take waits for a turn. done ends it. Take refuses with NotAvailable, and the time after which to try again, when
// there is no turn within Rule.Wait, and returns the error of ctx when that ends before.
func (t *Turns) Take(ctx context.Context, by Taker) (done func(), err error) {
	late := time.NewTimer(t.rule.Wait)
	defer late.Stop()
	for {
		freed, ok := t.take(by)
		if ok {
			return sync.OnceFunc(func() { t.end(by) }), nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-late.C:
			return nil, &access.Refused{Refusal: access.NotAvailable, Wait: t.rule.Wait}
		}
	}
}

// take takes a turn if one is free. If none is, it returns what is closed when one may have become free.
func (t *Turns) take(by Taker) (freed <-chan struct{}, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.rule.All
	if by.Free {
		all -= t.rule.Kept
	}
	if t.taken >= all || t.takenBy[by.Name] >= t.rule.Each {
		return t.freed, false
	}
	t.taken++
	t.takenBy[by.Name]++
	return nil, true
}

func (t *Turns) end(by Taker) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken--
	if t.takenBy[by.Name]--; t.takenBy[by.Name] == 0 {
		delete(t.takenBy, by.Name)
	}
	close(t.freed)
	t.freed = make(chan struct{})
}
