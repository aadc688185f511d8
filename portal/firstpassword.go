package portal

import (
	"context"
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

// newFirstPassword makes a random password that the rule takes.
func (p *Portal) newFirstPassword(about PasswordContext) string {
	for {
		password := randomText(plainCharacters, max(firstPasswordLength, p.password.withDefaults().Min))
		if p.password.Check(password, about) == "" {
			return password
		}
	}
}

// makeFirstPassword makes a first password and its hash, outside of any transaction; TooManyAttempts past FirstPasswordsAnHour.
func (p *Portal) makeFirstPassword(ctx context.Context, m store.Member) (given FirstPassword, hash string, err error) {
	if err := p.countUpTo(ctx, p.db, "first passwords:"+decimal(m.CompanyID), FirstPasswordsAnHour, hour); err != nil {
		return given, "", err
	}
	given = FirstPassword{Member: m, Password: p.newFirstPassword(candidate{member: m}.about("")), Until: store.At(p.now().Add(FirstPasswordLife))}
	hash, err = p.hasher.hash(ctx, given.Password)
	return given, hash, err
}

// GiveFirstPassword gives an account of one's company a new password of its own, which works for FirstPasswordLife and has
// to be replaced at the next sign-in by name; what is signed in to the account ends. The password of its phone stays as it
// is: it is the person's, in every company. Refused: Forbidden, NotFound, one's own account under "action",
// WrongParameters for an account that was invited and not set up, TooManyAttempts past FirstPasswordsAnHour.
func (p *Portal) GiveFirstPassword(ctx context.Context, here Landing, id int64) (FirstPassword, error) {
	m, err := p.PersonHere(ctx, here, id)
	if err == nil {
		err = may(here, RightManagePeople)
	}
	if err != nil {
		return FirstPassword{}, err
	}
	given, hash, err := p.makeFirstPassword(ctx, m)
	if err != nil {
		return FirstPassword{}, err
	}
	err = p.changePerson(ctx, here, id, func(tx *store.DB, by, m store.Member) error {
		if m.ID == by.ID {
			return invalid(Fields{"action": OwnAccount})
		}
		if m.Invited {
			return &Refused{Refusal: WrongParameters}
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
	return given, nil
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
