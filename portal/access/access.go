// Package access says who is asking, from where, and with which rights: the host and its company (Place), the caller,
// the session's account, roles and rights, the refusals that every operation can return, and audit events. All other
// districts build on it.
package access

import (
	"log/slog"
	"net/url"
	"sync"
	"time"

	"portico/store"
)

// Platform is what every district knows of the installation.
type Platform struct {
	DB          *store.DB
	Now         func() time.Time
	Log         *slog.Logger
	Base        *url.URL // scheme and {host} of the platform
	BaseHost    string   // without port
	Dev         bool
	Strict      bool // PORTICO_PRIVACY=strict
	NoLimit     bool // PORTICO_LIMITS=off
	Support     Contact
	Counted     Counted
	Environment string          // env_ of the user payload
	Process     string          // names this process in leases
	Running     *sync.WaitGroup // what Stop waits for
}

// Access answers who is asking, from where, and with which rights. It is safe for concurrent use.
type Access struct {
	db       *store.DB
	now      func() time.Time
	log      *slog.Logger
	base     *url.URL
	baseHost string
	dev      bool
	support  Contact
	counted  Counted

	Companies *companyCache
}

// New makes an Access from the settings of the installation and the districts below.
func New(
	o Platform,
) *Access {
	return &Access{
		db:        o.DB,
		now:       o.Now,
		log:       o.Log,
		base:      o.Base,
		baseHost:  o.BaseHost,
		dev:       o.Dev,
		support:   o.Support,
		counted:   o.Counted,
		Companies: newCompanyCache(),
	}
}
