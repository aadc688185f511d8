package credentials

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// ChangePhoneInput replaces the phone that a session was proven with, or the phone of the one account that signed in by
// its name. Code was sent to the new number. Password, or with ByCode OldCode, which was sent to the present number,
// proves the person once more.
type ChangePhoneInput struct {
	Phone    string `form:"phone"`
	Code     string `form:"code"`
	Password string `form:"password"`
	OldCode  string `form:"old_code"`

	ByCode  bool
	Session access.Session
	Flow    string
	Device  string
	Lang    string
}

// PhoneChange is what changing a phone changes. Account is the account that signed in by its name, whose phone alone
// changes; its ID is 0 for a person: then Phone changes with all accounts. HasPassword says whether there is a password
// that proves the person. Contacts are the people who can help without the password and the present number.
type PhoneChange struct {
	Phone       string
	Account     store.Member
	Accounts    []store.Member
	HasPassword bool
	Contacts    []access.Contact

	owner  access.Subject
	target string // of the codes
}

// PhoneToChange says what a session may change. It refuses with WrongParameters an account without a phone, and a
// session with a first password as every operation does.
func (b *Binding) PhoneToChange(ctx context.Context, s access.Session) (PhoneChange, error) {
	members, person, err := b.accounts.Members(ctx, s)
	if err != nil {
		return PhoneChange{}, err
	}
	if s.PersonID == 0 {
		m := members[0]
		if m.PersonID == 0 {
			return PhoneChange{}, &access.Refused{Refusal: access.WrongParameters}
		}
		return PhoneChange{
			Phone: m.Phone, Account: m, Accounts: members, HasPassword: m.PasswordHash != "",
			Contacts: b.core.Access.ContactsFor(access.PhoneNotBound, m.Company), target: core.AccountTarget(m.ID),
			owner: access.AccountSubject(m),
		}, nil
	}
	change := PhoneChange{
		Phone: person.Phone, HasPassword: person.PasswordHash != "", target: access.PersonKey(person.ID),
		owner: access.PersonSubject(person),
	}
	if change.Accounts = members; s.CompanyID != 0 { // a session on a company's host covers that company alone
		if change.Accounts, err = b.core.DB.Accounts.ByPerson(ctx, person.ID); err != nil {
			return PhoneChange{}, err
		}
	}
	if change.Contacts = b.core.Access.Support(access.Place{}); len(change.Accounts) > 0 {
		change.Contacts = b.core.Access.ContactsFor(access.PhoneNotBound, change.Accounts[0].Company)
	}
	return change, nil
}

// newPhoneRecipient is the number that a session wants to change to. The caller learns whether the number is
// registered only after its code was right.
func (b *Binding) newPhoneRecipient(
	ctx context.Context, in *core.AskCodeInput,
) (core.Recipient, error) {
	change, err := b.PhoneToChange(ctx, in.Session)
	if err != nil {
		return core.Recipient{}, err
	}
	if in.Phone == change.Phone {
		return core.Recipient{}, access.Invalid(access.Fields{"phone": access.PhoneSame})
	}
	to := core.Recipient{
		Phone: in.Phone, Target: change.target, Login: change.Account.Login, Company: change.Account.Company,
		Asker: core.Stranger,
	}
	for _, m := range change.Accounts {
		if m.Company.Standing == store.Formal { // anybody opens a company on trial, and as many accounts as they like
			to.Asker = core.RegisteredPhone
		}
	}
	return to, nil
}

// oldPhoneRecipient is the present number of a session that wants to change it.
func (b *Binding) oldPhoneRecipient(
	ctx context.Context, in *core.AskCodeInput,
) (core.Recipient, error) {
	change, err := b.PhoneToChange(ctx, in.Session)
	if err != nil {
		return core.Recipient{}, err
	}
	return core.Recipient{
		Phone: change.Phone, Target: change.target, Login: change.Account.Login, Company: change.Account.Company,
		Asker: core.KnownBrowser, Hidden: true,
	}, nil
}

// ChangePhone gives a person another number: all accounts, in all companies, then sign in with it. A session that
// signed in by an account name changes the phone of that account alone. The new number must have no accounts; one that
// is registered without any loses its password and becomes the person's. Applications and offered accounts stay with
// the former number, because they belong to that number's holder.
//
// All other sign-ins, tokens and open codes end. A change that the former number proved, and not the password, also
// ends first passwords and links to chat apps, which another person may have planted; accounts keep their own
// passwords. It returns the browser's new cookie value; "" for a repetition within RepeatWindow, which changes nothing.
//
// It refuses as PhoneToChange does, with malformed fields, PhoneSame under "phone", WrongPassword, CodeWrong,
// CodeExpired, TooManyAttempts, and with PhoneRegistered a number that has accounts.
func (b *Binding) ChangePhone(ctx context.Context, in ChangePhoneInput) (token string, err error) {
	defer b.core.Replay.Proofs.Hold("change phone:" + in.Session.Family)() // a repetition waits for the first request
	token, err = b.changePhone(ctx, in)
	if err == nil || !access.IsRefused(err) {
		return token, err
	}
	changed, lookErr := b.phoneChanged(ctx, in)
	if changed || lookErr != nil {
		return "", lookErr
	}
	return "", err
}

