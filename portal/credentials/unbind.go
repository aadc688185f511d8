package credentials

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
	"portico/store"
)

// UnbindInput unbinds the phone of one of the person's accounts. AccountID chooses among several; 0 means the only one,
// or the one that an API token acts as.
type UnbindInput struct {
	AccountID int64  `form:"account_id"`
	Code      string `form:"code" json:"code_"`
	Password  string `form:"password" json:"password_"`
	Confirm   string `form:"confirm_password" json:"confirm_password_"`

	Session access.Session
	Token   string // the session's cookie or token: it identifies a repetition after the session has ended
	Flow    string
	Device  string
	Lang    string
}

// Unbinding is what is needed to unbind the phone of an account, besides the code. NewPassword: a password for the
// account, which has none of its own. Confirm: the current password, because the sign-in is older than FreshSession.
type Unbinding struct {
	Member      store.Member
	NewPassword bool
	Confirm     bool
}

// Unbindable says what is needed to unbind the phone of an account. It refuses with ChoiceRequired under "account_id"
// when the session has several accounts and none is named, with NotFound an account of another person, with
// WrongParameters an account without a phone, and with LoginRequired when the account needs a new password and the
// sign-in is older than FreshSession.
func (b *Binding) Unbindable(ctx context.Context, s access.Session, accountID int64) (Unbinding, error) {
	if accountID == 0 {
		accountID = s.ActingID
	}
	members, _, err := b.accounts.Members(ctx, s)
	if err != nil {
		return Unbinding{}, err
	}
	if accountID == 0 && len(members) == 1 {
		accountID = members[0].ID
	}
	if accountID == 0 {
		return Unbinding{}, access.Invalid(access.Fields{"account_id": access.ChoiceRequired})
	}
	m, err := b.accounts.OwnMember(ctx, s, accountID)
	if err != nil {
		return Unbinding{}, err
	}
	if m.PersonID == 0 {
		return Unbinding{}, &access.Refused{Refusal: access.WrongParameters}
	}
	u := Unbinding{Member: m, NewPassword: m.PasswordHash == "" || m.FirstPasswordUntil != 0}
	u.Confirm = !u.NewPassword && b.core.Now().Sub(s.CreatedAt.Time()) >= signin.FreshSession
	if u.NewPassword && b.core.Now().Sub(s.CreatedAt.Time()) >= signin.FreshSession {
		return Unbinding{}, access.LoginRequired
	}
	return u, nil
}

// unbindRecipient returns the phone of the account to unbind, which gets the code. It refuses what Unbindable refuses.
func (b *Binding) unbindRecipient(ctx context.Context, in *core.AskCodeInput) (core.Recipient, error) {
	u, err := b.Unbindable(ctx, in.Session, in.AccountID)
	if err != nil {
		return core.Recipient{}, err
	}
	return core.Recipient{
		Phone:   u.Member.Phone,
		Target:  core.AccountTarget(u.Member.ID),
		Login:   u.Member.Login,
		Company: u.Member.Company,
		Asker:   core.KnownBrowser,
		Hidden:  true,
	}, nil
}

// Unbind takes the phone off an account and ends the sessions and tokens that the phone opened for it. The account must
// stay usable: without a password of its own it gets one here, and PasswordNotSet is the refusal when none is given. A
// repetition within RepeatWindow succeeds and changes nothing, even if the first request has ended the session. It
// refuses as Unbindable does, and with CodeWrong, CodeExpired, WrongPassword and TooManyAttempts.
func (b *Binding) Unbind(ctx context.Context, in UnbindInput) error {
	defer b.core.Replay.Proofs.Hold("unbind phone:" + unbinder(in))() // a repetition waits for the first request
	refusal := b.unbind(ctx, in)
	if refusal == nil || !access.IsRefused(refusal) {
		return refusal
	}
	if done, err := b.Unbound(ctx, in); done || err != nil {
		return err
	}
	return refusal
}

// unbound is what noteUnbound stores about an unbound phone.
type unbound struct {
	AccountID   int64  `json:"account"`
	Code        string `json:"code"`         // keyed hash
	NewPassword bool   `json:"new_password"` // the account got a password of its own
}

// unbinder returns the id of the session, or of the ended session that the token belonged to.
func unbinder(in UnbindInput) string {
	if in.Session.ID == "" && in.Token != "" {
		return access.Hashed(in.Token)
	}
	return in.Session.ID
}

// Unbound says whether the same session has unbound the phone with the same code, account and new password within
// RepeatWindow. The session may have ended since.
func (b *Binding) Unbound(ctx context.Context, in UnbindInput) (bool, error) {
	by := unbinder(in)
	was, done, err := b.unboundBy(ctx, by)
	if !done || err != nil {
		return false, err
	}
	err = b.core.Limits.CountUpTo(
		ctx, b.core.DB, "look-ups:"+string(core.ForUnbind)+":"+by, core.LookUpsADay, access.Day,
	)
	if errors.Is(err, access.TooManyAttempts) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	code, _ := core.NormalCode(in.Code)
	if was.Code != b.core.Replay.OperationID("unbind code", by, code) || in.AccountID != 0 &&
		in.AccountID != was.AccountID {
		return false, nil
	}
	m, err := b.core.DB.Accounts.OfAnyCompany(ctx, was.AccountID)
	if errors.Is(err, store.ErrNotFound) || err == nil && m.PersonID != 0 {
		return false, nil
	}
	if err != nil || !was.NewPassword {
		return err == nil, err
	}
	own := access.AccountSubject(m)
	return b.signin.IsPasswordNow(ctx, own, in.Device, in.Password)
}

