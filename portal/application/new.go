// Package application takes applications to order from a company, with their licences, shows how they stand, and lets
// the company decide.
package application

import (
	"log/slog"
	"sync"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/chatlogin"
	"portico/portal/limits"
	"portico/portal/pictures"
	"portico/portal/profile"
	"portico/portal/replay"
	"portico/portal/sealing"
	"portico/portal/signin"
	"portico/portal/verification"
	"portico/store"
)

// Application sends, shows and decides applications. It is safe for concurrent use.
type Application struct {
	db       *store.DB
	now      func() time.Time
	log      *slog.Logger
	baseHost string
	strict   bool
	noLimit  bool
	running  *sync.WaitGroup

	access       *access.Access
	sealing      *sealing.Sealing
	limits       *limits.Limits
	verification *verification.Verification
	replay       *replay.Replay
	pictures     *pictures.Pictures
	accounts     *accounts.Accounts
	signin       *signin.Signin
	chatlogin    *chatlogin.Chatlogin
	profile      *profile.Profiles
}

// New makes an Application from the settings of the installation and the districts below.
func New(
	o access.Platform,
	access *access.Access,
	sealing *sealing.Sealing,
	limits *limits.Limits,
	verification *verification.Verification,
	replay *replay.Replay,
	pictures *pictures.Pictures,
	accounts *accounts.Accounts,
	signin *signin.Signin,
	chatlogin *chatlogin.Chatlogin,
	profile *profile.Profiles,
) *Application {
	return &Application{
		db:           o.DB,
		now:          o.Now,
		log:          o.Log,
		baseHost:     o.BaseHost,
		strict:       o.Strict,
		noLimit:      o.NoLimit,
		running:      o.Running,
		access:       access,
		sealing:      sealing,
		limits:       limits,
		verification: verification,
		replay:       replay,
		pictures:     pictures,
		accounts:     accounts,
		signin:       signin,
		chatlogin:    chatlogin,
		profile:      profile,
	}
}
