package portal

import (
	"context"
	"crypto/sha256"
	"errors"
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

// makeFirstPassword makes a first password and its hash. Hashing is slow, so it must run outside any transaction. seed is
// what the password is derived from, "" for a random one. TooManyAttempts after FirstPasswordsAnHour.
func (p *Portal) makeFirstPassword(
	ctx context.Context, m store.Member, seed string,
) (given FirstPassword, hash string, err error) {
	if err := p.countUpTo(ctx, p.db, "first passwords:"+decimal(m.CompanyID), FirstPasswordsAnHour, hour); err != nil {
		return given, "", err
	}
	given = FirstPassword{
		Member: m, Password: p.newFirstPassword(Subject{member: m}.about(""), seed),
		Until: store.At(p.now().Add(FirstPasswordLife)),
	}
	hash, err = p.hasher.hash(ctx, given.Password)
	return given, hash, err
}

// GiveFirstPassword gives an account of the administrator's company a new first password and ends the account's
// sessions. The password works for FirstPasswordLife, and its holder has to replace it after the next sign-in by
// account name. The password of the account's phone does not change: it belongs to the person, in every company. It
// refuses with Forbidden, NotFound, OwnAccount under "action" for the administrator's own account, WrongParameters for
// an invited account that is not set up yet, and TooManyAttempts after FirstPasswordsAnHour.
//
// form is the id of the form, "" for none. The same form within RepeatWindow changes nothing more and returns the same
// password, because the first response may have been lost. Password is "" if the holder has replaced it since.
func (p *Portal) GiveFirstPassword(ctx context.Context, here Landing, id int64, form string) (FirstPassword, error) {
	m, err := p.PersonHere(ctx, here, id)
	if err == nil {
		err = may(here, RightManagePeople)
	}
	if err != nil {
		return FirstPassword{}, err
	}
	// The salt is kept for RepeatWindow. A form that is sent later gives another password: the first one may be known
	// by then.
	salt := randomToken(16)
	given, hash, err := p.makeFirstPassword(ctx, m, firstPasswordSeed(m, form, salt))
	if err != nil {
		return FirstPassword{}, err
	}
	repeat, repeated := p.operationID("first password", decimal(here.Member.ID), decimal(id), form), false
	var before FirstPassword // what an earlier request with the same form gave, and its salt
	var saltBefore string
	err = p.changePerson(ctx, here, id, func(tx *store.DB, by, m store.Member) error {
		if m.ID == by.ID {
			return invalid(Fields{"action": OwnAccount})
		}
		if m.Invited {
			return &Refused{Refusal: WrongParameters}
		}
		if form != "" {
			note, err := tx.RepeatByID(ctx, repeat, store.At(p.now().Add(-RepeatWindow)))
			if repeated = err == nil; repeated || !errors.Is(err, store.ErrNotFound) {
				before, saltBefore = FirstPassword{Member: m, Until: m.FirstPasswordUntil}, note.Result
				return err
			}
			if err := p.noteDone(ctx, tx, repeat, salt); err != nil {
				return err
			}
		}
		if err := tx.SetFirstPassword(ctx, m.CompanyID, m.ID, hash, given.Until); err != nil {
			return err
		}
		if err := p.endFormerHolder(ctx, tx, m); err != nil {
			return err
		}
		return p.event(ctx, tx, "first_password_given", by, decimal(m.ID))
	})
	if err != nil {
		return FirstPassword{}, err
	}
	if repeated {
		return p.givenBefore(ctx, before, firstPasswordSeed(m, form, saltBefore))
	}
	p.notify(ctx, Message{Phone: m.Phone, Notice: NoticeFirst, Lang: m.Company.Language, Login: m.Login}, m.Company)
	return given, nil
}

// endFormerHolder ends what a former holder of an account may have kept of it: sign-ins, linked identities, kept forms,
// the accepted agreement and the failures of wrong passwords.
func (p *Portal) endFormerHolder(ctx context.Context, tx *store.DB, m store.Member) error {
	if err := p.endMember(ctx, tx, m); err != nil {
		return err
	}
	if err := p.dropIdentities(ctx, tx, Subject{member: m}, "a new password"); err != nil {
		return err
	}
	if err := tx.DropKeptForms(ctx, m.ID); err != nil {
		return err
	}
	if err := tx.EndAcceptancesOfAccount(ctx, m.CompanyID, m.ID); err != nil {
		return err
	}
	if m.PhoneID != 0 { // failed sign-ins of a phone belong to the person, not to this account
		return nil
	}
	return tx.ClearSubject(ctx, accountKey(m))
}

// givenBefore returns the first password that an earlier request derived from the seed; without the password when the
// holder has replaced it.
func (p *Portal) givenBefore(ctx context.Context, given FirstPassword, seed string) (FirstPassword, error) {
	given.Password = p.newFirstPassword(Subject{member: given.Member}.about(""), seed)
	same, _, err := p.hasher.verify(ctx, given.Member.PasswordHash, given.Password)
	if err != nil {
		return FirstPassword{}, err
	}
	if !same {
		given.Password = ""
	}
	return given, nil
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
