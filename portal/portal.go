// Package portal is the one place that knows the rules of Portico: who may sign in, what blocks them, where
// they go next. It knows no HTTP, no HTML and no SQL; the pages and the API both call it.
//
// Every operation answers either a result, a refusal a person may read (Refusal, Refused), or another
// error, which is ours and is shown to nobody.
package portal

import (
	"cmp"
	"context"
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

// Ready returns nil while the database answers, has a schema that this program can work with, and accepts writes. It
// does not wait for the connections of requests.
func (p *Portal) Ready(ctx context.Context) error {
	db := p.db.ForProbe()
	if err := db.CheckSchema(ctx); err != nil {
		return err
	}
	return db.Writable(ctx)
}

// Unavailable says whether an operation failed because the database is away for now: the caller may retry.
func Unavailable(err error) bool { return store.Unavailable(err) }
