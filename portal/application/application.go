// Package application receives applications to become a customer of a company, with their business licences, shows
// their state, and lets the company decide.
package application

import (
	"log/slog"
	"sync"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/chatlogin"
	"portico/portal/core"
	"portico/portal/pictures"
	"portico/portal/profile"
	"portico/portal/signin"
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
	sealing      *core.Sealing
	limits       *core.Limits
	verification *core.Verification
	replay       *core.Replay
	accounts     *accounts.Accounts
	signin       *signin.Signin
	chatlogin    *chatlogin.Chatlogin
	licences     *Licences
}

// New makes an Application from the settings of the installation and the districts below.
func New(
	o access.Platform,
	access *access.Access,
	sealing *core.Sealing,
	limits *core.Limits,
	verification *core.Verification,
	replay *core.Replay,
	accounts *accounts.Accounts,
	signin *signin.Signin,
	chatlogin *chatlogin.Chatlogin,
	licences *Licences,
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
		accounts:     accounts,
		signin:       signin,
		chatlogin:    chatlogin,
		licences:     licences,
	}
}

// Licences stores the pictures of business licences that applicants send, shows them, and removes the files that
// nothing refers to any more. It is safe for concurrent use.
type Licences struct {
	db  *store.DB
	now func() time.Time
	log *slog.Logger

	access   *access.Access
	sealing  *core.Sealing
	limits   *core.Limits
	replay   *core.Replay
	pictures *pictures.Pictures
	accounts *accounts.Accounts
	profile  *profile.Profiles
}

// NewLicences makes a Licences from the settings of the installation and the districts below.
func NewLicences(
	o access.Platform,
	access *access.Access,
	sealing *core.Sealing,
	limits *core.Limits,
	replay *core.Replay,
	pictures *pictures.Pictures,
	accounts *accounts.Accounts,
	profile *profile.Profiles,
) *Licences {
	return &Licences{
		db:       o.DB,
		now:      o.Now,
		log:      o.Log,
		access:   access,
		sealing:  sealing,
		limits:   limits,
		replay:   replay,
		pictures: pictures,
		accounts: accounts,
		profile:  profile,
	}
}
