package portaltest

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"portico/gateway"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/backoffice"
	"portico/portal/onboarding"
	"portico/portal/passwords"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

// Happens writes an event of a company.
func (p *Platform) Happens(company, account int64, kind, detail string) {
	p.T.Helper()
	who := store.Member{Account: store.Account{ID: account, CompanyID: company, PhoneID: 7}}
	asked := access.WithCaller(p.T.Context(), access.Caller{Address: "203.0.113.77", RequestID: "r-9"})
	NoError(p.T, p.Access.Event(asked, p.Db, kind, who, detail))
}

// InvitingToken gives the token of the inviting link for an account that was opened for a phone.
func (p *Chatter) InvitingToken(phone string) string {
	p.T.Helper()
	opened, err := p.Opens1001(backoffice.OpenAccountInput{
		Side: "shop", Type: 3, Name: "新采购", Phone: phone, ClientID: p.Client(),
	})
	NoError(p.T, err)
	link, _, err := p.Backoffice.InvitingLink(p.T.Context(), p.Boss(), opened.Member.ID)
	NoError(p.T, err)
	_, token, _ := strings.Cut(link, "invite=")
	return token
}

// Side enters a side and returns a request to it.
func (p *Chatter) Side(login string, device access.Device) func() error {
	p.T.Helper()
	d := p.Enter(p.SignIn(AccountHost, login), AccountHost, login, device)
	result, err := p.Redeem(d, "")
	NoError(p.T, err)
	use := func() error { _, err := p.LandAt(d, result.Token); return err }
	NoError(p.T, use())
	return use
}

// UseSession is the use of a session's cookie at the account site.
func (p *Chatter) UseSession(token string) func() error {
	return func() error {
		_, err := p.Session(p.From(HomeAddress), token, p.Place(AccountHost))
		return err
	}
}

// TokenUse is the use of a program's token.
func (p *Chatter) TokenUse(token string) func() error {
	return func() error { _, err := p.TokenSession(token); return err }
}

// EntersCompanyOf enters the first account of a phone.
func (p *Chatter) EntersCompanyOf(phoneID int64) error {
	members, err := p.Db.Accounts.ByPhone(p.T.Context(), phoneID)
	NoError(p.T, err)
	_, err = p.Entry.Enter(p.T.Context(), access.EnterInput{
		Session: store.Session{PhoneID: phoneID}, AccountID: members[0].ID, Place: p.Place(AccountHost),
		Device: Desktop,
	})
	return err
}

// AddApplications sends in applications to a company with the states pending, approved and rejected in turn, three at
// the same time each.
func (p *Platform) AddApplications(company int64, count int) {
	p.T.Helper()
	storetest.Exec(p.T, p.Db, fmt.Sprintf(`INSERT INTO applications
			(id, company_id, phone, state, company_name, contact_name, created_at)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		SELECT 700000 + (i * 7919) %% 100000, %d, CAST(15000000000 + i AS TEXT),
			CASE i %% 3 WHEN 0 THEN 'pending' WHEN 1 THEN 'approved' ELSE 'rejected' END, 'Shop', 'Person', 1000 + i / 9
		FROM n`, count, company))
}

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
	storetest.Each(t, OnPlatform(test, change...))
}

// EachCondition runs a test on a fresh platform under each condition of a database.
func EachCondition(t *testing.T, test func(t *testing.T, p *Platform), change ...func(*portal.Options)) {
	t.Helper()
	storetest.EachCondition(t, OnPlatform(test, change...))
}

func OnPlatform(
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

// As is a sign-in by phone, or by name when who is none, at the account site with the demo password.
func (p *Platform) As(who string) signin.LoginInput {
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

func (p *Platform) Wrong(who string) signin.LoginInput {
	p.T.Helper()
	in := p.As(who)
	in.Password = "Wrong2026"
	return in
}

func (p *Platform) Login(in signin.LoginInput) (signin.LoginResult, error) {
	return p.Signin.Login(p.From(HomeAddress), in)
}

// LoginWith signs in with a browser that sends a session cookie.
func (p *Platform) LoginWith(cookie string, in signin.LoginInput) (signin.LoginResult, error) {
	return p.Signin.Login(p.Sessions.LoadSession(p.From(HomeAddress), cookie), in)
}

// SignIn signs in at a host, in a browser of its own.
func (p *Platform) SignIn(host, who string) signin.LoginResult {
	p.T.Helper()
	in := p.As(who)
	in.Place = p.Place(host)
	result, err := p.Login(in)
	NoError(p.T, err)
	return result
}

// Shows sends a browser's first request after a sign-in. It carries the new cookie, so that the session is confirmed.
func (p *Platform) Shows(signed signin.LoginResult) signin.LoginResult {
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

// Events counts the audit events of a kind; company 0 is the platform.
func (p *Platform) Events(company int64, kind string) (n int) {
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

// HashOf is the stored form of a password at a cost.
func HashOf(password string, c passwords.HashCost) string {
	b64, salt := base64.RawStdEncoding, []byte("sixteen byte salt")[:16]
	sum := argon2.IDKey([]byte(password), salt, c.Passes, c.Memory, c.Threads, 32)
	return fmt.Sprintf(
		"$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.Memory, c.Passes, c.Threads, b64.EncodeToString(salt),
		b64.EncodeToString(sum),
	)
}

// Did describes what an operation left: the rows of every table, the messages, and the number of lines in the security
// log.
func (p *Carer) Did() string {
	p.T.Helper()
	p.Settle()
	var messages []string
	for _, m := range p.Sms.Messages() {
		messages = append(messages, fmt.Sprint(m.Phone, " ", m.Purpose, m.Notice))
	}
	return fmt.Sprintf("%s\n%q\n%d lines of security", p.Counted(), messages, p.Log.Count(`"msg":"security"`))
}
