package portal

import (
	"cmp"
	"context"
	"errors"

	"portico/store"
)

// ChangePasswordInput replaces one's own password.
type ChangePasswordInput struct {
	Old      string `form:"old_password" json:"old_password_"`
	Password string `form:"password" json:"password_"`
	Confirm  string `form:"confirm_password" json:"confirm_password_"`

	Session Session
	Device  string
	Lang    string
}

// ChangePassword replaces the password that the session was proven with: the phone's, or the account's own. All
// other sessions and tokens it opened end. The old password draws on the same budget as signing in does. Of two new
// passwords at once the first one wins; the other is OldPasswordWrong. Refused: OldPasswordWrong, PasswordNotSet for a
// phone without one and for a first password past its end, TooManyAttempts.
//
// It returns the browser's new cookie value: "" for a token, which stays as it is, and for a repetition within
// RepeatWindow, which changes nothing.
func (p *Portal) ChangePassword(ctx context.Context, in ChangePasswordInput) (token string, err error) {
	defer p.proofs.hold("change password:" + in.Session.Family)() // a repetition waits for the first
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
	p.newPasswordFields(fields, in.Password, in.Confirm, owner.about(in.Old))
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

// changePassword replaces a password that was not changed to the new one before.
func (p *Portal) changePassword(
	ctx context.Context, in ChangePasswordInput, owner candidate,
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
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		if err := p.holdPassword(ctx, tx, owner); err != nil {
			return err
		}
		if err := p.countUpTo(ctx, tx, "changes:"+owner.subject, PasswordChanges, day); err != nil {
			return err
		}
		event := "password_changed"
		if owner.member.FirstPasswordUntil != 0 {
			event = "first_password_changed"
		}
		if err := p.setPassword(ctx, tx, owner, hash, event, in.Session.Family); err != nil {
			return err
		}
		if err := p.noteDone(ctx, tx, p.passwordChange(in.Session), ""); err != nil {
			return err
		}
		token, err = p.renew(ctx, tx, in.Session)
		return err
	})
	if err == nil {
		p.tell(ctx, owner.number(), NoticePassword, in.Lang, owner.member.Company)
	}
	return token, err
}

// passwordChange identifies the change of a password by a session. The password itself is compared.
func (p *Portal) passwordChange(s Session) string { return p.operationID("change password", s.Family) }

// passwordChanged says whether this sign-in changed the password to the new one within RepeatWindow.
func (p *Portal) passwordChanged(ctx context.Context, in ChangePasswordInput, owner candidate) (bool, error) {
	_, done, err := p.doneBefore(ctx, p.passwordChange(in.Session))
	if !done || err != nil {
		return false, err
	}
	return p.isPasswordNow(ctx, owner, in.Device, in.Password)
}

// refuseUnlessChanged gives the refusal of a change, but nil where another instance has made the same change since
// the hash was read.
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

