package sealing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"portico/portal/access"
)

func (s *Sealing) CodeSubject(subject string) string { return s.Tag("code subject", subject) }

func NameSubject(key string) string { return "login:" + key }

// Tag is the keyed hash of something guessable, short enough for a cookie.
func (s *Sealing) Tag(purpose, value string) string {
	mac := hmac.New(sha256.New, s.Keys.Hashes)
	mac.Write([]byte(purpose + "\x00" + value))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18])
}

func TargetOf(accountID int64) string { return TargetAccount + access.Decimal(accountID) }
