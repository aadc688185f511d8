// Package branding has the operations on a company's look: name, colours, icon, style sheet, and its own domains.
package branding

import (
	"context"

	"portico/portal/core"
	"portico/portal/pictures"
	"portico/portal/signin"
)

// Branding sets how a company looks. It is safe for concurrent use.
type Branding struct {
	core *core.Core

	lookUpTXT func(ctx context.Context, name string) ([]string, error)

	pictures *pictures.Pictures
	accounts *signin.Accounts
}

// New makes a Branding.
func New(
	c *core.Core,
	lookUpTXT func(ctx context.Context, name string) ([]string, error),
	pictures *pictures.Pictures,
	accounts *signin.Accounts,
) *Branding {
	return &Branding{
		core:      c,
		lookUpTXT: lookUpTXT,
		pictures:  pictures,
		accounts:  accounts,
	}
}
