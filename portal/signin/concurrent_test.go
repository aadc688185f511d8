package signin_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/shop"
	"portico/store"
	"portico/store/storetest"
)

func TestConcurrentSignInsAllSucceed(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		people := []string{"13800000001", "13800000002", "13800000003"}
		portaltest.Together(60, func(i int) {
			in := p.LoginInput(people[i%len(people)])
			if _, err := p.Signin.Login(p.From(fmt.Sprintf("198.51.100.%d", i%12)), in); err != nil {
				t.Errorf("sign-in %d: %v", i, err)
			}
		})
		if n := p.CountEvents(0, "sign_in"); n != 60 {
			t.Errorf("%d sign-ins were noted", n)
		}
	}, func(o *portal.Options) { o.NoLimit = true })
}

// NewPlatformOverLine returns a platform with a Postgres database, and the connection to that database, which the
// test can break.
func NewPlatformOverLine(t *testing.T) (*portaltest.Platform, *storetest.Line) {
	t.Helper()
	line, address := storetest.NewLine(t, storetest.PostgresURL(t))
	db, err := store.Open(t.Context(), address)
	portaltest.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	portaltest.NoError(t, db.Migrate(t.Context()))
	return portaltest.NewPlatform(t, db), line
}

func TestAnOrderIsPlacedOnceIfAnyDatabaseResponseIsLost(t *testing.T) {
	p, line := NewPlatformOverLine(t)
	here, k := p.Land("buyer1", portaltest.PhoneScreen), companytest.FirstProduct(p, 1001)
	last, refused := 0, 0
	for cut := range 24 {
		form := shop.NewForm()
		line.CutAnswer(cut)
		_, err := companytest.PlaceOrder(p, here, k.ID, "1", form)
		if err != nil {
			if refused++; !core.Unavailable(err) {
				t.Errorf("answer %d was lost: %v", cut, err)
			}
			line.CutAnswer(-1)
			_, err = companytest.PlaceOrder(p, here, k.ID, "1", form) // as a person sends the form again
		}
		line.CutAnswer(-1)
		if err != nil {
			t.Errorf("answer %d was lost; sent again: %v", cut, err)
		}
		last = cut + 1
	}
	if n := p.CountEvents(1001, "order_placed"); n != last || companytest.Stock(p, 1001, k.ID) != k.Stock-int64(last) {
		t.Errorf("%d of %d orders were placed, %d of %d are left", n, last, companytest.Stock(p, 1001, k.ID), k.Stock)
	}
	if refused == 0 || refused == last {
		t.Errorf("%d of %d orders were refused", refused, last)
	}
}

func TestEveryAcknowledgedOrderIsStoredOnceAfterABadConnection(t *testing.T) {
	p, line := NewPlatformOverLine(t)
	here, k := p.Land("buyer1", portaltest.PhoneScreen), companytest.FirstProduct(p, 1001)
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
	portaltest.Together(8, func(worker int) {
		for i := 0; ; i++ {
			form, ended := shop.NewForm(), false
			select {
			case <-done:
				ended = true
			default:
			}
			for try := 0; ; try++ {
				_, err := companytest.PlaceOrder(p, here, k.ID, "1", form)
				if err == nil {
					placed.Add(1)
					break
				}
				if !core.Unavailable(err) {
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
	n := int64(p.CountEvents(1001, "order_placed"))
	if n < placed.Load() || n > placed.Load()+abandoned.Load() {
		t.Errorf("%d orders are there; %d were acknowledged, %d abandoned", n, placed.Load(), abandoned.Load())
	}
	if left := companytest.Stock(p, 1001, k.ID); left != k.Stock-n {
		t.Errorf("%d orders, but %d of %d goods are left", n, left, k.Stock)
	}
}
