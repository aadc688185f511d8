package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"portico/store"
	"portico/store/schema"
	"portico/store/storetest"
)

func TestMain(m *testing.M) {
	if os.Getenv(migrateIn) != "" {
		if err := migrateInProcess(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	storetest.Main(m)
}

var now = store.At(time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC))

const minute = store.Instant(60_000)

func company(id int64, name string) store.Company {
	return store.Company{ID: id, Name: name, Language: "zh", Standing: store.Formal, Mall: store.MallOpen,
		CreatedAt: now, UpdatedAt: now}
}

// seed inserts two companies, a person with an account in each, and a client of the first company.
func seed(t *testing.T, db *store.DB) (personID, first, second int64) {
	t.Helper()
	ctx := t.Context()
	for _, c := range []store.Company{company(1, "甲"), company(2, "乙")} {
		if inserted, err := db.Companies.Save(ctx, c); err != nil || !inserted {
			t.Fatalf("company: %v %v", inserted, err)
		}
	}
	personID, err := db.Persons.Add(ctx, store.Person{Phone: "13900000001", CreatedAt: now})
	must(t, err)
	must(t, db.Clients.AddWithID(ctx, store.Client{ID: 7, CompanyID: 1, Name: "客户",
		State: store.ClientPartner, CreatedAt: now}))
	first, err = db.Accounts.Add(ctx, store.Account{CompanyID: 1, Side: store.Shop, Type: store.TypeShop,
		Login: "Shop.One", PersonID: personID, ClientID: 7, State: store.AccountActive, CreatedAt: now})
	must(t, err)
	second, err = db.Accounts.Add(ctx, store.Account{CompanyID: 2, Side: store.Mgr, Type: store.TypeAdministrator,
		Login: "boss", PersonID: personID, State: store.AccountActive, CreatedAt: now})
	must(t, err)
	return personID, first, second
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAPhonesAccountsComeWithCompanyAndClient(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		personID, first, second := seed(t, db)
		members, err := db.Accounts.ByPerson(t.Context(), personID)
		must(t, err)
		if len(members) != 2 || members[0].ID != first || members[1].ID != second {
			t.Fatalf("members %+v", members)
		}
		m := members[0]
		if m.Company.Name != "甲" || m.ClientName != "客户" || m.ClientState != store.ClientPartner ||
			m.Phone != "13900000001" {
			t.Errorf("the joined columns are wrong: %+v", m)
		}
		if members[1].ClientID != 0 || members[1].ClientState != "" {
			t.Errorf("an account without a client has one: %+v", members[1])
		}
	})
}

func TestInvalidTextIsNeverFoundOrStoredAndBreaksNoTransaction(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		seed(t, db)
		must(t, db.Tx(t.Context(), func(tx *store.DB) error {
			for _, odd := range []string{"\x00", "boss\x00", "\xff", "\xed\xa0\x80"} {
				if _, err := tx.Persons.ByNumber(t.Context(), odd); !errors.Is(err, store.ErrNotFound) {
					t.Errorf("%q as a number: %v", odd, err)
				}
				if members, err := tx.Accounts.ByLogin(t.Context(), odd); len(members) != 0 || err != nil {
					t.Errorf("%q as a login: %v %v", odd, members, err)
				}
			}
			_, err := tx.Persons.ByNumber(t.Context(), "13900000001")
			return err
		}))
		for _, odd := range []string{"\x00", "\xff"} {
			if err := db.Sessions.EndFamily(t.Context(), odd); err != nil {
				t.Errorf("%q as a family: %v", odd, err)
			}
			if err := db.Portraits.Use(t.Context(), 1, odd, 1); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%q as a portrait: %v", odd, err)
			}
			if _, err := db.AuthCodes.UseAnywhere(t.Context(), odd, 1); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%q as an auth code: %v", odd, err)
			}
			if _, err := db.Persons.Add(t.Context(), store.Person{Phone: odd}); err == nil {
				t.Errorf("%q was stored as a number", odd)
			}
		}
	})
}

func TestALoginIsUniqueOnItsSideWhateverItsCase(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		seed(t, db)
		again := store.Account{CompanyID: 2, Side: store.Shop, Type: store.TypeShop, Login: " shop.ONE",
			State: store.AccountActive, CreatedAt: now}
		id, err := db.Accounts.Add(t.Context(), again)
		must(t, err)
		if id != 0 {
			t.Error("the same login was taken twice on one side")
		}
		again.Side, again.Type = store.Mgr, store.TypeEmployee
		id, err = db.Accounts.Add(t.Context(), again)
		must(t, err)
		if id == 0 {
			t.Error("the other side refused a free login")
		}
		members, err := db.Accounts.ByLogin(t.Context(), "SHOP.one ")
		must(t, err)
		if len(members) != 2 {
			t.Errorf("found %d accounts of that name, want one a side", len(members))
		}
	})
}

