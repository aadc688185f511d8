package portal

import (
	"context"
	"errors"

	"portico/store"
)

// ChangePasswordInput replaces the password that a session was proven with. EndOwn also ends the own passwords of the
// accounts of a phone. Device is the browser's id, "" for none.
type ChangePasswordInput struct {
	Old      string `form:"old_password" json:"old_password_"`
	Password string `form:"password" json:"password_"`
	Confirm  string `form:"confirm_password" json:"confirm_password_"`
	EndOwn   bool   `form:"end_passwords" json:"end_passwords_"`

	Session Session
	Device  string
	Lang    string
}

// ChangePassword replaces the password that the session was proven with: the phone's, or the account's own. It ends all
// other sessions and tokens that the password opened. The attempt counts as an attempt to sign in. Of two different new
// passwords sent at once the first one wins; the other is refused with OldPasswordWrong.
//
// It returns the browser's new cookie value; "" for a token, which stays as it is, and for a repetition within
// RepeatWindow, which changes nothing. It refuses with OldPasswordWrong, with PasswordNotSet when the phone has no
// password or a first password has expired, with TooManyAttempts, and with the problems of the new password.
func (p *Portal) ChangePassword(ctx context.Context, in ChangePasswordInput) (token string, err error) {
	defer p.proofs.hold("change password:" + in.Session.Family)() // a repetition waits for the first request
	owner, err := p.sessionOwner(ctx, in.Session)
	if err != nil {
		return "", err
	}
	if owner.hash == "" {
		return "", &Refused{Refusal: PasswordNotSet}
	}
	if err := p.firstEnded(owner); err != nil {
		return "", err
	}
	fields := Fields{}
	if in.Old == "" {
		fields["old_password"] = PasswordRequired
	} else if len(in.Old) > MaxPassword {
		fields["old_password"] = PasswordTooLong
	}
	p.newPasswordFields(fields, in.Password, in.Confirm, passwordContext(owner, in.Old))
	if err := invalid(fields); err != nil {
		return "", err
	}
	if changed, err := p.passwordChanged(ctx, in, owner); changed || err != nil {
		return "", err
	}
	token, err = p.changePassword(ctx, in, owner)
	if errors.Is(err, OldPasswordWrong) {
		err = p.refuseUnlessChanged(ctx, in, owner.hash, err)
	}
	return token, err
}

// changePassword is ChangePassword for a request that repeats no earlier one.
func (p *Portal) changePassword(
	ctx context.Context, in ChangePasswordInput, owner Subject,
) (token string, err error) {
	if owner, err = p.provenByOld(ctx, in, owner); err != nil {
		return "", err
	}
	if err := p.checkNewPassword(ctx, owner, in.Password, in.Old); err != nil {
		return "", err
	}
	hash, err := p.hasher.hash(ctx, in.Password)
	if err != nil {
		return "", err
	}
	ended, err := p.endsOwnPasswords(ctx, owner, !in.EndOwn)
	if err != nil {
		return "", err
	}
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		if err := p.holdPassword(ctx, tx, owner); err != nil {
			return err
		}
		if err := p.countUpTo(ctx, tx, "changes:"+owner.key, PasswordChanges, day); err != nil {
			return err
		}
		event := "password_changed"
		if owner.member.FirstPasswordUntil != 0 {
			event = "first_password_changed"
		}
		if err := p.setPassword(ctx, tx, owner, hash, event, keptAccess{family: in.Session.Family}); err != nil {
			return err
		}
		if in.EndOwn && owner.phone.ID != 0 {
			if err := p.endOwnPasswords(ctx, tx, owner, false); err != nil {
				return err
			}
		}
		if err := p.noteDone(ctx, tx, p.passwordChange(in.Session), ""); err != nil {
			return err
		}
		token, err = p.renew(ctx, tx, in.Session)
		return err
	})
	if err == nil {
		p.notifyOwner(ctx, owner, Message{Notice: NoticePassword, Lang: in.Lang, Ended: ended})
	}
	return token, err
}

// passwordChange identifies the change of a password by a sign-in. It does not contain the new password, which
// isPasswordNow compares.
func (p *Portal) passwordChange(s Session) string { return p.operationID("change password", s.Family) }

