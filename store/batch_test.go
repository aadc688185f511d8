package store_test

import (
	"errors"
	"testing"

	"portico/store"
	"portico/store/storetest"
)

func TestABatchRunsItsStatementsInOrderAllOrNone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		personID, accountID, _ := seed(t, db)
		code := authCode("f-a")
		code.AccountID = accountID
		must(t, run(ctx, db, func(b *store.Batch) {
			b.AddSession(session("a", personID))
			b.AddAuthCode(code)
			b.SaveSession(browserSession("a", store.Session{ID: "b"})) // finds the session of the first statement
		}))
		for name, c := range map[string]struct {
			fill func(b *store.Batch)
			want error
		}{
			"a session that is gone": {
				func(b *store.Batch) { b.SaveSession(browserSession("a", store.Session{ID: "c"})) },
				store.ErrSessionEnded,
			},
			"a side of a session that is gone": {
				func(b *store.Batch) {
					b.SetSlot(store.SessionSlot{
						SessionID: "a", Slot: store.MobileShop, State: store.SlotIn, AccountID: accountID, CompanyID: 1,
					})
				}, store.ErrGone,
			},
			"a code that is none": {
				func(b *store.Batch) { b.UseAuthCode("none", "", "", "", "", now) }, store.ErrNotFound,
			},
		} {
			err := run(ctx, db, func(b *store.Batch) {
				b.AddAuditEvent(store.AuditEvent{At: now, Kind: "sign_in", CompanyID: 1})
				c.fill(b)
				b.AddAuditEvent(store.AuditEvent{At: now, Kind: "sign_in", CompanyID: 1})
			})
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v", name, err)
			}
			if events, err := db.Audit.Events(ctx, 1, 10); err != nil || len(events) != 0 {
				t.Errorf("%s left %v, %v", name, events, err)
			}
		}
		if err := run(ctx, db, func(b *store.Batch) {
			b.AddAuditEvent(store.AuditEvent{At: now, Kind: "sign_in", CompanyID: 1})
			b.AddSession(session("b", personID)) // there is one
		}); err == nil || errors.Is(err, store.ErrNotFound) {
			t.Errorf("a session twice: %v", err)
		}
		must(t, db.Tx(ctx, func(tx *store.DB) error { // the connection is good for more
			b := new(store.Batch)
			b.AddAuditEvent(store.AuditEvent{At: now, Kind: "sign_in", CompanyID: 1})
			b.ConfirmFamily("f-a", now, now+minute)
			return tx.Run(ctx, b)
		}))
		if events, err := db.Audit.Events(ctx, 1, 10); err != nil || len(events) != 1 {
			t.Errorf("%v, %v", events, err)
		}
	})
}

func TestABatchFailsWhileAKeyIsBlockedOrUsedUp(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		for range 3 {
			_, err := db.Attempts.Raise(ctx, "k", now, now-minute)
			must(t, err)
		}
		must(t, db.Attempts.Block(ctx, "k", now+minute))
		for name, c := range map[string]struct {
			fill    func(b *store.Batch)
			blocked bool
		}{
			"blocked":              {func(b *store.Batch) { b.RefuseBlocked("k", now) }, true},
			"blocked no longer":    {func(b *store.Batch) { b.RefuseBlocked("k", now+minute) }, false},
			"another key":          {func(b *store.Batch) { b.RefuseBlocked("other", now) }, false},
			"used up":              {func(b *store.Batch) { b.RefuseUsedUp("k", 3, now-minute) }, true},
			"one left":             {func(b *store.Batch) { b.RefuseUsedUp("k", 4, now-minute) }, false},
			"in an earlier window": {func(b *store.Batch) { b.RefuseUsedUp("k", 3, now) }, false},
			"blocked and not clear": {
				func(b *store.Batch) { b.ClearUnblocked("k", now); b.RefuseBlocked("k", now) }, true,
			},
		} {
			if err := run(ctx, db, c.fill); errors.Is(err, store.ErrBlocked) != c.blocked || err != nil && !c.blocked {
				t.Errorf("%s: %v", name, err)
			}
		}
		must(t, run(ctx, db, func(b *store.Batch) { b.ClearUnblocked("k", now+minute) }))
		if a, err := db.Attempts.Of(ctx, "k"); err != nil || a.Failures != 0 {
			t.Errorf("%+v, %v", a, err)
		}
	})
}
