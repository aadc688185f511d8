package credentials

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/core"
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
	Place access.Place
	Lang  string
}

// ResetPassword sets the password, ends every session, token and code of its owner, and resets the count of failed
// sign-ins. The same code with the same password within RepeatWindow succeeds again and changes nothing. It refuses
// malformed fields, a password that breaks the rule, CodeWrong, CodeExpired and TooManyAttempts.
func (c *Credentials) ResetPassword(ctx context.Context, in ResetInput) error {
	who, fields, err := c.resetting(ctx, &in)
	if err != nil {
		return err
	}
	if problem := core.CodeProblem(in.Code); problem != "" {
		fields["code"] = problem
	}
	c.core.Passwords.NewPasswordFields(
		fields, &in.Password, in.Confirm, access.PasswordContext{Phone: in.Phone, Login: in.Login},
	)
	if err := access.Invalid(fields); err != nil {
		return err
	}
	in.Code, _ = core.NormalCode(in.Code)
	id := c.core.Replay.OperationID(
		"reset password", in.Flow, who.Subject(), who.Target, access.Decimal(in.Place.CompanyID()), in.Code,
	)
	defer c.core.Replay.Proofs.Hold(id)() // a repetition waits for the first request
	err = c.resetPassword(ctx, in, who, id)
	if errors.Is(err, access.CodeExpired) || core.IsSamePassword(err) {
		if done, lookErr := c.passwordReset(ctx, in, who, id); done || lookErr != nil {
			return lookErr
		}
	}
	return err
}

// resetPassword is ResetPassword for a request that repeats no earlier one.
func (c *Credentials) resetPassword(ctx context.Context, in ResetInput, who core.Recipient, id string) error {
	proof, err := c.core.Verification.ProveCodeTo(ctx, who, core.ForReset, in.Place.CompanyID(), in.Flow, in.Code)
	if err != nil {
		return err
	}
	owner, err := c.owner(ctx, who)
	if err != nil {
		return err
	}
	if err := c.core.Passwords.CheckNewPassword(ctx, owner, in.Password, ""); err != nil {
		return err
	}
	hash, err := c.core.Passwords.Hasher.Hash(ctx, in.Password)
	if err != nil {
		return err
	}
	ended, err := c.core.Revocation.EndsOwnPasswords(ctx, owner, in.Keep)
	if err != nil {
		return err
	}
	err = c.core.DB.Tx(ctx, func(tx *store.DB) error {
		if err := c.core.Verification.Spend(ctx, tx, proof); err != nil {
			return err
		}
		if err := c.core.Replay.NoteDone(ctx, tx, id, ""); err != nil {
			return err
		}
		return c.SetPassword(ctx, tx, owner, hash, "password_reset", core.KeptAccess{Passwords: in.Keep})
	})
	if err == nil {
		c.core.Verification.NotifyOwner(
			ctx, owner, core.Message{Notice: core.NoticePassword, Lang: in.Lang, Ended: ended},
		)
	}
	return err
}

// passwordReset says whether the same code has set the same password within RepeatWindow.
func (c *Credentials) passwordReset(
	ctx context.Context, in ResetInput, who core.Recipient, id string,
) (bool, error) {
	_, done, err := c.core.Replay.DoneByCode(ctx, core.ForReset, who.Subject(), id)
	if !done || err != nil {
		return false, err
	}
	owner, err := c.owner(ctx, who)
	if _, ok := errors.AsType[*access.Refused](err); ok { // the phone was unbound meanwhile
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return c.signin.IsPasswordNow(ctx, owner, "", in.Password)
}

// resetting finds the phone or account whose password is reset. An unknown account name is not refused, because that
// would reveal which names exist: no code ever matches it.
func (c *Credentials) resetting(ctx context.Context, in *ResetInput) (core.Recipient, access.Fields, error) {
	if in.Login == "" {
		fields := access.PhoneFields(&in.Phone)
		return core.Recipient{Phone: in.Phone, Target: core.TargetPhone}, fields, nil
	}
	if in.Phone != "" {
		return core.Recipient{}, nil, &access.Refused{Refusal: access.WrongParameters}
	}
	login, ok := access.NormalLogin(in.Login)
	if !ok || login == "" {
		return core.Recipient{}, access.Fields{"login": access.LoginMalformed}, nil
	}
	in.Login = login
	to, _, err := c.Named(ctx, login, in.Place)
	return to, access.Fields{}, err
}

// owner returns the phone or the account whose password a code may reset. It refuses with PhoneNotBound a number that
// is not registered, and with CodeExpired an account whose phone was unbound.
func (c *Credentials) owner(ctx context.Context, who core.Recipient) (access.Subject, error) {
	person, err := c.core.DB.Persons.ByNumber(ctx, who.Phone)
	if errors.Is(err, store.ErrNotFound) {
		return access.Subject{}, &access.Refused{Refusal: access.PhoneNotBound}
	}
	if err != nil {
		return access.Subject{}, err
	}
	if who.Target == core.TargetPhone {
		return access.PersonSubject(person), nil
	}
	members, err := c.core.DB.Accounts.ByPerson(ctx, person.ID)
	if err != nil {
		return access.Subject{}, err
	}
	for _, m := range members {
		if core.AccountTarget(m.ID) == who.Target {
			return access.AccountSubject(m), nil
		}
	}
	return access.Subject{}, &access.Refused{Refusal: access.CodeExpired} // unbound meanwhile
}
