// Package portal wires the rules of Portico. Each subject is a package below this one, and New gives each of them the
// core and the packages that it calls. The rules know no HTTP, no HTML and no SQL; pages and API both call them.
//
// Every operation returns a result, a refusal for the person who asked (access.Refusal, access.Refused), or another
// error, which is a fault of the program or its surroundings and is never shown.
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

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/branding"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/imports"
	"portico/portal/lists"
	"portico/portal/office"
	"portico/portal/onboarding"
	"portico/portal/operator"
	"portico/portal/pictures"
	"portico/portal/shop"
	"portico/portal/signin"
	"portico/store"
)

// Options are the settings and connections of a Portal. DB, Base and Secret are required.
type Options struct {
	DB      *store.DB
	Base    *url.URL // scheme and {host} of the platform
	Secret  []byte   // master key that seals, at least 32 bytes
	Dev     bool     // a request from loopback may name its company with ?companyId=
	Strict  bool     // PORTICO_PRIVACY=strict
	NoLimit bool     // PORTICO_LIMITS=off

	NoCompanies bool // PORTICO_REGISTER=closed: only the operator opens companies

	Support access.Contact // the operator's customer service; empty: none
	Hash    core.HashCost  // zero: core.DefaultHashCost
	Log     *slog.Logger
	Now     func() time.Time // zero: time.Now

	Counted access.Counted // the metrics

	FormerSecrets [][]byte // earlier master keys, newest first; they open values but seal none

	SendSMS         func(context.Context, core.Message) error // nil: no provider
	Resend          time.Duration                             // zero: core.DefaultResend
	AuditKept       time.Duration                             // of audit events; zero: access.DefaultAuditKept
	Password        core.PasswordRule                         // for new passwords; zero: 6 to 20 characters
	Files           pictures.Files                            // where uploads are kept; nil: nobody can upload
	Messages        int                                       // a day for the platform; zero: core.MessagesDay
	MessagesCompany int                                       // a day for one company; zero: core.MessagesCompanyDay

	Counters []string // hosts that companies' statistics tools may use

	Providers signin.Providers // chat apps to sign in with

	Environment string // env_ of the user payload; "": dev or production, by Dev

	// FetchPicture reads a picture at a chat app, for credentials.UseWeChatPortrait; nil: that operation
	// is off.
	FetchPicture func(ctx context.Context, address string) ([]byte, error)

	// LookUpTXT returns the TXT records of a DNS name; nil: the system's resolver.
	LookUpTXT func(ctx context.Context, name string) ([]string, error)
}

// Portal holds the rules of all subjects. It is safe for concurrent use.
type Portal struct {
	*core.Core

	Chatapps    *signin.Chatapps
	Pictures    *pictures.Pictures
	Accounts    *signin.Accounts
	Entry       *signin.Entry
	Signin      *signin.Signin
	Landing     *signin.Landing
	Chatlogin   *signin.Chatlogin
	Profiles    *credentials.Profiles
	Credentials *credentials.Credentials
	Binding     *credentials.Binding
	Licences    *application.Licences
	Application *application.Application
	Shop        *shop.Shop
	Imports     *imports.Imports
	Branding    *branding.Branding
	Onboarding  *onboarding.Onboarding
	Backoffice  *office.Backoffice
	Overview    *office.Overview
	Lists       *lists.Lists
	Operator    *operator.Operator
}

// New makes a Portal on a migrated database.
func New(o Options) (*Portal, error) {
	o = withDefaults(o)
	base := *o.Base
	base.Host = strings.ToLower(base.Host) // as access.NormalHost spells the hosts that are compared with it
	platform := access.Platform{
		DB: o.DB, Now: o.Now, Log: o.Log, Base: &base, BaseHost: base.Hostname(), Dev: o.Dev, Strict: o.Strict,
		NoLimit: o.NoLimit, NoCompanies: o.NoCompanies, Support: o.Support, Counted: o.Counted,
		Environment: o.Environment,
		Process:     access.RandomToken(9), Running: &sync.WaitGroup{},
	}
	shared, err := core.New(platform, core.Settings{
		Secret: o.Secret, FormerSecrets: o.FormerSecrets, Hash: o.Hash, Password: o.Password, AuditKept: o.AuditKept,
		Counters: o.Counters, SendSMS: o.SendSMS, Resend: o.Resend, Messages: o.Messages,
		MessagesCompany: o.MessagesCompany,
	})
	if err != nil {
		return nil, err
	}
	p := &Portal{Core: shared}
	p.Chatapps = signin.NewChatapps(p.Core, o.Providers)
	p.Pictures = pictures.New(p.Core, o.Files)
	p.Accounts = signin.NewAccounts(p.Core, p.Chatapps)
	p.Entry = signin.NewEntry(p.Core, p.Accounts)
	p.Signin = signin.New(p.Core, p.Accounts, p.Entry)
	p.Landing = signin.NewLanding(p.Core, p.Accounts, p.Entry, p.Signin)
	p.Chatlogin = signin.NewChatlogin(p.Core, p.Chatapps, p.Accounts, p.Signin)
	p.Profiles = credentials.NewProfiles(p.Core, o.FetchPicture, p.Pictures, p.Accounts)
	p.Credentials = credentials.New(p.Core, p.Accounts, p.Signin)
	p.Binding = credentials.NewBinding(p.Core, p.Accounts, p.Signin, p.Credentials)
	p.Licences = application.NewLicences(p.Core, p.Pictures, p.Accounts)
	p.Application = application.New(p.Core, p.Accounts, p.Signin, p.Chatlogin, p.Licences)
	p.Shop = shop.New(p.Core, p.Pictures)
	p.Branding = branding.New(p.Core, o.LookUpTXT, p.Pictures)
	p.Onboarding = onboarding.New(p.Core, p.Chatapps, p.Accounts, p.Signin, p.Chatlogin, p.Credentials)
	p.Backoffice = office.New(p.Core, p.Accounts, p.Signin, p.Credentials)
	p.Overview = office.NewOverview(p.Core)
	p.Imports = imports.New(p.Core, p.Shop, p.Backoffice)
	p.Lists = lists.New(p.Core, p.Application, p.Backoffice, p.Shop)
	p.Operator = operator.New(p.Core, p.Entry, p.Branding, p.Backoffice)
	return p, nil
}

func withDefaults(o Options) Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Hash == (core.HashCost{}) {
		o.Hash = core.DefaultHashCost
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.SendSMS == nil {
		o.SendSMS = func(context.Context, core.Message) error { return errors.New("portal: no SMS provider") }
	}
	if o.LookUpTXT == nil {
		o.LookUpTXT = branding.LookUpTXT
	}
	if o.Environment == "" && o.Dev {
		o.Environment = "dev"
	}
	o.Environment = cmp.Or(o.Environment, "production")
	o.Resend, o.AuditKept = cmp.Or(o.Resend, core.DefaultResend), cmp.Or(o.AuditKept, access.DefaultAuditKept)
	o.Messages = cmp.Or(o.Messages, core.MessagesDay)
	o.MessagesCompany = cmp.Or(o.MessagesCompany, core.MessagesCompanyDay)
	return o
}

// Ready returns nil while the database answers, has a schema that this program can work with, and accepts writes. It
// does not wait for the connections of requests.
func (p *Portal) Ready(ctx context.Context) error {
	db := p.DB.ForProbe()
	if err := db.CheckSchema(ctx); err != nil {
		return err
	}
	return db.Writable(ctx)
}
