package api

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/portal/access"
	"portico/portal/core"
)

// canonical is the text of the parameters that is signed: all parameters, sorted by name then value, percent-encoded as
// in RFC 3986, joined by "&". A JSON body counts as a parameter "body" whose value is the hex SHA-256 of its bytes.
func (sent *request) canonical() string {
	pairs := make([]pair, 0, len(sent.query)+len(sent.form)+1)
	pairs = append(append(pairs, sent.query...), sent.form...)
	if sent.json != nil {
		sum := sha256.Sum256(sent.json)
		pairs = append(pairs, pair{"body", hex.EncodeToString(sum[:])})
	}
	slices.SortFunc(
		pairs, func(a, b pair) int {
			return cmp.Or(strings.Compare(a.name, b.name),
				strings.Compare(a.value, b.value))
		},
	)
	size := 0
	for _, p := range pairs {
		size += len(p.name) + len(p.value) + 2
	}
	var b strings.Builder
	b.Grow(size)
	for i, p := range pairs {
		if i > 0 {
			b.WriteByte('&')
		}
		escape(&b, p.name)
		b.WriteByte('=')
		escape(&b, p.value)
	}
	return b.String()
}

const upperHex = "0123456789ABCDEF"

// escape writes s with all but the unreserved characters of RFC 3986 section 2.3 percent-encoded.
func escape(b *strings.Builder, s string) {
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' ||
			c == '~' {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(upperHex[c>>4])
		b.WriteByte(upperHex[c&15])
	}
}

// signature returns what X-Sign must be for a secret: 64 lower-case hex digits.
func (sent *request) signature(secret []byte, params string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(sent.token + "\n" + sent.timestamp + "\n" + sent.nonce + "\n" + params))
	var sum [sha256.Size]byte
	return hex.AppendEncode(nil, mac.Sum(sum[:0]))
}

// checkSignature compares the signature of a call with each secret in constant time, and then its timestamp with the
// clock.
func (a *API) checkSignature(sent *request) error {
	params := sent.canonical()
	good := false
	for _, secret := range a.secrets {
		good = hmac.Equal(sent.signature(secret, params), []byte(sent.sign)) || good
	}
	if !good {
		return access.SignInvalid
	}
	ms, err := strconv.ParseInt(sent.timestamp, 10, 64)
	if err != nil {
		return access.SignInvalid
	}
	off := a.portal.Now().Sub(time.UnixMilli(ms))
	if off > core.SignatureWindow || off < -core.SignatureWindow {
		return access.SignExpired
	}
	return nil
}
