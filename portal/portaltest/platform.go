package portaltest

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
	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/passwords"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

const (
	AccountHost = "account.portico.test"
	HomeAddress = "203.0.113.10" // where callers sit unless a test says otherwise
)

var (
	DemoStart   = time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	CheapHash   = passwords.HashCost{Memory: 64, Passes: 1, Threads: 1}
	PhoneScreen = access.Device{Width: 390}
	Desktop     = access.Device{Width: 1280}
)

// Clock is the time of a platform; it stands still until it is moved.
type Clock struct{ Ms atomic.Int64 }

func (c *Clock) Now() time.Time { return time.UnixMilli(c.Ms.Load()).UTC() }

func (c *Clock) Advance(d time.Duration) { c.Ms.Add(d.Milliseconds()) }

func (c *Clock) In(d time.Duration) time.Time { return c.Now().Add(d) }

// Platform is a Portal on a database of its own with the demo data in it.
type Platform struct {
	*portal.Portal
	T       *testing.T
	Db      *store.DB
	Clock   *Clock
	Options portal.Options
}

// Each runs a test on a fresh platform on SQLite and on one on Postgres.
func Each(t *testing.T, test func(t *testing.T, p *Platform), change ...func(*portal.Options)) {
	t.Helper()
	storetest.Each(t, onPlatform(test, change...))
}

// EachCondition runs a test on a fresh platform under each condition of a database.
func EachCondition(t *testing.T, test func(t *testing.T, p *Platform), change ...func(*portal.Options)) {
	t.Helper()
	storetest.EachCondition(t, onPlatform(test, change...))
}

func onPlatform(
	test func(t *testing.T, p *Platform), change ...func(*portal.Options),
) func(t *testing.T, db *store.DB) {
	return func(t *testing.T, db *store.DB) {
		t.Parallel()
		test(t, NewPlatform(t, db, change...))
	}
}

func NewPlatform(t *testing.T, db *store.DB, change ...func(*portal.Options)) *Platform {
	t.Helper()
	p := NewEmptyPlatform(t, db, change...)
	NoError(t, p.Onboarding.LoadDemo(t.Context()))
	return p
}

func NewEmptyPlatform(t *testing.T, db *store.DB, change ...func(*portal.Options)) *Platform {
	t.Helper()
	base, err := url.Parse("http://portico.test")
	NoError(t, err)
	c := new(Clock)
	c.Ms.Store(DemoStart.UnixMilli())
	files, err := gateway.NewDir(filepath.Join(t.TempDir(), "uploads"))
	NoError(t, err)
	p := &Platform{T: t, Db: db, Clock: c, Options: portal.Options{
		DB:      db,
		Base:    base,
		Secret:  []byte("0123456789abcdef0123456789abcdef"),
		Dev:     true,
		Hash:    CheapHash,
		Now:     c.Now,
		Files:   files,
		Support: access.Contact{Role: access.RoleSupport, Name: "客服", Phone: "13700000500"},
	}}
	p.Restart(change...)
	return p
}

// Restart puts a new Portal on the same database, with other options if any.
func (p *Platform) Restart(change ...func(*portal.Options)) {
	p.T.Helper()
	for _, f := range change {
		f(&p.Options)
	}
	fresh, err := portal.New(p.Options)
	NoError(p.T, err)
	p.Portal = fresh
}

func Production(o *portal.Options) { o.Dev = false }

func Strict(o *portal.Options) { o.Strict = true }

func (p *Platform) Place(host string) access.Place {
	p.T.Helper()
	place, err := p.Access.Locate(p.T.Context(), access.LocateInput{Host: host})
	NoError(p.T, err)
	return place
}

func (p *Platform) From(address string) context.Context {
	return access.WithCaller(p.T.Context(), access.Caller{RequestID: "r-1", Address: address, Agent: "test"})
}