// changePhone is ChangePhone for a request that repeats no earlier one.
func (b *Binding) changePhone(ctx context.Context, in ChangePhoneInput) (token string, err error) {
	change, err := b.PhoneToChange(ctx, in.Session)
	if err != nil {
		return "", err
	}
	if err := in.validate(change); err != nil {
		return "", err
	}
	if !in.ByCode {
		if change.owner, err = b.provenByPassword(ctx, in, change.owner); err != nil {
			return "", err
		}
	}
	proofs := make([]core.CodeProof, 1, 2)
	proofs[0], err = b.proveOnce(ctx, in.Phone, core.ForNewPhone, in.Flow, change.target, in.Code)
	if err != nil {
		return "", err
	}
	if in.ByCode {
		old, err := b.proveOnce(ctx, change.Phone, core.ForOldPhone, in.Flow, change.target, in.OldCode)
		if err != nil {
			return "", access.AboutField(err, "old_code")
		}
		proofs = append(proofs, old)
	}
	err = b.core.DB.Tx(ctx, func(tx *store.DB) error {
		for _, proof := range proofs {
			if err := b.core.Verification.Spend(ctx, tx, proof); err != nil {
				return err
			}
		}
		if !in.ByCode {
			if err := b.credentials.HoldPassword(ctx, tx, change.owner); err != nil {
				return wrongPasswordRefusal(err)
			}
		}
		if err := b.moveToNumber(ctx, tx, in, change); err != nil {
			return err
		}
		if err := b.notePhoneChanged(ctx, tx, in); err != nil {
			return err
		}
		token, err = b.core.Sessions.Renew(ctx, tx, in.Session)
		return err
	})
	if err != nil {
		return "", err
	}
	b.core.Verification.Notify(ctx, core.Message{
		Phone: change.Phone, Notice: core.NoticePhoneChanged, Lang: in.Lang, Login: change.Account.Login,
	}, change.Account.Company)
	return token, nil
}

// validate normalises the fields and refuses those that are malformed.
func (in *ChangePhoneInput) validate(change PhoneChange) error {
	fields := core.CodeFields(&in.Phone, &in.Code)
	if in.Phone == change.Phone {
		fields["phone"] = access.PhoneSame
	}
	switch problem := core.CodeProblem(in.OldCode); {
	case in.ByCode && problem == access.CodeRequired:
		fields["old_code"] = access.OldCodeRequired
	case in.ByCode && problem != "":
		fields["old_code"] = problem
	case in.ByCode:
		in.OldCode, _ = core.NormalCode(in.OldCode)
	case in.Password == "":
		fields["password"] = access.PasswordRequired
	case len(in.Password) > access.MaxPassword:
		fields["password"] = access.PasswordTooLong
	}
	return access.Invalid(fields)
}

// provenByPassword counts the attempt and compares the password, which is the phone's, or the account's own.
func (b *Binding) provenByPassword(
	ctx context.Context, in ChangePhoneInput, owner access.Subject,
) (access.Subject, error) {
	owner, err := b.credentials.ProvenByOld(ctx, ChangePasswordInput{
		Old: in.Password, Session: in.Session, Device: in.Device,
	}, owner)
	return owner, wrongPasswordRefusal(err)
}

// wrongPasswordRefusal turns OldPasswordWrong into WrongPassword: the form has only one password.
func wrongPasswordRefusal(err error) error {
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Refusal == access.OldPasswordWrong {
		return &access.Refused{Refusal: access.WrongPassword, Left: refused.Left}
	}
	return err
}

// proveOnce is ProveCode for a form with two proofs: if the other proof is wrong, this code stays usable.
func (b *Binding) proveOnce(
	ctx context.Context, phone string, purpose access.Purpose, flow, target, typed string,
) (core.CodeProof, error) {
	proof, err := b.core.Verification.ProveCode(ctx, core.TypedCode{
		Phone: phone, Purpose: purpose, Flow: flow, Target: target, Code: typed,
	})
	if !errors.Is(err, access.CodeExpired) {
		return proof, err
	}
	before, lookErr := b.core.Verification.Proven(ctx, flow, purpose, target)
	isSame := before.Phone == phone && before.Code.Hash == b.core.Verification.CodeHash(phone, purpose, typed)
	switch {
	case lookErr == nil && isSame:
		return before, nil
	case lookErr != nil && !access.IsRefused(lookErr):
		return core.CodeProof{}, lookErr
	}
	return core.CodeProof{}, err
}

