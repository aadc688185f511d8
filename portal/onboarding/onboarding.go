// Package onboarding registers people and companies, opens trials, fills a new company with samples, and completes
// invited accounts.
package onboarding

import (
	"log/slog"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/application"
	"portico/portal/chatapps"
	"portico/portal/chatlogin"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/signin"
	"portico/store"
)

// Onboarding registers people and companies. It is safe for concurrent use.
type Onboarding struct {
	db  *store.DB
	now func() time.Time
	log *slog.Logger

	access       *access.Access
	sealing      *core.Sealing
	passwords    *core.Passwords
	limits       *core.Limits
	sessions     *core.Sessions
	chatapps     *chatapps.Chatapps
	verification *core.Verification
	replay       *core.Replay
	revocation   *core.Revocation
	accounts     *accounts.Accounts
	signin       *signin.Signin
	chatlogin    *chatlogin.Chatlogin
	credentials  *credentials.Credentials
	application  *application.Application
}

// New makes an Onboarding from the settings of the installation and the districts below.
func New(
	o access.Platform,
	access *access.Access,
	sealing *core.Sealing,
	passwords *core.Passwords,
	limits *core.Limits,
	sessions *core.Sessions,
	chatapps *chatapps.Chatapps,
	verification *core.Verification,
	replay *core.Replay,
	revocation *core.Revocation,
	accounts *accounts.Accounts,
	signin *signin.Signin,
	chatlogin *chatlogin.Chatlogin,
	credentials *credentials.Credentials,
	application *application.Application,
) *Onboarding {
	return &Onboarding{
		db:           o.DB,
		now:          o.Now,
		log:          o.Log,
		access:       access,
		sealing:      sealing,
		passwords:    passwords,
		limits:       limits,
		sessions:     sessions,
		chatapps:     chatapps,
		verification: verification,
		replay:       replay,
		revocation:   revocation,
		accounts:     accounts,
		signin:       signin,
		chatlogin:    chatlogin,
		credentials:  credentials,
		application:  application,
	}
}
