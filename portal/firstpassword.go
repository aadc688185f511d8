package portal

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"portico/store"
)

const (
	// FirstPasswordLife is how long a password works that an administrator gave an account (requirement 20).
	FirstPasswordLife = 7 * 24 * time.Hour
	// FirstPasswordsAnHour is how many of them a company may have made in an hour: each costs as much as a sign-in.
	FirstPasswordsAnHour = 50

	firstPasswordLength = 12
)

// plainCharacters are read aloud and typed without mistakes.
const plainCharacters = "abcdefghjkmnpqrstuvwxyz23456789"

// FirstPassword is a password made for somebody else: told once, kept as a hash alone.
type FirstPassword struct {
	Member   store.Member
	Password string
	Until    store.Instant
}

// newFirstPassword makes a password that the rule takes: a random one, or with a seed the one that belongs to that
// seed, so that a form that is sent twice shows one password.
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

// derivedText is text of a length that nobody without the master key can guess, and that is the same for the same value.
func (p *Portal) derivedText(characters string, length int, purpose, value string) string {
	fair := 256 - 256%len(characters) // beyond it some characters would come more often
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

// makeFirstPassword makes a first password and its hash, outside of any transaction; TooManyAttempts past FirstPasswordsAnHour.
// With a seed it is the password that belongs to the seed.
func (p *Portal) makeFirstPassword(ctx context.Context, m store.Member, seed string) (given FirstPassword, hash string, err error) {
	if err := p.countUpTo(ctx, p.db, "first passwords:"+decimal(m.CompanyID), FirstPasswordsAnHour, hour); err != nil {
		return given, "", err
	}
	given = FirstPassword{Member: m, Password: p.newFirstPassword(candidate{member: m}.about(""), seed), Until: store.At(p.now().Add(FirstPasswordLife))}
	hash, err = p.hasher.hash(ctx, given.Password)
	return given, hash, err
}

// GiveFirstPassword gives an account of one's company a new password of its own, which works for FirstPasswordLife and has
// to be replaced at the next sign-in by name; what is signed in to the account ends. The password of its phone stays as it
// is: it is the person's, in every company. Refused: Forbidden, NotFound, one's own account under "action",
// WrongParameters for an account that was invited and not set up, TooManyAttempts past FirstPasswordsAnHour.
//
// form is the id of the form that asks, "" for none. The same form within RepeatWindow changes nothing more and gives the same
// password again, because its answer may have been lost; an empty password once its holder has replaced it.
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
				given.Member, given.Until = m, m.FirstPasswordUntil
				salt = note.Result
				return err
			}
			if err := p.noteDone(ctx, tx, repeat, salt); err != nil {
				return err
			}
		}
		if err := tx.SetFirstPassword(ctx, m.CompanyID, m.ID, hash, given.Until); err != nil {
			return err
		}
		if err := p.endMember(ctx, tx, m); err != nil {
			return err
		}
		if err := p.dropIdentities(ctx, tx, candidate{member: m}); err != nil { // of whoever had it before
			return err
		}
		if err := tx.EndAcceptancesOfAccount(ctx, m.CompanyID, m.ID); err != nil { // the same
			return err
		}
		if m.PhoneID == 0 { // the failures of a phone are its person's
			if err := tx.ClearSubject(ctx, memberSubject(m)); err != nil {
				return err
			}
		}
		return p.event(ctx, tx, "first_password_given", by, decimal(m.ID))
	})
	if err != nil {
		return FirstPassword{}, err
	}
	if repeated {
		given.Password = p.newFirstPassword(candidate{member: m}.about(""), firstPasswordSeed(m, form, salt))
		same, _, err := p.hasher.verify(ctx, given.Member.PasswordHash, given.Password)
		if err != nil {
			return FirstPassword{}, err
		}
		if !same {
			given.Password = ""
		}
	}
	return given, nil
}

// firstPasswordSeed is what a form's first password is derived from; "" for a random one, where no form asks.
func firstPasswordSeed(m store.Member, form, salt string) string {
	if form == "" {
		return ""
	}
	return decimal(m.ID) + "\x00" + form + "\x00" + salt
}

// byFirstPassword says whether a session was begun with a first password that is still to be replaced. What a phone proved,
// a code entered from there included, was not.
func byFirstPassword(s Session, covered []store.Member) bool {
	return s.PhoneID == 0 && s.Purpose != store.PurposeCode && covered[0].FirstPasswordUntil != 0
}

// changeFirst is the refusal of all doors but the one where a first password is replaced.
func (p *Portal) changeFirst(m store.Member) error {
	if err := p.firstEnded(candidate{member: m}); err != nil {
		return err
	}
	return &Refused{Refusal: PasswordNotSet, FirstPassword: true}
}

// firstEnded refuses a first password past its end, with who gives a new one.
func (p *Portal) firstEnded(c candidate) error {
	if until := c.member.FirstPasswordUntil; until == 0 || until > store.At(p.now()) {
		return nil
	}
	return &Refused{Refusal: PasswordNotSet, FirstPassword: true, Company: &c.member.Company, Contacts: p.contactsFor(PasswordNotSet, c.member.Company)}
}

// refuseProven is refuseMembers for somebody whose password was right.
func (p *Portal) refuseProven(c candidate, members []store.Member, place Place, lighting bool) error {
	if err := p.refuseMembers(members, place, lighting); err != nil {
		return err
	}
	return p.firstEnded(c)
}

// HasFirstPassword says whether a session has to replace a first password before anything else.
func (p *Portal) HasFirstPassword(ctx context.Context, s Session) (bool, error) {
	covered, _, err := p.covered(ctx, s)
	return err == nil && len(covered) > 0 && byFirstPassword(s, covered), err
}

// offersBinding says whether somebody who signed in by this account's name is offered to bind a phone.
func offersBinding(m store.Member) bool { return m.ID != 0 && m.PhoneID == 0 && m.BindReminder }

// ContinueSignIn is where signing in would have led, once a first password is replaced: with the offer to bind a phone.
func (p *Portal) ContinueSignIn(ctx context.Context, s Session) (Step, error) {
	if m, ok, err := p.Bindable(ctx, s); err != nil || ok && offersBinding(m) {
		return Step{Kind: StepBind, CompanyID: m.CompanyID, AccountID: m.ID}, err
	}
	return p.Continue(ctx, s)
}
