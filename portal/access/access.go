// Package access has what every operation needs to know about a request: the host and its company (Place), the caller,
// the signed-in account, roles and rights. It also has the refusals that operations return and the audit events that
// they write. All other packages of portal build on it.
package access

import (
	"log/slog"
	"net/url"
	"sync"
	"time"

	"portico/store"
)

// Platform has the settings and connections of the installation that every package of portal gets.
type Platform struct {
	DB          *store.DB
	Now         func() time.Time
	Log         *slog.Logger
	Base        *url.URL // scheme and {host} of the platform
	BaseHost    string   // without port
	Dev         bool
	Strict      bool // PORTICO_PRIVACY=strict: answers do not reveal which phones and accounts exist
	NoLimit     bool // PORTICO_LIMITS=off
	NoCompanies bool // PORTICO_REGISTER=closed: nobody registers a company
	Support     Contact
	Counted     Counted
	Environment string          // env_ of the user payload
	Process     string          // identifies this process in leases
	Running     *sync.WaitGroup // background work that Stop waits for
}

// Access finds the place of a request, checks rights, and writes audit and security events. It is safe for concurrent
// use.
type Access struct {
	db       *store.DB
	now      func() time.Time
	log      *slog.Logger
	base     *url.URL
	baseHost string
	dev      bool
	support  Contact
	counted  Counted

	CompaniesOpen bool // people may register companies themselves

	Companies *companyCache // companies by id and host, each for CompanyCacheTime
}

// New makes an Access.
func New(o Platform) *Access {
	return &Access{
		db:       o.DB,
		now:      o.Now,
		log:      o.Log,
		base:     o.Base,
		baseHost: o.BaseHost,
		dev:      o.Dev,
		support:  o.Support,
		counted:  o.Counted,

		CompaniesOpen: !o.NoCompanies,
		Companies:     newCompanyCache(),
	}
}

// RequireCompaniesOpen refuses with CompaniesClosed where only the operator opens companies.
func (a *Access) RequireCompaniesOpen() error {
	if !a.CompaniesOpen {
		return &Refused{Refusal: CompaniesClosed}
	}
	return nil
}
