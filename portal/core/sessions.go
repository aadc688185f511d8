// Package sessions begins, renews, lists and ends the sessions of browsers and the tokens of native apps.
package core

import (
	"time"

	"github.com/alexedwards/scs/v2"

	"portico/portal/access"
	"portico/store"
)

// Sessions manages the sessions of browsers and native apps. It is safe for concurrent use.
type Sessions struct {
	db      *store.DB
	now     func() time.Time
	noLimit bool

	sessions  *scs.SessionManager // carries the browser's session in the context of a request
	AuditKept time.Duration       // how long events stay in the audit log

	access  *access.Access
	sealing *Sealing
}

// NewSessions makes a Sessions from the settings of the installation and the districts below.
func NewSessions(
	o access.Platform,
	auditKept time.Duration,
	access *access.Access,
	sealing *Sealing,
) *Sessions {
	return &Sessions{
		db:        o.DB,
		now:       o.Now,
		noLimit:   o.NoLimit,
		sessions:  newSessions(o.DB, o.Now),
		AuditKept: auditKept,
		access:    access,
		sealing:   sealing,
	}
}
