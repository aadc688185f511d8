// Package operator has the operations of the operator's commands: settings of companies, domains, and
// credentials of chat apps.
package operator

import (
	"time"

	"portico/portal/access"
	"portico/portal/backoffice"
	"portico/portal/branding"
	"portico/portal/core"
	"portico/portal/entry"
	"portico/store"
)

// Operator runs the operator's commands. It is safe for concurrent use.
type Operator struct {
	db  *store.DB
	now func() time.Time

	access     *access.Access
	sealing    *core.Sealing
	statistics *core.Statistics
	entry      *entry.Entry
	branding   *branding.Branding
	backoffice *backoffice.Backoffice
}

// New makes an Operator from the settings of the installation and the districts below.
func New(
	o access.Platform,
	access *access.Access,
	sealing *core.Sealing,
	statistics *core.Statistics,
	entry *entry.Entry,
	branding *branding.Branding,
	backoffice *backoffice.Backoffice,
) *Operator {
	return &Operator{
		db:         o.DB,
		now:        o.Now,
		access:     access,
		sealing:    sealing,
		statistics: statistics,
		entry:      entry,
		branding:   branding,
		backoffice: backoffice,
	}
}
