package portal

import (
	"context"
	"crypto/sha256"
	"time"

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

// plainCharacters are the letters and digits that people do not confuse with each other.
const plainCharacters = "abcdefghjkmnpqrstuvwxyz23456789"

// FirstPassword is a password that an administrator makes for another person's account. It is shown once; only its hash
// is stored. Password is "" when the holder has replaced it.
type FirstPassword struct {
	Member   store.Member
	Password string
	Until    store.Instant
}

// newFirstPassword makes a password that follows the password rule. It is random without a seed. With one it is derived
// from the seed, so that a form that is sent twice shows the same password.
func (p *Portal) newFirstPassword(about PasswordContext, seed string) string {
	length := max(firstPasswordLength, p.password.withDefaults().Min)
	for try := 0; ; try++ {
		password := randomText(plainCharacters, length)
		if seed != "" {
			password = p.derivedText(plainCharacters, length, "first password", seed+"\x00"+decimal(int64(try)))
		}
		if p.password.Check(password, about) == "" {
			return password
		}
	}
}

// derivedText derives text of a length from a value with the server's key. The same value gives the same text, and
// nobody without the key can guess it.
func (p *Portal) derivedText(characters string, length int, purpose, value string) string {
	fair := 256 - 256%len(characters) // skip larger bytes: they would make some characters more likely
	var text []byte
	for block := 0; len(text) < length; block++ {
		for _, b := range sha256.Sum256([]byte(p.tag(purpose, value+"\x00"+decimal(int64(block))))) {
			if int(b) < fair && len(text) < length {
				text = append(text, characters[int(b)%len(characters)])
			}
		}
	}
	return string(text)
}

// makeFirstPassword makes a first password and its hash. Hashing is slow, so it must run outside any transaction.
// seed is what the password is derived from, "" for a random one. TooManyAttempts after FirstPasswordsAnHour.
func (p *Portal) makeFirstPassword(
	ctx context.Context, m store.Member, seed string,
) (given FirstPassword, hash string, err error) {
	if err := p.countUpTo(ctx, p.db, "first passwords:"+decimal(m.CompanyID), FirstPasswordsAnHour, hour); err != nil {
		return given, "", err
	}
	given = FirstPassword{
		Member: m, Password: p.newFirstPassword(passwordContext(Subject{member: m}, ""), seed),
		Until: store.At(p.now().Add(FirstPasswordLife)),
	}
	hash, err = p.hasher.hash(ctx, given.Password)
	return given, hash, err
}

// firstPasswordSeed returns what the first password of a form is derived from; "" without a form, for a random one.
func firstPasswordSeed(m store.Member, form, salt string) string {
	if form == "" {
		return ""
	}
	return decimal(m.ID) + "\x00" + form + "\x00" + salt
}

// HasFirstPassword says whether a session has to replace a first password before it may do anything else.
func (p *Portal) HasFirstPassword(ctx context.Context, s Session) (bool, error) {
	covered, _, err := p.covered(ctx, s)
	return err == nil && len(covered) > 0 && byFirstPassword(s, covered), err
}
