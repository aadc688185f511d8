package portal

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	"portico/store"
)

const (
	// SignatureWindow is how far a call's timestamp may be off, either way (contract section 4).
	SignatureWindow = 5 * time.Minute
	// SignaturesKept is how long a signature is remembered: as long as its timestamp can pass.
	SignaturesKept = 2 * SignatureWindow

	signaturesHeld = 200_000                // in memory; about 20 MB
	noteEvery      = 100 * time.Millisecond // after which others see a signature of a call without an effect
)

// Call is a signed call as the replay rule sees it.
type Call struct {
	Signature string // 64 hex digits
	Path      string
	Effect    bool
	Keyed     bool // the call carries an idempotency key: KeptAnswer answers or refuses the replay
}

// replays remembers signatures. The truth about calls with an effect is the database: one row a signature,
// shared by all instances and kept over a restart. Reads are remembered here first and written down in the
// background, so that they cost no write each, and still none of their signatures can be turned into an
// effect on another path. (The other way round, an effect's signature sent to a read of another instance, is
// not seen: it reads what the token reads anyway.)
type replays struct {
	mu      sync.Mutex
	seen    map[string]store.Signature // by id
	pending []store.Signature
	writing bool
}

func newReplays() *replays { return &replays{seen: map[string]store.Signature{}} }

// FirstUse refuses a signature with SignReplayed when it was used before: at all, for a call with an effect;
// on another path, for one without (requirements 83, 85).
func (p *Portal) FirstUse(ctx context.Context, c Call) error {
	s := store.Signature{ID: c.Signature[:32], Path: c.Path, ExpiresAt: store.At(p.now().Add(SignaturesKept))}
	fresh, replayed, full := p.replays.see(s, c.Effect, store.At(p.now()))
	if !replayed && (c.Effect || full) {
		first, err := p.db.UseSignature(ctx, s)
		if err != nil {
			return err
		}
		replayed = !first && c.Effect
	}
	if replayed && c.Keyed {
		return SignReplayed
	}
	if replayed {
		return p.refuseReplay(ctx, c)
	}
	if fresh && !c.Effect && !full {
		p.noteLater(s)
	}
	return nil
}

func (p *Portal) refuseReplay(ctx context.Context, c Call) error {
	p.log.LogAttrs(ctx, logInfo, "security", logEvent("replay_refused"), logCaller(ctx), slog.String("detail", c.Path))
	return SignReplayed
}

// isFor says whether the signature of a call was used before for the same path.
func (p *Portal) isFor(ctx context.Context, c Call) (bool, error) {
	id := c.Signature[:32]
	p.replays.mu.Lock()
	s, held := p.replays.seen[id]
	p.replays.mu.Unlock()
	if held {
		return s.Path == c.Path, nil
	}
	path, err := p.db.PathOfSignature(ctx, id, store.At(p.now()))
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return path == c.Path, err
}

// see looks a signature up in memory and remembers it. full says that there was no room.
func (r *replays) see(s store.Signature, effect bool, now store.Instant) (fresh, replayed, full bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if before, ok := r.seen[s.ID]; ok && before.ExpiresAt > now {
		return false, effect || before.Path != s.Path, false
	}
	if len(r.seen) >= signaturesHeld {
		r.forget(now)
		if len(r.seen) >= signaturesHeld {
			return true, false, true
		}
	}
	r.seen[s.ID] = s
	return true, false, false
}

func (r *replays) sweep(now store.Instant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(now)
}

func (r *replays) forget(now store.Instant) {
	maps.DeleteFunc(r.seen, func(_ string, s store.Signature) bool { return s.ExpiresAt <= now })
}

// noteLater writes a read's signature down with those of the next moment.
func (p *Portal) noteLater(s store.Signature) {
	p.replays.mu.Lock()
	defer p.replays.mu.Unlock()
	p.replays.pending = append(p.replays.pending, s)
	if !p.replays.writing {
		p.replays.writing = true
		time.AfterFunc(noteEvery, func() { p.noteNow(context.Background()) })
	}
}

// noteNow writes down what waits.
func (p *Portal) noteNow(ctx context.Context) {
	p.replays.mu.Lock()
	pending := p.replays.pending
	p.replays.pending, p.replays.writing = nil, false
	p.replays.mu.Unlock()
	if err := p.db.NoteSignatures(ctx, pending); err != nil && len(pending) > 0 {
		p.log.LogAttrs(ctx, slog.LevelError, "signatures not noted", slog.Any("error", err))
	}
}

// Start remembers the signatures that still count from before a restart, and writes page views down from now on until the context ends. main
// calls it first.
func (p *Portal) Start(ctx context.Context) error {
	if err := p.findLostCredentials(ctx); err != nil {
		return err
	}
	known, err := p.db.Signatures(ctx, store.At(p.now()), signaturesHeld/2)
	p.replays.mu.Lock()
	defer p.replays.mu.Unlock()
	for _, s := range known {
		p.replays.seen[s.ID] = s
	}
	if err == nil {
		go p.writeViews(ctx)
	}
	return err
}

// Stop writes down what is only in memory yet and waits for messages on their way. main calls it last.
func (p *Portal) Stop(ctx context.Context) {
	p.noteNow(ctx)
	p.noteViews(ctx)
	p.running.Wait()
}
