package portal_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

func TestSignInsAtOnceAllSucceed(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		people := []string{"13800000001", "13800000002", "13800000003"}
		together(60, func(i int) {
			in := p.as(people[i%len(people)])
			if _, err := p.Login(p.from(fmt.Sprintf("198.51.100.%d", i%12)), in); err != nil {
				t.Errorf("sign-in %d: %v", i, err)
			}
		})
		if n := p.events(0, "sign_in"); n != 60 {
			t.Errorf("%d sign-ins were noted", n)
		}
	}, func(o *portal.Options) { o.NoLimit = true })
}

// overLine is a platform on a Postgres database that is reached over a line.
func overLine(t *testing.T) (*platform, *storetest.Line) {
	t.Helper()
	line, address := storetest.NewLine(t, storetest.PostgresURL(t))
	db, err := store.Open(t.Context(), address)
	noError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	noError(t, db.Migrate(t.Context()))
	return newPlatform(t, db), line
}

func TestAnOrderIsPlacedOnceWhicheverAnswerOfTheDatabaseIsLost(t *testing.T) {
	p, line := overLine(t)
	here, k := p.landed("buyer1", phoneScreen), p.product(1001)
	last, refused := 0, 0
	for cut := range 24 {
		form := portal.NewForm()
		line.CutAnswer(cut)
		_, err := p.order(here, k.ID, "1", form)
		if err != nil {
			if refused++; !portal.Unavailable(err) {
				t.Errorf("answer %d was lost: %v", cut, err)
			}
			line.CutAnswer(-1)
			_, err = p.order(here, k.ID, "1", form) // as a person sends the form again
		}
		line.CutAnswer(-1)
		if err != nil {
			t.Errorf("answer %d was lost; sent again: %v", cut, err)
		}
		last = cut + 1
	}
	if n := p.events(1001, "order_placed"); n != last || p.stock(1001, k.ID) != k.Stock-int64(last) {
		t.Errorf("%d of %d orders were placed, %d of %d are left", n, last, p.stock(1001, k.ID), k.Stock)
	}
	if refused == 0 || refused == last {
		t.Errorf("%d of %d orders were refused", refused, last)
	}
}

func TestEveryAcknowledgedOrderIsThereOnceAfterABadConnection(t *testing.T) {
	p, line := overLine(t)
	here, k := p.landed("buyer1", phoneScreen), p.product(1001)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 20 {
			switch i % 4 {
			case 0:
				line.Reset(true)
			case 1:
				line.Reset(false)
				line.CutAnswer(2 + i)
			case 2:
				line.Delay(50 * time.Millisecond)
			case 3:
				line.Delay(0)
			}
			time.Sleep(100 * time.Millisecond)
		}
		line.CutAnswer(-1)
	}()
	var placed, abandoned atomic.Int64
	together(8, func(worker int) {
		for i := 0; ; i++ {
			form, ended := portal.NewForm(), false
			select {
			case <-done:
				ended = true
			default:
			}
			for try := 0; ; try++ {
				_, err := p.order(here, k.ID, "1", form)
				if err == nil {
					placed.Add(1)
					break
				}
				if !portal.Unavailable(err) {
					t.Errorf("order %d of %d: %v", i, worker, err)
					return
				}
				if i%3 == 0 && !ended { // this person gives up: the order may be there or not
					abandoned.Add(1)
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			if ended {
				return
			}
		}
	})
	n := int64(p.events(1001, "order_placed"))
	if n < placed.Load() || n > placed.Load()+abandoned.Load() {
		t.Errorf("%d orders are there; %d were acknowledged, %d abandoned", n, placed.Load(), abandoned.Load())
	}
	if left := p.stock(1001, k.ID); left != k.Stock-n {
		t.Errorf("%d orders, but %d of %d goods are left", n, left, k.Stock)
	}
}
