package store_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"portico/store"
	"portico/store/storetest"
)

func aCode() store.Code {
	return store.Code{Subject: "subject", Purpose: "login", CompanyID: 0, Phone: "sealed", Flow: "flow",
		Target: "phone", Hash: "hash", SentAt: now, ExpiresAt: now + 5*minute}
}

func put(t *testing.T, db *store.DB, c store.Code) {
	t.Helper()
	if put, err := db.Codes.Put(t.Context(), c, c.SentAt-minute); err != nil || !put {
		t.Fatalf("put %v, %v", put, err)
	}
}

func gone(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%s: %v", what, err)
	}
}

func TestACodeReplacesOneSentLongEnoughBefore(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		first := aCode()
		put(t, db, first)
		_, err := db.Codes.Try(t.Context(), first, 5, now)
		must(t, err)
		second := first
		second.Hash, second.Flow, second.Target, second.SentAt, second.ExpiresAt = "other", "elsewhere", "account:1",
			now+minute, now+6*minute
		if put, err := db.Codes.Put(t.Context(), second, now-1); err != nil || put {
			t.Errorf("too early: %v, %v", put, err)
		}
		if c, err := db.Codes.Of(t.Context(), "subject", "login", 0); err != nil || c.Hash != "hash" || c.Tries != 1 {
			t.Errorf("it holds %+v, %v", c, err)
		}
		put(t, db, second)
		if c, err := db.Codes.Of(t.Context(), "subject", "login", 0); err != nil || c != second {
			t.Errorf("it holds %+v, %v", c, err)
		}
		other := aCode() // another company's, and another purpose's, are their own
		other.CompanyID = 1
		put(t, db, other)
		other.Purpose = "reset"
		put(t, db, other)
		_, err = db.Codes.Of(t.Context(), "subject", "bind", 0)
		gone(t, "another purpose", err)
	})
}

func TestOneOfManyCodesSentAtOnceIsStored(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var done atomic.Int32
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() {
				put, err := db.Codes.Put(t.Context(), aCode(), now-minute)
				if err != nil {
					t.Error(err)
				}
				if put {
					done.Add(1)
				}
			})
		}
		group.Wait()
		if done.Load() != 1 {
			t.Errorf("%d were put", done.Load())
		}
	})
}

func TestACodeIsTriedOnlyAsItWasSentAndAsOftenAsAllowed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		put(t, db, aCode())
		for name, change := range map[string]func(*store.Code){
			"subject": func(c *store.Code) { c.Subject = "x" }, "purpose": func(c *store.Code) { c.Purpose = "reset" },
			"company": func(c *store.Code) { c.CompanyID = 1 },
			"flow":    func(c *store.Code) { c.Flow = "x" }, "target": func(c *store.Code) { c.Target = "account:1" },
		} {
			c := aCode()
			change(&c)
			_, err := db.Codes.Try(t.Context(), c, 5, now)
			gone(t, "another "+name, err)
		}
		_, err := db.Codes.Try(t.Context(), aCode(), 5, now+5*minute)
		gone(t, "at its end", err)
		var tried atomic.Int32
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				if _, err := db.Codes.Try(t.Context(), aCode(), 5, now+5*minute-1); err == nil {
					tried.Add(1)
				}
			})
		}
		group.Wait()
		if tried.Load() != 5 {
			t.Errorf("%d tries", tried.Load())
		}
	})
}

func TestAProvenCodeIsSpentOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		put(t, db, aCode())
		gone(t, "before it is proven", db.Codes.SpendProof(t.Context(), aCode(), now))
		must(t, db.Codes.Prove(t.Context(), aCode(), now, now+10*minute))
		must(t, db.Codes.Prove(t.Context(), aCode(), now+9*minute, now+19*minute)) // shown again: it lasts no longer
		if c, err := db.Codes.OfFlow(t.Context(), "flow", "login"); err != nil || c.ProvenUntil != now+10*minute {
			t.Errorf("it holds %+v, %v", c, err)
		}
		if _, err := db.Codes.Try(t.Context(), aCode(), 0, now+9*minute); err != nil {
			t.Errorf("it may be shown again: %v", err)
		}
		gone(t, "after ten minutes", db.Codes.SpendProof(t.Context(), aCode(), now+10*minute))
		for _, change := range []func(*store.Code){func(c *store.Code) { c.Hash = "x" },
			func(c *store.Code) { c.Flow = "x" }, func(c *store.Code) { c.Target = "x" }} {
			c := aCode()
			change(&c)
			gone(t, "another", db.Codes.SpendProof(t.Context(), c, now))
		}
		var spent atomic.Int32
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() {
				if err := db.Codes.SpendProof(t.Context(), aCode(), now+9*minute); err == nil {
					spent.Add(1)
				}
			})
		}
		group.Wait()
		if spent.Load() != 1 {
			t.Errorf("it was spent %d times", spent.Load())
		}
		must(t, db.Codes.Prove(t.Context(), aCode(), now, now+20*minute))
		gone(t, "proven a second time", db.Codes.SpendProof(t.Context(), aCode(), now))
		_, err := db.Codes.Try(t.Context(), aCode(), 5, now)
		gone(t, "a spent one", err)
	})
}

func TestAPhonesCodesAllEndAtOnceAndOldOnesAreForgotten(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		other, proven := aCode(), aCode()
		other.Subject, proven.Purpose = "other", "bind"
		for _, c := range []store.Code{aCode(), proven, other} {
			put(t, db, c)
		}
		must(t, db.Codes.Prove(t.Context(), proven, now, now+10*minute))
		must(t, db.Codes.End(t.Context(), "subject"))
		_, err := db.Codes.Try(t.Context(), aCode(), 5, now)
		gone(t, "an ended one", err)
		gone(t, "an ended proof", db.Codes.SpendProof(t.Context(), proven, now))
		if _, err := db.Codes.Try(t.Context(), other, 5, now); err != nil {
			t.Errorf("another phone's: %v", err)
		}
		if put, err := db.Codes.Put(t.Context(), aCode(), now-1); err != nil || put {
			t.Errorf("the countdown ended with it: %v, %v", put, err)
		}
		wrong := other
		wrong.Hash = "x"
		must(t, db.Codes.Drop(t.Context(), wrong)) // a newer one took its place
		_, err = db.Codes.Of(t.Context(), "other", "login", 0)
		must(t, err)
		must(t, db.Codes.Drop(t.Context(), other))
		_, err = db.Codes.Of(t.Context(), "other", "login", 0)
		gone(t, "a dropped one", err)
		_, err = db.Codes.Forget(t.Context(), now)
		must(t, err)
		_, err = db.Codes.Of(t.Context(), "subject", "login", 0)
		must(t, err)
		_, err = db.Codes.Forget(t.Context(), now+1)
		must(t, err)
		_, err = db.Codes.Of(t.Context(), "subject", "login", 0)
		gone(t, "a forgotten one", err)
	})
}

func TestTheLastCodeOfAFlowIsFound(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		first, last := aCode(), aCode()
		last.Subject, last.SentAt = "later", now+1
		put(t, db, last)
		put(t, db, first)
		if c, err := db.Codes.OfFlow(t.Context(), "flow", "login"); err != nil || c.Subject != "later" {
			t.Errorf("%+v, %v", c, err)
		}
		_, err := db.Codes.OfFlow(t.Context(), "flow", "reset")
		gone(t, "another purpose", err)
	})
}
