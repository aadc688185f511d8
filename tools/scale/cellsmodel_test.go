package scale

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/store"
	"portico/store/storetest"
)

// This file is a model of the plan in docs/growing.md, "Beyond ten million accounts". The product has one database; the
// model shows that the plan keeps its promises on several. Companies, accounts and phones are the product's own tables
// and statements; memberships, reservations and the outbox are the model's.

// cell is one database. It is home to the phones whose hash leads to it, and to some companies.
type cell struct {
	name string
	db   *store.DB
	conn string // its address
}

// cellTables are what the plan adds to the schema of a cell.
const cellTables = `
	-- In the phone's cell: what its list of companies needs. The truth is in the company's cell.
	CREATE TABLE memberships (
	  account_id BIGINT PRIMARY KEY, phone TEXT NOT NULL, company_id BIGINT NOT NULL, exclusive BOOLEAN NOT NULL,
	  state TEXT NOT NULL, version BIGINT NOT NULL, times_changed BIGINT NOT NULL DEFAULT 1
	);
	CREATE INDEX memberships_by_phone ON memberships (phone);
	-- In the phone's cell: bindings that are being made.
	CREATE TABLE reservations (
	  account_id BIGINT PRIMARY KEY, phone TEXT NOT NULL, company_id BIGINT NOT NULL, exclusive BOOLEAN NOT NULL,
	  at TIMESTAMPTZ NOT NULL DEFAULT now()
	);
	-- In the company's cell: which phone an account has, and the version of what the phone's cell has to know.
	CREATE TABLE bindings (account_id BIGINT PRIMARY KEY, phone TEXT NOT NULL, version BIGINT NOT NULL);
	-- In the company's cell: what the phones' cells have not got yet.
	CREATE TABLE outbox (
	  id BIGSERIAL PRIMARY KEY, account_id BIGINT NOT NULL, phone TEXT NOT NULL, company_id BIGINT NOT NULL,
	  exclusive BOOLEAN NOT NULL, state TEXT NOT NULL, version BIGINT NOT NULL
	);`

// cells are all databases of the platform.
type cells []*cell

// newCells makes four cells as databases of one server.
func newCells(t *testing.T) (all cells, server string) {
	t.Helper()
	server = storetest.Server(t)
	for i := range 4 {
		name := fmt.Sprint("cell", i)
		storetest.Execute(t, server, "CREATE DATABASE "+name)
		address, err := url.Parse(server)
		if err != nil {
			t.Fatal(err)
		}
		address.Path = "/" + name
		db, err := store.Open(t.Context(), address.String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		if err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		storetest.Execute(t, address.String(), cellTables)
		all = append(all, &cell{name, db, address.String()})
	}
	return all, server
}

// home returns the cell of a phone.
func (all cells) home(phone string) *cell {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(phone))
	return all[hash.Sum32()%uint32(len(all))]
}

// of returns the cell of a company.
func (all cells) of(company int64) *cell { return all[company%int64(len(all))] }

// open connects to the cell.
func (c *cell) open(ctx context.Context) (*pgx.Conn, error) { return pgx.Connect(ctx, c.conn) }

// inTx runs f in a transaction of the cell, on a connection of its own.
func (c *cell) inTx(ctx context.Context, f func(tx pgx.Tx) error) error {
	conn, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return pgx.BeginFunc(ctx, conn, f)
}

// membership is what the cell of a phone knows about one account.
type membership struct {
	Account, Company int64
	Exclusive        bool
	State            string
	Version          int64
}

