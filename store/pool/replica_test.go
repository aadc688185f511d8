package pool

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jmoiron/sqlx"
)

var errAway = errors.New("away")

// fakeServer is a database of which tests see the statements. It answers none.
type fakeServer struct {
	connect func(ctx context.Context) error
	exec    func(args []driver.NamedValue)
}

func (s *fakeServer) Connect(ctx context.Context) (driver.Conn, error) { return s, s.connect(ctx) }

func (s *fakeServer) Driver() driver.Driver { return nil }

func (s *fakeServer) Prepare(string) (driver.Stmt, error) { return nil, errAway }

func (s *fakeServer) Begin() (driver.Tx, error) { return nil, errAway }

func (s *fakeServer) Close() error { return nil }

func (s *fakeServer) ExecContext(_ context.Context, _ string, args []driver.NamedValue) (driver.Result, error) {
	s.exec(args)
	return nil, errAway
}

// fakeReplica returns a replica whose main server and copy are fakes.
func fakeReplica(t *testing.T, main, replica *fakeServer) *Replica {
	t.Helper()
	r := &Replica{main: sqlx.NewDb(sql.OpenDB(main), "pgx"), copy: sqlx.NewDb(sql.OpenDB(replica), "pgx")}
	t.Cleanup(func() { _, _ = r.main.Close(), r.copy.Close() })
	return r
}

func connected(context.Context) error { return nil }

func silent(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// attempted reads from a replica that was some time old when it was looked at, and returns how that ended.
func attempted(t *testing.T, r *Replica, age time.Duration) Outcome {
	t.Helper()
	now := time.Now().UnixMilli()
	r.looked.Store(&look{asOf: now - age.Milliseconds(), clock: now, asked: time.Now()})
	r.away.Store(false)
	_, outcome, err := r.attempt(t.Context(), 0, func(context.Context, sqlx.QueryerContext) error { return nil })
	if !errors.Is(err, ErrUnread) {
		t.Error(err)
	}
	return outcome
}

func TestReplicaIsAskedUntilItIs30SecondsOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := fakeReplica(t, &fakeServer{connect: connected}, &fakeServer{connect: connected})
		for age, want := range map[time.Duration]Outcome{
			30 * time.Second: Failed, 30*time.Second + time.Millisecond: Behind,
		} {
			if got := attempted(t, r, age); got != want {
				t.Errorf("a replica that is %s old: %s, want %s", age, got, want)
			}
		}
	})
}

func TestReadOfTheReplicaIsGivenUpAfterASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := fakeReplica(t, &fakeServer{connect: connected}, &fakeServer{connect: silent})
		began := time.Now()
		if got := attempted(t, r, 0); got != Failed || time.Since(began) != time.Second {
			t.Errorf("%s after %s", got, time.Since(began))
		}
	})
}

// The row is not renewed while it is younger than 900 ms: then another program has done that.
func TestHeartbeatIsRenewedOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex // guards beats
		var beats []driver.Value
		main := &fakeServer{connect: connected, exec: func(args []driver.NamedValue) {
			mu.Lock()
			defer mu.Unlock()
			beats = append(beats, args[0].Value)
		}}
		renewed := func() []driver.Value {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(beats)
		}
		r := fakeReplica(t, main, &fakeServer{connect: connected})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go r.Watch(ctx, func(error) {})
		for n := 1; n <= 3; n++ {
			if beats := renewed(); len(beats) != n || beats[n-1] != int64(900) {
				t.Fatalf("renewed %d times, want %d, if older than %v ms", len(beats), n, beats)
			}
			time.Sleep(time.Second - time.Millisecond)
			if len(renewed()) != n {
				t.Errorf("renewed again before a second has passed")
			}
			time.Sleep(time.Millisecond)
		}
	})
}

func TestServersThatDoNotAnswerAreLookedAtForASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := fakeReplica(t, &fakeServer{connect: silent}, &fakeServer{connect: silent})
		began := time.Now()
		_ = r.Look(t.Context())
		if took := time.Since(began); took != time.Second {
			t.Errorf("looked for %s", took)
		}
	})
}
