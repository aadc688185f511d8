// Package products has what a company's staff do with its products: add, edit, switch off and on.
package products

import (
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/core"
	"portico/portal/pictures"
	"portico/store"
)

// Products changes the products of companies. It is safe for concurrent use.
type Products struct {
	db  *store.DB
	now func() time.Time

	access   *access.Access
	sealing  *core.Sealing
	limits   *core.Limits
	pictures *pictures.Pictures
	accounts *accounts.Accounts
}

// New makes a Products from the settings of the installation and the districts below.
func New(
	o access.Platform,
	access *access.Access,
	sealing *core.Sealing,
	limits *core.Limits,
	pictures *pictures.Pictures,
	accounts *accounts.Accounts,
) *Products {
	return &Products{
		db:       o.DB,
		now:      o.Now,
		access:   access,
		sealing:  sealing,
		limits:   limits,
		pictures: pictures,
		accounts: accounts,
	}
}
