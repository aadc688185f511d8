// Package portal is the one place that knows the rules of Portico: who may sign in, what blocks them, where
// they go next. It knows no HTTP, no HTML and no SQL; the pages and the API both call it.
//
// Every operation answers either a result, a refusal a person may read (Refusal, Refused), or another
// error, which is ours and is shown to nobody.
package portal

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"

	"portico/store"
)

// Options is all a Portal needs. Zero values stand for the documented defaults where there is one.
type Options struct {
	DB      *store.DB
	Base    *url.URL // scheme and {host} of the platform
	Secret  []byte   // master key, at least 32 bytes: it seals
	Dev     bool     // companies may be named by ?companyId= on loopback
	Strict  bool     // PORTICO_PRIVACY=strict
	NoLimit bool     // PORTICO_LIMITS=off
	Support Contact  // the provider's customer service; empty: none
	Hash    HashCost // zero: DefaultHashCost
	Log     *slog.Logger
	Now     func() time.Time // zero: time.Now

	Counted Counted // what the metrics count

	FormerSecrets [][]byte // master keys from before: they open what they sealed

	SendSMS         func(context.Context, Message) error // nil: no provider
	Resend          time.Duration                        // zero: DefaultResend
	AuditKept       time.Duration                        // how long events are kept; zero: DefaultAuditKept
	Password        PasswordRule                         // of new passwords; zero: the specification's
	Files           Files                                // what people send in; nil: they can send nothing
	Messages        int                                  // a day, of the platform; zero: MessagesDay
	MessagesCompany int                                  // a day, of one company; zero: MessagesCompanyDay

	Counters []string // hosts that companies' statistics may be at

	Providers Providers // of chat apps; nil ones: their doors are not there

	Environment string // what env_ of the user payload says; "": dev or production, by Dev

	// FetchPicture reads a picture at a chat app, for UseWeChatPortrait; nil: nobody can use the portrait from there.
	FetchPicture func(ctx context.Context, address string) ([]byte, error)

	LookUpTXT func(ctx context.Context, name string) ([]string, error) // the TXT records of a DNS name; nil: the system's resolver
}

// Portal runs the operations. It is safe for concurrent use.
type Portal struct {
	db          *store.DB
	base        *url.URL
	baseHost    string // without port
	dev         bool
	strict      bool
	noLimit     bool
	support     Contact
	hasher      *hasher
	companies   *companyCache
	counters    []string
	replays     *replays
	crowdProofs *recent[string, struct{}] // those that were used
	proofs      keyedLock                 // of proofs that make something
	auditKept   time.Duration
	decoding    decoding
	sending     sending
	publicCalls publicCalls
	views       views
	keys        keys
	lost        lostCredentials
	log         *slog.Logger
	now         func() time.Time

	providers                 Providers
	files                     Files
	sendSMS                   func(context.Context, Message) error
	resend                    time.Duration
	password                  PasswordRule
	messages, messagesCompany int
	counted                   Counted
	running                   sync.WaitGroup // what Stop waits for
	lookUpTXT                 func(ctx context.Context, name string) ([]string, error)
	fetchPicture              func(ctx context.Context, address string) ([]byte, error)
	environment               string // env_ of the user payload
	process                   string // names this process in leases
	sessions                  *scs.SessionManager
}

