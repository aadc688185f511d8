package portaltest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/crypto/argon2"

	"portico/portal/access"
	"portico/portal/core"
)

// NoError fails the test at once if there is an error.
func NoError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Refused fails the test at once unless err is the refusal want. It returns what came with the refusal, the zero value
// for nothing.
func Refused(t *testing.T, err error, want access.Refusal) *access.Refused {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got %v, want the refusal %s", err, want)
	}
	with := new(access.Refused)
	_ = errors.As(err, &with)
	return with
}

// WantField fails the test unless err is a refusal of exactly one field, for the reason want.
func WantField(t *testing.T, err error, name string, want access.Problem) {
	t.Helper()
	if with := Refused(t, err, access.ValidationFailed); len(with.Fields) != 1 || with.Fields[name] != want {
		t.Errorf("got %v, want %s: %s", with.Fields, name, want)
	}
}

// RefusalOf returns a refusal without the content of its question, which differs from one attempt to the next. It fails
// the test at once if err is no refusal.
func RefusalOf(t *testing.T, err error) access.Refused {
	t.Helper()
	with := new(access.Refused)
	if !errors.As(err, &with) {
		t.Fatalf("no refusal: %v", err)
	}
	got := *with
	if got.Question != nil {
		got.Question = &access.Question{}
	}
	return got
}

// Together calls run n times in parallel and waits for all calls.
func Together(n int, run func(i int)) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { run(i) })
	}
	group.Wait()
}

// HashPassword returns the stored form of a password at a cost, with a constant salt.
func HashPassword(password string, c core.HashCost) string {
	b64, salt := base64.RawStdEncoding, []byte("sixteen byte salt")[:16]
	sum := argon2.IDKey([]byte(password), salt, c.Passes, c.Memory, c.Threads, 32)
	return fmt.Sprintf(
		"$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.Memory, c.Passes, c.Threads, b64.EncodeToString(salt),
		b64.EncodeToString(sum),
	)
}

// SolveWork solves a proof of work. It returns the smallest answer that is right, and one that is wrong. The race
// detector would make it nine times slower, and it shares nothing.
//
//go:norace
func SolveWork(w *access.Work) (right, wrong string) {
	text := append([]byte(w.Token), ':')
	for n := uint64(0); wrong == ""; n++ {
		text = strconv.AppendUint(text[:len(w.Token)+1], n, 10)
		sum := sha256.Sum256(text)
		proves := bits.LeadingZeros64(binary.BigEndian.Uint64(sum[:])) >= w.Bits
		if right == "" && proves {
			right = strconv.FormatUint(n, 10)
		} else if right != "" && !proves {
			wrong = strconv.FormatUint(n, 10)
		}
	}
	return right, wrong
}

// DistantAddress returns the nth of many IPv4 addresses, each in a /16 network of its own.
func DistantAddress(n int) string { return fmt.Sprintf("%d.%d.7.9", 11+n/200, n%200) }
