package scale

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/store"
	"portico/store/storetest"
)

// addCompany adds a company to its cell, with an account whose id is the company's number times a hundred.
func (all cells) addCompany(t *testing.T, id int64, exclusive bool) (account int64) {
	t.Helper()
	now := store.At(time.Now())
	db := all.of(id).db
	_, err := db.Companies.Save(t.Context(), store.Company{
		ID: id, Name: fmt.Sprint("Company ", id), Language: "en", Standing: store.Formal, Mall: store.MallOpen,
		ExclusivePhones: exclusive, CreatedAt: now, UpdatedAt: now,
	})
	if err == nil {
		account, err = db.Accounts.Add(t.Context(), store.Account{
			CompanyID: id, Side: store.Shop, Type: store.TypeEmployee, Login: fmt.Sprint("buyer", id),
			State: store.AccountActive, CreatedAt: now,
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	// Ids are unique over all cells: here by the company's number, in the plan by the bits of the cell.
	storetest.Execute(t, all.of(id).conn, fmt.Sprintf("UPDATE accounts SET id = %d WHERE id = %d", id*100, account))
	return id * 100
}

// relayAll moves everything that is in the outboxes.
func (all cells) relayAll(t *testing.T) {
	t.Helper()
	for _, c := range all {
		if err := (&relay{all: all, from: c}).run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// refuse makes a cell refuse connections and ends those that it has, or lets it accept them again.
func (c *cell) refuse(t *testing.T, server string, refuse bool) {
	t.Helper()
	storetest.Execute(t, server, fmt.Sprintf("ALTER DATABASE %s WITH ALLOW_CONNECTIONS %t", c.name, !refuse))
	if refuse {
		storetest.Execute(t, server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+
			c.name+"'")
	}
}

func TestListOfCompaniesOfAPhoneAsksOneCell(t *testing.T) {
	all, server := newCells(t)
	const phone = "13900000001"
	for _, company := range []int64{1, 2, 3} { // in three cells
		if err := all.bind(t.Context(), phone, company, all.addCompany(t, company, false)); err != nil {
			t.Fatal(err)
		}
	}
	all.relayAll(t)
	home := all.home(phone)
	for _, c := range all {
		if c != home {
			c.refuse(t, server, true)
		}
	}
	list, err := all.companiesOf(t.Context(), phone)
	if err != nil || len(list) != 3 {
		t.Fatalf("with all other cells down: %v, %v", list, err)
	}
	for _, m := range list {
		err := all.enter(t.Context(), phone, m)
		if down := all.of(m.Company) != home; (err != nil) != down {
			t.Errorf("company %d, whose cell is down: %v; entering: %v", m.Company, down, err)
		}
	}
	for _, c := range all {
		c.refuse(t, server, false)
	}
	for _, m := range list {
		if err := all.enter(t.Context(), phone, m); err != nil {
			t.Errorf("company %d: %v", m.Company, err)
		}
	}
}

func TestLateMembershipLetsNobodyIn(t *testing.T) {
	all, _ := newCells(t)
	const phone = "13900000002"
	account := all.addCompany(t, 1, false)
	if err := all.bind(t.Context(), phone, 1, account); err != nil {
		t.Fatal(err)
	}
	all.relayAll(t)
	if err := all.setState(t.Context(), 1, account, store.AccountDisabled); err != nil {
		t.Fatal(err)
	}
	list, err := all.companiesOf(t.Context(), phone)
	if err != nil || len(list) != 1 || list[0].State != string(store.AccountActive) {
		t.Fatalf("the relay has not run, so the list is the former one: %v, %v", list, err)
	}
	if err := all.enter(t.Context(), phone, list[0]); !errors.Is(err, errMayNotEnter) {
		t.Errorf("the account is disabled: %v", err)
	}
	late := list[0]
	all.relayAll(t)
	if err := all.apply(t.Context(), phone, late); err != nil {
		t.Fatal(err)
	}
	list, err = all.companiesOf(t.Context(), phone)
	if err != nil || len(list) != 1 || list[0].State != string(store.AccountDisabled) || list[0].Version != 2 {
		t.Errorf("after an older version came late: %v, %v", list, err)
	}
}

// TestRelayThatIsKilledLosesNothing changes accounts while the relay is killed at each of its steps.
func TestRelayThatIsKilledLosesNothing(t *testing.T) {
	all, server := newCells(t)
	const companies, changes = 6, 20
	for company := range int64(companies) {
		account := all.addCompany(t, company+1, false)
		if err := all.bind(t.Context(), fmt.Sprint(13900000010+company), company+1, account); err != nil {
			t.Fatal(err)
		}
	}
	var writers sync.WaitGroup
	ended := make(chan struct{})
	for company := range int64(companies) {
		writers.Go(func() {
			for i := range changes {
				state := []store.AccountState{store.AccountDisabled, store.AccountActive}[i%2]
				if err := all.setState(t.Context(), company+1, (company+1)*100, state); err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() { writers.Wait(); close(ended) }()
	killed := map[relayStep]int{}
	for turn, running := 0, true; running; turn++ {
		select {
		case <-ended:
			running = false
		default:
		}
		for _, c := range all {
			step, after := relayStep(turn%int(relaySteps)), turn%3
			r := &relay{all: all, from: c}
			r.at = func(now relayStep, outbox *pgx.Conn) {
				if now == step && r.moved == after {
					killed[step]++
					storetest.Execute(t, server, fmt.Sprintf("SELECT pg_terminate_backend(%d)", outbox.PgConn().PID()))
				}
			}
			_ = r.run(t.Context()) // it was killed
		}
	}
	all.relayAll(t)
	for step := range relaySteps {
		if killed[step] == 0 {
			t.Errorf("the relay was not killed at step %d", step)
		}
	}
	t.Logf("%d changes of %d accounts, the relay killed %v times at its steps", companies*changes, companies, killed)
	for company := range int64(companies) {
		var version, times int64
		var state string
		err := all.home(fmt.Sprint(13900000010+company)).inTx(t.Context(), func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT version, times_changed, state FROM memberships
				WHERE account_id = $1`, (company+1)*100).Scan(&version, &times, &state)
		})
		// The first version is the binding. The last of the changes makes the account active.
		if err != nil || version != changes+1 || times != changes+1 || state != string(store.AccountActive) {
			t.Errorf("company %d: version %d, %d changes, %s: %v", company+1, version, times, state, err)
		}
	}
}

func TestExclusivePhoneIsBoundByOneOfTwoCompanies(t *testing.T) {
	all, _ := newCells(t)
	open, exclusive := all.addCompany(t, 1, false), all.addCompany(t, 2, true)
	for i := range 20 {
		phone := fmt.Sprint(13900000100 + i)
		companies := map[int64]int64{1: open, 2: exclusive}
		errs := make(chan error, 2)
		for company := range companies {
			account := company*1000 + int64(i) // an account of its own for each turn
			storetest.Execute(t, all.of(company).conn, fmt.Sprintf(`INSERT INTO accounts
				(id, company_id, side, type, login, login_key, created_at)
				VALUES (%d, %d, 'shop', 3, 'b%d', 'b%d', 0)`, account, company, account, account))
			go func() { errs <- all.bind(t.Context(), phone, company, account) }()
		}
		one, two := <-errs, <-errs
		if (one == nil) == (two == nil) || !errors.Is(errors.Join(one, two), errExclusive) {
			t.Errorf("%s: %v, %v", phone, one, two)
		}
	}
	all.relayAll(t)
	var both int
	for _, c := range all {
		err := c.inTx(t.Context(), func(tx pgx.Tx) error {
			var n int
			err := tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM (SELECT phone FROM memberships GROUP BY phone
				HAVING COUNT(*) > 1) AS twice`).Scan(&n)
			both += n
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if both != 0 {
		t.Errorf("%d phones belong to both companies", both)
	}
}

func TestReservationEndsWithItsBindingOrItsTime(t *testing.T) {
	all, _ := newCells(t)
	const phone = "13900000200"
	home := all.home(phone)
	other, exclusive := all.addCompany(t, 1, false), all.addCompany(t, 2, true)
	reserved, err := all.reserve(t.Context(), phone, 2, exclusive)
	if err != nil {
		t.Fatal(err)
	}
	if err := all.bind(t.Context(), phone, 1, other); !errors.Is(err, errExclusive) {
		t.Errorf("while another company has reserved it exclusively: %v", err)
	}
	// The binding dies here, and a minute passes.
	age := func() {
		storetest.Execute(t, home.conn, "UPDATE reservations SET at = at - INTERVAL '61 seconds'")
		if err := all.sweepReservations(t.Context(), home); err != nil {
			t.Fatal(err)
		}
	}
	age()
	err = all.commitBinding(t.Context(), phone, 2, exclusive, reserved.Add(-61*time.Second))
	if !errors.Is(err, errTooLate) {
		t.Errorf("a binding that wakes up after a minute: %v", err)
	}
	if err := all.bind(t.Context(), phone, 1, other); err != nil {
		t.Errorf("after the reservation was removed: %v", err)
	}
	// The other way round: the binding was committed, and the relay stands still for more than a minute.
	age()
	if err := all.bind(t.Context(), phone, 2, exclusive); !errors.Is(err, errExclusive) {
		t.Errorf("before the membership has arrived: %v", err)
	}
	all.relayAll(t)
	if err := all.bind(t.Context(), phone, 2, exclusive); !errors.Is(err, errExclusive) {
		t.Errorf("once the membership has arrived: %v", err)
	}
	left := -1
	err = home.inTx(context.Background(), func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), "SELECT COUNT(*) FROM reservations").Scan(&left)
	})
	if err != nil || left != 0 {
		t.Errorf("%d reservations are left: %v", left, err)
	}
}
