package portal_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"portico/gateway"
	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const (
	accountHost = "account.portico.test"
	homeAddress = "203.0.113.10" // where callers sit unless a test says otherwise
)

var (
	demoStart   = time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	cheapHash   = portal.HashCost{Memory: 64, Passes: 1, Threads: 1}
	phoneScreen = portal.Device{Width: 390}
	desktop     = portal.Device{Width: 1280}
)

// clock is the time of a platform; it stands still until it is moved.
type clock struct{ ms atomic.Int64 }

func (c *clock) now() time.Time               { return time.UnixMilli(c.ms.Load()).UTC() }
func (c *clock) advance(d time.Duration)      { c.ms.Add(d.Milliseconds()) }
func (c *clock) in(d time.Duration) time.Time { return c.now().Add(d) }

// platform is a Portal on a database of its own with the demo data in it.
type platform struct {
	*portal.Portal
	t       *testing.T
	db      *store.DB
	clock   *clock
	options portal.Options
}

// each runs a test on a fresh platform on SQLite and on one on Postgres.
func each(t *testing.T, test func(t *testing.T, p *platform), change ...func(*portal.Options)) {
	t.Helper()
	storetest.Each(t, onPlatform(test, change...))
}

// eachCondition runs a test on a fresh platform under each condition of a database.
func eachCondition(t *testing.T, test func(t *testing.T, p *platform), change ...func(*portal.Options)) {
	t.Helper()
	storetest.EachCondition(t, onPlatform(test, change...))
}

func onPlatform(
	test func(t *testing.T, p *platform), change ...func(*portal.Options),
) func(t *testing.T, db *store.DB) {
	return func(t *testing.T, db *store.DB) {
		t.Parallel()
		test(t, newPlatform(t, db, change...))
	}
}

func newPlatform(t *testing.T, db *store.DB, change ...func(*portal.Options)) *platform {
	t.Helper()
	p := newEmptyPlatform(t, db, change...)
	noError(t, p.LoadDemo(t.Context()))
	return p
}

func newEmptyPlatform(t *testing.T, db *store.DB, change ...func(*portal.Options)) *platform {
	t.Helper()
	base, err := url.Parse("http://portico.test")
	noError(t, err)
	c := new(clock)
	c.ms.Store(demoStart.UnixMilli())
	files, err := gateway.NewDir(filepath.Join(t.TempDir(), "uploads"))
	noError(t, err)
	p := &platform{t: t, db: db, clock: c, options: portal.Options{
		DB: db, Base: base, Secret: []byte("0123456789abcdef0123456789abcdef"), Dev: true, Hash: cheapHash, Now: c.now, Files: files,
		Support: portal.Contact{Role: portal.RoleSupport, Name: "客服", Phone: "13700000500"},
	}}
	p.restart(change...)
	return p
}

// restart puts a new Portal on the same database, with other options if any.
func (p *platform) restart(change ...func(*portal.Options)) {
	p.t.Helper()
	for _, f := range change {
		f(&p.options)
	}
	fresh, err := portal.New(p.options)
	noError(p.t, err)
	p.Portal = fresh
}

func production(o *portal.Options) { o.Dev = false }
func strict(o *portal.Options)     { o.Strict = true }

func (p *platform) place(host string) portal.Place {
	p.t.Helper()
	place, err := p.Locate(p.t.Context(), portal.LocateInput{Host: host})
	noError(p.t, err)
	return place
}

func (p *platform) from(address string) context.Context {
	return portal.WithCaller(p.t.Context(), portal.Caller{RequestID: "r-1", Address: address, Agent: "test"})
}

// as is a sign-in by phone, or by name when who is none, at the account site with the demo password.
func (p *platform) as(who string) portal.LoginInput {
	p.t.Helper()
	in := portal.LoginInput{Phone: who, Password: portal.DemoPassword, Browser: portal.Browser{Place: p.place(accountHost)}}
	if _, ok := portal.NormalPhone(who); !ok {
		in.ByName, in.Phone, in.Login = true, "", who
	}
	return in
}

func (p *platform) wrong(who string) portal.LoginInput {
	p.t.Helper()
	in := p.as(who)
	in.Password = "Wrong2026"
	return in
}

func (p *platform) login(in portal.LoginInput) (portal.LoginResult, error) {
	return p.Login(p.from(homeAddress), in)
}

// loginWith signs in with a browser that sends a session cookie.
func (p *platform) loginWith(cookie string, in portal.LoginInput) (portal.LoginResult, error) {
	return p.Login(p.LoadSession(p.from(homeAddress), cookie), in)
}

// signIn signs in at a host, in a browser of its own.
func (p *platform) signIn(host, who string) portal.LoginResult {
	p.t.Helper()
	in := p.as(who)
	in.Place = p.place(host)
	result, err := p.login(in)
	noError(p.t, err)
	return result
}

// shows sends a browser's first request after a sign-in. It carries the new cookie, so that the session is confirmed.
func (p *platform) shows(signed portal.LoginResult) portal.LoginResult {
	p.t.Helper()
	_, err := p.Session(p.from(homeAddress), signed.Token, p.place(accountHost))
	noError(p.t, err)
	return signed
}

// account reads the account of a name that is taken on one side only, also one that is offered.
func (p *platform) account(login string) store.Member {
	p.t.Helper()
	members, err := p.db.MembersByLogin(p.t.Context(), login)
	noError(p.t, err)
	for company := int64(1001); len(members) == 0 && company <= 1010; company++ {
		members, err = p.db.People(p.t.Context(), company, "", 0, 1000)
		noError(p.t, err)
		members = slices.DeleteFunc(members, func(m store.Member) bool { return m.Login != login })
	}
	if len(members) != 1 {
		p.t.Fatalf("%d accounts are named %s", len(members), login)
	}
	return members[0]
}

func (p *platform) setAccountState(login string, state store.AccountState) {
	p.t.Helper()
	m := p.account(login)
	noError(p.t, p.db.SetAccountState(p.t.Context(), m.CompanyID, m.ID, state))
}

// updateCompany changes a company as the operator's tools would, without their checks.
func (p *platform) updateCompany(id int64, change func(*store.Company)) {
	p.t.Helper()
	c, err := p.db.CompanyByID(p.t.Context(), id)
	noError(p.t, err)
	change(&c)
	noError(p.t, p.db.UpdateCompany(p.t.Context(), c))
}

// events counts the audit events of a kind; company 0 is the platform.
func (p *platform) events(company int64, kind string) (n int) {
	p.t.Helper()
	all, err := p.db.AuditEvents(p.t.Context(), company, 10_000)
	noError(p.t, err)
	for _, e := range all {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused demands a refusal and gives what came with it.
func refused(t *testing.T, err error, want portal.Refusal) *portal.Refused {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got %v, want the refusal %s", err, want)
	}
	with := new(portal.Refused)
	_ = errors.As(err, &with)
	return with
}

// hashOf is the stored form of a password at a cost.
func hashOf(password string, c portal.HashCost) string {
	b64, salt := base64.RawStdEncoding, []byte("sixteen byte salt")[:16]
	sum := argon2.IDKey([]byte(password), salt, c.Passes, c.Memory, c.Threads, 32)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.Memory, c.Passes, c.Threads, b64.EncodeToString(salt), b64.EncodeToString(sum))
}
