// Package portaltest starts platforms for the tests of the rules: a Portal on a database of its own with the demo
// data, and with an SMS provider and a log that the test reads. The packages below it have helpers by subject.
package portaltest

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"portico/gateway"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
	"portico/store/storetest"
)

const (
	AccountHost = "account.portico.test" // the account site
	HomeAddress = "203.0.113.10"         // the IP address of callers unless a test says otherwise
)

var (
	// DemoStart is the time at which the clock of a new platform starts.
	DemoStart = time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	// CheapHash is the cost of password hashes in tests.
	CheapHash = core.HashCost{Memory: 64, Passes: 1, Threads: 1}
	// PhoneScreen is a device that gets the pages for phones.
	PhoneScreen = access.Device{Width: 390}
	// Desktop is a device that gets the pages for computers.
	Desktop = access.Device{Width: 1280}
)

// Clock is the time of a platform. It changes only when a test advances it.
type Clock struct{ Ms atomic.Int64 }

// Now returns the present time of the clock, in UTC.
func (c *Clock) Now() time.Time { return time.UnixMilli(c.Ms.Load()).UTC() }

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) { c.Ms.Add(d.Milliseconds()) }

// In returns the time that is d after the present one. The clock does not move.
func (c *Clock) In(d time.Duration) time.Time { return c.Now().Add(d) }

// Platform is a Portal on a database of its own with the demo data in it. T is the test that its methods fail.
type Platform struct {
	*portal.Portal
	T       *testing.T
	Clock   *Clock
	Options portal.Options
}

// Each runs a test on a new platform, on the databases of storetest.EachRule. change adjusts the options of the Portal.
func Each(t *testing.T, test func(t *testing.T, p *Platform), change ...func(*portal.Options)) {
	t.Helper()
	storetest.EachRule(t, onPlatform(test, change...))
}

// EachCondition runs a test on a new platform under each condition of a database, as storetest.EachCondition does.
func EachCondition(t *testing.T, test func(t *testing.T, p *Platform), change ...func(*portal.Options)) {
	t.Helper()
	storetest.EachCondition(t, onPlatform(test, change...))
}

// onPlatform makes a test of a database from a test of a platform. The tests run in parallel.
func onPlatform(
	test func(t *testing.T, p *Platform), change ...func(*portal.Options),
) func(t *testing.T, db *store.DB) {
	return func(t *testing.T, db *store.DB) {
		t.Parallel()
		test(t, NewPlatform(t, db, change...))
	}
}

// NewPlatform returns a platform with the demo data on a database. It fails the test if the platform cannot start.
func NewPlatform(t *testing.T, db *store.DB, change ...func(*portal.Options)) *Platform {
	t.Helper()
	p := NewEmptyPlatform(t, db, change...)
	LoadDemo(t, p.Portal, p.Options)
	return p
}

// LoadDemo loads the demo data of a portal, which a package's tests make once for all databases of SQLite. It fails the
// test if it cannot be loaded.
func LoadDemo(t testing.TB, p *portal.Portal, o portal.Options) {
	t.Helper()
	key := fmt.Sprint("demo of ", o.Base, o.Hash, o.Now()) // what the rows depend on
	storetest.Load(t, o.DB, key, func() error { return p.Onboarding.LoadDemo(t.Context()) })
}

// NewEmptyPlatform returns a platform on a database without the demo data. It fails the test if it cannot start.
func NewEmptyPlatform(t *testing.T, db *store.DB, change ...func(*portal.Options)) *Platform {
	t.Helper()
	base, err := url.Parse("http://portico.test")
	NoError(t, err)
	c := new(Clock)
	c.Ms.Store(DemoStart.UnixMilli())
	files, err := gateway.NewDir(filepath.Join(t.TempDir(), "uploads"))
	NoError(t, err)
	p := &Platform{T: t, Clock: c, Options: portal.Options{
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

// Restart replaces the Portal with a new one on the same database, after changing its options. It fails the test if the
// new Portal cannot start.
func (p *Platform) Restart(change ...func(*portal.Options)) {
	p.T.Helper()
	for _, f := range change {
		f(&p.Options)
	}
	fresh, err := portal.New(p.Options)
	NoError(p.T, err)
	p.Portal = fresh
}

// Production is an option: the Portal runs outside development mode.
func Production(o *portal.Options) { o.Dev = false }

// Strict is an option: the Portal runs in the strict privacy mode.
func Strict(o *portal.Options) { o.Strict = true }

// Place returns what a host stands for. It fails the test if the host cannot be looked up.
func (p *Platform) Place(host string) access.Place {
	p.T.Helper()
	place, err := p.Access.Locate(p.T.Context(), access.LocateInput{Host: host})
	NoError(p.T, err)
	return place
}

// From returns the context of a request that comes from an IP address.
func (p *Platform) From(address string) context.Context {
	return access.WithCaller(p.T.Context(), access.Caller{RequestID: "r-1", Address: address, Agent: "test"})
}
