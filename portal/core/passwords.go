package core

// Passwords hashes and checks passwords. It is safe for concurrent use.
type Passwords struct {
	core *Core

	Hasher   *hasher
	Password PasswordRule // for new passwords
}
