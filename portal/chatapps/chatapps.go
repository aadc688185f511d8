// Package chatapps knows the applications at WeChat and WeCom that the platform and the companies have, with their
// credentials and tokens.
package chatapps

import (
	"log/slog"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// Chatapps finds the application of a company or of the platform at a chat app. It is safe for concurrent use.
type Chatapps struct {
	db  *store.DB
	now func() time.Time
	log *slog.Logger

	lost      lostCredentials
	providers Providers

	sealing *core.Sealing
}

// New makes a Chatapps from the settings of the installation and the districts below.
func New(
	o access.Platform,
	providers Providers,
	sealing *core.Sealing,
) *Chatapps {
	return &Chatapps{
		db:        o.DB,
		now:       o.Now,
		log:       o.Log,
		providers: providers,
		sealing:   sealing,
	}
}
