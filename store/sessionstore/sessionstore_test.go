package sessionstore_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"

	"portico/store"
	"portico/store/sessionstore"
	"portico/store/storetest"
)

var now = store.At(time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC))

const minute = store.Instant(60_000)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// addAccount adds a company with one account, whose phone it also adds.
func addAccount(t *testing.T, db *store.DB) (personID, accountID int64) {
	t.Helper()
	ctx := t.Context()
	_, err := db.Companies.Save(ctx, store.Company{
		ID: 1, Name: "甲", Language: "zh", Standing: store.Formal, Mall: store.MallOpen, CreatedAt: now, UpdatedAt: now,
	})
	must(t, err)
	personID, err = db.Persons.Add(ctx, store.Person{Phone: "13900000001", CreatedAt: now})
	must(t, err)
	accountID, err = db.Accounts.Add(ctx, store.Account{
		CompanyID: 1, Side: store.Mgr, Type: store.TypeEmployee, Login: "Staff.One", PersonID: personID,
		State: store.AccountActive, CreatedAt: now,
	})
	must(t, err)
	return personID, accountID
}

func session(id string, personID int64) store.Session {
	return store.Session{
		ID: id, Host: "account.test", Family: "f-" + id, Device: "d", PersonID: personID, CreatedAt: now, SeenAt: now,
		IdleUntil: now + 30*minute, EndsAt: now + 600*minute,
	}
}

// manager is a session manager as the program has it, at the moment now.
func manager(db *store.DB) *scs.SessionManager {
	return &scs.SessionManager{
		Store: sessionstore.New(db, func() time.Time { return now.Time() }), Codec: sessionstore.Codec{},
		HashTokenInStore: true, Lifetime: time.Hour,
	}
}

// begun commits the session of a new sign-in and returns its token.
func begun(t *testing.T, m *scs.SessionManager, s store.Session) (ctx context.Context, token string) {
	t.Helper()
	ctx, err := m.Load(t.Context(), "")
	must(t, err)
	must(t, commit(ctx, m, store.BrowserSession{Session: s}))
	return ctx, m.Token(ctx)
}

func commit(ctx context.Context, m *scs.SessionManager, s store.BrowserSession) error {
	m.Put(ctx, sessionstore.Value, s)
	m.SetDeadline(ctx, s.EndsAt.Time())
	_, _, err := m.Commit(ctx)
	return err
}

// shown is the session of a request that sends a token, zero for none.
func shown(t *testing.T, m *scs.SessionManager, token string) (context.Context, store.BrowserSession) {
	t.Helper()
	ctx, err := m.Load(t.Context(), token)
	must(t, err)
	s, _ := m.Get(ctx, sessionstore.Value).(store.BrowserSession)
	return ctx, s
}

func idOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func TestTheManagerFindsASessionThatAnEarlierProgramStored(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		personID, accountID := addAccount(t, db)
		stored := session(idOf("a cookie of an earlier program"), personID)
		stored.Agent, stored.Remember = "agent “界” <&>", true
		must(t, db.Sessions.Add(t.Context(), stored))
		must(t, db.Slots.Set(t.Context(), store.SessionSlot{
			SessionID: stored.ID, Slot: store.PCShop, State: store.SlotIn, AccountID: accountID, CompanyID: 1,
			Family: "f", IdleUntil: now + minute, EndsAt: now + minute,
		}))
		want, err := db.Sessions.ByID(t.Context(), stored.ID, now)
		must(t, err)
		m := manager(db)
		ctx, found := shown(t, m, "a cookie of an earlier program")
		if found.Session != want || found.StoredID != stored.ID {
			t.Errorf("found %+v, want %+v", found, want)
		}
		if len(found.Slots) != 1 || found.Slots[0].AccountID != accountID {
			t.Errorf("slots %+v", found.Slots)
		}
		if ends := m.Deadline(ctx); !ends.Equal(stored.EndsAt.Time()) {
			t.Errorf("it ends at %v", ends)
		}
		for _, none := range []string{"", "a cookie", stored.ID} {
			if _, found := shown(t, m, none); found.StoredID != "" {
				t.Errorf("%q finds %+v", none, found)
			}
		}
	})
}

func TestACommittedSessionIsARowThatHoldsNoToken(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		personID, _ := addAccount(t, db)
		s := session("", personID)
		_, token := begun(t, manager(db), s)
		row, err := db.Sessions.ByID(t.Context(), idOf(token), now)
		must(t, err)
		s.ID = idOf(token)
		if row != s {
			t.Errorf("stored %+v, want %+v", row, s)
		}
	})
}

