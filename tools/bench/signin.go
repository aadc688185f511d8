package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/store"
	"portico/tools/bench/figures"
)

const (
	signInTurns  = 3
	signInLeg    = 4 * time.Second
	checkEvery   = 20 * time.Millisecond
	sessionTurns = 5
)

// The demo people who can sign in, on the account site or at a company.
var (
	demoPhones = []string{"13800000001", "13800000002", "13800000003", "13800000012"}
	demoLogins = []string{
		"buyer1", "jinsui", "li.manager", "sur", "li.shop", "li.lights", "trial", "trial.shop", "nophone", "northwind",
	}
)

// signIn measures signing in, whose cost is mostly the password hash, and how fast people who are signed in are served
// meanwhile.
func (b *bench) signIn(ctx context.Context) error {
	portico, err := b.portico(ctx)
	if err != nil {
		return err
	}
	defer func() { portico.stop() }()
	cookie, err := signedIn(ctx, portico.url)
	if err != nil {
		return err
	}
	var rate, cost, bareRate, bareCost [signInTurns]float64
	var checks []float64
	failed := 0
	for i := range signInTurns {
		before, err := portico.cpu()
		if err != nil {
			return err
		}
		leg, err := signInLoad(ctx, portico.url, cookie)
		if err != nil {
			return err
		}
		after, err := portico.cpu()
		if err != nil {
			return err
		}
		rate[i], cost[i] = float64(leg.inTime)/signInLeg.Seconds(), (after-before).Seconds()*1000/float64(leg.done)
		failed, checks = failed+leg.failed, append(checks, leg.checks...)
		if bareRate[i], bareCost[i], err = b.hashes(signInLeg); err != nil {
			return err
		}
	}
	memory, err := portico.memory("VmHWM")
	if err != nil {
		return err
	}
	b.table.Add(
		"signing in: rate", figures.Ratio(rate[:], bareRate[:]), "", figures.AtLeast, 0.9,
		"%.0f against %.0f a second of argon2id alone; %.2f by processor time, session checks included",
		figures.Median(rate[:]), figures.Median(bareRate[:]), figures.Ratio(bareCost[:], cost[:]),
	)
	b.table.Add("signing in, 64 at once: errors", float64(failed), "", figures.Exactly, 0, "")
	b.table.Add("signing in, 64 at once: highest memory", memory, "MB", figures.AtMost, 160, "")
	b.table.Add(
		"signing in, 64 at once: 99 % of session checks", figures.Percentile(checks, 99), "ms", figures.AtMost, 50,
		"median %.0f ms of %d", figures.Median(checks), len(checks),
	)
	portico.stop()
	return b.sessionCheck(ctx, portico.database())
}

// signedIn signs in and returns the session's cookie.
func signedIn(ctx context.Context, address string) (string, error) {
	client := newClient()
	defer client.CloseIdleConnections()
	status, header, err := client.do(ctx, "POST", address+"/login", loginForm("phone", demoPhones[0]), "", nil)
	if err != nil {
		return "", err
	}
	for _, c := range (&http.Response{Header: header}).Cookies() {
		if c.Name == "portico_session" && status == http.StatusSeeOther {
			return c.Name + "=" + c.Value, nil
		}
	}
	return "", fmt.Errorf("signing in answers %d without a session", status)
}

func loginForm(field, value string) string {
	return url.Values{field: {value}, "password": {onboarding.DemoPassword}}.Encode()
}

// signInResult is the result of one turn.
type signInResult struct {
	done, inTime, failed int       // sign-ins that succeeded, those before the turn was over, and those that failed
	checks               []float64 // milliseconds of each session check meanwhile
}

// signInLoad signs 64 people in at once, again and again, while a person who is signed in requests a page.
func signInLoad(ctx context.Context, address, cookie string) (signInResult, error) {
	client := newClient()
	defer client.CloseIdleConnections()
	over := time.Now().Add(signInLeg)
	var next, done, inTime, failed atomic.Int64
	var all sync.WaitGroup
	for range connections {
		all.Go(func() {
			for time.Now().Before(over) && ctx.Err() == nil {
				path, form := demoPerson(int(next.Add(1)))
				status, _, err := client.do(ctx, "POST", address+path, form, "", nil)
				if err != nil || status != http.StatusSeeOther {
					failed.Add(1)
					continue
				}
				done.Add(1)
				if time.Now().Before(over) {
					inTime.Add(1)
				}
			}
		})
	}
	checks, err := checkSession(ctx, address, cookie, over)
	all.Wait()
	return signInResult{int(done.Load()), int(inTime.Load()), int(failed.Load()), checks}, errors.Join(err, ctx.Err())
}

