package core_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
)

var (
	company = core.Taker{Name: "1001"}
	other   = core.Taker{Name: "1002"}
	onTrial = core.Taker{Name: "1003", Free: true}
	sandbox = core.Taker{Name: "1004", Free: true}
)

func take(t *testing.T, all *core.Turns, by core.Taker) func() {
	t.Helper()
	done, err := all.Take(t.Context(), by)
	portaltest.NoError(t, err)
	return done
}

func TestACompanyCannotTakeTheTurnsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := core.NewTurns(core.Rule{All: 3, Each: 1, Kept: 1, Wait: 2 * time.Second})
		done := take(t, all, company)
		begun := time.Now()
		_, err := all.Take(t.Context(), company)
		if refused := portaltest.Refused(t, err, access.NotAvailable); refused.Wait != 2*time.Second {
			t.Errorf("try again after %s", refused.Wait)
		}
		if waited := time.Since(begun); waited != 2*time.Second {
			t.Errorf("a second turn is refused after %s", waited)
		}
		take(t, all, other)()
		done()
		done() // ends it once
		take(t, all, company)()
	})
}

func TestCompaniesWithoutAContractLeaveATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := core.NewTurns(core.Rule{All: 2, Each: 2, Kept: 1, Wait: time.Second})
		defer take(t, all, onTrial)()
		for _, by := range []core.Taker{onTrial, sandbox} {
			_, err := all.Take(t.Context(), by)
			portaltest.Refused(t, err, access.NotAvailable)
		}
		take(t, all, company)()
	})
}

func TestATurnIsTakenAsSoonAsItIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := core.NewTurns(core.Rule{All: 1, Each: 1, Wait: 2 * time.Second})
		done := take(t, all, company)
		time.AfterFunc(time.Second, done)
		begun := time.Now()
		take(t, all, other)()
		if waited := time.Since(begun); waited != time.Second {
			t.Errorf("taken after %s", waited)
		}
	})
}

func TestWhoLeavesTakesNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := core.NewTurns(core.Rule{All: 1, Each: 1, Wait: time.Minute})
		done := take(t, all, company)
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		if _, err := all.Take(ctx, other); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		done()
		take(t, all, other)()
	})
}

func TestNoMoreWorkIsDoneAtOnceThanThereAreTurns(t *testing.T) {
	all := core.NewTurns(core.Rule{All: 3, Each: 2, Wait: time.Minute})
	var working, most atomic.Int64
	var everybody sync.WaitGroup
	for _, by := range []core.Taker{company, other, onTrial, sandbox} {
		for range 25 {
			everybody.Go(func() {
				done, err := all.Take(t.Context(), by)
				if err != nil {
					t.Error(err)
					return
				}
				defer done()
				if n := working.Add(1); n > 3 {
					most.Store(n)
				}
				time.Sleep(time.Millisecond)
				working.Add(-1)
			})
		}
	}
	everybody.Wait()
	if n := most.Load(); n != 0 {
		t.Errorf("%d at once", n)
	}
}
