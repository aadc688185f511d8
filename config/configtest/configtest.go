// Package configtest makes settings for tests.
package configtest

import (
	"crypto/rand"
	"encoding/hex"
)

// RandomSecret returns 32 random bytes in hex. Production refuses every secret that is in the repository, so tests make
// their own.
func RandomSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// Production returns the environment of a sound production configuration, followed by more settings, which replace
// those of the same name.
func Production(more ...string) []string {
	return append([]string{
		"PORTICO_ENV=production", "PORTICO_BASE=https://portico.test", "PORTICO_SECRET=" + RandomSecret(),
		"PORTICO_SIGN_SECRET=" + RandomSecret(), "PORTICO_SMS=webhook", "PORTICO_TRUSTED_PROXIES=10.0.0.0/8",
		"PORTICO_SMS_WEBHOOK=https://sms.portico.test/", "PORTICO_SMS_WEBHOOK_SECRET=" + RandomSecret(),
	}, more...)
}