func TestACommitNeverBringsAnEndedSessionBack(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		personID, accountID := addAccount(t, db)
		for name, end := range map[string]func(s store.Session) error{
			"by itself":      func(s store.Session) error { return db.Sessions.End(t.Context(), s.ID) },
			"by its family":  func(s store.Session) error { return db.Sessions.EndFamily(t.Context(), s.Family) },
			"by its phone":   func(store.Session) error { return db.Sessions.EndPerson(t.Context(), personID, "") },
			"by its account": func(store.Session) error { return db.Sessions.EndAccount(t.Context(), accountID, "") },
			"by its time": func(s store.Session) error {
				_, err := db.Sessions.Forget(t.Context(), s.EndsAt)
				return err
			},
		} {
			m := manager(db)
			s := session("", personID)
			s.AccountID = accountID
			_, token := begun(t, m, s)
			slow, held := shown(t, m, token)
			must(t, end(held.Session))
			for what, renew := range map[string]bool{"used": false, "renewed": true} {
				if renew {
					must(t, m.RenewToken(sessionstore.WithRowKept(slow)))
				}
				if err := commit(slow, m, held); !errors.Is(err, store.ErrSessionEnded) {
					t.Errorf("ended %s, then %s: %v", name, what, err)
				}
			}
			if _, again := shown(t, m, token); again.StoredID != "" {
				t.Errorf("ended %s, it is back", name)
			}
		}
	})
}

func TestARenewedTokenKeepsTheSlotsAndEndsTheFormerOne(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		personID, accountID := addAccount(t, db)
		m := manager(db)
		_, former := begun(t, m, session("", personID))
		must(t, db.Slots.Set(t.Context(), store.SessionSlot{
			SessionID: idOf(former), Slot: store.MobileMgr, State: store.SlotIn, AccountID: accountID, CompanyID: 1,
			Family: "f", IdleUntil: now + minute, EndsAt: now + minute,
		}))
		ctx, held := shown(t, m, former)
		must(t, m.RenewToken(sessionstore.WithRowKept(ctx)))
		must(t, commit(ctx, m, held))
		if _, found := shown(t, m, former); found.StoredID != "" {
			t.Errorf("the former token finds %+v", found)
		}
		_, found := shown(t, m, m.Token(ctx))
		if found.Family != held.Family || len(found.Slots) != 1 || found.Slots[0].AccountID != accountID {
			t.Errorf("%+v", found)
		}
	})
}

func TestACommitJoinsItsTransaction(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		personID, _ := addAccount(t, db)
		m, refusal := manager(db), errors.New("refused")
		for _, want := range []error{refusal, nil} {
			ctx, err := m.Load(t.Context(), "")
			must(t, err)
			err = db.Tx(ctx, func(tx *store.DB) error {
				b := new(store.Batch)
				must(t, commit(sessionstore.WithBatch(ctx, b), m, store.BrowserSession{Session: session("", personID)}))
				if err := tx.Run(ctx, b); err != nil {
					return err
				}
				return want
			})
			if !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
			if _, found := shown(t, m, m.Token(ctx)); (found.StoredID != "") != (want == nil) {
				t.Errorf("after %v: %+v", want, found)
			}
		}
	})
}

func TestTheTimesOfASessionOnlyGrow(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		personID, _ := addAccount(t, db)
		m := manager(db)
		_, token := begun(t, m, session("", personID))
		slow, early := shown(t, m, token)
		quick, late := shown(t, m, token)
		late.SeenAt, late.IdleUntil, late.Confirmed = now+2, early.IdleUntil+2, true
		must(t, commit(quick, m, late))
		early.SeenAt, early.IdleUntil = now+1, early.IdleUntil+1
		must(t, commit(slow, m, early))
		_, found := shown(t, m, token)
		if found.SeenAt != late.SeenAt || found.IdleUntil != late.IdleUntil || !found.Confirmed {
			t.Errorf("%+v", found.Session)
		}
		late.IdleUntil = late.EndsAt + 1
		must(t, commit(quick, m, late))
		if _, found := shown(t, m, token); found.IdleUntil != late.EndsAt {
			t.Errorf("idle until %d, it ends at %d", found.IdleUntil, late.EndsAt)
		}
	})
}

func TestADestroyedSessionIsRemovedUnlessItsRowIsKept(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		personID, _ := addAccount(t, db)
		m := manager(db)
		_, token := begun(t, m, session("", personID))
		ctx, _ := shown(t, m, token)
		must(t, m.Destroy(sessionstore.WithRowKept(ctx)))
		ctx, found := shown(t, m, token)
		if found.StoredID == "" {
			t.Error("the row is gone")
		}
		must(t, m.Destroy(ctx))
		if _, found := shown(t, m, token); found.StoredID != "" {
			t.Errorf("it is still there: %+v", found)
		}
	})
}

func TestASessionWithoutDataIsNotCommitted(t *testing.T) {
	db := storetest.SQLite(t)
	m := manager(db)
	ctx, err := m.Load(t.Context(), "")
	must(t, err)
	if _, _, err := m.Commit(ctx); err == nil {
		t.Error("an empty session was committed")
	}
	s := sessionstore.New(db, time.Now)
	for _, token := range []string{"", "not base64!"} {
		if _, found, err := s.Find(token); found || err != nil {
			t.Errorf("%q: %v, %v", token, found, err)
		}
	}
	if err := s.Commit("not base64!", []byte("{}"), now.Time()); err == nil {
		t.Error("a session was stored under a token that is no hash")
	}
	if err := s.Commit("AAAA", []byte("no session"), now.Time()); err == nil {
		t.Error("something else was stored as a session")
	}
}