// New makes a Portal on a migrated database.
func New(o Options) (*Portal, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Hash == (HashCost{}) {
		o.Hash = DefaultHashCost
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	base := *o.Base
	base.Host = strings.ToLower(base.Host) // as NormalHost spells the hosts that are compared with it
	p := &Portal{
		db: o.DB, base: &base, baseHost: base.Hostname(), dev: o.Dev, strict: o.Strict, noLimit: o.NoLimit,
		support: o.Support, companies: newCompanyCache(), replays: newReplays(), decoding: newDecoding(), log: o.Log, now: o.Now,
	}
	p.sessions = newSessions(o.DB, o.Now)
	p.crowdProofs = newRecent[string, struct{}](QuestionLife, crowdProofsHeld)
	p.files, p.providers, p.counters, p.process = o.Files, o.Providers, o.Counters, randomToken(9)
	p.sendSMS, p.resend, p.password = o.SendSMS, cmp.Or(o.Resend, DefaultResend), o.Password.withDefaults()
	p.counted = o.Counted
	p.auditKept = cmp.Or(o.AuditKept, DefaultAuditKept)
	p.messages, p.messagesCompany = cmp.Or(o.Messages, MessagesDay), cmp.Or(o.MessagesCompany, MessagesCompanyDay)
	if p.lookUpTXT = o.LookUpTXT; p.lookUpTXT == nil {
		p.lookUpTXT = lookUpTXT
	}
	if p.sendSMS == nil {
		p.sendSMS = func(context.Context, Message) error { return errors.New("portal: no SMS provider") }
	}
	p.fetchPicture = o.FetchPicture
	if p.environment = cmp.Or(o.Environment, "production"); o.Environment == "" && p.dev {
		p.environment = "dev"
	}
	err := p.setKeys(append([][]byte{o.Secret}, o.FormerSecrets...))
	if err != nil {
		return nil, err
	}
	if p.hasher, err = newHasher(o.Hash, !o.NoLimit); err == nil && p.strict {
		p.hasher.measure()
	}
	return p, err
}

// Caller is who asks, as the doors see it: for limits, the audit log and the security log.
type Caller struct {
	RequestID string
	Address   string // the right-most untrusted hop
	Agent     string // User-Agent, shortened
	Unlimited bool   // the program runs without limits
}

type callerKey struct{}

// WithCaller notes who asks. The caller waits, so the database has little time for each of its operations.
func WithCaller(ctx context.Context, c Caller) context.Context {
	var from store.Networks
	if !c.Unlimited {
		from = networks(c.Address)
	}
	return context.WithValue(store.InRequest(ctx, from), callerKey{}, c)
}

func callerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// event writes a security event to the audit table and, after the commit, to the log: no secret, no phone number, no
// code.
func (p *Portal) event(ctx context.Context, db *store.DB, kind string, m store.Member, detail string) error {
	db.AfterCommit(func() { p.logAudit(ctx, kind, m, detail) })
	return db.AddAuditEvent(ctx, p.auditEvent(ctx, kind, m, detail))
}

// logAudit writes an event to the log.
func (p *Portal) logAudit(ctx context.Context, kind string, m store.Member, detail string) {
	p.logSecurity(ctx, logInfo, kind,
		slog.Int64("company", m.CompanyID), slog.Int64("phone", m.PhoneID), slog.Int64("account", m.ID),
		slog.String("detail", detail))
}

// auditEvent is an event as the audit table stores it.
func (p *Portal) auditEvent(ctx context.Context, kind string, m store.Member, detail string) store.AuditEvent {
	c := callerOf(ctx)
	return store.AuditEvent{
		At: store.At(p.now()), Kind: kind, Part: string(auditGroupOf[kind]),
		CompanyID: m.CompanyID, PhoneID: m.PhoneID, AccountID: m.ID,
		Address: c.Address, RequestID: c.RequestID, Detail: detail,
	}
}

// Ready returns nil while the database answers, has a schema that this program can work with, and accepts writes. It
// does not wait for the connections of requests.
func (p *Portal) Ready(ctx context.Context) error {
	db := p.db.ForProbe()
	if err := db.CheckSchema(ctx); err != nil {
		return err
	}
	return db.Writable(ctx)
}

// randomToken gives n random bytes in URL-safe letters.
func randomToken(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// hashed is the stored form of a token: its SHA-256 in hex. Tokens are random and long, so no key is needed.
func hashed(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// tag is the keyed hash of something guessable, short enough for a cookie.
func (p *Portal) tag(purpose, value string) string {
	mac := hmac.New(sha256.New, p.keys.hashes)
	mac.Write([]byte(purpose + "\x00" + value))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18])
}

// Unavailable says whether an operation failed because the database is away for now: the caller may retry.
func Unavailable(err error) bool { return store.Unavailable(err) }