// moveToNumber gives the new number to the person or the account, and ends what opened them before.
func (b *Binding) moveToNumber(ctx context.Context, tx *store.DB, in ChangePhoneInput, change PhoneChange) error {
	if change.Account.ID == 0 {
		if err := tx.Persons.Lock(ctx, change.owner.Person.ID); err != nil {
			return err
		}
	}
	former, err := tx.Persons.GiveUpNumber(ctx, in.Phone)
	if errors.Is(err, store.ErrNotFound) {
		return &access.Refused{Refusal: access.PhoneRegistered}
	}
	if err != nil {
		return err
	}
	if former.ID != 0 {
		if err := b.endFormer(ctx, tx, former); err != nil {
			return err
		}
	}
	person := change.owner.Person
	if change.Account.ID != 0 {
		person, err = b.rebind(ctx, tx, change.Account, in.Phone)
	} else {
		err = tx.Persons.ChangeNumber(ctx, person, in.Phone, store.At(b.core.Now()))
	}
	if errors.Is(err, store.ErrNotFound) { // changed meanwhile
		err = &access.Refused{Refusal: access.WrongParameters}
	}
	if err == nil && former.ID != 0 {
		err = tx.Persons.MoveOffers(ctx, former.ID, person.ID)
	}
	if err == nil {
		err = b.endBeforeChange(ctx, tx, in, change)
	}
	if err != nil {
		return err
	}
	if len(change.Accounts) == 0 {
		return b.core.Access.Event(ctx, tx, "phone_changed", change.owner.Who(), "")
	}
	for _, m := range change.Accounts { // each company's log gets the event
		if err := b.core.Access.Event(ctx, tx, "phone_changed", m, ""); err != nil {
			return err
		}
	}
	return nil
}

// rebind binds an account to a number that has no person yet. It frees the account's former number if no other account
// has it.
func (b *Binding) rebind(
	ctx context.Context, tx *store.DB, m store.Member, number string,
) (person store.Person, err error) {
	if person, err = b.core.Access.PersonOf(ctx, tx, number); err != nil {
		return person, err
	}
	if err := tx.Persons.Unbind(ctx, m.CompanyID, m.ID, m.PersonID); err != nil {
		return person, err
	}
	if err := tx.Persons.Bind(ctx, m.CompanyID, m.ID, person); err != nil {
		return person, err
	}
	return person, b.freeNumber(ctx, tx, m)
}

// endFormer ends what opened the person who was registered with the new number and had no account.
func (b *Binding) endFormer(ctx context.Context, tx *store.DB, former store.Person) error {
	if err := tx.Sessions.EndPerson(ctx, former.ID, ""); err != nil {
		return err
	}
	if err := tx.Registrations.EndOfPerson(ctx, former.ID); err != nil {
		return err
	}
	_, err := tx.Identities.DropAll(ctx, former.ID, 0)
	return err
}

// endBeforeChange ends the sign-ins, tokens and codes from before a change, except the sign-in that made it.
func (b *Binding) endBeforeChange(ctx context.Context, tx *store.DB, in ChangePhoneInput, change PhoneChange) error {
	if err := b.core.Revocation.EndCodes(ctx, tx, in.Phone); err != nil {
		return err
	}
	family := in.Session.Family
	if in.ByCode {
		return b.core.Revocation.EndOlderAccess(ctx, tx, change.owner, core.KeptAccess{Family: family, Passwords: true})
	}
	return b.core.Revocation.EndSignIns(ctx, tx, change.owner, family)
}

// phoneChangeBy identifies a change of phone by a sign-in, its code and the new number.
func (b *Binding) phoneChangeBy(in ChangePhoneInput) string {
	return b.core.Replay.OperationID("change phone", in.Session.Family, in.Phone, in.Code)
}

// phoneChangeTo identifies a change of phone by a sign-in and the new number.
func (b *Binding) phoneChangeTo(s access.Session, number string) string {
	return b.core.Replay.OperationID("change phone to", s.Family, number)
}

// notePhoneChanged stores that a sign-in changed its phone.
func (b *Binding) notePhoneChanged(ctx context.Context, tx *store.DB, in ChangePhoneInput) error {
	if err := b.core.Replay.NoteDone(ctx, tx, b.phoneChangeBy(in), ""); err != nil {
		return err
	}
	return b.core.Replay.NoteDone(ctx, tx, b.phoneChangeTo(in.Session, in.Phone), "")
}

// phoneChanged says whether this sign-in changed its phone to the same number with the same code within RepeatWindow.
func (b *Binding) phoneChanged(ctx context.Context, in ChangePhoneInput) (bool, error) {
	if changed, err := b.PhoneJustChanged(ctx, in.Session, in.Phone); !changed || err != nil {
		return false, err
	}
	_ = core.CodeFields(&in.Phone, &in.Code)
	_, done, err := b.core.Replay.DoneByCode(ctx, core.ForNewPhone, in.Phone, b.phoneChangeBy(in))
	return done, err
}

// PhoneJustChanged says whether this sign-in changed its phone to a number within RepeatWindow.
func (b *Binding) PhoneJustChanged(ctx context.Context, s access.Session, typed string) (bool, error) {
	number, ok := access.NormalPhone(typed)
	if !ok {
		return false, nil
	}
	change, err := b.PhoneToChange(ctx, s)
	if access.IsRefused(err) || err == nil && change.Phone != number {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, done, err := b.core.Replay.DoneBefore(ctx, b.phoneChangeTo(s, number))
	return done, err
}
