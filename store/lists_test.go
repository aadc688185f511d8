package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/store"
	"portico/store/pool"
	"portico/store/storetest"
)

// replicated is a database with a company, and a standby that is reached over a line.
type replicated struct {
	db       *store.DB
	replica  *pool.Replica
	line     *storetest.Line
	address  string // of the main database
	standby  string // the standby's address, without the line
	company  int64
	outcomes map[pool.Outcome]int
}

func newReplicated(t *testing.T) *replicated {
	t.Helper()
	testscope.OnlyInAll(t, "it needs two Postgres servers")
	address := storetest.Server(t)
	standby := storetest.Standby(t, address)
	db, err := store.Open(t.Context(), address)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	must(t, db.Migrate(t.Context()))
	s := &replicated{db: db, address: address, standby: standby, outcomes: map[pool.Outcome]int{}}
	db.Observe(pool.Observer{Replica: func(o pool.Outcome) { s.outcomes[o]++ }})
	line, over := storetest.NewLine(t, standby)
	s.line = line
	s.replica, err = db.UseReplica(over, pool.Default)
	must(t, err)
	s.company, err = db.Companies.Add(t.Context(), store.Company{
		Name: "Tiansheng", Language: "zh", Standing: store.Formal, Mall: store.MallOpen,
	})
	must(t, err)
	storetest.AwaitReplica(t, s.replica)
	return s
}

// addCustomer adds a customer in a request of its own, and returns the moment that the reader has to remember.
func (s *replicated) addCustomer(t *testing.T, name string) store.Instant {
	t.Helper()
	ctx := store.InRequest(t.Context(), store.Networks{})
	_, err := s.db.Clients.Add(ctx, store.Client{CompanyID: s.company, Name: name, State: store.ClientPartner})
	must(t, err)
	return store.Changed(ctx)
}

// customers reads the names of customers in a request, and says as of when they are.
func (s *replicated) customers(t *testing.T, allow func(ctx context.Context)) (names string, asOf store.Instant) {
	t.Helper()
	ctx := store.InRequest(t.Context(), store.Networks{})
	allow(ctx)
	all, err := s.db.ForLists(ctx).Clients.After(ctx, s.company, 0, 10)
	must(t, err)
	var some []string
	for _, one := range all {
		some = append(some, one.Name)
	}
	return strings.Join(some, " "), store.ListsAsOf(ctx)
}

func since(at store.Instant) func(context.Context) {
	return func(ctx context.Context) { store.AllowReplica(ctx, at) }
}

func fromMain(context.Context) {}

func TestListsComeFromTheReplicaWithTheReadersOwnChanges(t *testing.T) {
	s := newReplicated(t)
	s.addCustomer(t, "Aurora")
	storetest.AwaitReplica(t, s.replica)
	storetest.PauseReplay(t, s.standby)
	changed := s.addCustomer(t, "Borealis")
	if changed == 0 {
		t.Error("a request that has changed something has no moment of its change")
	}
	names, asOf := s.customers(t, since(0))
	if names != "Aurora" || asOf == 0 || asOf >= changed {
		t.Errorf("somebody else, from the replica: %q as of %d, changed at %d", names, asOf, changed)
	}
	if names, asOf := s.customers(t, since(changed)); names != "Aurora Borealis" || asOf != 0 {
		t.Errorf("who changed it, from the main database: %q as of %d", names, asOf)
	}
	if names, asOf := s.customers(t, fromMain); names != "Aurora Borealis" || asOf != 0 {
		t.Errorf("a request that does not allow the replica: %q as of %d", names, asOf)
	}
	ctx := store.InRequest(t.Context(), store.Networks{})
	_, err := s.db.Companies.ByID(ctx, s.company)
	must(t, err)
	if at := store.Changed(ctx); at != 0 {
		t.Errorf("a request that only reads changed something at %d", at)
	}
	store.AllowReplica(ctx, 0)
	must(t, s.db.Tx(ctx, func(tx *store.DB) error {
		all, err := tx.ForLists(ctx).Clients.After(ctx, s.company, 0, 10)
		if len(all) != 2 {
			t.Errorf("a transaction reads %d customers", len(all))
		}
		return err
	}))
	storetest.ResumeReplay(t, s.standby)
	storetest.AwaitReplica(t, s.replica)
	if names, asOf := s.customers(t, since(changed)); names != "Aurora Borealis" || asOf < changed {
		t.Errorf("who changed it, from the replica that has it: %q as of %d", names, asOf)
	}
	if s.outcomes[pool.Used] != 2 || s.outcomes[pool.Behind] != 1 || len(s.outcomes) != 2 {
		t.Error(s.outcomes)
	}
}

