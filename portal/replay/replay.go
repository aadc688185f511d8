// Package replay lets an operation that is sent twice take effect once: signed calls, idempotency keys, and forms
// whose answer was lost.
package replay

import (
	"log/slog"
	"time"

	"portico/portal/access"
	"portico/portal/limits"
	"portico/portal/sealing"
	"portico/portal/verification"
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
	sealing      *sealing.Sealing
	limits       *limits.Limits
	verification *verification.Verification
}

// New makes a Replay.
func New(
	o access.Platform,
	access *access.Access,
	sealing *sealing.Sealing,
	limits *limits.Limits,
	verification *verification.Verification,
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
