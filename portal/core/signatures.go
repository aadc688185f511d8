package core

import (
	"context"
	"encoding/hex"
	"errors"
	"hash/maphash"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"portico/portal/access"
	"portico/store"
)

const (
	// SignatureWindow is how far a call's timestamp may differ from the server's clock.
	SignatureWindow = 5 * time.Minute
	// SignaturesKept is how long a signature is remembered: as long as its timestamp can be accepted.
	SignaturesKept = 2 * SignatureWindow
	// SignaturesHeld is about how many of them are kept in memory; about 10 MB.
	SignaturesHeld = 200_000
	// ReadsNoted is how many signatures of reads are noted for other instances in ReadsNotedEvery; more are not noted.
	ReadsNoted = 500
	// ReadsNotedEvery is after how long other instances see the signature of a read.
	ReadsNotedEvery = 100 * time.Millisecond

	shortSignature = 16              // hex digits by which a read's signature is noted
	readsOverlap   = 5 * time.Second // by how much the clocks and commits of two instances may differ
)

// Call has the facts about a signed call that decide whether it is a replay.
type Call struct {
	Signature string // 64 hex digits
	Path      string
	Effect    bool // the call changes something
	Keyed     bool // the call carries an idempotency key: KeptAnswer answers or refuses the replay
}

// replays remembers the signatures of signed calls.
//
// A call with an effect stores its signature as a row in the database, for all instances and across restarts. A read
// is remembered in memory, with its path, and leaves no row of its own: the instances note the signatures of their
// reads together, ten rows a second at most, and a call with an effect looks at those of the other instances first. So
// the signature of a read cannot be replayed as a call with an effect on any instance. An instance can miss the reads
// of another one in the last ReadsNotedEvery, and those of a flood beyond SignaturesHeld and ReadsNoted. The signature
// of a call with an effect may be replayed as a read on another instance: it reads only what its token reads anyway.
type replays struct {
	seed     maphash.Seed
	Own      *Recent[signatureID, uint64] // the hash of the path each was sent to
	others   *Recent[string, struct{}]    // reads of other instances, by their short signature
	lookedAt atomic.Int64                 // the latest expiry among others

	mu      sync.Mutex
	pending []string // reads that are not noted yet
	writing bool
}

type signatureID [16]byte

func newReplays() *replays {
	return &replays{
		seed:   maphash.MakeSeed(),
		Own:    NewRecent[signatureID, uint64](SignaturesKept, SignaturesHeld),
		others: NewRecent[string, struct{}](SignaturesKept, SignaturesHeld),
	}
}

// IDOf returns the first 16 bytes of a signature in hex.
func IDOf(signature string) (id signatureID) {
	_, _ = hex.Decode(id[:], []byte(signature[:2*len(id)])) // the caller's signature was verified, so it is hex
	return id
}

// PathHash returns the hash of a path in this process.
func (r *replays) PathHash(path string) uint64 { return maphash.String(r.seed, path) }

// FirstUse refuses a signature with SignReplayed when a call with an effect uses it a second time, or a read uses it on
// another path.
func (r *Replay) FirstUse(ctx context.Context, c Call) error {
	path := r.Replays.PathHash(c.Path)
	before, known := r.Replays.Own.Add(IDOf(c.Signature), path, r.core.Now())
	replayed := known && (c.Effect || before != path)
	if !replayed && c.Effect {
		var err error
		if replayed, err = r.usedElsewhere(ctx, c); err != nil {
			return err
		}
	}
	switch {
	case replayed && c.Keyed:
		return access.SignReplayed
	case replayed:
		return r.refuseReplay(ctx, c)
	case !known && !c.Effect:
		r.noteLater(c.Signature[:shortSignature])
	}
	return nil
}

func (r *Replay) refuseReplay(ctx context.Context, c Call) error {
	r.core.Access.LogSecurity(ctx, access.LogInfo, "replay_refused", slog.String("detail", c.Path))
	return access.SignReplayed
}

// usedElsewhere uses up the signature of a call with an effect. It returns true when another instance, or this one
// before a restart, has used it or read with it.
func (r *Replay) usedElsewhere(ctx context.Context, c Call) (bool, error) {
	if err := r.learnReads(ctx); err != nil {
		return false, err
	}
	if _, known := r.Replays.others.Get(c.Signature[:shortSignature]); known {
		return true, nil
	}
	first, err := r.core.DB.Signatures.Use(ctx, store.Signature{
		ID: c.Signature[:32], Path: c.Path, ExpiresAt: store.At(r.core.Now().Add(SignaturesKept)),
	})
	return !first, err
}

// learnReads reads which reads other instances have noted since it last looked.
func (r *Replay) learnReads(ctx context.Context) error {
	now := r.core.Now()
	after := max(r.Replays.lookedAt.Load()-readsOverlap.Milliseconds(), int64(store.At(now)))
	noted, err := r.core.DB.Signatures.ReadsOfOthers(ctx, r.core.Process, store.Instant(after))
	if err != nil {
		return err
	}
	latest := int64(0)
	for _, n := range noted {
		for text := n.Noted; len(text) >= shortSignature; text = text[shortSignature:] {
			r.Replays.others.Add(text[:shortSignature], struct{}{}, now)
		}
		latest = max(latest, int64(n.ExpiresAt))
	}
	if before := r.Replays.lookedAt.Load(); latest > before {
		r.Replays.lookedAt.CompareAndSwap(before, latest)
	}
	return nil
}

// isFor says whether the signature of a call was used before for the same path.
func (r *Replay) isFor(ctx context.Context, c Call) (bool, error) {
	if path, known := r.Replays.Own.Get(IDOf(c.Signature)); known {
		return path == r.Replays.PathHash(c.Path), nil
	}
	path, err := r.core.DB.Signatures.Path(ctx, c.Signature[:32], store.At(r.core.Now()))
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return path == c.Path, err
}

// noteLater notes the signature of a read together with those that follow within ReadsNotedEvery.
func (r *Replay) noteLater(short string) {
	r.Replays.mu.Lock()
	defer r.Replays.mu.Unlock()
	if len(r.Replays.pending) < ReadsNoted {
		r.Replays.pending = append(r.Replays.pending, short)
	}
	if !r.Replays.writing {
		r.Replays.writing = true
		time.AfterFunc(ReadsNotedEvery, func() { r.StorePendingReads(context.Background()) })
	}
}

// StorePendingReads stores the pending signatures of reads for other instances.
func (r *Replay) StorePendingReads(ctx context.Context) {
	r.Replays.mu.Lock()
	pending := r.Replays.pending
	r.Replays.pending, r.Replays.writing = nil, false
	r.Replays.mu.Unlock()
	if len(pending) == 0 {
		return
	}
	noted := store.ReadSignatures{
		Noted: strings.Join(pending, ""), ExpiresAt: store.At(r.core.Now().Add(SignaturesKept)),
	}
	if err := r.core.DB.Signatures.NoteReads(ctx, access.RandomToken(9), r.core.Process, noted); err != nil {
		r.core.Log.LogAttrs(ctx, slog.LevelError, "signatures not noted", slog.Any("error", err))
	}
}

// Remembered returns how many signatures this process remembers: its own and those of other instances.
func (r *Replay) Remembered() int { return r.Replays.Own.Size() + r.Replays.others.Size() }
