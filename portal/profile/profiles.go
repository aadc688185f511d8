// Package profile shows and changes what a person says about themselves: name, position and portrait.
package profile

import (
	"context"
	"log/slog"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/chatlogin"
	"portico/portal/core"
	"portico/portal/pictures"
	"portico/store"
)

// Profiles shows and changes profiles. It is safe for concurrent use.
type Profiles struct {
	db  *store.DB
	now func() time.Time
	log *slog.Logger

	fetchPicture func(ctx context.Context, address string) ([]byte, error)

	access    *access.Access
	limits    *core.Limits
	pictures  *pictures.Pictures
	accounts  *accounts.Accounts
	chatlogin *chatlogin.Chatlogin
}

// New makes a Profiles from the settings of the installation and the districts below.
func New(
	o access.Platform,
	fetchPicture func(ctx context.Context, address string) ([]byte, error),
	access *access.Access,
	limits *core.Limits,
	pictures *pictures.Pictures,
	accounts *accounts.Accounts,
	chatlogin *chatlogin.Chatlogin,
) *Profiles {
	return &Profiles{
		db:           o.DB,
		now:          o.Now,
		log:          o.Log,
		fetchPicture: fetchPicture,
		access:       access,
		limits:       limits,
		pictures:     pictures,
		accounts:     accounts,
		chatlogin:    chatlogin,
	}
}