// LoginInput is a sign-in by phone, or by name when who is none, at the account site with the demo password.
func (p *Platform) LoginInput(who string) signin.LoginInput {
	p.T.Helper()
	in := signin.LoginInput{
		Phone:    who,
		Password: onboarding.DemoPassword,
		Browser:  access.Browser{Place: p.Place(AccountHost)},
	}
	if _, ok := access.NormalPhone(who); !ok {
		in.ByName, in.Phone, in.Login = true, "", who
	}
	return in
}

func (p *Platform) WrongLoginInput(who string) signin.LoginInput {
	p.T.Helper()
	in := p.LoginInput(who)
	in.Password = "Wrong2026"
	return in
}

func (p *Platform) Login(in signin.LoginInput) (signin.LoginResult, error) {
	return p.Signin.Login(p.From(HomeAddress), in)
}

// LoginWithCookie signs in with a browser that sends a session cookie.
func (p *Platform) LoginWithCookie(cookie string, in signin.LoginInput) (signin.LoginResult, error) {
	return p.Signin.Login(p.Sessions.LoadSession(p.From(HomeAddress), cookie), in)
}

// SignIn signs in at a host, in a browser of its own.
func (p *Platform) SignIn(host, who string) signin.LoginResult {
	p.T.Helper()
	in := p.LoginInput(who)
	in.Place = p.Place(host)
	result, err := p.Login(in)
	NoError(p.T, err)
	return result
}

// ConfirmSession sends a browser's first request after a sign-in. It carries the new cookie, so that the session is
// confirmed.
func (p *Platform) ConfirmSession(signed signin.LoginResult) signin.LoginResult {
	p.T.Helper()
	_, err := p.Session(p.From(HomeAddress), signed.Token, p.Place(AccountHost))
	NoError(p.T, err)
	return signed
}

// Account reads the account of a name that is taken on one side only, also one that is offered.
func (p *Platform) Account(login string) store.Member {
	p.T.Helper()
	members, err := p.Db.Accounts.ByLogin(p.T.Context(), login)
	NoError(p.T, err)
	for company := int64(1001); len(members) == 0 && company <= 1010; company++ {
		members, err = p.Db.Accounts.After(p.T.Context(), company, "", 0, 1000)
		NoError(p.T, err)
		members = slices.DeleteFunc(members, func(m store.Member) bool { return m.Login != login })
	}
	if len(members) != 1 {
		p.T.Fatalf("%d accounts are named %s", len(members), login)
	}
	return members[0]
}

func (p *Platform) SetAccountState(login string, state store.AccountState) {
	p.T.Helper()
	m := p.Account(login)
	NoError(p.T, p.Db.Accounts.SetState(p.T.Context(), m.CompanyID, m.ID, state))
}

// UpdateCompany changes a company as the operator's tools would, without their checks.
func (p *Platform) UpdateCompany(id int64, change func(*store.Company)) {
	p.T.Helper()
	c, err := p.Db.Companies.ByID(p.T.Context(), id)
	NoError(p.T, err)
	change(&c)
	NoError(p.T, p.Db.Companies.Update(p.T.Context(), c))
}

// CountEvents counts the audit events of a kind; company 0 is the platform.
func (p *Platform) CountEvents(company int64, kind string) (n int) {
	p.T.Helper()
	all, err := p.Db.Audit.Events(p.T.Context(), company, 10_000)
	NoError(p.T, err)
	for _, e := range all {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

func NoError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Refused demands a refusal and gives what came with it.
func Refused(t *testing.T, err error, want access.Refusal) *access.Refused {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got %v, want the refusal %s", err, want)
	}
	with := new(access.Refused)
	_ = errors.As(err, &with)
	return with
}

// HashPassword is the stored form of a password at a cost.
func HashPassword(password string, c passwords.HashCost) string {
	b64, salt := base64.RawStdEncoding, []byte("sixteen byte salt")[:16]
	sum := argon2.IDKey([]byte(password), salt, c.Passes, c.Memory, c.Threads, 32)
	return fmt.Sprintf(
		"$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.Memory, c.Passes, c.Threads, b64.EncodeToString(salt),
		b64.EncodeToString(sum),
	)
}
