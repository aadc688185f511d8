// Package shop is what a company sells: its products, the catalogue, carts and orders.
package shop

import (
	"portico/portal/core"
	"portico/portal/pictures"
)

// Shop shows the catalogue, takes orders, and lets staff change products. It is safe for concurrent use.
type Shop struct {
	core *core.Core

	pictures *pictures.Pictures
}

// New makes a Shop.
func New(c *core.Core, pictures *pictures.Pictures) *Shop {
	return &Shop{core: c, pictures: pictures}
}
