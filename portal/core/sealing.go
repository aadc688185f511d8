// Package sealing encrypts and signs what leaves the program and comes back: cookies, tickets, one-time codes, and
// the credentials of chat apps at rest. It also rotates master keys.
package core

import (
	"time"

	"portico/portal/access"
	"portico/store"
)

// Sealing seals with the newest master key and opens what any known master key has sealed. It is safe for concurrent
// use.
type Sealing struct {
	db  *store.DB
	now func() time.Time

	Keys keys // set by SetKeys
}

// NewSealing makes a Sealing without keys. Call SetKeys before using it.
func NewSealing(o access.Platform) *Sealing {
	return &Sealing{
		db:  o.DB,
		now: o.Now,
	}
}