// companiesOf lists the accounts of a phone. It asks one cell.
func (all cells) companiesOf(ctx context.Context, phone string) (list []membership, err error) {
	err = all.home(phone).inTx(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT account_id, company_id, exclusive, state, version FROM memberships
			WHERE phone = $1 ORDER BY company_id`, phone)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[membership])
		return err
	})
	return list, err
}

// errMayNotEnter says that the company's cell lets the account in no longer.
var errMayNotEnter = errors.New("the account may not enter")

// enter lets a person enter an account of their list. It reads the account in the company's cell, whatever the list
// says.
func (all cells) enter(ctx context.Context, phone string, m membership) error {
	at := all.of(m.Company)
	account, err := at.db.Accounts.ByID(ctx, m.Company, m.Account)
	if err != nil {
		return err
	}
	return at.inTx(ctx, func(tx pgx.Tx) error {
		var bound bool
		err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM bindings WHERE account_id = $1 AND phone = $2)",
			m.Account, phone).Scan(&bound)
		if err == nil && (!bound || account.State != store.AccountActive) {
			return errMayNotEnter
		}
		return err
	})
}

// tell adds the present state of an account to the outbox, in the transaction that changed it.
func tell(ctx context.Context, tx pgx.Tx, account int64) error {
	_, err := tx.Exec(ctx, `WITH next AS (
			UPDATE bindings SET version = version + 1 WHERE account_id = $1 RETURNING account_id, phone, version
		)
		INSERT INTO outbox (account_id, phone, company_id, exclusive, state, version)
		SELECT a.id, n.phone, a.company_id, c.exclusive_phones, a.state, n.version
		FROM next n JOIN accounts a ON a.id = n.account_id JOIN companies c ON c.id = a.company_id`, account)
	return err
}

// setState changes the state of an account in its company's cell.
func (all cells) setState(ctx context.Context, company, account int64, state store.AccountState) error {
	return all.of(company).inTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE accounts SET state = $1 WHERE id = $2 AND company_id = $3",
			string(state), account, company)
		if err != nil {
			return err
		}
		return tell(ctx, tx, account)
	})
}

// Reservations: a binding has to be committed within commitTime. One that is older than sweepAfter is removed, if the
// company's cell has no such binding.
const (
	commitTime = 30 * time.Second
	sweepAfter = time.Minute
)

// The refusals of bind.
var (
	errExclusive = errors.New("the phone belongs to another company")
	errTooLate   = errors.New("the reservation is too old")
)

// reserve reserves a phone for an account in the phone's cell. The phone's row is locked meanwhile, so two companies do
// not decide at the same time.
func (all cells) reserve(ctx context.Context, phone string, company, account int64) (at time.Time, err error) {
	exclusive := false
	err = all.of(company).inTx(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT exclusive_phones FROM companies WHERE id = $1", company).Scan(&exclusive)
	})
	if err != nil {
		return at, err
	}
	if _, err := all.home(phone).db.Persons.Add(ctx, store.Person{Phone: phone}); err != nil {
		return at, err
	}
	err = all.home(phone).inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT 1 FROM phones WHERE phone = $1 FOR UPDATE", phone); err != nil {
			return err
		}
		var taken bool
		err = tx.QueryRow(ctx, `SELECT EXISTS (
			SELECT 1 FROM memberships WHERE phone = $1 AND company_id <> $2 AND (exclusive OR $3)
			UNION ALL SELECT 1 FROM reservations WHERE phone = $1 AND company_id <> $2 AND (exclusive OR $3))`,
			phone, company, exclusive).Scan(&taken)
		if err != nil {
			return err
		}
		if taken {
			return errExclusive
		}
		return tx.QueryRow(ctx, `INSERT INTO reservations (account_id, phone, company_id, exclusive)
			VALUES ($1, $2, $3, $4) ON CONFLICT (account_id) DO UPDATE SET at = now()
			WHERE reservations.phone = excluded.phone RETURNING at`,
			account, phone, company, exclusive).Scan(&at)
	})
	return at, err
}

// commitBinding binds a phone that was reserved at a moment to an account, in the company's cell.
func (all cells) commitBinding(ctx context.Context, phone string, company, account int64, reserved time.Time) error {
	return all.of(company).inTx(ctx, func(tx pgx.Tx) error {
		var late bool
		if err := tx.QueryRow(ctx, "SELECT clock_timestamp() > $1", reserved.Add(commitTime)).Scan(&late); err != nil {
			return err
		}
		if late {
			return errTooLate
		}
		_, err := tx.Exec(ctx, "INSERT INTO bindings (account_id, phone, version) VALUES ($1, $2, 0)", account, phone)
		if err != nil {
			return err
		}
		return tell(ctx, tx, account)
	})
}

func (all cells) bind(ctx context.Context, phone string, company, account int64) error {
	at, err := all.reserve(ctx, phone, company, account)
	if err != nil {
		return err
	}
	return all.commitBinding(ctx, phone, company, account, at)
}

// sweepReservations removes what abandoned bindings reserved. A reservation whose binding was committed stays until the
// relay brings its membership, however long that takes: else another company could get the phone meanwhile.
func (all cells) sweepReservations(ctx context.Context, at *cell) error {
	type reservation struct{ Account, Company int64 }
	var old []reservation
	err := at.inTx(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT account_id, company_id FROM reservations WHERE at < now() - $1::interval",
			sweepAfter)
		if err != nil {
			return err
		}
		old, err = pgx.CollectRows(rows, pgx.RowToStructByPos[reservation])
		return err
	})
	for _, r := range old {
		var bound bool
		err = errors.Join(err, all.of(r.Company).inTx(ctx, func(tx pgx.Tx) error {
			return tx.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM bindings WHERE account_id = $1)", r.Account).
				Scan(&bound)
		}))
		if err != nil || bound {
			continue
		}
		err = at.inTx(ctx, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "DELETE FROM reservations WHERE account_id = $1", r.Account)
			return err
		})
	}
	return err
}

// relayStep is a moment of a relay at which it can be killed.
type relayStep int

const (
	afterReading relayStep = iota
	afterApplying
	afterRemoving // before the removal is committed
	relaySteps
)

// relay brings the outbox of one company cell to the cells of the phones.
type relay struct {
	all   cells
	from  *cell
	moved int
	// at is called at each step with the connection to the outbox. nil: nothing is called.
	at func(step relayStep, outbox *pgx.Conn)
}

// run moves what is in the outbox, in the order in which it was written. What it was doing when it was killed, the next
// run does again.
func (r *relay) run(ctx context.Context) error {
	conn, err := r.from.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for {
		more := false
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			var id int64
			var phone string
			var m membership
			err := tx.QueryRow(ctx, `SELECT id, phone, account_id, company_id, exclusive, state, version FROM outbox
				ORDER BY id LIMIT 1 FOR UPDATE`).
				Scan(&id, &phone, &m.Account, &m.Company, &m.Exclusive, &m.State, &m.Version)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			if err != nil {
				return err
			}
			r.step(afterReading, conn)
			if err := r.all.apply(ctx, phone, m); err != nil {
				return err
			}
			r.step(afterApplying, conn)
			if _, err := tx.Exec(ctx, "DELETE FROM outbox WHERE id = $1", id); err != nil {
				return err
			}
			more = true
			r.step(afterRemoving, conn)
			return nil
		})
		if err != nil || !more {
			return err
		}
		r.moved++
	}
}

func (r *relay) step(step relayStep, outbox *pgx.Conn) {
	if r.at != nil {
		r.at(step, outbox)
	}
}

// apply brings a membership to the phone's cell. An older version than the one there changes nothing, and the
// reservation of the binding has served its purpose.
func (all cells) apply(ctx context.Context, phone string, m membership) error {
	return all.home(phone).inTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO memberships (account_id, phone, company_id, exclusive, state, version)
			VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (account_id) DO UPDATE
			SET exclusive = excluded.exclusive, state = excluded.state, version = excluded.version,
				times_changed = memberships.times_changed + 1
			WHERE memberships.version < excluded.version`,
			m.Account, phone, m.Company, m.Exclusive, m.State, m.Version)
		if err == nil {
			_, err = tx.Exec(ctx, "DELETE FROM reservations WHERE account_id = $1", m.Account)
		}
		return err
	})
}
