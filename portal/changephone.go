package portal

import (
	"context"
	"errors"

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
	Session Session
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
	Contacts    []Contact

	owner  Subject
	target string // of the codes
}

// PhoneToChange says what a session may change. It refuses with WrongParameters an account without a phone, and a
// session with a first password as every operation does.
func (p *Portal) PhoneToChange(ctx context.Context, s Session) (PhoneChange, error) {
	members, phone, err := p.members(ctx, s)
	if err != nil {
		return PhoneChange{}, err
	}
	if s.PhoneID == 0 {
		m := members[0]
		if m.PhoneID == 0 {
			return PhoneChange{}, &Refused{Refusal: WrongParameters}
		}
		return PhoneChange{
			Phone: m.Phone, Account: m, Accounts: members, HasPassword: m.PasswordHash != "",
			Contacts: p.contactsFor(PhoneNotBound, m.Company), target: targetOf(m.ID),
			owner: accountSubject(m),
		}, nil
	}
	change := PhoneChange{
		Phone: phone.Phone, HasPassword: phone.PasswordHash != "", target: personKey(phone.ID),
		owner: personSubject(phone),
	}
	if change.Accounts = members; s.CompanyID != 0 { // a session on a company's host covers that company alone
		if change.Accounts, err = p.db.MembersByPhone(ctx, phone.ID); err != nil {
			return PhoneChange{}, err
		}
	}
	if change.Contacts = p.Support(Place{}); len(change.Accounts) > 0 {
		change.Contacts = p.contactsFor(PhoneNotBound, change.Accounts[0].Company)
	}
	return change, nil
}

// newPhoneRecipient is the number that a session wants to change to. The caller learns whether the number is
// registered only after its code was right.
func (p *Portal) newPhoneRecipient(ctx context.Context, in *AskCodeInput) (recipient, error) {
	change, err := p.PhoneToChange(ctx, in.Session)
	if err != nil {
		return recipient{}, err
	}
	if in.Phone == change.Phone {
		return recipient{}, invalid(Fields{"phone": PhoneSame})
	}
	to := recipient{
		phone: in.Phone, target: change.target, login: change.Account.Login, company: change.Account.Company,
		asker: stranger,
	}
	for _, m := range change.Accounts {
		if m.Company.Standing == store.Formal { // anybody opens a company on trial, and as many accounts as they like
			to.asker = registeredPhone
		}
	}
	return to, nil
}

// oldPhoneRecipient is the present number of a session that wants to change it.
func (p *Portal) oldPhoneRecipient(ctx context.Context, in *AskCodeInput) (recipient, error) {
	change, err := p.PhoneToChange(ctx, in.Session)
	if err != nil {
		return recipient{}, err
	}
	return recipient{
		phone: change.Phone, target: change.target, login: change.Account.Login, company: change.Account.Company,
		asker: knownBrowser, hidden: true,
	}, nil
}

// ChangePhone gives a person another number: all accounts, in all companies, then sign in with it. A session that
// signed in by an account name changes the phone of that account alone. The new number must have no accounts; one that
// is registered without any loses its password and becomes the person's. Applications and offered accounts stay with
// the former number, because they belong to that number's holder.
//
// All other sign-ins, tokens and open codes end. A change that the former number proved, and not the password, also
// ends first passwords and links to chat apps, which somebody else may have planted; accounts keep their own passwords.
// It returns the browser's new cookie value; "" for a repetition within RepeatWindow, which changes nothing.
//
// It refuses as PhoneToChange does, with malformed fields, PhoneSame under "phone", WrongPassword, CodeWrong,
// CodeExpired, TooManyAttempts, and with PhoneRegistered a number that has accounts.
func (p *Portal) ChangePhone(ctx context.Context, in ChangePhoneInput) (token string, err error) {
	defer p.proofs.hold("change phone:" + in.Session.Family)() // a repetition waits for the first request
	token, err = p.changePhone(ctx, in)
	if err == nil || !isRefused(err) {
		return token, err
	}
	changed, lookErr := p.phoneChanged(ctx, in)
	if changed || lookErr != nil {
		return "", lookErr
	}
	return "", err
}