// JustUnbound says whether a session has unbound the phone of an account within RepeatWindow.
func (b *Binding) JustUnbound(ctx context.Context, s access.Session, accountID int64) (bool, error) {
	was, done, err := b.unboundBy(ctx, s.ID)
	return done && was.AccountID == accountID, err
}

// unboundBy reads what noteUnbound stored for a session within RepeatWindow; done is false when there is nothing.
func (b *Binding) unboundBy(ctx context.Context, sessionID string) (was unbound, done bool, err error) {
	note, done, err := b.core.Replay.DoneBefore(ctx, b.core.Replay.OperationID("unbind phone", sessionID))
	if !done || err != nil {
		return was, false, err
	}
	if err := json.Unmarshal([]byte(note.Result), &was); err != nil {
		return was, false, fmt.Errorf("read unbinding: %w", err)
	}
	return was, true, nil
}

// noteUnbound stores that a session has unbound the phone of an account.
func (b *Binding) noteUnbound(ctx context.Context, tx *store.DB, in UnbindInput, u Unbinding) error {
	code, _ := core.NormalCode(in.Code)
	hash := b.core.Replay.OperationID("unbind code", in.Session.ID, code)
	was, err := json.Marshal(unbound{AccountID: u.Member.ID, Code: hash, NewPassword: u.NewPassword})
	if err != nil {
		return fmt.Errorf("note unbinding: %w", err)
	}
	return b.core.Replay.NoteDone(ctx, tx, b.core.Replay.OperationID("unbind phone", in.Session.ID), string(was))
}

// unbind is Unbind for a request that repeats no earlier one.
func (b *Binding) unbind(ctx context.Context, in UnbindInput) error {
	u, err := b.Unbindable(ctx, in.Session, in.AccountID)
	if err != nil {
		return err
	}
	m := u.Member
	fields := access.Fields{}
	if problem := core.CodeProblem(in.Code); problem != "" {
		fields["code"] = problem
	}
	own := access.AccountSubject(m)
	switch {
	case u.NewPassword && in.Password == "":
		return &access.Refused{Refusal: access.PasswordNotSet}
	case u.NewPassword:
		b.core.Passwords.NewPasswordFields(fields, &in.Password, in.Confirm, core.PasswordContext(own, ""))
	case u.Confirm && in.Password == "":
		fields["password"] = access.PasswordRequired
	}
	if err := access.Invalid(fields); err != nil {
		return err
	}
	hash, err := b.unbindPassword(ctx, in, u, own)
	if err != nil {
		return err
	}
	code, _ := core.NormalCode(in.Code)
	proof, err := b.core.Verification.ProveCode(ctx, core.TypedCode{
		Phone: m.Phone, Purpose: core.ForUnbind, Flow: in.Flow, Target: core.AccountTarget(m.ID), Code: code,
	})
	if err != nil {
		return err
	}
	err = b.core.DB.Tx(ctx, func(tx *store.DB) error {
		if err := b.core.Verification.Spend(ctx, tx, proof); err != nil {
			return err
		}
		if hash != "" {
			if err := tx.Passwords.SetAccount(ctx, m.CompanyID, m.ID, hash); err != nil {
				return err
			}
		}
		if err := tx.Persons.Unbind(ctx, m.CompanyID, m.ID, m.PersonID); err != nil {
			if errors.Is(err, store.ErrNotFound) {
				err = &access.Refused{Refusal: access.WrongParameters}
			}
			return err
		}
		if err := b.freeNumber(ctx, tx, m); err != nil {
			return err
		}
		kept := ""
		if in.Session.PersonID == 0 {
			kept = in.Session.Family
		}
		if err := tx.Sessions.EndAccount(ctx, m.ID, kept); err != nil {
			return err
		}
		if err := b.noteUnbound(ctx, tx, in, u); err != nil {
			return err
		}
		return b.core.Access.Event(ctx, tx, "phone_unbound", m, "")
	})
	if err == nil {
		b.core.Verification.Notify(
			ctx,
			core.Message{Phone: m.Phone, Notice: core.NoticeUnbound, Lang: in.Lang, Login: m.Login},
			m.Company,
		)
	}
	return err
}

// unbindPassword returns the hash of the new password when the account needs one, or checks the current password when
// the sign-in is not fresh and returns "".
func (b *Binding) unbindPassword(
	ctx context.Context, in UnbindInput, u Unbinding, own access.Subject,
) (hash string, err error) {
	switch {
	case u.NewPassword:
		if err := b.core.Passwords.CheckNewPassword(ctx, own, in.Password, ""); err != nil {
			return "", err
		}
		return b.core.Passwords.Hasher.Hash(ctx, in.Password)
	case u.Confirm:
		owner, err := b.credentials.SessionOwner(ctx, in.Session)
		if err != nil {
			return "", err
		}
		err = b.signin.TryPassword(
			ctx, access.PasswordTry{Password: in.Password, Device: in.Device, SignedIn: true}, owner,
		)
		if err != nil {
			return "", WaitInstead(err)
		}
	}
	return "", nil
}

// freeNumber removes the number, password, sessions and chat identities of a phone that has no account left. Mobile
// numbers are reassigned: the next holder of the number must not inherit anything. A number with offers can be given
// up: the offers wait for its next holder.
func (b *Binding) freeNumber(ctx context.Context, tx *store.DB, m store.Member) error {
	err := tx.Persons.Free(ctx, m.PersonID, store.At(b.core.Now()))
	if errors.Is(err, store.ErrNotFound) { // the person has other accounts
		return nil
	}
	if err != nil {
		return err
	}
	if err := tx.Sessions.EndPerson(ctx, m.PersonID, ""); err != nil {
		return err
	}
	if _, err := tx.Identities.DropAll(ctx, m.PersonID, 0); err != nil {
		return err
	}
	return b.core.Revocation.EndCodes(ctx, tx, m.Phone, m)
}
