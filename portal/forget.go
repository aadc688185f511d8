package portal

import (
	"context"
	"errors"

	"portico/store"
)

// ResetInput sets a new password with a code. With Phone it is the phone's password. With Login it is the account's own
// password, and the code was sent to the account's phone. A code is valid only for the one it was sent for. With Phone
// the own passwords of the phone's accounts end too, unless Keep is set.
type ResetInput struct {
	Phone    string `form:"phone" json:"phone_"`
	Login    string `form:"login" json:"login_"`
	Code     string `form:"code" json:"code_"`
	Password string `form:"password" json:"password_"`
	Confirm  string `form:"confirm_password" json:"confirm_password_"`
	Keep     bool   `form:"keep_passwords" json:"keep_passwords_"`

	Flow  string
	Place Place
	Lang  string
}

// ResetPassword sets the password, ends every session, token and code of its owner, and resets the count of failed
// sign-ins. The same code with the same password within RepeatWindow succeeds again and changes nothing. It refuses
// malformed fields, a password that breaks the rule, CodeWrong, CodeExpired and TooManyAttempts.
func (p *Portal) ResetPassword(ctx context.Context, in ResetInput) error {
	who, fields, err := p.resetting(ctx, &in)
	if err != nil {
		return err
	}
	if problem := codeProblem(in.Code); problem != "" {
		fields["code"] = problem
	}
	p.newPasswordFields(fields, in.Password, in.Confirm, PasswordContext{Phone: in.Phone, Login: in.Login})
	if err := invalid(fields); err != nil {
		return err
	}
	in.Code, _ = normalCode(in.Code)
	id := p.operationID("reset password", in.Flow, who.subject(), who.target, decimal(in.Place.CompanyID()), in.Code)
	defer p.proofs.hold(id)() // a repetition waits for the first request
	err = p.resetPassword(ctx, in, who, id)
	if errors.Is(err, CodeExpired) || isSamePassword(err) {
		if done, lookErr := p.passwordReset(ctx, in, who, id); done || lookErr != nil {
			return lookErr
		}
	}
	return err
}

// resetPassword is ResetPassword for a request that repeats no earlier one.
func (p *Portal) resetPassword(ctx context.Context, in ResetInput, who recipient, id string) error {
	proof, err := p.proveCodeTo(ctx, who, ForReset, in.Place.CompanyID(), in.Flow, in.Code)
	if err != nil {
		return err
	}
	owner, err := p.owner(ctx, who)
	if err != nil {
		return err
	}
	if err := p.checkNewPassword(ctx, owner, in.Password, ""); err != nil {
		return err
	}
	hash, err := p.hasher.hash(ctx, in.Password)
	if err != nil {
		return err
	}
	ended, err := p.endsOwnPasswords(ctx, owner, in.Keep)
	if err != nil {
		return err
	}
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		if err := p.spend(ctx, tx, proof); err != nil {
			return err
		}
		if err := p.noteDone(ctx, tx, id, ""); err != nil {
			return err
		}
		return p.setPassword(ctx, tx, owner, hash, "password_reset", keptAccess{passwords: in.Keep})
	})
	if err == nil {
		p.notifyOwner(ctx, owner, Message{Notice: NoticePassword, Lang: in.Lang, Ended: ended})
	}
	return err
}

// passwordReset says whether the same code has set the same password within RepeatWindow.
func (p *Portal) passwordReset(ctx context.Context, in ResetInput, who recipient, id string) (bool, error) {
	_, done, err := p.doneByCode(ctx, ForReset, who.subject(), id)
	if !done || err != nil {
		return false, err
	}
	owner, err := p.owner(ctx, who)
	if _, ok := errors.AsType[*Refused](err); ok { // the phone was unbound meanwhile
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return p.isPasswordNow(ctx, owner, "", in.Password)
}

// resetting finds the phone or account whose password is reset. An unknown account name is not refused, because that
// would reveal which names exist: no code ever matches it.
func (p *Portal) resetting(ctx context.Context, in *ResetInput) (recipient, Fields, error) {
	if in.Login == "" {
		fields := phoneFields(&in.Phone)
		return recipient{phone: in.Phone, target: targetPhone}, fields, nil
	}
	if in.Phone != "" {
		return recipient{}, nil, &Refused{Refusal: WrongParameters}
	}
	login, ok := NormalLogin(in.Login)
	if !ok || login == "" {
		return recipient{}, Fields{"login": LoginMalformed}, nil
	}
	in.Login = login
	to, _, err := p.named(ctx, login, in.Place)
	return to, Fields{}, err
}

// owner returns the phone or the account whose password a code may reset. It refuses with PhoneNotBound a number that
// is not registered, and with CodeExpired an account whose phone was unbound.
func (p *Portal) owner(ctx context.Context, who recipient) (Subject, error) {
	phone, err := p.db.PhoneByNumber(ctx, who.phone)
	if errors.Is(err, store.ErrNotFound) {
		return Subject{}, &Refused{Refusal: PhoneNotBound}
	}
	if err != nil {
		return Subject{}, err
	}
	if who.target == targetPhone {
		return personSubject(phone), nil
	}
	members, err := p.db.MembersByPhone(ctx, phone.ID)
	if err != nil {
		return Subject{}, err
	}
	for _, m := range members {
		if targetOf(m.ID) == who.target {
			return accountSubject(m), nil
		}
	}
	return Subject{}, &Refused{Refusal: CodeExpired} // unbound meanwhile
}