// changePhone is ChangePhone for a request that repeats no earlier one.
func (p *Portal) changePhone(ctx context.Context, in ChangePhoneInput) (token string, err error) {
	change, err := p.PhoneToChange(ctx, in.Session)
	if err != nil {
		return "", err
	}
	if err := in.validate(change); err != nil {
		return "", err
	}
	if !in.ByCode {
		if change.owner, err = p.provenByPassword(ctx, in, change.owner); err != nil {
			return "", err
		}
	}
	proofs := make([]codeProof, 1, 2)
	proofs[0], err = p.proveOnce(ctx, in.Phone, ForNewPhone, in.Flow, change.target, in.Code)
	if err != nil {
		return "", err
	}
	if in.ByCode {
		old, err := p.proveOnce(ctx, change.Phone, ForOldPhone, in.Flow, change.target, in.OldCode)
		if err != nil {
			return "", aboutField(err, "old_code")
		}
		proofs = append(proofs, old)
	}
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		for _, proof := range proofs {
			if err := p.spend(ctx, tx, proof); err != nil {
				return err
			}
		}
		if !in.ByCode {
			if err := p.holdPassword(ctx, tx, change.owner); err != nil {
				return wrongPasswordRefusal(err)
			}
		}
		if err := p.moveToNumber(ctx, tx, in, change); err != nil {
			return err
		}
		if err := p.notePhoneChanged(ctx, tx, in); err != nil {
			return err
		}
		token, err = p.renew(ctx, tx, in.Session)
		return err
	})
	if err != nil {
		return "", err
	}
	p.notify(ctx, Message{
		Phone: change.Phone, Notice: NoticePhoneChanged, Lang: in.Lang, Login: change.Account.Login,
	}, change.Account.Company)
	return token, nil
}

// validate normalises the fields and refuses those that are malformed.
func (in *ChangePhoneInput) validate(change PhoneChange) error {
	fields := codeFields(&in.Phone, &in.Code)
	if in.Phone == change.Phone {
		fields["phone"] = PhoneSame
	}
	switch problem := codeProblem(in.OldCode); {
	case in.ByCode && problem == CodeRequired:
		fields["old_code"] = OldCodeRequired
	case in.ByCode && problem != "":
		fields["old_code"] = problem
	case in.ByCode:
		in.OldCode, _ = normalCode(in.OldCode)
	case in.Password == "":
		fields["password"] = PasswordRequired
	case len(in.Password) > MaxPassword:
		fields["password"] = PasswordTooLong
	}
	return invalid(fields)
}

// provenByPassword counts the attempt and compares the password, which is the phone's, or the account's own.
func (p *Portal) provenByPassword(ctx context.Context, in ChangePhoneInput, owner Subject) (Subject, error) {
	owner, err := p.provenByOld(ctx, ChangePasswordInput{
		Old: in.Password, Session: in.Session, Device: in.Device,
	}, owner)
	return owner, wrongPasswordRefusal(err)
}

// wrongPasswordRefusal turns OldPasswordWrong into WrongPassword: the form has only one password.
func wrongPasswordRefusal(err error) error {
	if refused, ok := errors.AsType[*Refused](err); ok && refused.Refusal == OldPasswordWrong {
		return &Refused{Refusal: WrongPassword, Left: refused.Left}
	}
	return err
}

// proveOnce is proveCode for a form with two proofs: if the other proof is wrong, this code stays usable.
func (p *Portal) proveOnce(
	ctx context.Context, phone string, purpose Purpose, flow, target, typed string,
) (codeProof, error) {
	proof, err := p.proveCode(ctx, phone, purpose, 0, flow, target, typed)
	if !errors.Is(err, CodeExpired) {
		return proof, err
	}
	before, lookErr := p.proven(ctx, flow, purpose, target)
	isSame := before.phone == phone && before.code.Hash == p.codeHash(phone, purpose, typed)
	switch {
	case lookErr == nil && isSame:
		return before, nil
	case lookErr != nil && !isRefused(lookErr):
		return codeProof{}, lookErr
	}
	return codeProof{}, err
}

