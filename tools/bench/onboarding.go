package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/samples"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
	"portico/tools/bench/figures"
)

const (
	registerAtOnce = 8
	registrations  = 1200
	importTurns    = 3
	sandboxes      = 10_000
	signInPause    = 5 * time.Millisecond
)

// onboarding measures registering, filling a company with samples, and the janitor, on both databases. Nothing here
// hashes a password at its real cost: the figures of signing in measure that.
func (b *bench) onboarding(ctx context.Context) error {
	var trouble error
	testing.Benchmark(func(t *testing.B) { // the test databases need a testing.TB
		if t.N > 1 || trouble != nil {
			return
		}
		trouble = errors.Join(
			b.onboard(ctx, "SQLite, synchronous=FULL", "sqlite:"+filepath.Join(b.dir, "onboarding.db")),
			b.onboard(ctx, "Postgres", storetest.PostgresURL(t)))
	})
	return trouble
}

func (b *bench) onboard(ctx context.Context, name, address string) error {
	o, err := openOnboarding(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = o.db.Close() }()
	if err := o.register(ctx, b, name); err != nil {
		return fmt.Errorf("register on %s: %w", name, err)
	}
	if err := o.importSamples(ctx, b, name); err != nil {
		return fmt.Errorf("import on %s: %w", name, err)
	}
	if err := o.janitor(ctx, b, name); err != nil {
		return fmt.Errorf("janitor on %s: %w", name, err)
	}
	return nil
}

// onboardingPlatform is a platform without a server around it.
type onboardingPlatform struct {
	*portal.Portal
	db    *store.DB
	raw   *sqlx.DB
	place access.Place
	codes sync.Map // phone → code
	now   atomic.Int64
}

func openOnboarding(ctx context.Context, address string) (*onboardingPlatform, error) {
	o := new(onboardingPlatform)
	var err error
	if o.db, err = store.Open(ctx, address); err != nil {
		return nil, err
	}
	if err := o.db.Migrate(ctx); err != nil {
		return nil, err
	}
	o.now.Store(time.Now().UnixMilli())
	base, _ := url.Parse("http://portico.test")
	if o.Portal, err = portal.New(portal.Options{
		DB:      o.db,
		Base:    base,
		Secret:  make([]byte, core.MinSecret),
		Dev:     true,
		NoLimit: true,
		Hash:    core.HashCost{Memory: 8, Passes: 1, Threads: 1},
		Now:     func() time.Time { return time.UnixMilli(o.now.Load()) },
		SendSMS: func(_ context.Context, m core.Message) error { o.codes.Store(m.Phone, m.Code); return nil },
	}); err != nil {
		return nil, err
	}
	driver, path := "pgx", address
	if file, ok := cutSQLite(address); ok {
		driver, path = "sqlite3", "file:"+file+"?_busy_timeout=5000&_synchronous=FULL&_txlock=immediate"
	}
	if o.raw, err = sqlx.Open(driver, path); err != nil {
		return nil, err
	}
	o.raw.SetMaxOpenConns(map[string]int{"sqlite3": 1, "pgx": registerAtOnce}[driver])
	o.place, err = o.Access.Locate(ctx, access.LocateInput{Host: "account.portico.test"})
	return o, err
}

func cutSQLite(address string) (string, bool) {
	const prefix = "sqlite:"
	if len(address) > len(prefix) && address[:len(prefix)] == prefix {
		return address[len(prefix):], true
	}
	return "", false
}

func phoneNumber(n int) string { return fmt.Sprintf("139%08d", n) }

// ask requests a code for the n-th phone.
func (o *onboardingPlatform) ask(ctx context.Context, n int) (string, error) {
	phone := phoneNumber(n)
	if _, err := o.AskCode(
		ctx,
		core.AskCodeInput{
			Purpose: core.ForRegister,
			Phone:   phone,
			Flow:    phone,
			Place:   o.place,
			Lang:    "zh",
		},
	); err != nil {
		return "", err
	}
	code, _ := o.codes.Load(phone)
	return code.(string), nil
}

func (o *onboardingPlatform) registerOne(ctx context.Context, n int, code string) (onboarding.Registered, error) {
	phone := phoneNumber(n)
	return o.Onboarding.Register(ctx, onboarding.RegisterInput{
		Phone: phone, Code: code, Password: "Laguna.verde8", Name: "张伟", CompanyName: "山海商行", Agree: true,
		Flow: phone, Version: "bench", Lang: "zh", Browser: access.Browser{Place: o.place},
	})
}

