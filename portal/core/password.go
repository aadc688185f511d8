package core

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"

	"portico/server/tracing"
)

// HashCost has the argon2id parameters of a password hash. Memory is in KiB.
type HashCost struct {
	Memory  uint32
	Passes  uint32
	Threads uint8
}

// DefaultHashCost is the OWASP minimum for argon2id: 19 MiB, two passes.
var DefaultHashCost = HashCost{Memory: 19 * 1024, Passes: 2, Threads: 1}

const (
	saltBytes = 16
	hashBytes = 32
)

// hasher makes and checks passwords, as many at once as there are cores; 19 MiB each. Hash and Verify are for proven
// callers: with a session, a known device, or a password or code that was just correct. All others reserve a place
// among the strangers and use VerifyAt.
type hasher struct {
	cost   HashCost
	Queue  *hashQueue
	nobody string       // the hash to compare with when there is no account, so that the time reveals nothing
	hashes atomic.Int64 // how many were computed
}

// NewHasher makes a hasher. A fair one limits how many callers of one network may wait for it.
func NewHasher(cost HashCost, fair bool) (*hasher, error) {
	h := &hasher{cost: cost, Queue: newHashQueue(runtime.GOMAXPROCS(0), fair)}
	salt := make([]byte, saltBytes)
	h.nobody = encodePHC(cost, salt, make([]byte, hashBytes)) // nothing hashes to all zeros
	return h, nil
}

// Measure computes a hash, so that Pause knows from the start how long one takes. Only strict privacy pauses.
func (h *hasher) Measure() {
	began := time.Now()
	h.sum("", make([]byte, saltBytes), h.cost, hashBytes)
	h.Queue.noteDelay(delay{hash: time.Since(began)})
}

func (h *hasher) sum(password string, salt []byte, cost HashCost, length int) []byte {
	h.hashes.Add(1)
	return argon2.IDKey([]byte(password), salt, cost.Passes, cost.Memory, cost.Threads, uint32(length))
}

// Hash returns the PHC string of a proven caller's password with a new random salt. It refuses with NotAvailable when
// the queue is full.
func (h *hasher) Hash(ctx context.Context, password string) (string, error) {
	place, err := h.Queue.Reserve(ctx, LaneProven)
	if err != nil {
		return "", err
	}
	defer place.Leave()
	if err := place.take(ctx); err != nil {
		return "", err
	}
	_, span := tracing.Start(ctx, "hash a password")
	defer span.End("")
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails
	return encodePHC(h.cost, salt, h.sum(password, salt, h.cost, hashBytes)), nil
}

// Verify compares a proven caller's password with a PHC string; an empty one costs the same and never matches. weak
// says that the parameters are below today's.
func (h *hasher) Verify(ctx context.Context, phc, password string) (ok, weak bool, err error) {
	place, err := h.Queue.Reserve(ctx, LaneProven)
	if err != nil {
		return false, false, err
	}
	defer place.Leave()
	right, weak, err := h.VerifyAt(ctx, place, phc, password)
	return right != "", weak, err
}

// VerifyAt is Verify for a caller who already has a place. It gives the place back. right is the spelling that matches,
// "" for none: a password that was pasted with a space is compared without it, too (see spellings).
func (h *hasher) VerifyAt(
	ctx context.Context, place *hashPlace, phc, password string,
) (right string, weak bool, err error) {
	defer place.Leave()
	began := time.Now()
	empty := phc == ""
	if empty {
		phc = h.nobody
	}
	cost, salt, want, err := decodePHC(phc)
	if err != nil {
		return "", false, err
	}
	if err := place.take(ctx); err != nil {
		return "", false, err
	}
	took := delay{wait: time.Since(began)}
	_, span := tracing.Start(ctx, "hash a password")
	defer span.End("")
	began = time.Now()
	tried := 0
	for _, spelling := range spellings(password) {
		tried++
		if subtle.ConstantTimeCompare(h.sum(spelling, salt, cost, len(want)), want) == 1 && !empty {
			right = spelling
			break
		}
	}
	if place.lane == LaneStrangers {
		took.hash = time.Since(began) / time.Duration(tried)
		h.Queue.noteDelay(took)
	}
	return right, cost.Memory < h.cost.Memory || cost.Passes < h.cost.Passes, nil
}

func encodePHC(c HashCost, salt, sum []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf(
		"$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.Memory, c.Passes, c.Threads, b64.EncodeToString(salt),
		b64.EncodeToString(sum),
	)
}

func decodePHC(phc string) (c HashCost, salt, sum []byte, err error) {
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return c, nil, nil, fmt.Errorf("portal: not an argon2id hash")
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.Memory, &c.Passes, &c.Threads); err != nil {
		return c, nil, nil, fmt.Errorf("portal: hash parameters: %w", err)
	}
	if c.Passes == 0 || c.Threads == 0 { // argon2 would panic
		return c, nil, nil, fmt.Errorf("portal: hash parameters %s", parts[3])
	}
	if salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
		return c, nil, nil, fmt.Errorf("portal: hash salt: %w", err)
	}
	if sum, err = base64.RawStdEncoding.DecodeString(parts[5]); err == nil && len(sum) < saltBytes {
		err = fmt.Errorf("portal: hash is cut short")
	}
	return c, salt, sum, err
}
