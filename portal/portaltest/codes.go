package portaltest

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"

	"portico/portal/access"
)

// DistantAddress returns the nth of many addresses, each in a /16 of its own.
func DistantAddress(n int) string { return fmt.Sprintf("%d.%d.7.9", 11+n/200, n%200) }

// SolveWork does what was set: the smallest number that fits, and one that does not.
func SolveWork(w *access.Work) (right, wrong string) {
	text := append([]byte(w.Token), ':')
	for n := uint64(0); ; n++ {
		text = strconv.AppendUint(text[:len(w.Token)+1], n, 10)
		sum := sha256.Sum256(text)
		if bits.LeadingZeros64(binary.BigEndian.Uint64(sum[:])) >= w.Bits {
			return strconv.FormatUint(n, 10), strconv.FormatUint(n+1, 10)
		}
	}
}

// Forget drops the messages that were sent so far.
func (s *SMSProvider) Forget() {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Got = nil
}
