package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"portico/portal/access"
	"portico/store"
)

// Limits of idempotency keys, which make it safe to repeat calls that create something.
const (
	// KeyKept is how long an idempotency key gives the same answer again.
	KeyKept = 24 * time.Hour
	// KeyWait is how long a second call waits for the first one's answer.
	KeyWait = 10 * time.Second

	keyClaim = time.Minute // after which a call without an answer counts as failed
	keyLook  = 50 * time.Millisecond
	keyRetry = 2 * time.Second
	keyLooks = 10 // how often a replay looks for a key that the first call has not stored yet
)

// OnceInput is a call with an idempotency key. Content is the whole request; the same key with other content is
// refused.
type OnceInput struct {
	Caller  string // the token, or another value that identifies the caller
	Path    string
	Key     string
	Content []byte
}

// Once runs a call at most once for a key. A repetition gets the answer of the first call unchanged. While the first
// call runs, a repetition waits, and is refused with NotAvailable after KeyWait. The same key with other content is
// refused with WrongParameters. A call that fails frees the key.
func (r *Replay) Once(ctx context.Context, in OnceInput, run func() ([]byte, error)) ([]byte, error) {
	k := r.idempotencyKey(in)
	give := time.After(KeyWait)
	for {
		now := r.core.Now()
		k.ClaimedUntil, k.ExpiresAt = store.At(now.Add(keyClaim)), store.At(now.Add(KeyKept))
		err := r.core.DB.IdempotencyKeys.Claim(ctx, k, store.At(now))
		if err == nil {
			return r.runOnce(ctx, k, run)
		}
		if !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		stored, err := r.core.DB.IdempotencyKeys.ByID(ctx, k.ID)
		if err == nil && stored.Content != k.Content {
			return nil, &access.Refused{Refusal: access.WrongParameters}
		}
		if err == nil && stored.Answer != "" {
			return r.storedAnswer(k.ID, stored.Answer)
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		if err := untilNextLook(ctx, give); err != nil {
			return nil, err
		}
	}
}

func (r *Replay) idempotencyKey(in OnceInput) store.IdempotencyKey {
	content := sha256.Sum256(in.Content)
	id := r.core.Sealing.Tag("idempotency", in.Caller+"\x00"+in.Path+"\x00"+in.Key)
	return store.IdempotencyKey{ID: id, Content: hex.EncodeToString(content[:])}
}

// KeptAnswer returns the stored answer of a call whose signature was used before. Network stacks may send the same
// bytes again by themselves. While the first call runs, KeptAnswer waits; it refuses with NotAvailable after KeyWait.
// It never runs the call: without a stored answer for the same path and content it refuses with SignReplayed.
func (r *Replay) KeptAnswer(ctx context.Context, c Call, in OnceInput) ([]byte, error) {
	if same, err := r.isFor(ctx, c); err != nil {
		return nil, err
	} else if !same {
		return nil, r.refuseReplay(ctx, c)
	}
	k := r.idempotencyKey(in)
	give := time.After(KeyWait)
	for looks := 0; ; looks++ {
		stored, err := r.core.DB.IdempotencyKeys.ByID(ctx, k.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		now := store.At(r.core.Now())
		switch {
		case err != nil && looks < keyLooks: // both arrived at once: the first call has not stored its key yet
		case err != nil || stored.Content != k.Content || stored.ExpiresAt <= now,
			stored.Answer == "" && stored.ClaimedUntil <= now: // the first call failed
			return nil, r.refuseReplay(ctx, c)
		case stored.Answer != "":
			return r.storedAnswer(k.ID, stored.Answer)
		}
		if err := untilNextLook(ctx, give); err != nil {
			return nil, err
		}
	}
}

// StoredAnswer returns the stored answer of a call of Once with the same caller, path and key, whatever its content. It
// is nil when there is none, when the call has not ended, and after KeyKept.
func (r *Replay) StoredAnswer(ctx context.Context, in OnceInput) ([]byte, error) {
	k := r.idempotencyKey(in)
	stored, err := r.core.DB.IdempotencyKeys.ByID(ctx, k.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil || stored.Answer == "" || stored.ExpiresAt <= store.At(r.core.Now()) {
		return nil, err
	}
	return r.storedAnswer(k.ID, stored.Answer)
}

// Forget removes the stored answer of a call of Once, so that the call can be made again.
func (r *Replay) Forget(ctx context.Context, in OnceInput) error {
	return r.core.DB.IdempotencyKeys.Remove(ctx, r.idempotencyKey(in).ID, true)
}

// untilNextLook waits until it is time to look at a key again. It refuses with NotAvailable when give has fired.
func untilNextLook(ctx context.Context, give <-chan time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-give:
		return &access.Refused{Refusal: access.NotAvailable, Wait: keyRetry}
	case <-time.After(keyLook):
		return nil
	}
}

// runOnce runs the call that has claimed the key. Its answer is stored even if the caller has disconnected.
func (r *Replay) runOnce(ctx context.Context, k store.IdempotencyKey, run func() ([]byte, error)) ([]byte, error) {
	kept := false
	lasting := store.AfterRequest(ctx)
	defer func() {
		if !kept {
			_ = r.core.DB.IdempotencyKeys.Remove(lasting, k.ID, false) // it frees itself after keyClaim
		}
	}()
	answer, err := run()
	if err != nil {
		return nil, err
	}
	sealed, err := r.core.Sealing.Seal("idempotency "+k.ID, answer)
	if err != nil {
		return nil, err
	}
	kept = true
	return answer, r.core.DB.IdempotencyKeys.Answer(lasting, k.ID, sealed)
}

// storedAnswer opens the stored answer. It refuses with NotAvailable when no master key opens the
// answer: the operation was done, so it must not run again.
func (r *Replay) storedAnswer(id, sealed string) ([]byte, error) {
	var answer []byte
	if r.core.Sealing.Unseal("idempotency "+id, sealed, &answer) != nil {
		return nil, &access.Refused{Refusal: access.NotAvailable}
	}
	return answer, nil
}