// runParallel runs work for each number below n, eight at a time, and returns how many it completed a second.
func runParallel(n int, work func(i int) error) (float64, error) {
	var next atomic.Int64
	var all sync.WaitGroup
	failures := make(chan error, registerAtOnce)
	since := time.Now()
	for range registerAtOnce {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := work(i); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	all.Wait()
	select {
	case err := <-failures:
		return 0, err
	default:
		return float64(n) / time.Since(since).Seconds(), nil
	}
}

// register compares registrations with transactions of one insert into the same database, both eight at a time.
func (o *onboardingPlatform) register(ctx context.Context, b *bench, name string) error {
	codes := make([]string, registrations)
	for i := range codes {
		var err error
		if codes[i], err = o.ask(ctx, i); err != nil {
			return err
		}
	}
	rate, err := runParallel(registrations, func(i int) error {
		_, err := o.registerOne(ctx, i, codes[i])
		return err
	})
	if err != nil {
		return err
	}
	if _, err := o.raw.ExecContext(ctx, "CREATE TABLE bare (id TEXT PRIMARY KEY, at BIGINT NOT NULL)"); err != nil {
		return err
	}
	bare, err := runParallel(registrations, func(i int) error {
		_, err := o.raw.ExecContext(ctx, o.raw.Rebind("INSERT INTO bare (id, at) VALUES (?, ?)"), phoneNumber(i), i)
		return err
	})
	if err != nil {
		return err
	}
	b.table.Add(
		"registering, 8 at once, "+name, rate/bare, "", figures.AtLeast, 0.03,
		"%.0f registrations a second against %.0f inserts of one row", rate, bare,
	)
	return nil
}

// importSamples fills companies with every pack in turn.
func (o *onboardingPlatform) importSamples(ctx context.Context, b *bench, name string) error {
	var slowest float64
	n := registrations
	for _, industry := range samples.Industries() {
		var turns []float64
		for range importTurns {
			code, err := o.ask(ctx, n)
			if err != nil {
				return err
			}
			made, err := o.registerOne(ctx, n, code)
			if err != nil {
				return err
			}
			n++
			since := time.Now()
			if _, err := o.Onboarding.Initialise(
				ctx, onboarding.InitialiseInput{Industry: industry, Import: true, Session: made.Session},
			); err != nil {
				return err
			}
			turns = append(turns, milliseconds(time.Since(since)))
		}
		slowest = max(slowest, figures.Median(turns))
	}
	b.table.Add(
		"importing a sample pack, "+name, slowest, "ms", figures.AtMost, 50, "the slowest of 12 packs, median of %d",
		importTurns,
	)
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// janitor removes sandboxes while one person signs in again and again.
func (o *onboardingPlatform) janitor(ctx context.Context, b *bench, name string) error {
	if err := o.fillSandboxes(ctx); err != nil {
		return err
	}
	quiet, err := o.signIns(ctx, time.After(2*time.Second))
	if err != nil {
		return err
	}
	o.now.Add((onboarding.SandboxLife + time.Hour).Milliseconds())
	done := make(chan time.Time)
	var removed int
	var trouble error
	since := time.Now()
	go func() {
		removed, trouble = o.Onboarding.RemoveSandboxes(ctx)
		done <- time.Now()
	}()
	busy, err := o.signIns(ctx, done)
	if err = errors.Join(err, trouble); err != nil {
		return err
	}
	if removed < sandboxes {
		return fmt.Errorf("%d of %d sandboxes removed", removed, sandboxes)
	}
	b.table.Add(
		"sign-in while the janitor removes 10,000 sandboxes, longest, "+name, slices.Max(busy), "ms", figures.AtMost,
		50, "of %d, median %.1f; with the janitor at rest %.1f, median %.1f; %.0f s in all", len(busy),
		figures.Median(busy), slices.Max(quiet), figures.Median(quiet), time.Since(since).Seconds(),
	)
	return nil
}

// signIns signs one person in until it is stopped, and returns the milliseconds that each sign-in took.
func (o *onboardingPlatform) signIns(ctx context.Context, over <-chan time.Time) ([]float64, error) {
	var took []float64
	for {
		select {
		case <-over:
			return took, nil
		default:
		}
		since := time.Now()
		if _, err := o.Signin.Login(
			ctx,
			signin.LoginInput{
				Phone:    phoneNumber(0),
				Password: "Laguna.verde8",
				Browser:  access.Browser{Place: o.place},
			},
		); err != nil {
			return nil, err
		}
		took = append(took, milliseconds(time.Since(since)))
		time.Sleep(signInPause)
	}
}

// fillSandboxes makes one sandbox as a person would, and copies it row by row. The id of a copied row is the number of
// the copy times a thousand, plus the position of the row in its sandbox.
func (o *onboardingPlatform) fillSandboxes(ctx context.Context) error {
	phone := "13700000000"
	if _, err := o.AskCode(
		ctx,
		core.AskCodeInput{
			Purpose: core.ForExperience,
			Phone:   phone,
			Flow:    phone,
			Place:   o.place,
			Lang:    "zh",
		},
	); err != nil {
		return err
	}
	code, _ := o.codes.Load(phone)
	opened, err := o.Onboarding.OpenExperience(ctx, onboarding.ExperienceInput{
		Phone:    phone,
		Code:     code.(string),
		Industry: 118,
		Agree:    true,
		Names:    onboarding.SandboxNames{Company: "体验", Person: "体验", Customer: "体验"},
		Flow:     phone,
		Version:  "bench",
		Lang:     "zh",
		Browser:  access.Browser{Place: o.place},
	})
	if err != nil {
		return err
	}
	if _, err := o.Onboarding.ChooseRole(
		ctx,
		onboarding.RoleInput{Role: "mgr", Import: true, Session: opened.Session},
	); err != nil {
		return err
	}
	for _, query := range copySandbox {
		full := fmt.Sprintf(
			"WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < %d) ", 1000+sandboxes-2,
		) + query
		if _, err := o.raw.ExecContext(ctx, o.raw.Rebind(full), opened.CompanyID); err != nil {
			return fmt.Errorf("%s: %w", query, err)
		}
	}
	return o.db.AdvanceIdentities(ctx)
}

// copySandbox copies what belongs to the company of the only parameter. The least id of each kind counts as the first.
var copySandbox = []string{
	`INSERT INTO companies (id, name, language, standing, ends_at, mall, industry_id, initialised_at, sandbox,
		orders_made, created_at, updated_at)
		SELECT n.i * 1000, name, language, standing, ends_at, mall, industry_id, initialised_at, sandbox, orders_made,
		created_at, updated_at FROM companies, n WHERE id = ?`,
	`INSERT INTO phones (id, phone, created_at) SELECT n.i * 1000, '13' || (400000000 + n.i), k.created_at
		FROM companies k, n WHERE k.id = ?`,
	`INSERT INTO sandboxes (phone_id, industry_id, company_id, created_at) SELECT n.i * 1000, industry_id, n.i * 1000,
		created_at FROM sandboxes, n WHERE company_id = ?`,
	`INSERT INTO clients (id, company_id, name, state, contact, sample, created_at)
		SELECT n.i * 1000 + k.id - (SELECT MIN(id) FROM clients c WHERE c.company_id = k.company_id), n.i * 1000,
		name, state, contact, sample, created_at FROM clients k, n WHERE k.company_id = ?`,
	`INSERT INTO accounts (id, company_id, side, type, login, login_key, name, phone_id, client_id, state, created_at)
		SELECT n.i * 1000 + k.id - (SELECT MIN(id) FROM accounts c WHERE c.company_id = k.company_id), n.i * 1000,
		side, type, 'b' || n.i, 'b' || n.i, name, n.i * 1000,
			CASE WHEN client_id IS NULL THEN NULL ELSE n.i * 1000 END, state, created_at FROM accounts k, n
		WHERE k.company_id = ?`,
	`INSERT INTO categories (id, company_id, name, picture, sample)
		SELECT n.i * 1000 + k.id - (SELECT MIN(id) FROM categories c WHERE c.company_id = k.company_id), n.i * 1000,
		name, picture, sample FROM categories k, n WHERE k.company_id = ?`,
	`INSERT INTO products (id, company_id, category_id, name, spec, unit, price, stock, sample)
		SELECT n.i * 1000 + k.id - (SELECT MIN(id) FROM products c WHERE c.company_id = k.company_id), n.i * 1000,
			n.i * 1000 + k.category_id - (SELECT MIN(id) FROM categories c WHERE c.company_id = k.company_id), name,
		spec, unit, price, stock, sample FROM products k, n WHERE k.company_id = ?`,
	`INSERT INTO orders (id, company_id, number, client_id, form, state, total, sample, placed_at, confirmed_at)
		SELECT n.i * 1000 + k.id - (SELECT MIN(id) FROM orders c WHERE c.company_id = k.company_id), n.i * 1000,
		number,
			n.i * 1000 + k.client_id - (SELECT MIN(id) FROM clients c WHERE c.company_id = k.company_id), form, state,
		total, sample, placed_at, confirmed_at FROM orders k, n WHERE k.company_id = ?`,
	`INSERT INTO order_lines (order_id, line, product_id, quantity, price, sample)
		SELECT n.i * 1000 + k.id - (SELECT MIN(id) FROM orders c WHERE c.company_id = k.company_id), l.line,
			n.i * 1000 + l.product_id - (SELECT MIN(id) FROM products c WHERE c.company_id = k.company_id),
		l.quantity, l.price, l.sample
		FROM orders k JOIN order_lines l ON l.order_id = k.id, n WHERE k.company_id = ?`,
}
