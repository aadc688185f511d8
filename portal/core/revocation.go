// Package revocation revokes the access to accounts and phones: sessions, tokens, codes, passwords and links to chat
// apps.
package core

import (
	"portico/portal/access"
	"portico/store"
)

// Revocation revokes sessions, tokens, codes and links. It is safe for concurrent use.
type Revocation struct {
	db *store.DB

	access  *access.Access
	sealing *Sealing
}

// NewRevocation makes a Revocation from the settings of the installation and the districts below.
func NewRevocation(
	o access.Platform,
	access *access.Access,
	sealing *Sealing,
) *Revocation {
	return &Revocation{
		db:      o.DB,
		access:  access,
		sealing: sealing,
	}
}
