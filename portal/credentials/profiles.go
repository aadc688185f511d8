package credentials

import (
	"context"

	"portico/portal/core"
	"portico/portal/pictures"
	"portico/portal/signin"
)

// Profiles shows and changes what a person says about themselves: name, position and portrait. It is safe for
// concurrent use.
type Profiles struct {
	core *core.Core

	fetchPicture func(ctx context.Context, address string) ([]byte, error)

	pictures *pictures.Pictures
	accounts *signin.Accounts
}

// NewProfiles makes a Profiles.
func NewProfiles(
	c *core.Core,
	fetchPicture func(ctx context.Context, address string) ([]byte, error),
	pictures *pictures.Pictures,
	accounts *signin.Accounts,
) *Profiles {
	return &Profiles{
		core:         c,
		fetchPicture: fetchPicture,
		pictures:     pictures,
		accounts:     accounts,
	}
}
