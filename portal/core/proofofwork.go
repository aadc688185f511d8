package core

import (
	"crypto/sha256"
	"math/bits"
	"strconv"
)

// The sizes of a proof of work, in bits.
const (
	// WorkBits is the usual size: 0.1 to 0.4 s on a phone.
	WorkBits = 17
	// MaxWorkBits is the size under attack: 1 to 3 s on a phone.
	MaxWorkBits = 20
)

// SealedWork is the content of the token of a proof of work for sending a code.
type SealedWork struct {
	Flow  string `json:"f"` // a keyed hash of proofKey
	Asks  int    `json:"n"`
	Bits  int    `json:"b"`
	Until int64  `json:"u"` // Unix s: keeps the token short enough for one block of the hash
}

// IsWork says whether a decimal number without sign or leading zeros solves the work of a token with so many bits.
func IsWork(token, number string, size int) bool {
	if n, err := strconv.ParseUint(number, 10, 48); err != nil || strconv.FormatUint(n, 10) != number {
		return false
	}
	sum := sha256.Sum256([]byte(token + ":" + number))
	return leadingZeros(sum[:]) >= size
}

func leadingZeros(sum []byte) int {
	n := 0
	for _, b := range sum {
		n += bits.LeadingZeros8(b)
		if b != 0 {
			break
		}
	}
	return n
}
