package portal

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

	"portico/store"
)

const (
	// SignatureWindow is how far a call's timestamp may differ from the server's clock.
	SignatureWindow = 5 * time.Minute
	// SignaturesKept is how long a signature is remembered: as long as its timestamp can pass.
	SignaturesKept = 2 * SignatureWindow
	// SignaturesHeld is about how many of them are held in memory; about 10 MB.
	SignaturesHeld = 200_000
	// ReadsNoted is how many signatures of reads are noted for other instances in ReadsNotedEvery; more are not noted.
	ReadsNoted = 500
	// ReadsNotedEvery is after how long other instances see the signature of a read.
	ReadsNotedEvery = 100 * time.Millisecond

	shortSignature = 16              // hex digits by which a read's signature is noted
	readsOverlap   = 5 * time.Second // by how much the clocks and commits of two instances may differ
)

// Call is a signed call as the replay rule sees it.
type Call struct {
	Signature string // 64 hex digits
	Path      string
	Effect    bool
	Keyed     bool // the call carries an idempotency key: KeptAnswer answers or refuses the replay
}

// replays remembers the signatures of signed calls.
//
// A call with an effect uses its signature up with a row in the database, for all instances and across restarts. A read
// is remembered in memory, with its path, and leaves no row of its own: the instances note the signatures of their
// reads together, ten rows a second at most, and a call with an effect looks at those of the other instances first. So
// the signature of a read cannot be replayed as a call with an effect on any instance. An instance can miss the reads
// of another one in the last ReadsNotedEvery, and those of a flood beyond SignaturesHeld and ReadsNoted. The signature
// of a call with an effect may be replayed as a read on another instance: it reads only what its token reads anyway.
type replays struct {
	seed     maphash.Seed
	own      *recent[signatureID, uint64] // the hash of the path each was sent to
	others   *recent[string, struct{}]    // reads of other instances, by their short signature
	lookedAt atomic.Int64                 // the latest expiry among others

	mu      sync.Mutex
	pending []string // reads that are not noted yet
	writing bool
}

type signatureID [16]byte

func newReplays() *replays {
	return &replays{
		seed:   maphash.MakeSeed(),
		own:    newRecent[signatureID, uint64](SignaturesKept, SignaturesHeld),
		others: newRecent[string, struct{}](SignaturesKept, SignaturesHeld),
	}
}

func idOf(signature string) (id signatureID) {
	_, _ = hex.Decode(id[:], []byte(signature[:2*len(id)])) // the caller's signature was verified, so it is hex
	return id
}

func (r *replays) pathHash(path string) uint64 { return maphash.String(r.seed, path) }

// FirstUse refuses a signature with SignReplayed when a call with an effect uses it a second time, or a read uses it on
// another path.
func (p *Portal) FirstUse(ctx context.Context, c Call) error {
	path := p.replays.pathHash(c.Path)
	before, known := p.replays.own.add(idOf(c.Signature), path, p.now())
	replayed := known && (c.Effect || before != path)
	if !replayed && c.Effect {
		var err error
		if replayed, err = p.usedElsewhere(ctx, c); err != nil {
			return err
		}
	}
	switch {
	case replayed && c.Keyed:
		return SignReplayed
	case replayed:
		return p.refuseReplay(ctx, c)
	case !known && !c.Effect:
		p.noteLater(c.Signature[:shortSignature])
	}
	return nil
}

func (p *Portal) refuseReplay(ctx context.Context, c Call) error {
	p.logSecurity(ctx, logInfo, "replay_refused", slog.String("detail", c.Path))
	return SignReplayed
}

// usedElsewhere uses up the signature of a call with an effect. It returns true when another instance, or this one
// before a restart, has used it or read with it.
func (p *Portal) usedElsewhere(ctx context.Context, c Call) (bool, error) {
	if err := p.learnReads(ctx); err != nil {
		return false, err
	}
	if _, known := p.replays.others.get(c.Signature[:shortSignature]); known {
		return true, nil
	}
	first, err := p.db.UseSignature(ctx, store.Signature{
		ID: c.Signature[:32], Path: c.Path, ExpiresAt: store.At(p.now().Add(SignaturesKept)),
	})
	return !first, err
}

// learnReads reads which reads other instances have noted since it last looked.
func (p *Portal) learnReads(ctx context.Context) error {
	now := p.now()
	after := max(p.replays.lookedAt.Load()-readsOverlap.Milliseconds(), int64(store.At(now)))
	noted, err := p.db.ReadsOfOthers(ctx, p.process, store.Instant(after))
	if err != nil {
		return err
	}
	latest := int64(0)
	for _, n := range noted {
		for text := n.Noted; len(text) >= shortSignature; text = text[shortSignature:] {
			p.replays.others.add(text[:shortSignature], struct{}{}, now)
		}
		latest = max(latest, int64(n.ExpiresAt))
	}
	if before := p.replays.lookedAt.Load(); latest > before {
		p.replays.lookedAt.CompareAndSwap(before, latest)
	}
	return nil
}

// isFor says whether the signature of a call was used before for the same path.
func (p *Portal) isFor(ctx context.Context, c Call) (bool, error) {
	if path, known := p.replays.own.get(idOf(c.Signature)); known {
		return path == p.replays.pathHash(c.Path), nil
	}
	path, err := p.db.PathOfSignature(ctx, c.Signature[:32], store.At(p.now()))
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return path == c.Path, err
}

// noteLater notes the signature of a read together with those that follow within ReadsNotedEvery.
func (p *Portal) noteLater(short string) {
	p.replays.mu.Lock()
	defer p.replays.mu.Unlock()
	if len(p.replays.pending) < ReadsNoted {
		p.replays.pending = append(p.replays.pending, short)
	}
	if !p.replays.writing {
		p.replays.writing = true
		time.AfterFunc(ReadsNotedEvery, func() { p.noteNow(context.Background()) })
	}
}

// noteNow notes the signatures that wait.
func (p *Portal) noteNow(ctx context.Context) {
	p.replays.mu.Lock()
	pending := p.replays.pending
	p.replays.pending, p.replays.writing = nil, false
	p.replays.mu.Unlock()
	if len(pending) == 0 {
		return
	}
	noted := store.ReadSignatures{Noted: strings.Join(pending, ""), ExpiresAt: store.At(p.now().Add(SignaturesKept))}
	if err := p.db.NoteReads(ctx, randomToken(9), p.process, noted); err != nil {
		p.log.LogAttrs(ctx, slog.LevelError, "signatures not noted", slog.Any("error", err))
	}
}
