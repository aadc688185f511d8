// Package passwords hashes and compares passwords, checks new ones against the rule and the list of common passwords,
// and gives every network a fair share of the processor.
package core

import (
	"portico/portal/access"
	"portico/store"
)

// Passwords hashes and checks passwords. It is safe for concurrent use.
type Passwords struct {
	db *store.DB

	Hasher   *hasher
	Password PasswordRule // for new passwords
}

// NewPasswords makes a Passwords.
func NewPasswords(o access.Platform, hasher *hasher, password PasswordRule) *Passwords {
	hasher.Queue.counted = o.Counted
	return &Passwords{
		db:       o.DB,
		Hasher:   hasher,
		Password: password,
	}
}
