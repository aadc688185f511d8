package scale

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/deploy/deploytest"
)

// failoverLoad is people who register and sign in while the database fails. It remembers what was acknowledged.
type failoverLoad struct {
	registrations, signIns *deploytest.Load

	mu         sync.Mutex
	registered []*deploytest.Person
	signedIn   []*deploytest.Person
	times      []time.Time // of the sign-ins
}

// startFailoverLoad begins the load and waits for twenty registrations.
func startFailoverLoad(t *testing.T, p *deploytest.Platform, front deploytest.Front) *failoverLoad {
	t.Helper()
	known := front.NewPerson()
	if err := known.Register(t.Context(), p.Messages); err != nil {
		t.Fatal(err)
	}
	l := &failoverLoad{registered: []*deploytest.Person{known}}
	l.registrations = deploytest.StartLoad(4, func(ctx context.Context, _ int) error {
		person := front.NewPerson()
		defer person.Client.CloseIdleConnections()
		err := person.Register(ctx, p.Messages)
		if err == nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.registered = append(l.registered, person)
		}
		return err
	})
	l.signIns = deploytest.StartLoad(10, func(ctx context.Context, _ int) error {
		person := front.NewPerson()
		person.Phone = known.Phone
		defer person.Client.CloseIdleConnections()
		_, err := person.SignIn(ctx)
		if err == nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.signedIn, l.times = append(l.signedIn, person), append(l.times, time.Now())
		}
		return err
	})
	deploytest.WaitFor(t, "twenty registrations", nil, func() error {
		if well, _ := l.registrations.Done(); well < 20 {
			return errors.New("too few")
		}
		return nil
	})
	return l
}

// stop ends the load some seconds after the database is back. It returns how long after that the first sign-in
// succeeded, 0 for none.
func (l *failoverLoad) stop(t *testing.T, back time.Time) (first time.Duration) {
	t.Helper()
	time.Sleep(5 * time.Second) // of load on the server that is back
	registered, signedIn := l.registrations.Stop(), l.signIns.Stop()
	for _, at := range l.times {
		if d := at.Sub(back); d > 0 && (first == 0 || d < first) {
			first = d
		}
	}
	t.Logf("the first sign-in %d ms after the database was back; registrations: %d well, %d failed; "+
		"sign-ins: %d well, %d failed", first.Milliseconds(), len(registered.Times), len(registered.Failed),
		len(signedIn.Times), len(signedIn.Failed))
	return first
}

// check fails the test for each acknowledged registration or session that the database at an address lacks.
func (l *failoverLoad) check(t *testing.T, address string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	for _, person := range l.registered {
		var n int
		if err := conn.QueryRow(t.Context(), `SELECT COUNT(*) FROM accounts a JOIN phones p ON p.id = a.phone_id
			WHERE p.phone = $1`, person.Phone).Scan(&n); err != nil || n != 1 {
			t.Errorf("the registration of %s was acknowledged, and there are %d accounts: %v", person.Phone, n, err)
		}
	}
	for _, person := range l.signedIn { // before the loss and after it
		answer, err := person.Get(t.Context(), "account", "/company")
		if err := deploytest.WantPage(answer, err); err != nil {
			t.Errorf("a sign-in was acknowledged, and its session is gone: %v", err)
		}
	}
	t.Logf("%d registrations and %d sessions are there", len(l.registered), len(l.signedIn))
}
