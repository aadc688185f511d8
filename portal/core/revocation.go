package core

// Revocation revokes sessions, tokens, codes and links. It is safe for concurrent use.
type Revocation struct {
	core *Core
}
