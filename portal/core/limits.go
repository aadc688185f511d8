// Package limits counts failures and lookups, and refuses or slows down a caller who has too many. It also ties forms
// to the person they were opened for, and asks for proof of work.
package core

import (
	"time"

	"portico/portal/access"
	"portico/store"
)

// Limits counts attempts and refuses callers over a limit. It is safe for concurrent use.
type Limits struct {
	db      *store.DB
	now     func() time.Time
	strict  bool
	noLimit bool

	crowdProofs *Recent[string, struct{}]
	publicCalls publicCalls

	access  *access.Access
	sealing *Sealing
}

// NewLimits makes a Limits.
func NewLimits(
	o access.Platform,
	access *access.Access,
	sealing *Sealing,
) *Limits {
	return &Limits{
		db:          o.DB,
		now:         o.Now,
		strict:      o.Strict,
		noLimit:     o.NoLimit,
		crowdProofs: newCrowdProofs(),
		access:      access,
		sealing:     sealing,
	}
}
