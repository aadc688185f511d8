// Package core has what every operation needs, and hands it on as one Core: limits and repeats, sessions, verification
// codes, passwords, and the keys that seal what leaves the program. It knows no single operation.
package core

import (
	"context"
	"time"

	"portico/portal/access"
	"portico/store"
)

// Core is shared by all operations. It is safe for concurrent use.
type Core struct {
	access.Platform

	Access       *access.Access
	Sealing      *Sealing
	Passwords    *Passwords
	Limits       *Limits
	Sessions     *Sessions
	Statistics   *Statistics
	Verification *Verification
	Replay       *Replay
	Revocation   *Revocation
}

// Settings are the settings of the core. Secret is required.
type Settings struct {
	Secret        []byte   // master key that seals, at least 32 bytes
	FormerSecrets [][]byte // earlier master keys, newest first; they open values but seal none

	Hash      HashCost
	Password  PasswordRule  // for new passwords
	AuditKept time.Duration // of audit events
	Counters  []string      // hosts that companies' statistics tools may use

	SendSMS         func(context.Context, Message) error
	Resend          time.Duration // from one code to the next
	Messages        int           // a day for the platform
	MessagesCompany int           // a day for one company
}

// New makes a Core on a migrated database. It reads the key of keyed hashes from there.
func New(platform access.Platform, s Settings) (*Core, error) {
	c := &Core{Platform: platform, Access: access.New(platform)}
	c.Sealing = &Sealing{core: c}
	if err := c.Sealing.SetKeys(append([][]byte{s.Secret}, s.FormerSecrets...)); err != nil {
		return nil, err
	}
	hasher, err := NewHasher(s.Hash, !c.NoLimit)
	if err != nil {
		return nil, err
	}
	if c.Strict {
		hasher.Measure()
	}
	hasher.Queue.counted = c.Counted
	c.Passwords = &Passwords{core: c, Hasher: hasher, Password: s.Password.WithDefaults()}
	c.Limits = &Limits{core: c, crowdProofs: newCrowdProofs()}
	c.Sessions = &Sessions{core: c, sessions: newSessions(c.DB, c.Now), AuditKept: s.AuditKept}
	c.Statistics = &Statistics{core: c, counters: s.Counters}
	c.Verification = &Verification{
		core: c, resend: s.Resend, SendSMS: s.SendSMS, Messages: s.Messages, MessagesCompany: s.MessagesCompany,
	}
	c.Replay = &Replay{core: c, Replays: newReplays()}
	c.Revocation = &Revocation{core: c}
	return c, nil
}

// Unavailable says whether an operation failed because the database cannot be reached at the moment. The caller may
// retry.
func Unavailable(err error) bool { return store.Unavailable(err) }
