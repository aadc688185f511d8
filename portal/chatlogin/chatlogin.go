// Package chatlogin signs people in with their WeChat or WeCom identity, and links identities to accounts.
package chatlogin

import (
	"log/slog"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/chatapps"
	"portico/portal/core"
	"portico/portal/signin"
	"portico/store"
)

// Chatlogin signs in by chat app. It is safe for concurrent use.
type Chatlogin struct {
	db       *store.DB
	now      func() time.Time
	log      *slog.Logger
	baseHost string

	access       *access.Access
	sealing      *core.Sealing
	passwords    *core.Passwords
	limits       *core.Limits
	sessions     *core.Sessions
	chatapps     *chatapps.Chatapps
	verification *core.Verification
	accounts     *accounts.Accounts
	signin       *signin.Signin
}

// New makes a Chatlogin from the settings of the installation and the districts below.
func New(
	o access.Platform,
	access *access.Access,
	sealing *core.Sealing,
	passwords *core.Passwords,
	limits *core.Limits,
	sessions *core.Sessions,
	chatapps *chatapps.Chatapps,
	verification *core.Verification,
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
