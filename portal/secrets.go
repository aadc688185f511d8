package portal

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
)

func (p *Portal) codeSubject(subject string) string { return p.tag("code subject", subject) }

func nameSubject(key string) string { return "login:" + key }

// randomText is so many random ones of some characters, each as likely as any other.
func randomText(characters string, length int) string {
	fair := 256 - 256%len(characters) // beyond it some characters would come more often
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

// randomToken gives n random bytes in URL-safe letters.
func randomToken(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// hashed is the stored form of a token: its SHA-256 in hex. Tokens are random and long, so no key is needed.
func hashed(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// tag is the keyed hash of something guessable, short enough for a cookie.
func (p *Portal) tag(purpose, value string) string {
	mac := hmac.New(sha256.New, p.keys.hashes)
	mac.Write([]byte(purpose + "\x00" + value))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18])
}

// ended says whether a moment (Unix ms) has come. A thing that ends at a moment no longer works at that moment.
func (p *Portal) ended(until int64) bool { return until <= p.now().UnixMilli() }

func targetOf(accountID int64) string { return targetAccount + decimal(accountID) }
