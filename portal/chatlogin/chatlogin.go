// Package chatlogin signs people in with their WeChat or WeCom identity, and links identities to accounts.
package chatlogin

import (
	"log/slog"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/chatapps"
	"portico/portal/limits"
	"portico/portal/passwords"
	"portico/portal/sealing"
	"portico/portal/sessions"
	"portico/portal/signin"
	"portico/portal/verification"
	"portico/store"
)

// Chatlogin signs in by chat app. It is safe for concurrent use.
type Chatlogin struct {
	db       *store.DB
	now      func() time.Time
	log      *slog.Logger
	baseHost string

	access       *access.Access
	sealing      *sealing.Sealing
	passwords    *passwords.Passwords
	limits       *limits.Limits
	sessions     *sessions.Sessions
	chatapps     *chatapps.Chatapps
	verification *verification.Verification
	accounts     *accounts.Accounts
	signin       *signin.Signin
}

// New makes a Chatlogin from the settings of the installation and the districts below.
func New(
	o access.Platform,
	access *access.Access,
	sealing *sealing.Sealing,
	passwords *passwords.Passwords,
	limits *limits.Limits,
	sessions *sessions.Sessions,
	chatapps *chatapps.Chatapps,
	verification *verification.Verification,
	accounts *accounts.Accounts,
	signin *signin.Signin,
) *Chatlogin {
	return &Chatlogin{
		db:           o.DB,
		now:          o.Now,
		log:          o.Log,
		baseHost:     o.BaseHost,
		access:       access,
		sealing:      sealing,
		passwords:    passwords,
		limits:       limits,
		sessions:     sessions,
		chatapps:     chatapps,
		verification: verification,
		accounts:     accounts,
		signin:       signin,
	}
}