// moveToNumber gives the new number to the person or the account, and ends what opened them before.
func (p *Portal) moveToNumber(ctx context.Context, tx *store.DB, in ChangePhoneInput, change PhoneChange) error {
	if change.Account.ID == 0 {
		if err := tx.LockPhone(ctx, change.owner.phone.ID); err != nil {
			return err
		}
	}
	former, err := tx.GiveUpNumber(ctx, in.Phone)
	if errors.Is(err, store.ErrNotFound) {
		return &Refused{Refusal: PhoneRegistered}
	}
	if err != nil {
		return err
	}
	if former.ID != 0 {
		if err := p.endFormer(ctx, tx, former); err != nil {
			return err
		}
	}
	person := change.owner.phone
	if change.Account.ID != 0 {
		person, err = p.rebind(ctx, tx, change.Account, in.Phone)
	} else {
		err = tx.ChangeNumber(ctx, person, in.Phone, store.At(p.now()))
	}
	if errors.Is(err, store.ErrNotFound) { // changed meanwhile
		err = &Refused{Refusal: WrongParameters}
	}
	if err == nil && former.ID != 0 {
		err = tx.MoveOffers(ctx, former.ID, person.ID)
	}
	if err == nil {
		err = p.endBeforeChange(ctx, tx, in, change)
	}
	if err != nil {
		return err
	}
	if len(change.Accounts) == 0 {
		return p.event(ctx, tx, "phone_changed", change.owner.who(), "")
	}
	for _, m := range change.Accounts { // each company's log gets the event
		if err := p.event(ctx, tx, "phone_changed", m, ""); err != nil {
			return err
		}
	}
	return nil
}

// rebind binds an account to a number that has no person yet. It frees the account's former number if no other account
// has it.
func (p *Portal) rebind(
	ctx context.Context, tx *store.DB, m store.Member, number string,
) (person store.Phone, err error) {
	if person, err = p.personOf(ctx, tx, number); err != nil {
		return person, err
	}
	if err := tx.UnbindPhone(ctx, m.CompanyID, m.ID, m.PhoneID); err != nil {
		return person, err
	}
	if err := tx.BindPhone(ctx, m.CompanyID, m.ID, person); err != nil {
		return person, err
	}
	return person, p.freeNumber(ctx, tx, m)
}

// endFormer ends what opened the person who was registered with the new number and had no account.
func (p *Portal) endFormer(ctx context.Context, tx *store.DB, former store.Phone) error {
	if err := tx.EndPhone(ctx, former.ID, ""); err != nil {
		return err
	}
	if err := tx.EndRegistrations(ctx, former.ID); err != nil {
		return err
	}
	_, err := tx.DropIdentities(ctx, former.ID, 0)
	return err
}

// endBeforeChange ends the sign-ins, tokens and codes from before a change, except the sign-in that made it.
func (p *Portal) endBeforeChange(ctx context.Context, tx *store.DB, in ChangePhoneInput, change PhoneChange) error {
	if err := p.endCodes(ctx, tx, in.Phone); err != nil {
		return err
	}
	family := in.Session.Family
	if in.ByCode {
		return p.endOlderAccess(ctx, tx, change.owner, keptAccess{family: family, passwords: true})
	}
	return p.endSignIns(ctx, tx, change.owner, family)
}

// phoneChangeBy identifies a change of phone by a sign-in, its code and the new number.
func (p *Portal) phoneChangeBy(in ChangePhoneInput) string {
	return p.operationID("change phone", in.Session.Family, in.Phone, in.Code)
}

// phoneChangeTo identifies a change of phone by a sign-in and the new number.
func (p *Portal) phoneChangeTo(s Session, number string) string {
	return p.operationID("change phone to", s.Family, number)
}

// notePhoneChanged stores that a sign-in changed its phone.
func (p *Portal) notePhoneChanged(ctx context.Context, tx *store.DB, in ChangePhoneInput) error {
	if err := p.noteDone(ctx, tx, p.phoneChangeBy(in), ""); err != nil {
		return err
	}
	return p.noteDone(ctx, tx, p.phoneChangeTo(in.Session, in.Phone), "")
}

// phoneChanged says whether this sign-in changed its phone to the same number with the same code within RepeatWindow.
func (p *Portal) phoneChanged(ctx context.Context, in ChangePhoneInput) (bool, error) {
	if changed, err := p.PhoneJustChanged(ctx, in.Session, in.Phone); !changed || err != nil {
		return false, err
	}
	_ = codeFields(&in.Phone, &in.Code)
	_, done, err := p.doneByCode(ctx, ForNewPhone, in.Phone, p.phoneChangeBy(in))
	return done, err
}

// PhoneJustChanged says whether this sign-in changed its phone to a number within RepeatWindow.
func (p *Portal) PhoneJustChanged(ctx context.Context, s Session, typed string) (bool, error) {
	number, ok := NormalPhone(typed)
	if !ok {
		return false, nil
	}
	change, err := p.PhoneToChange(ctx, s)
	if isRefused(err) || err == nil && change.Phone != number {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, done, err := p.doneBefore(ctx, p.phoneChangeTo(s, number))
	return done, err
}
