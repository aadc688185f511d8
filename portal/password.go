package portal

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
)

// HashCost is what one argon2id password hash costs. Memory in KiB.
type HashCost struct {
	Memory  uint32
	Passes  uint32
	Threads uint8
}

// DefaultHashCost is the OWASP minimum for argon2id: 19 MiB, two passes (requirement 16).
var DefaultHashCost = HashCost{Memory: 19 * 1024, Passes: 2, Threads: 1}

const (
	// MaxPassword is the longest password read at any door, in bytes: 64 characters of four bytes. Longer ones
	// are refused before hashing.
	MaxPassword = 4 * MaxPasswordChars
	// MaxPasswordChars is the longest password any configuration allows, in characters.
	MaxPasswordChars = 64
	// HashQueue is how many sign-ins may wait for a core before the rest are turned away (requirement 17).
	HashQueue = 128
	// HashWait is how long one of them waits at most; the queue itself takes about two seconds of two cores.
	HashWait = 4 * time.Second
	// HashRetry is when those turned away may come again.
	HashRetry = 2 * time.Second

	saltBytes = 16
	hashBytes = 32
)

// hasher makes and checks passwords, as many at once as there are cores; 19 MiB each.
type hasher struct {
	cost    HashCost
	cores   chan struct{}
	waiting atomic.Int32
	nobody  string // the hash compared with when there is no account, so that time does not tell
}

func newHasher(cost HashCost) (*hasher, error) {
	h := &hasher{cost: cost, cores: make(chan struct{}, runtime.GOMAXPROCS(0))}
	salt := make([]byte, saltBytes)
	h.nobody = encodePHC(cost, salt, make([]byte, hashBytes)) // nothing hashes to all zeros
	return h, nil
}

// full refuses with NotAvailable while the queue is full: asked before a try is counted.
func (h *hasher) full() error {
	if h.waiting.Load() < HashQueue {
		return nil
	}
	return &Refused{Refusal: NotAvailable, Wait: HashRetry}
}

// acquire takes a core, or refuses with NotAvailable when the queue is full or the wait too long.
func (h *hasher) acquire(ctx context.Context) error {
	select {
	case h.cores <- struct{}{}:
		return nil
	default:
	}
	if h.waiting.Add(1) > HashQueue {
		h.waiting.Add(-1)
		return &Refused{Refusal: NotAvailable, Wait: HashRetry}
	}
	defer h.waiting.Add(-1)
	timer := time.NewTimer(HashWait)
	defer timer.Stop()
	select {
	case h.cores <- struct{}{}:
		return nil
	case <-timer.C:
		return &Refused{Refusal: NotAvailable, Wait: HashRetry}
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hash makes the PHC string of a password with a fresh salt.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	if err := h.acquire(ctx); err != nil {
		return "", err
	}
	defer func() { <-h.cores }()
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails
	sum := argon2.IDKey([]byte(password), salt, h.cost.Passes, h.cost.Memory, h.cost.Threads, hashBytes)
	return encodePHC(h.cost, salt, sum), nil
}

// verify compares a password with a PHC string; an empty one costs the same and never fits. weak says that
// the parameters are below today's.
func (h *hasher) verify(ctx context.Context, phc, password string) (ok, weak bool, err error) {
	empty := phc == ""
	if empty {
		phc = h.nobody
	}
	cost, salt, want, err := decodePHC(phc)
	if err != nil {
		return false, false, err
	}
	if err := h.acquire(ctx); err != nil {
		return false, false, err
	}
	defer func() { <-h.cores }()
	sum := argon2.IDKey([]byte(password), salt, cost.Passes, cost.Memory, cost.Threads, uint32(len(want)))
	ok = subtle.ConstantTimeCompare(sum, want) == 1 && !empty
	return ok, cost.Memory < h.cost.Memory || cost.Passes < h.cost.Passes, nil
}

func encodePHC(c HashCost, salt, sum []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.Memory, c.Passes, c.Threads, b64.EncodeToString(salt), b64.EncodeToString(sum))
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