// demoPerson returns the path and form of the sign-in of one of the demo people, in turn on the account site and at a
// company.
func demoPerson(n int) (path, form string) {
	if n%2 == 0 {
		return "/login", loginForm("phone", demoPhones[n/2%len(demoPhones)])
	}
	return "/login/account", loginForm("login", demoLogins[n/2%len(demoLogins)])
}

// checkSession times a page of a signed-in person on its own connection, until the time over.
func checkSession(ctx context.Context, address, cookie string, over time.Time) (times []float64, err error) {
	client := newClient()
	defer client.CloseIdleConnections()
	for time.Now().Before(over) {
		start := time.Now()
		status, _, err := client.do(ctx, "GET", address+"/accounts?all=1", "", cookie, nil)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("GET /accounts with a session answers %d", status)
		}
		if err != nil {
			return nil, err
		}
		times = append(times, time.Since(start).Seconds()*1000)
		time.Sleep(checkEvery)
	}
	return times, nil
}

// sessionCheck compares the check of a session's cookie with the one row it must read: the same columns of the
// same file by a prepared statement. The check also reads the slots, and the session manager takes the session from its
// store as JSON.
func (b *bench) sessionCheck(ctx context.Context, path string) error {
	ctx, stop := context.WithCancel(ctx) // like the context of a request, which ends with it
	defer stop()
	db, err := store.Open(ctx, "sqlite:"+path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	p, err := portal.New(portal.Options{
		DB: db, Base: &url.URL{Scheme: "http", Host: "localhost"}, Secret: []byte(strings.Repeat("bench ", 6)),
		NoLimit: true,
	})
	if err != nil {
		return err
	}
	place, err := p.Access.Locate(ctx, access.LocateInput{Host: "account.localhost"})
	if err != nil {
		return err
	}
	in, err := p.Signin.Login(
		ctx,
		signin.LoginInput{
			Phone:    demoPhones[0],
			Password: onboarding.DemoPassword,
			Browser:  access.Browser{Place: place},
		},
	)
	if err != nil {
		return err
	}
	bare, err := sqlx.ConnectContext(ctx, "sqlite3", "file:"+path+"?mode=ro&_busy_timeout=5000")
	if err != nil {
		return err
	}
	defer func() { _ = bare.Close() }()
	statement, err := bare.PrepareContext(
		ctx,
		"SELECT id, host, company_id, family, device, phone_id, account_id, chosen_company_id, lighting, remember, "+
			"width, share_user_id, share_client_id, address, agent, created_at, seen_at, idle_until, ends_at "+
			"FROM sessions WHERE id = ? AND ends_at > ? AND idle_until > ?",
	)
	if err != nil {
		return err
	}
	var s store.Session
	var times [2][]float64
	for range sessionTurns {
		for i, read := range []func() error{
			func() error { _, err := p.Sessions.Session(p.Sessions.LoadSession(ctx, in.Token), place); return err },
			func() error {
				return statement.QueryRowContext(ctx, in.Session.ID, in.Session.SeenAt, in.Session.SeenAt).Scan(
					&s.ID, &s.Host, &s.CompanyID, &s.Family, &s.Device, &s.PersonID, &s.AccountID, &s.ChosenCompanyID,
					&s.Lighting, &s.Remember, &s.Width,
					&s.ShareUserID, &s.ShareClientID, &s.Address, &s.Agent, &s.CreatedAt,
					&s.SeenAt, &s.IdleUntil, &s.EndsAt)
			},
		} {
			took, err := perOperation(read)
			if err != nil {
				return err
			}
			times[i] = append(times[i], took)
		}
	}
	b.table.Add("session check alone: time", figures.Ratio(times[0], times[1]), "", figures.AtMost, 4,
		"%.1f against %.1f µs of its SELECT", figures.Median(times[0]), figures.Median(times[1]))
	return nil
}

// perOperation measures the time of one operation, in microseconds, with a Go benchmark.
func perOperation(operation func() error) (float64, error) {
	testing.Init()
	if err := flag.Set("test.benchtime", "300ms"); err != nil {
		return 0, err
	}
	var failed error
	result := testing.Benchmark(func(t *testing.B) {
		for t.Loop() {
			if err := operation(); err != nil {
				failed = err
				return
			}
		}
	})
	return float64(result.NsPerOp()) / 1000, failed
}