// provenByOld counts a try and compares the old password. The owner that it returns has the hash that the old
// password fits: comparing may have stored the password anew.
func (p *Portal) provenByOld(ctx context.Context, in ChangePasswordInput, owner candidate) (candidate, error) {
	g, err := p.checkPassword(ctx, LoginInput{Password: in.Old, Device: in.Device}, owner, nil)
	if err != nil {
		return owner, oldPasswordRefusal(err)
	}
	// The old password was right, whatever becomes of the new one.
	if err := p.db.Tx(ctx, func(tx *store.DB) error { return p.passed(ctx, tx, g, nil) }); err != nil {
		return owner, err
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

// holdPassword makes sure in the transaction of a change that the password is still the one that was compared;
// OldPasswordWrong when it is another one. Other changes wait for the end of the transaction.
func (p *Portal) holdPassword(ctx context.Context, tx *store.DB, owner candidate) error {
	var err error
	if owner.member.ID != 0 {
		err = tx.HoldAccountPassword(ctx, owner.member.CompanyID, owner.member.ID, owner.hash)
	} else {
		err = tx.HoldPhonePassword(ctx, owner.phone.ID, owner.hash)
	}
	if errors.Is(err, store.ErrNotFound) {
		err = &Refused{Refusal: OldPasswordWrong, Left: max(0, ProofFailures-1)}
	}
	return err
}

// oldPasswordRefusal tells a wrong old password from a wrong password; a question cannot be asked here, so that the
// wait stands in for it.
func oldPasswordRefusal(err error) error {
	if refused := new(Refused); errors.As(err, &refused) && refused.Refusal == WrongPassword {
		return &Refused{Refusal: OldPasswordWrong, Left: refused.Left}
	}
	return waitInstead(err)
}

// renew gives a browser's session a new id and returns the cookie's new value. The former id is good for FormerLife, or until the
// browser shows the new one: the answer that carries it may be lost. The former id is the one that the browser holds.
func (p *Portal) renew(ctx context.Context, tx *store.DB, s Session) (token string, err error) {
	if s.Client != "" {
		return "", nil
	}
	renewed, token := p.renewal(randomToken(16), cmp.Or(s.FormerID, s.ID))
	err = tx.RenewSession(ctx, s.ID, renewed)
	if errors.Is(err, store.ErrNotFound) {
		err = LoginRequired
	}
	return token, err
}

// sessionOwner is whose password a session was proven with.
func (p *Portal) sessionOwner(ctx context.Context, s Session) (candidate, error) {
	members, phone, err := p.covered(ctx, s)
	if err != nil {
		return candidate{}, err
	}
	if s.PhoneID != 0 {
		return candidate{subject: phoneSubject(phone.ID), hash: phone.PasswordHash, phone: phone}, nil
	}
	return candidate{subject: memberSubject(members[0]), hash: members[0].PasswordHash, member: members[0]}, nil
}

// number is the phone that is told about a change, "" for none.
func (c candidate) number() string { return c.phone.Phone + c.member.Phone }

// about is what a new password of the owner must not be guessed from.
func (c candidate) about(old string) PasswordContext {
	return PasswordContext{Phone: c.number(), Login: c.member.Login, Name: c.member.Name, Company: c.member.Company.Name, Old: old}
}

// newPasswordFields judges a new password and its repetition, as far as nothing has to be looked up.
func (p *Portal) newPasswordFields(fields Fields, password, confirm string, about PasswordContext) {
	if problem := p.password.Check(password, about); problem != "" {
		fields["password"] = problem
	} else if confirm != password {
		fields["confirm_password"] = PasswordsDiffer
	}
}

// checkNewPassword judges a new password by all that is known of its owner, once the owner is proven: names of
// accounts must not be told to others.
func (p *Portal) checkNewPassword(ctx context.Context, owner candidate, password, old string) error {
	contexts := []PasswordContext{owner.about(old)}
	if owner.phone.ID != 0 {
		members, err := p.db.MembersByPhone(ctx, owner.phone.ID)
		if err != nil {
			return err
		}
		for _, m := range members {
			contexts = append(contexts, candidate{member: m}.about(old))
		}
	}
	for _, about := range contexts {
		if problem := p.password.Check(password, about); problem != "" {
			return invalid(Fields{"password": problem})
		}
	}
	if owner.hash == "" {
		return nil
	}
	same, _, err := p.hasher.verify(ctx, owner.hash, password)
	if err == nil && same {
		err = invalid(Fields{"password": PasswordSame})
	}
	return err
}

// setPassword writes a password and ends what the old one opened, but for the family kept; nothing planted before
// survives (requirement 43).
func (p *Portal) setPassword(ctx context.Context, tx *store.DB, owner candidate, hash, event, kept string) error {
	if owner.member.ID != 0 {
		if err := tx.SetAccountPassword(ctx, owner.member.CompanyID, owner.member.ID, hash); err != nil {
			return err
		}
		if err := tx.EndAccount(ctx, owner.member.ID, kept); err != nil {
			return err
		}
		if err := tx.EndCodes(ctx, p.codeSubject(owner.member.Phone)); err != nil {
			return err
		}
	} else {
		if err := tx.SetPhonePassword(ctx, owner.phone.ID, hash); err != nil {
			return err
		}
		if err := p.endPerson(ctx, tx, owner.phone, kept); err != nil {
			return err
		}
	}
	if event == "password_reset" || kept == "" {
		if err := p.dropIdentities(ctx, tx, owner); err != nil {
			return err
		}
	}
	if event == "password_reset" {
		if err := tx.ClearSubject(ctx, owner.subject); err != nil {
			return err
		}
	}
	return p.event(ctx, tx, event, owner.who(), "")
}

// PasswordChanges is how often a password may be changed in a day: whoever changes their own to a guess and signs in
// must not try it on a namesake of the other side without end.
const PasswordChanges = 10

// endPerson ends every session, token and open code of a phone and its accounts, but for the family kept.
func (p *Portal) endPerson(ctx context.Context, tx *store.DB, phone store.Phone, kept string) error {
	members, err := tx.MembersByPhone(ctx, phone.ID)
	if err != nil {
		return err
	}
	for _, m := range members {
		if err := tx.EndAccount(ctx, m.ID, kept); err != nil {
			return err
		}
	}
	if err := tx.EndPhone(ctx, phone.ID, kept); err != nil {
		return err
	}
	if err := tx.EndRegistrations(ctx, phone.ID); err != nil {
		return err
	}
	return tx.EndCodes(ctx, p.codeSubject(phone.Phone))
}

// PasswordHint is the rule for new passwords, said before the mistake: a locale key and what fills it.
func (p *Portal) PasswordHint() (key string, args []any) {
	key, _ = p.password.Hint()
	return key, []any{"num", p.password.Min, "max", p.password.Max}
}

// ProblemMessage is the locale key of what is wrong with a field, and what fills it.
func (p *Portal) ProblemMessage(problem Problem) (key string, args []any) {
	return "problem." + string(problem), []any{"num", p.password.Min, "max", p.password.Max}
}
