package portal

import (
	"context"
	"errors"

	"portico/store"
)

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
	given.Password = p.newFirstPassword(passwordContext(Subject{member: given.Member}, ""), seed)
	same, _, err := p.hasher.verify(ctx, given.Member.PasswordHash, given.Password)
	if err != nil {
		return FirstPassword{}, err
	}
	if !same {
		given.Password = ""
	}
	return given, nil
}
