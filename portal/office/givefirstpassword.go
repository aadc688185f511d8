package office

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
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
func (b *Backoffice) GiveFirstPassword(
	ctx context.Context, here access.Landing, id int64, form string,
) (credentials.FirstPassword, error) {
	m, err := b.PersonHere(ctx, here, id)
	if err == nil {
		err = access.RequireRight(here, access.RightManagePeople)
	}
	if err != nil {
		return credentials.FirstPassword{}, err
	}
	// The salt is kept for RepeatWindow. A form that is sent later gives another password: the first one may be known
	// by then.
	salt := access.RandomToken(16)
	given, hash, err := b.credentials.MakeFirstPassword(ctx, m, credentials.FirstPasswordSeed(m, form, salt))
	if err != nil {
		return credentials.FirstPassword{}, err
	}
	repeat, repeated := b.core.Replay.OperationID(
		"first password", access.Decimal(here.Member.ID), access.Decimal(id), form,
	), false
	var before credentials.FirstPassword // what an earlier request with the same form gave, and its salt
	var saltBefore string
	err = b.changePerson(ctx, here, id, func(tx *store.DB, by, m store.Member) error {
		if m.ID == by.ID {
			return access.Invalid(access.Fields{"action": access.OwnAccount})
		}
		if m.Invited {
			return &access.Refused{Refusal: access.WrongParameters}
		}
		if form != "" {
			note, err := tx.Repeats.ByID(ctx, repeat, store.At(b.core.Now().Add(-core.RepeatWindow)))
			if repeated = err == nil; repeated || !errors.Is(err, store.ErrNotFound) {
				before, saltBefore = credentials.FirstPassword{Member: m, Until: m.FirstPasswordUntil}, note.Result
				return err
			}
			if err := b.core.Replay.NoteDone(ctx, tx, repeat, salt); err != nil {
				return err
			}
		}
		if err := tx.Passwords.SetFirst(ctx, m.CompanyID, m.ID, hash, given.Until); err != nil {
			return err
		}
		if err := b.endFormerHolder(ctx, tx, m); err != nil {
			return err
		}
		return b.core.Access.Event(ctx, tx, "first_password_given", by, access.Decimal(m.ID))
	})
	if err != nil {
		return credentials.FirstPassword{}, err
	}
	if repeated {
		return b.givenBefore(ctx, before, credentials.FirstPasswordSeed(m, form, saltBefore))
	}
	b.core.Verification.Notify(
		ctx,
		core.Message{
			Phone: m.Phone, Notice: core.NoticeFirst, Lang: m.Company.Language, Login: m.Login,
		}, m.Company,
	)
	return given, nil
}

// endFormerHolder ends what a former holder of an account may have kept of it: sign-ins, linked identities, kept forms,
// the accepted agreement and the failures of wrong passwords.
func (b *Backoffice) endFormerHolder(ctx context.Context, tx *store.DB, m store.Member) error {
	if err := b.core.Revocation.EndMember(ctx, tx, m); err != nil {
		return err
	}
	if err := b.core.Revocation.DropIdentities(ctx, tx, access.Subject{Member: m}, "a new password"); err != nil {
		return err
	}
	if err := tx.KeptForms.Drop(ctx, m.ID); err != nil {
		return err
	}
	if err := tx.Acceptances.EndOfAccount(ctx, m.CompanyID, m.ID); err != nil {
		return err
	}
	if m.PersonID != 0 { // failed sign-ins of a phone belong to the person, not to this account
		return nil
	}
	return tx.Attempts.ClearSubject(ctx, access.AccountKey(m))
}

// givenBefore returns the first password that an earlier request derived from the seed; without the password when the
// holder has replaced it.
func (b *Backoffice) givenBefore(
	ctx context.Context, given credentials.FirstPassword, seed string,
) (credentials.FirstPassword, error) {
	given.Password = b.credentials.NewFirstPassword(
		core.PasswordContext(access.Subject{Member: given.Member}, ""), seed,
	)
	same, _, err := b.core.Passwords.Hasher.Verify(ctx, given.Member.PasswordHash, given.Password)
	if err != nil {
		return credentials.FirstPassword{}, err
	}
	if !same {
		given.Password = ""
	}
	return given, nil
}
