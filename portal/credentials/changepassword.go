package credentials

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
	"portico/store"
)

// ChangePasswordInput replaces the password that a session was proven with. EndOwn also ends the own passwords of the
// accounts of a phone. Device is the browser's id, "" for none.
type ChangePasswordInput struct {
	Old      string `form:"old_password" json:"old_password_"`
	Password string `form:"password" json:"password_"`
	Confirm  string `form:"confirm_password" json:"confirm_password_"`
	EndOwn   bool   `form:"end_passwords" json:"end_passwords_"`

	Session access.Session
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
func (c *Credentials) ChangePassword(ctx context.Context, in ChangePasswordInput) (token string, err error) {
	// a repetition waits for the first request
	defer c.core.Replay.Proofs.Hold("change password:" + in.Session.Family)()
	owner, err := c.SessionOwner(ctx, in.Session)
	if err != nil {
		return "", err
	}
	if owner.Hash == "" {
		return "", &access.Refused{Refusal: access.PasswordNotSet}
	}
	if err := c.accounts.RefuseExpiredFirstPassword(ctx, owner); err != nil {
		return "", err
	}
	fields := access.Fields{}
	if in.Old == "" {
		fields["old_password"] = access.PasswordRequired
	} else if len(in.Old) > access.MaxPassword {
		fields["old_password"] = access.PasswordTooLong
	}
	c.core.Passwords.NewPasswordFields(fields, &in.Password, in.Confirm, core.PasswordContext(owner, in.Old))
	if err := access.Invalid(fields); err != nil {
		return "", err
	}
	if changed, err := c.passwordChanged(ctx, in, owner); changed || err != nil {
		return "", err
	}
	token, err = c.changePassword(ctx, in, owner)
	if errors.Is(err, access.OldPasswordWrong) {
		err = c.refuseUnlessChanged(ctx, in, owner.Hash, err)
	}
	return token, err
}

// changePassword is ChangePassword for a request that repeats no earlier one.
func (c *Credentials) changePassword(
	ctx context.Context, in ChangePasswordInput, owner access.Subject,
) (token string, err error) {
	if owner, err = c.ProvenByOld(ctx, in, owner); err != nil {
		return "", err
	}
	if err := c.core.Passwords.CheckNewPassword(ctx, owner, in.Password, in.Old); err != nil {
		return "", err
	}
	hash, err := c.core.Passwords.Hasher.Hash(ctx, in.Password)
	if err != nil {
		return "", err
	}
	ended, err := c.core.Revocation.EndsOwnPasswords(ctx, owner, !in.EndOwn)
	if err != nil {
		return "", err
	}
	err = c.core.DB.Tx(ctx, func(tx *store.DB) error {
		if err := c.HoldPassword(ctx, tx, owner); err != nil {
			return err
		}
		if err := c.core.Limits.CountUpTo(ctx, tx, "changes:"+owner.Key, PasswordChanges, access.Day); err != nil {
			return err
		}
		event := "password_changed"
		if owner.Member.FirstPasswordUntil != 0 {
			event = "first_password_changed"
		}
		if err := c.SetPassword(ctx, tx, owner, hash, event, core.KeptAccess{Family: in.Session.Family}); err != nil {
			return err
		}
		if in.EndOwn && owner.Person.ID != 0 {
			if err := c.core.Revocation.EndOwnPasswords(ctx, tx, owner, false); err != nil {
				return err
			}
		}
		if err := c.core.Replay.NoteDone(ctx, tx, c.passwordChange(in.Session), ""); err != nil {
			return err
		}
		token, err = c.core.Sessions.Renew(ctx, tx, in.Session)
		return err
	})
	if err == nil {
		c.core.Verification.NotifyOwner(
			ctx, owner, core.Message{Notice: core.NoticePassword, Lang: in.Lang, Ended: ended},
		)
	}
	return token, err
}

// passwordChange identifies the change of a password by a sign-in. It does not contain the new password, which
// IsPasswordNow compares.
func (c *Credentials) passwordChange(s access.Session) string {
	return c.core.Replay.OperationID("change password", s.Family)
}

// passwordChanged says whether this sign-in changed the password to the new one within RepeatWindow.
func (c *Credentials) passwordChanged(ctx context.Context, in ChangePasswordInput, owner access.Subject) (bool, error) {
	_, done, err := c.core.Replay.DoneBefore(ctx, c.passwordChange(in.Session))
	if !done || err != nil {
		return false, err
	}
	return c.signin.IsPasswordNow(ctx, owner, in.Device, in.Password)
}

// refuseUnlessChanged returns the refusal of a change, or nil when another instance of this program has made the same
// change since the password hash was read.
func (c *Credentials) refuseUnlessChanged(
	ctx context.Context, in ChangePasswordInput, was string, refusal error,
) error {
	owner, err := c.SessionOwner(ctx, in.Session)
	if err != nil {
		return err
	}
	if owner.Hash == was {
		return refusal
	}
	changed, err := c.passwordChanged(ctx, in, owner)
	if changed || err != nil {
		return err
	}
	return refusal
}

// ProvenByOld counts the attempt and compares the old password. It returns the owner with the hash that the old
// password matches now: the comparison may have replaced an outdated hash.
func (c *Credentials) ProvenByOld(
	ctx context.Context, in ChangePasswordInput, owner access.Subject,
) (access.Subject, error) {
	err := c.signin.TryPassword(ctx, access.PasswordTry{Password: in.Old, Device: in.Device, SignedIn: true}, owner)
	if err != nil {
		return owner, oldPasswordRefusal(err)
	}
	judged := owner.Hash
	if owner, err = c.SessionOwner(ctx, in.Session); err != nil || owner.Hash == judged {
		return owner, err
	}
	right, _, err := c.core.Passwords.Hasher.Verify(ctx, owner.Hash, in.Old)
	if err == nil && !right {
		err = &access.Refused{Refusal: access.OldPasswordWrong, Left: max(0, signin.ProofFailures-1)}
	}
	return owner, err
}

// HoldPassword locks the owner's password until the transaction ends. It refuses with OldPasswordWrong when the
// password is no longer the one that was compared.
func (c *Credentials) HoldPassword(ctx context.Context, tx *store.DB, owner access.Subject) error {
	var err error
	if owner.Member.ID != 0 {
		err = tx.Passwords.LockAccount(ctx, owner.Member.CompanyID, owner.Member.ID, owner.Hash)
	} else {
		err = tx.Passwords.LockPerson(ctx, owner.Person.ID, owner.Hash)
	}
	if errors.Is(err, store.ErrNotFound) {
		err = &access.Refused{Refusal: access.OldPasswordWrong, Left: max(0, signin.ProofFailures-1)}
	}
	return err
}

// oldPasswordRefusal turns WrongPassword into OldPasswordWrong, and a picture question, which this form cannot show,
// into a wait.
func oldPasswordRefusal(err error) error {
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Refusal == access.WrongPassword {
		return &access.Refused{Refusal: access.OldPasswordWrong, Left: refused.Left}
	}
	return WaitInstead(err)
}

// SessionOwner returns the phone or the account whose password proved a session.
func (c *Credentials) SessionOwner(ctx context.Context, s access.Session) (access.Subject, error) {
	members, person, err := c.accounts.CoveredMembers(ctx, s)
	if err != nil {
		return access.Subject{}, err
	}
	if s.PersonID != 0 {
		return access.PersonSubject(person), nil
	}
	return access.AccountSubject(members[0]), nil
}

// SetPassword stores the new password and ends what gave access to the owner before. A person who proved the phone (a
// reset, a registration without a sign-in) ends all older access; a change with the old password ends only the
// sign-ins.
func (c *Credentials) SetPassword(
	ctx context.Context, tx *store.DB, owner access.Subject, hash, event string, kept core.KeptAccess,
) error {
	var err error
	if owner.Member.ID != 0 {
		kept.Passwords = true // the new one
		err = tx.Passwords.SetAccount(ctx, owner.Member.CompanyID, owner.Member.ID, hash)
	} else {
		err = tx.Passwords.SetPerson(ctx, owner.Person.ID, hash)
	}
	if err != nil {
		return err
	}
	if event == "password_reset" || event == "first_password_changed" || kept.Family == "" {
		err = c.core.Revocation.EndOlderAccess(ctx, tx, owner, kept)
	} else {
		err = c.core.Revocation.EndSignIns(ctx, tx, owner, kept.Family)
	}
	if err != nil {
		return err
	}
	if event == "password_reset" {
		if err := tx.Attempts.ClearSubject(ctx, owner.Key); err != nil {
			return err
		}
	}
	return c.core.Access.Event(ctx, tx, event, owner.Who(), "")
}

// PasswordChanges is how often a password may be changed in a day. Without the limit a person could set their own
// password to one guess after the other and sign in with each: that tries it on an account of the same name too.
const PasswordChanges = 10

// WaitInstead turns a refusal with a picture question, which this form cannot show, into one with a wait of
// FailureWindow.
func WaitInstead(err error) error {
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Question != nil {
		return &access.Refused{Refusal: access.TooManyAttempts, Wait: core.FailureWindow}
	}
	return err
}
