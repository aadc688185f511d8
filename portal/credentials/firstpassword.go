package credentials

import (
	"context"
	"crypto/sha256"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
	"portico/store"
)

const (
	// FirstPasswordLife is how long a first password works: a password that an administrator gave to an account.
	FirstPasswordLife = 7 * 24 * time.Hour
	// FirstPasswordsAnHour is how many first passwords a company may make in an hour. Hashing one costs as much CPU as
	// a sign-in.
	FirstPasswordsAnHour = 50

	firstPasswordLength = 12
)

// PlainCharacters are the letters and digits that people do not confuse with each other.
const PlainCharacters = "abcdefghjkmnpqrstuvwxyz23456789"

// FirstPassword is a password that an administrator makes for another person's account. It is shown once; only its hash
// is stored. Password is "" when the holder has replaced it.
type FirstPassword struct {
	Member   store.Member
	Password string
	Until    store.Instant
}

// NewFirstPassword makes a password that follows the password rule. It is random without a seed. With one it is derived
// from the seed, so that a form that is sent twice shows the same password.
func (c *Credentials) NewFirstPassword(about access.PasswordContext, seed string) string {
	length := max(firstPasswordLength, c.core.Passwords.Password.WithDefaults().Min)
	for try := 0; ; try++ {
		password := access.RandomText(PlainCharacters, length)
		if seed != "" {
			password = c.derivedText(PlainCharacters, length, "first password", seed+"\x00"+access.Decimal(int64(try)))
		}
		if c.core.Passwords.Password.Check(password, about) == "" {
			return password
		}
	}
}

// derivedText derives text of a length from a value with the server's key. The same value gives the same text, and
// nobody without the key can guess it.
func (c *Credentials) derivedText(characters string, length int, purpose, value string) string {
	fair := 256 - 256%len(characters) // skip larger bytes: they would make some characters more likely
	var text []byte
	for block := 0; len(text) < length; block++ {
		for _, b := range sha256.Sum256(
			[]byte(c.core.Sealing.Tag(purpose, value+"\x00"+access.Decimal(int64(block)))),
		) {
			if int(b) < fair && len(text) < length {
				text = append(text, characters[int(b)%len(characters)])
			}
		}
	}
	return string(text)
}

// MakeFirstPassword makes a first password and its hash. Hashing is slow, so it must run outside any transaction.
// seed is what the password is derived from, "" for a random one. TooManyAttempts after FirstPasswordsAnHour.
func (c *Credentials) MakeFirstPassword(
	ctx context.Context, m store.Member, seed string,
) (given FirstPassword, hash string, err error) {
	if err := c.core.Limits.CountUpTo(
		ctx, c.core.DB, "first passwords:"+access.Decimal(m.CompanyID), FirstPasswordsAnHour, core.Hour,
	); err != nil {
		return given, "", err
	}
	return c.FirstPasswordFor(ctx, m, seed)
}

// FirstPasswordFor makes a first password and its hash, as MakeFirstPassword does, for the operator: it is not counted.
func (c *Credentials) FirstPasswordFor(
	ctx context.Context, m store.Member, seed string,
) (given FirstPassword, hash string, err error) {
	given = FirstPassword{
		Member: m, Password: c.NewFirstPassword(core.PasswordContext(access.Subject{Member: m}, ""), seed),
		Until: store.At(c.core.Now().Add(FirstPasswordLife)),
	}
	hash, err = c.core.Passwords.Hasher.Hash(ctx, given.Password)
	return given, hash, err
}

// FirstPasswordSeed returns what the first password of a form is derived from; "" without a form, for a random one.
func FirstPasswordSeed(m store.Member, form, salt string) string {
	if form == "" {
		return ""
	}
	return access.Decimal(m.ID) + "\x00" + form + "\x00" + salt
}

// HasFirstPassword says whether a session has to replace a first password before it may do anything else.
func (c *Credentials) HasFirstPassword(ctx context.Context, s access.Session) (bool, error) {
	covered, _, err := c.accounts.CoveredMembers(ctx, s)
	return err == nil && len(covered) > 0 && signin.ByFirstPassword(s, covered), err
}