func TestAnAccountIsNotReadThroughAnotherCompany(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		_, first, _ := seed(t, db)
		if _, err := db.Accounts.ByID(t.Context(), 2, first); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("company 2 read an account of company 1: %v", err)
		}
		if err := db.Accounts.SetState(t.Context(), 2, first, store.AccountDisabled); !errors.Is(err,
			store.ErrNotFound) {
			t.Errorf("company 2 disabled an account of company 1: %v", err)
		}
		if err := db.Clients.SetState(t.Context(), 2, 7, store.ClientEnded); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("company 2 ended a client of company 1: %v", err)
		}
	})
}

func session(id string, personID int64) store.Session {
	return store.Session{ID: id, Host: "account.test", Family: "f-" + id, Device: "d",
		PersonID: personID, CreatedAt: now, SeenAt: now, IdleUntil: now + 30*minute, EndsAt: now + 600*minute}
}

// browserSession is a session that is stored under an id.
func browserSession(stored string, s store.Session) store.BrowserSession {
	return store.BrowserSession{Session: s, StoredID: stored}
}

// save saves a session that is stored under an id.
func save(ctx context.Context, db *store.DB, stored string, s store.Session) error {
	return run(ctx, db, func(b *store.Batch) { b.SaveSession(browserSession(stored, s)) })
}

func TestASessionEndsAtItsLimitsAndNotBefore(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		personID, _, _ := seed(t, db)
		must(t, db.Sessions.Add(ctx, session("a", personID)))
		if _, err := db.Sessions.ByID(ctx, "a", now+30*minute-1); err != nil {
			t.Errorf("gone before its idle end: %v", err)
		}
		if _, err := db.Sessions.ByID(ctx, "a", now+30*minute); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("alive at its idle end: %v", err)
		}
		must(t, db.Sessions.Touch(ctx, "a", now, now+10_000*minute))
		if _, err := db.Sessions.ByID(ctx, "a", now+600*minute); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("alive at its absolute end: %v", err)
		}
		n, err := db.Sessions.Forget(ctx, now+600*minute)
		must(t, err)
		if n != 1 {
			t.Errorf("%d sessions swept, want 1", n)
		}
	})
}

func TestAnEndedSessionIsNotBroughtBack(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		personID, first, _ := seed(t, db)
		must(t, db.Sessions.Add(ctx, session("a", personID)))
		must(t, db.Sessions.EndFamily(ctx, "f-a"))
		for name, id := range map[string]string{"touching": "a", "renewing": "b"} {
			err := save(ctx, db, "a", store.Session{ID: id, SeenAt: now, IdleUntil: now + minute, EndsAt: now + minute})
			if !errors.Is(err, store.ErrSessionEnded) {
				t.Errorf("%s an ended session: %v", name, err)
			}
		}
		if err := db.Slots.Set(ctx, store.SessionSlot{SessionID: "a",
			Slot: store.MobileShop, State: store.SlotIn, AccountID: first, CompanyID: 1}); err == nil {
			t.Error("an ended session was signed in to a side")
		}
		if _, err := db.Sessions.ByID(ctx, "a", now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("it is back: %v", err)
		}
	})
}

func TestARenamedSessionKeepsItsSlots(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		personID, first, _ := seed(t, db)
		must(t, db.Sessions.Add(ctx, session("a", personID)))
		must(t, db.Slots.Set(ctx, store.SessionSlot{SessionID: "a",
			Slot: store.MobileShop, State: store.SlotIn, AccountID: first, CompanyID: 1, Family: "f-a",
			IdleUntil: now + minute, EndsAt: now + minute}))
		must(t, save(ctx, db, "a", store.Session{ID: "b", FormerID: "a", FormerUntil: now + minute, Renewal: "sealed"}))
		slot, err := db.Slots.Of(ctx, "b", store.MobileShop, store.SlotIn, now)
		must(t, err)
		if slot.AccountID != first {
			t.Errorf("slot %+v", slot)
		}
		if _, err := db.Sessions.ByID(ctx, "a", now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the old id is still the session's id: %v", err)
		}
	})
}

