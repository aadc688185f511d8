package portal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"portico/store"
)

// UnbindInput unbinds the phone of one of the person's accounts. AccountID chooses among several; 0 means the only one,
// or the one that an API token acts as.
type UnbindInput struct {
	AccountID int64  `form:"account_id"`
	Code      string `form:"code" json:"code_"`
	Password  string `form:"password" json:"password_"`
	Confirm   string `form:"confirm_password" json:"confirm_password_"`

	Session Session
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
func (p *Portal) Unbindable(ctx context.Context, s Session, accountID int64) (Unbinding, error) {
	if accountID == 0 {
		accountID = s.ActingID
	}
	members, _, err := p.members(ctx, s)
	if err != nil {
		return Unbinding{}, err
	}
	if accountID == 0 && len(members) == 1 {
		accountID = members[0].ID
	}
	if accountID == 0 {
		return Unbinding{}, invalid(Fields{"account_id": ChoiceRequired})
	}
	m, err := p.ownMember(ctx, s, accountID)
	if err != nil {
		return Unbinding{}, err
	}
	if m.PhoneID == 0 {
		return Unbinding{}, &Refused{Refusal: WrongParameters}
	}
	u := Unbinding{Member: m, NewPassword: m.PasswordHash == "" || m.FirstPasswordUntil != 0}
	u.Confirm = !u.NewPassword && p.now().Sub(s.CreatedAt.Time()) >= FreshSession
	if u.NewPassword && p.now().Sub(s.CreatedAt.Time()) >= FreshSession {
		return Unbinding{}, LoginRequired
	}
	return u, nil
}

func (p *Portal) unbindRecipient(ctx context.Context, in *AskCodeInput) (recipient, error) {
	u, err := p.Unbindable(ctx, in.Session, in.AccountID)
	if err != nil {
		return recipient{}, err
	}
	return recipient{
		phone: u.Member.Phone, target: targetOf(u.Member.ID), login: u.Member.Login, company: u.Member.Company,
		asker: knownBrowser, hidden: true,
	}, nil
}

// Unbind takes the phone off an account and ends the sessions and tokens that the phone opened for it. The account must
// stay usable: without a password of its own it gets one here, and PasswordNotSet is the refusal when none is given. A
// repetition within RepeatWindow succeeds and changes nothing, even if the first request has ended the session. It
// refuses as Unbindable does, and with CodeWrong, CodeExpired, WrongPassword and TooManyAttempts.
func (p *Portal) Unbind(ctx context.Context, in UnbindInput) error {
	defer p.proofs.hold("unbind phone:" + unbinder(in))() // a repetition waits for the first request
	refusal := p.unbind(ctx, in)
	if refusal == nil || !isRefused(refusal) {
		return refusal
	}
	if done, err := p.Unbound(ctx, in); done || err != nil {
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
		return hashed(in.Token)
	}
	return in.Session.ID
}

// Unbound says whether the same session has unbound the phone with the same code, account and new password within
// RepeatWindow. The session may have ended since.
func (p *Portal) Unbound(ctx context.Context, in UnbindInput) (bool, error) {
	by := unbinder(in)
	was, done, err := p.unboundBy(ctx, by)
	if !done || err != nil {
		return false, err
	}
	err = p.countUpTo(ctx, p.db, "look-ups:"+string(ForUnbind)+":"+by, LookUpsADay, day)
	if errors.Is(err, TooManyAttempts) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	code, _ := normalCode(in.Code)
	if was.Code != p.operationID("unbind code", by, code) || in.AccountID != 0 && in.AccountID != was.AccountID {
		return false, nil
	}
	m, err := p.db.MemberOfAccount(ctx, was.AccountID)
	if errors.Is(err, store.ErrNotFound) || err == nil && m.PhoneID != 0 {
		return false, nil
	}
	if err != nil || !was.NewPassword {
		return err == nil, err
	}
	own := accountSubject(m)
	return p.isPasswordNow(ctx, own, in.Device, in.Password)
}

// JustUnbound says whether a session has unbound the phone of an account within RepeatWindow.
func (p *Portal) JustUnbound(ctx context.Context, s Session, accountID int64) (bool, error) {
	was, done, err := p.unboundBy(ctx, s.ID)
	return done && was.AccountID == accountID, err
}

// unboundBy reads what noteUnbound stored for a session within RepeatWindow; done is false when there is nothing.
func (p *Portal) unboundBy(ctx context.Context, sessionID string) (was unbound, done bool, err error) {
	note, done, err := p.doneBefore(ctx, p.operationID("unbind phone", sessionID))
	if !done || err != nil {
		return was, false, err
	}
	if err := json.Unmarshal([]byte(note.Result), &was); err != nil {
		return was, false, fmt.Errorf("read unbinding: %w", err)
	}
	return was, true, nil
}

// noteUnbound stores that a session has unbound the phone of an account.
func (p *Portal) noteUnbound(ctx context.Context, tx *store.DB, in UnbindInput, u Unbinding) error {
	code, _ := normalCode(in.Code)
	hash := p.operationID("unbind code", in.Session.ID, code)
	was, err := json.Marshal(unbound{AccountID: u.Member.ID, Code: hash, NewPassword: u.NewPassword})
	if err != nil {
		return fmt.Errorf("note unbinding: %w", err)
	}
	return p.noteDone(ctx, tx, p.operationID("unbind phone", in.Session.ID), string(was))
}

// unbind is Unbind for a request that repeats no earlier one.
func (p *Portal) unbind(ctx context.Context, in UnbindInput) error {
	u, err := p.Unbindable(ctx, in.Session, in.AccountID)
	if err != nil {
		return err
	}
	m := u.Member
	fields := Fields{}
	if problem := codeProblem(in.Code); problem != "" {
		fields["code"] = problem
	}
	own := accountSubject(m)
	switch {
	case u.NewPassword && in.Password == "":
		return &Refused{Refusal: PasswordNotSet}
	case u.NewPassword:
		p.newPasswordFields(fields, in.Password, in.Confirm, passwordContext(own, ""))
	case u.Confirm && in.Password == "":
		fields["password"] = PasswordRequired
	}
	if err := invalid(fields); err != nil {
		return err
	}
	hash, err := p.unbindPassword(ctx, in, u, own)
	if err != nil {
		return err
	}
	code, _ := normalCode(in.Code)
	proof, err := p.proveCode(ctx, m.Phone, ForUnbind, 0, in.Flow, targetOf(m.ID), code)
	if err != nil {
		return err
	}
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		if err := p.spend(ctx, tx, proof); err != nil {
			return err
		}
		if hash != "" {
			if err := tx.SetAccountPassword(ctx, m.CompanyID, m.ID, hash); err != nil {
				return err
			}
		}
		if err := tx.UnbindPhone(ctx, m.CompanyID, m.ID, m.PhoneID); err != nil {
			if errors.Is(err, store.ErrNotFound) {
				err = &Refused{Refusal: WrongParameters}
			}
			return err
		}
		if err := p.freeNumber(ctx, tx, m); err != nil {
			return err
		}
		kept := ""
		if in.Session.PhoneID == 0 {
			kept = in.Session.Family
		}
		if err := tx.EndAccount(ctx, m.ID, kept); err != nil {
			return err
		}
		if err := p.noteUnbound(ctx, tx, in, u); err != nil {
			return err
		}
		return p.event(ctx, tx, "phone_unbound", m, "")
	})
	if err == nil {
		p.notify(ctx, Message{Phone: m.Phone, Notice: NoticeUnbound, Lang: in.Lang, Login: m.Login}, m.Company)
	}
	return err
}

