// Package operator has the operations of the operator's commands: settings of companies, domains, and
// credentials of chat apps.
package operator

import (
	"portico/portal/branding"
	"portico/portal/core"
	"portico/portal/office"
	"portico/portal/signin"
)

// Operator runs the operator's commands. It is safe for concurrent use.
type Operator struct {
	core *core.Core

	entry      *signin.Entry
	branding   *branding.Branding
	backoffice *office.Backoffice
}

// New makes an Operator.
func New(c *core.Core, entry *signin.Entry, branding *branding.Branding, backoffice *office.Backoffice) *Operator {
	return &Operator{
		core:       c,
		entry:      entry,
		branding:   branding,
		backoffice: backoffice,
	}
}
