// Package replay lets an operation that is sent twice take effect once: signed calls, idempotency keys, and forms
// whose answer was lost.
package core

import (
	"log/slog"
	"time"

	"portico/portal/access"
	"portico/store"
)

// Replay recognises requests that were sent before. It is safe for concurrent use.
type Replay struct {
	db      *store.DB
	now     func() time.Time
	log     *slog.Logger
	process string

	Replays *replays  // signatures of this and other instances
	Proofs  keyedLock // by MadeBy.ID

	access       *access.Access
	sealing      *Sealing
	limits       *Limits
	verification *Verification
}

// NewReplay makes a Replay.
func NewReplay(
	o access.Platform,
	access *access.Access,
	sealing *Sealing,
	limits *Limits,
	verification *Verification,
) *Replay {
	return &Replay{
		db:           o.DB,
		now:          o.Now,
		log:          o.Log,
		process:      o.Process,
		Replays:      newReplays(),
		access:       access,
		sealing:      sealing,
		limits:       limits,
		verification: verification,
	}
}