// unbindPassword returns the hash of the new password when the account needs one, or checks the current password when
// the sign-in is not fresh and returns "".
func (p *Portal) unbindPassword(
	ctx context.Context, in UnbindInput, u Unbinding, own Subject,
) (hash string, err error) {
	switch {
	case u.NewPassword:
		if err := p.checkNewPassword(ctx, own, in.Password, ""); err != nil {
			return "", err
		}
		return p.hasher.hash(ctx, in.Password)
	case u.Confirm:
		owner, err := p.sessionOwner(ctx, in.Session)
		if err != nil {
			return "", err
		}
		err = p.tryPassword(ctx, PasswordTry{Password: in.Password, Device: in.Device, SignedIn: true}, owner)
		if err != nil {
			return "", waitInstead(err)
		}
	}
	return "", nil
}

// freeNumber removes the number, password, sessions and chat identities of a phone that has no account left. Mobile
// numbers are reassigned: the next holder of the number must not inherit anything. A number with offers can be given
// up: the offers wait for its next holder.
func (p *Portal) freeNumber(ctx context.Context, tx *store.DB, m store.Member) error {
	err := tx.FreePhone(ctx, m.PhoneID, store.At(p.now()))
	if errors.Is(err, store.ErrNotFound) { // the person has other accounts
		return nil
	}
	if err != nil {
		return err
	}
	if err := tx.EndPhone(ctx, m.PhoneID, ""); err != nil {
		return err
	}
	if _, err := tx.DropIdentities(ctx, m.PhoneID, 0); err != nil {
		return err
	}
	return p.endCodes(ctx, tx, m.Phone, m)
}
