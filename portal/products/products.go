// Package products has what a company's staff do with its products: add, edit, switch off and on.
package products

import (
	"portico/portal/accounts"
	"portico/portal/core"
	"portico/portal/pictures"
)

// Products changes the products of companies. It is safe for concurrent use.
type Products struct {
	core *core.Core

	pictures *pictures.Pictures
	accounts *accounts.Accounts
}

// New makes a Products.
func New(c *core.Core, pictures *pictures.Pictures, accounts *accounts.Accounts) *Products {
	return &Products{
		core:     c,
		pictures: pictures,
		accounts: accounts,
	}
}
