package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
)

// Decimal formats an id in decimal.
func Decimal(id int64) string { return strconv.FormatInt(id, 10) }

// DecimalID parses a positive decimal int64. It accepts no sign, leading zero or space.
func DecimalID(s string) (int64, bool) {
	if s == "" || s[0] == '0' || len(s) > 19 {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, false
	}
	return id, true
}

// RandomText returns length random characters out of characters, each equally likely.
func RandomText(characters string, length int) string {
	fair := 256 - 256%len(characters) // bytes from here on would favour the first characters
	var text []byte
	for len(text) < length {
		var b [1]byte
		_, _ = rand.Read(b[:]) // never fails
		if int(b[0]) < fair {
			text = append(text, characters[int(b[0])%len(characters)])
		}
	}
	return string(text)
}

// RandomToken returns n random bytes in URL-safe base64.
func RandomToken(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// Hashed returns the stored form of a token: its SHA-256 in hex. Tokens are random and long, so no key is needed.
func Hashed(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
