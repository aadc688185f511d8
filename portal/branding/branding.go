// Package branding has the operations on a company's look: name, colours, icon, style sheet, and its own domains.
package branding

import (
	"context"

	"portico/portal/core"
	"portico/portal/pictures"
)

// Branding sets how a company looks. It is safe for concurrent use.
type Branding struct {
	core *core.Core

	lookUpTXT func(ctx context.Context, name string) ([]string, error)

	pictures *pictures.Pictures
}

// New makes a Branding.
func New(
	c *core.Core,
	lookUpTXT func(ctx context.Context, name string) ([]string, error),
	pictures *pictures.Pictures,
) *Branding {
	return &Branding{
		core:      c,
		lookUpTXT: lookUpTXT,
		pictures:  pictures,
	}
}