func TestListsComeFromTheMainDatabaseWhileTheReplicaIsAway(t *testing.T) {
	s := newReplicated(t)
	s.addCustomer(t, "Aurora")
	storetest.AwaitReplica(t, s.replica)
	for name, fault := range map[string]struct{ begin, end func() }{
		"cut in the middle of an answer": {func() { s.line.CutAnswer(1) }, func() { s.line.CutAnswer(-1) }},
		"silent":                         {func() { s.line.Silence(true) }, func() { s.line.Silence(false) }},
		"refused":                        {func() { s.line.Reset(true) }, func() { s.line.Reset(false) }},
	} {
		clear(s.outcomes)
		fault.begin()
		began := time.Now()
		if names, asOf := s.customers(t, since(0)); names != "Aurora" || asOf != 0 {
			t.Errorf("%s: %q as of %d", name, names, asOf)
		}
		if took := time.Since(began); took > pool.ReadTime+time.Second {
			t.Errorf("%s: the list took %s", name, took)
		}
		// The next reader does not wait for it again.
		if names, _ := s.customers(t, since(0)); names != "Aurora" {
			t.Errorf("%s, again: %q", name, names)
		}
		fault.end()
		if s.outcomes[pool.Failed] != 1 || s.outcomes[pool.Away] != 1 || len(s.outcomes) != 2 {
			t.Errorf("%s: %v", name, s.outcomes)
		}
		storetest.AwaitReplica(t, s.replica)
		if names, asOf := s.customers(t, since(0)); names != "Aurora" || asOf == 0 {
			t.Errorf("after %s: %q as of %d", name, names, asOf)
		}
	}
}

func TestWatchSaysWhenTheReplicaGoesAwayAndComesBack(t *testing.T) {
	s := newReplicated(t)
	ctx, stop := context.WithCancel(t.Context())
	said, ended := make(chan error), make(chan struct{})
	go func() {
		defer close(ended)
		s.replica.Watch(ctx, func(err error) { said <- err })
	}()
	s.line.Reset(true)
	if err := <-said; err == nil {
		t.Error("away, and there is no error")
	}
	s.line.Reset(false)
	if err := <-said; err != nil {
		t.Errorf("back: %v", err)
	}
	stop()
	<-ended
}

func TestReplicaThatIsTooOldIsNotRead(t *testing.T) {
	s := newReplicated(t)
	s.addCustomer(t, "Aurora")
	// The heartbeat says what it would have said earlier.
	storetest.Execute(t, s.address, "UPDATE heartbeats SET at = at - 31000")
	s.awaitHeartbeat(t)
	storetest.PauseReplay(t, s.standby)
	defer storetest.ResumeReplay(t, s.standby)
	must(t, s.replica.Look(t.Context()))
	if age := s.replica.Age(); age < pool.MaxAge {
		t.Fatal(age)
	}
	s.addCustomer(t, "Borealis")
	if names, asOf := s.customers(t, since(0)); names != "Aurora Borealis" || asOf != 0 {
		t.Errorf("%q as of %d", names, asOf)
	}
	if s.outcomes[pool.Behind] != 1 || len(s.outcomes) != 1 {
		t.Error(s.outcomes)
	}
}

// awaitHeartbeat waits until the standby has the heartbeat that the main database has.
func (s *replicated) awaitHeartbeat(t *testing.T) {
	t.Helper()
	standby, err := store.Open(t.Context(), s.standby)
	must(t, err)
	defer func() { must(t, standby.Close()) }()
	heartbeat := func(db *store.DB) (at int64) {
		must(t, db.Pools()["requests"].QueryRowContext(t.Context(), "SELECT at FROM heartbeats").Scan(&at))
		return at
	}
	want := heartbeat(s.db)
	for deadline := time.Now().Add(30 * time.Second); heartbeat(standby) != want; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the standby does not get the heartbeat")
		}
	}
}

// After a failover, the clock of the new main server may be behind the one that wrote the heartbeat.
func TestHeartbeatFromTheFutureIsNotBelievedAndReplaced(t *testing.T) {
	s := newReplicated(t)
	s.addCustomer(t, "Aurora")
	storetest.Execute(t, s.address, "UPDATE heartbeats SET at = at + 3600000")
	s.awaitHeartbeat(t)
	storetest.PauseReplay(t, s.standby)
	must(t, s.replica.Look(t.Context()))
	changed := s.addCustomer(t, "Borealis")
	if names, asOf := s.customers(t, since(changed)); names != "Aurora Borealis" || asOf != 0 {
		t.Errorf("with a heartbeat from the future: %q as of %d", names, asOf)
	}
	storetest.ResumeReplay(t, s.standby)
	s.awaitHeartbeat(t)
	storetest.AwaitReplica(t, s.replica)
	if names, asOf := s.customers(t, since(changed)); names != "Aurora Borealis" || asOf == 0 {
		t.Errorf("with the new server's heartbeat: %q as of %d", names, asOf)
	}
}

func TestWrongAddressOfAReplicaIsRefused(t *testing.T) {
	db := storetest.Postgres(t)
	if _, err := db.UseReplica("postgres://standby:port/portico", pool.Default); err == nil ||
		errors.Is(err, pool.ErrUnread) {
		t.Error(err)
	}
}
