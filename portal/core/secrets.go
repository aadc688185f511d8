package core

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"portico/portal/access"
)

// CodeSubject returns the keyed hash under which the codes of a phone are counted and stored.
func (s *Sealing) CodeSubject(subject string) string { return s.Tag("code subject", subject) }

// NameSubject returns the subject of codes for an account name that may not exist.
func NameSubject(key string) string { return "login:" + key }

// Tag returns a keyed hash of a guessable value for one purpose: 18 bytes in URL-safe base64.
func (s *Sealing) Tag(purpose, value string) string {
	mac := hmac.New(sha256.New, s.Keys.Hashes)
	mac.Write([]byte(purpose + "\x00" + value))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18])
}

// TargetAccount begins the target of a code for an account.
const TargetAccount = "account:"

// AccountTarget returns the target of a code for an account: "account:" and its id.
func AccountTarget(accountID int64) string { return TargetAccount + access.Decimal(accountID) }