func TestAFormerSessionIDIsValidUntilItExpiresOrTheNewOneIsSent(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		personID, _, _ := seed(t, db)
		must(t, db.Sessions.Add(ctx, session("a", personID)))
		must(t, save(ctx, db, "a", store.Session{ID: "b", FormerID: "a", FormerUntil: now + minute, Renewal: "sealed"}))
		for _, shown := range []string{"a", "b"} {
			s, err := db.Sessions.WithSlots(ctx, shown, now+minute-1)
			must(t, err)
			if s.ID != "b" || s.Renewal != "sealed" {
				t.Errorf("shown %s: session %+v", shown, s)
			}
		}
		if _, err := db.Sessions.WithSlots(ctx, "a", now+minute); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the former id opens past its end: %v", err)
		}
		ends := now + 30*minute
		must(t, save(ctx, db, "b", store.Session{ID: "b", SeenAt: now, IdleUntil: ends, EndsAt: ends}))
		if _, err := db.Sessions.WithSlots(ctx, "a", now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the former id opens after the new one was shown: %v", err)
		}
		if _, err := db.Sessions.WithSlots(ctx, "", now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an empty id opens a session: %v", err)
		}
	})
}

func authCode(family string) store.AuthCode {
	return store.AuthCode{ID: "code", SessionID: "a", Family: family, AccountID: 1, CompanyID: 1, Slot: store.PCShop,
		Target: "http://shop.test", CreatedAt: now, ExpiresAt: now + minute}
}

// run runs a batch.
func run(ctx context.Context, db *store.DB, fill func(b *store.Batch)) error {
	b := new(store.Batch)
	fill(b)
	return db.Run(ctx, b)
}

func useCode(ctx context.Context, db *store.DB, id, target string, at store.Instant) error {
	return run(ctx, db, func(b *store.Batch) { b.UseAuthCode(id, target, store.PCShop, "made", "by", at) })
}

func TestOfManyRedemptionsOfACodeOneSucceeds(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		personID, first, _ := seed(t, db)
		must(t, db.Sessions.Add(ctx, session("a", personID)))
		code := authCode("f-a")
		code.AccountID = first
		must(t, run(ctx, db, func(b *store.Batch) { b.AddAuthCode(code) }))
		var won sync.Map
		var group sync.WaitGroup
		for i := range 20 {
			group.Go(func() {
				if err := useCode(context.WithoutCancel(ctx), db, "code", "http://shop.test", now+1); err == nil {
					won.Store(i, true)
				} else if !errors.Is(err, store.ErrNotFound) {
					t.Errorf("redeem: %v", err)
				}
			})
		}
		group.Wait()
		n := 0
		won.Range(func(_, _ any) bool { n++; return true })
		if n != 1 {
			t.Errorf("%d redemptions succeeded, want 1", n)
		}
	})
}

func TestACodeIsRefusedElsewhereLateAndAfterSignOut(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		personID, first, _ := seed(t, db)
		must(t, db.Sessions.Add(ctx, session("a", personID)))
		code := authCode("f-a")
		code.AccountID = first
		must(t, run(ctx, db, func(b *store.Batch) { b.AddAuthCode(code) }))
		for name, try := range map[string]func() error{
			"another target": func() error { return useCode(ctx, db, "code", "http://other.test", now) },
			"at its end":     func() error { return useCode(ctx, db, "code", "http://shop.test", now+minute) },
			"unknown":        func() error { return useCode(ctx, db, "nothing", "http://shop.test", now) },
		} {
			if err := try(); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
		must(t, db.Sessions.End(ctx, "a"))
		if err := useCode(ctx, db, "code", "http://shop.test", now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("after sign-out: %v", err)
		}
	})
}

func TestParallelFailuresAreEachCounted(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := context.WithoutCancel(t.Context())
		var mu sync.Mutex
		var counts []int
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				a, err := db.Attempts.Raise(ctx, "k", now, now-minute)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				counts = append(counts, a.Failures)
			})
		}
		group.Wait()
		slices.Sort(counts)
		for i, n := range counts {
			if n != i+1 {
				t.Fatalf("count %d is %d: a failure was lost or counted twice", i+1, n)
			}
		}
	})
}

func TestAFailureWindowStartsAnew(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		_, err := db.Attempts.Raise(ctx, "k", now, now-15*minute)
		must(t, err)
		a, err := db.Attempts.Raise(ctx, "k", now+20*minute, now+5*minute)
		must(t, err)
		if a.Failures != 2 || a.WindowFailures != 1 {
			t.Errorf("%d in a row, %d in the window; want 2 and 1", a.Failures, a.WindowFailures)
		}
		must(t, db.Attempts.ClearSubject(ctx, "k"))
		a, err = db.Attempts.Of(ctx, "k")
		must(t, err)
		if a.Failures != 0 {
			t.Errorf("%d failures after a success", a.Failures)
		}
	})
}

func TestATransactionThatFailsLeavesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		planned := errors.New("planned")
		err := db.Tx(ctx, func(tx *store.DB) error {
			if _, err := tx.Companies.Save(ctx, company(5, "丙")); err != nil {
				return err
			}
			return tx.Tx(ctx, func(*store.DB) error { return planned })
		})
		if !errors.Is(err, planned) {
			t.Fatal(err)
		}
		if _, err := db.Companies.ByID(ctx, 5); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the company stayed: %v", err)
		}
	})
}

func TestReadThenWriteTransactionsDoNotCollide(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := context.WithoutCancel(t.Context())
		seed(t, db)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for range 20 {
					if err := db.Tx(ctx, func(tx *store.DB) error {
						if _, err := tx.Companies.ByID(ctx, 1); err != nil {
							return err
						}
						_, err := tx.Attempts.Raise(ctx, "k", now, now-minute)
						return err
					}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		a, err := db.Attempts.Of(ctx, "k")
		must(t, err)
		if a.Failures != 160 {
			t.Errorf("%d counted, want 160", a.Failures)
		}
	})
}

func TestMigratingTwiceIsHarmlessAndANewerSchemaIsRefused(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		must(t, db.Migrate(ctx))
		current, wanted, err := db.SchemaVersion(ctx)
		must(t, err)
		if current != wanted || current == 0 {
			t.Fatalf("schema %d of %d", current, wanted)
		}
		must(t, db.PretendSchema(ctx, wanted+1))
		if err := db.Migrate(ctx); !errors.Is(err, schema.ErrNewer) {
			t.Errorf("a newer schema: %v", err)
		}
	})
}

func TestNewIDsFollowExplicitIDs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		seed(t, db)
		explicit := store.Account{ID: 5000, CompanyID: 1, Side: store.Shop, Type: store.TypeShop, Login: "explicit",
			State: store.AccountActive, CreatedAt: now}
		if _, err := db.Accounts.Add(ctx, explicit); err != nil {
			t.Fatal(err)
		}
		must(t, db.AdvanceIdentities(ctx))
		explicit.ID, explicit.Login = 0, "next"
		id, err := db.Accounts.Add(ctx, explicit)
		must(t, err)
		if id <= 5000 {
			t.Errorf("the next id is %d", id)
		}
	})
}

func TestABackupOpensAndHoldsTheData(t *testing.T) {
	db := storetest.SQLite(t)
	seed(t, db)
	path := filepath.Join(t.TempDir(), "copy.db")
	must(t, db.Backup(t.Context(), path))
	copied, err := store.Open(t.Context(), "sqlite:"+path)
	must(t, err)
	defer func() { _ = copied.Close() }()
	if c, err := copied.Companies.ByID(t.Context(), 2); err != nil || c.Name != "乙" {
		t.Errorf("%+v %v", c, err)
	}
	if err := db.Backup(t.Context(), path); err == nil {
		t.Error("a backup overwrote another")
	}
}

func TestATransactionWhoseCallerHasGoneSaysSo(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for name, after := range map[string]func(ctx context.Context, tx *store.DB) error{
			"before the commit": func(context.Context, *store.DB) error { return nil },
			"before a statement": func(ctx context.Context, tx *store.DB) error {
				return tx.Sessions.Touch(ctx, "a", now, now)
			},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			err := db.Tx(ctx, func(tx *store.DB) error {
				must(t, tx.Sessions.Touch(ctx, "a", now, now))
				cancel()
				time.Sleep(20 * time.Millisecond) // database/sql rolls back on its own
				return after(ctx, tx)
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestDatabaseSettingsAreTheSafeOnes(t *testing.T) {
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "p.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	read, write, err := db.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const writeWant = "synchronous=2 foreign_keys=1 journal_mode=wal busy_timeout=100 query_only=0 temp_store=2 " +
		"connections=1"
	if write != writeWant {
		t.Errorf("the writing connection has %s, want %s", write, writeWant)
	}
	const readWant = "synchronous=2 foreign_keys=1 journal_mode=wal busy_timeout=2000 query_only=1 temp_store=0 " +
		"connections=8"
	if read != readWant {
		t.Errorf("the reading connections have %s, want %s", read, readWant)
	}
	postgres, err := store.Open(t.Context(), storetest.PostgresURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = postgres.Close() }()
	if n := postgres.MaxConnections(); n != 16 {
		t.Errorf("Postgres has %d connections, want 16", n)
	}
}

func TestAWriteTransactionLocksFromItsBeginning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	one, err := store.Open(t.Context(), "sqlite:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = one.Close() }()
	two, err := store.Open(t.Context(), "sqlite:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = two.Close() }()
	if err := one.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	err = one.Tx(t.Context(), func(*store.DB) error { // has only begun
		if err := two.Writable(t.Context()); err == nil {
			t.Error("another process began a transaction at the same time")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