// passwordChanged says whether this sign-in changed the password to the new one within RepeatWindow.
func (p *Portal) passwordChanged(ctx context.Context, in ChangePasswordInput, owner Subject) (bool, error) {
	_, done, err := p.doneBefore(ctx, p.passwordChange(in.Session))
	if !done || err != nil {
		return false, err
	}
	return p.isPasswordNow(ctx, owner, in.Device, in.Password)
}

// refuseUnlessChanged returns the refusal of a change, or nil when another instance of this program has made the same
// change since the password hash was read.
func (p *Portal) refuseUnlessChanged(ctx context.Context, in ChangePasswordInput, was string, refusal error) error {
	owner, err := p.sessionOwner(ctx, in.Session)
	if err != nil {
		return err
	}
	if owner.hash == was {
		return refusal
	}
	changed, err := p.passwordChanged(ctx, in, owner)
	if changed || err != nil {
		return err
	}
	return refusal
}

// provenByOld counts the attempt and compares the old password. It returns the owner with the hash that the old
// password matches now: the comparison may have replaced an outdated hash.
func (p *Portal) provenByOld(ctx context.Context, in ChangePasswordInput, owner Subject) (Subject, error) {
	err := p.tryPassword(ctx, PasswordTry{Password: in.Old, Device: in.Device, SignedIn: true}, owner)
	if err != nil {
		return owner, oldPasswordRefusal(err)
	}
	judged := owner.hash
	if owner, err = p.sessionOwner(ctx, in.Session); err != nil || owner.hash == judged {
		return owner, err
	}
	right, _, err := p.hasher.verify(ctx, owner.hash, in.Old)
	if err == nil && !right {
		err = &Refused{Refusal: OldPasswordWrong, Left: max(0, ProofFailures-1)}
	}
	return owner, err
}

// holdPassword locks the owner's password until the transaction ends. It refuses with OldPasswordWrong when the
// password is no longer the one that was compared.
func (p *Portal) holdPassword(ctx context.Context, tx *store.DB, owner Subject) error {
	var err error
	if owner.member.ID != 0 {
		err = tx.LockAccountPassword(ctx, owner.member.CompanyID, owner.member.ID, owner.hash)
	} else {
		err = tx.LockPhonePassword(ctx, owner.phone.ID, owner.hash)
	}
	if errors.Is(err, store.ErrNotFound) {
		err = &Refused{Refusal: OldPasswordWrong, Left: max(0, ProofFailures-1)}
	}
	return err
}

// oldPasswordRefusal turns WrongPassword into OldPasswordWrong, and a picture question, which this form cannot show,
// into a wait.
func oldPasswordRefusal(err error) error {
	if refused, ok := errors.AsType[*Refused](err); ok && refused.Refusal == WrongPassword {
		return &Refused{Refusal: OldPasswordWrong, Left: refused.Left}
	}
	return waitInstead(err)
}

// sessionOwner returns the phone or the account whose password proved a session.
func (p *Portal) sessionOwner(ctx context.Context, s Session) (Subject, error) {
	members, phone, err := p.covered(ctx, s)
	if err != nil {
		return Subject{}, err
	}
	if s.PhoneID != 0 {
		return personSubject(phone), nil
	}
	return accountSubject(members[0]), nil
}

// setPassword stores the new password and ends what gave access to the owner before. A person who proved the phone (a
// reset, a registration without a sign-in) ends all older access; a change with the old password ends only the
// sign-ins.
func (p *Portal) setPassword(
	ctx context.Context, tx *store.DB, owner Subject, hash, event string, kept keptAccess,
) error {
	var err error
	if owner.member.ID != 0 {
		kept.passwords = true // the new one
		err = tx.SetAccountPassword(ctx, owner.member.CompanyID, owner.member.ID, hash)
	} else {
		err = tx.SetPhonePassword(ctx, owner.phone.ID, hash)
	}
	if err != nil {
		return err
	}
	if event == "password_reset" || event == "first_password_changed" || kept.family == "" {
		err = p.endOlderAccess(ctx, tx, owner, kept)
	} else {
		err = p.endSignIns(ctx, tx, owner, kept.family)
	}
	if err != nil {
		return err
	}
	if event == "password_reset" {
		if err := tx.ClearSubject(ctx, owner.key); err != nil {
			return err
		}
	}
	return p.event(ctx, tx, event, owner.who(), "")
}

// PasswordChanges is how often a password may be changed in a day. Without the limit a person could set their own
// password to one guess after the other and sign in with each: that tries it on an account of the same name too.
const PasswordChanges = 10
