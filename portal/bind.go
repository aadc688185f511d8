package portal

import (
	"context"
	"errors"

	"portico/store"
)

// BindInput binds a phone to the account of a session. The code is needed once; what it proved is remembered for
// ProofLife. New says that Password is a new one for a phone whose password is not at hand.
type BindInput struct {
	Phone    string `form:"phone" json:"phone_"`
	Code     string `form:"code" json:"code_"`
	Password string `form:"password" json:"password_"`
	Confirm  string `form:"confirm_password" json:"confirm_password_"`
	New      bool

	Session Session
	Flow    string
	Device  string
	Lang    string
}

// BindNeed is what is still needed to bind a phone whose code was right.
type BindNeed string

// The needs.
const (
	NeedNothing     BindNeed = ""        // it is bound
	NeedNewPassword BindNeed = "new"     // nobody registered the phone, or it has no password yet
	NeedPassword    BindNeed = "confirm" // its password confirms
)

// Bound is how far a binding has come: Phone has 11 digits. Others are the accounts that a new password of the
// phone concerns.
type Bound struct {
	Need   BindNeed
	Phone  string
	Others []store.Member
	Token  string // the browser's new cookie value, once it is bound
}

// bindable is the account a session may bind a phone to: one that was proven by its name and has none. A first password past
// its end binds nothing.
func (p *Portal) bindable(ctx context.Context, s Session) (store.Member, error) {
	if s.PhoneID != 0 {
		return store.Member{}, &Refused{Refusal: WrongParameters} // its accounts are bound already
	}
	members, _, err := p.covered(ctx, s)
	if err != nil {
		return store.Member{}, err
	}
	if members[0].PhoneID != 0 {
		return store.Member{}, &Refused{Refusal: WrongParameters}
	}
	if byFirstPassword(s, members) {
		if err := p.firstEnded(candidate{member: members[0]}); err != nil {
			return store.Member{}, err
		}
	}
	return members[0], nil
}

// Bindable says whether a session is of an account without a phone, and whose.
func (p *Portal) Bindable(ctx context.Context, s Session) (m store.Member, ok bool, err error) {
	m, err = p.bindable(ctx, s)
	if errors.Is(err, WrongParameters) {
		return m, false, nil
	}
	return m, err == nil, err
}

// ProveBind checks the code of a binding and says what is needed next: NeedNothing where the same code has bound
// the phone within RepeatWindow.
func (p *Portal) ProveBind(ctx context.Context, in BindInput) (Bound, error) {
	bound, err := p.proveBind(ctx, in)
	if !errors.Is(err, WrongParameters) && !errors.Is(err, CodeExpired) || in.Code == "" {
		return bound, err
	}
	if m, done, lookErr := p.boundBefore(ctx, in); done || lookErr != nil {
		return Bound{Phone: m.Phone}, lookErr
	}
	return bound, err
}

func (p *Portal) proveBind(ctx context.Context, in BindInput) (Bound, error) {
	m, err := p.bindable(ctx, in.Session)
	if err != nil {
		return Bound{}, err
	}
	if err := invalid(codeFields(&in.Phone, &in.Code)); err != nil {
		return Bound{}, err
	}
	if _, err := p.proveCode(ctx, in.Phone, ForBind, 0, in.Flow, targetOf(m.ID), in.Code); err != nil {
		return Bound{}, err
	}
	return p.ResumeBind(ctx, in.Session, in.Flow)
}

// ResumeBind says what is needed next of a binding whose code was right; CodeExpired when there is none.
func (p *Portal) ResumeBind(ctx context.Context, s Session, flow string) (Bound, error) {
	m, err := p.bindable(ctx, s)
	if err != nil {
		return Bound{}, err
	}
	proof, err := p.proven(ctx, flow, ForBind, targetOf(m.ID))
	if err != nil {
		return Bound{}, err
	}
	phone, others, err := p.person(ctx, proof.phone)
	if err != nil {
		return Bound{}, err
	}
	if err := exclusive(m, others); err != nil {
		return Bound{}, err
	}
	bound := Bound{Need: NeedPassword, Phone: proof.phone, Others: others}
	if phone.PasswordHash == "" {
		bound.Need = NeedNewPassword
	}
	return bound, nil
}

// person reads a phone with the accounts bound to it; zero when nobody registered it.
func (p *Portal) person(ctx context.Context, number string) (store.Phone, []store.Member, error) {
	phone, err := p.db.PhoneByNumber(ctx, number)
	if errors.Is(err, store.ErrNotFound) {
		return store.Phone{Phone: number}, nil, nil
	}
	if err != nil {
		return phone, nil, err
	}
	members, err := p.db.MembersByPhone(ctx, phone.ID)
	return phone, members, err
}

// exclusive refuses a phone that another company's account has, where either company keeps its phones to itself. An account
// that its holder has not accepted keeps the phone from nobody: anybody may open one for any number.
func exclusive(m store.Member, others []store.Member) error {
	for _, other := range others {
		if !other.Invited && other.CompanyID != m.CompanyID && (m.Company.ExclusivePhones || other.Company.ExclusivePhones) {
			return &Refused{Refusal: PhoneBoundElsewhere}
		}
	}
	return nil
}

// Bind binds the phone that a code proved, with its password or, with New or where it has none, a new one, which
// then is the phone's: its other sessions end. The same again within RepeatWindow succeeds, changes nothing and
// gives no new cookie value. Refused: CodeExpired without a fresh proof, WrongPassword and TooManyAttempts as at
// sign-in, PhoneBoundElsewhere, a new password the rule does not take.
func (p *Portal) Bind(ctx context.Context, in BindInput) (Bound, error) {
	defer p.proofs.hold("bind phone:" + in.Session.Family)() // a repetition waits for the first
	bound, err := p.bind(ctx, in)
	mayBeDone := errors.Is(err, WrongParameters) || errors.Is(err, CodeExpired) || isSamePassword(err)
	if !mayBeDone || in.New && in.Confirm != in.Password {
		return bound, err
	}
	m, done, lookErr := p.boundBefore(ctx, in)
	if done {
		owner := candidate{subject: phoneSubject(m.PhoneID), phone: store.Phone{ID: m.PhoneID, Phone: m.Phone}}
		if owner.phone, lookErr = p.db.PhoneByID(ctx, m.PhoneID); lookErr == nil {
			owner.hash = owner.phone.PasswordHash
			done, lookErr = p.isPasswordNow(ctx, owner, in.Device, in.Password)
		}
	}
	switch {
	case lookErr != nil:
		return Bound{}, lookErr
	case done:
		return Bound{Phone: m.Phone}, nil
	}
	return bound, err
}

// binding identifies the binding of a phone to an account by a session, with the hash of its code or "" where the
// code was proven before.
func (p *Portal) binding(s Session, accountID int64, codeHash string) string {
	return p.operationID("bind phone", s.Family, decimal(accountID), codeHash)
}

// noteBound notes a binding for both ways to ask for it again: with its code, and without.
func (p *Portal) noteBound(ctx context.Context, tx *store.DB, s Session, m store.Member, proof codeProof) error {
	for _, codeHash := range []string{"", proof.code.Hash} {
		if err := p.noteDone(ctx, tx, p.binding(s, m.ID, codeHash), ""); err != nil {
			return err
		}
	}
	return nil
}

// boundBefore says whether this sign-in has bound its account's phone within RepeatWindow, with the same phone and
// code where they are given. The password is for the caller to compare.
func (p *Portal) boundBefore(ctx context.Context, in BindInput) (m store.Member, done bool, err error) {
	if in.Session.PhoneID != 0 {
		return m, false, nil
	}
	members, _, err := p.covered(ctx, in.Session)
	if err != nil || members[0].PhoneID == 0 {
		return m, false, err
	}
	m = members[0]
	if number, ok := NormalPhone(in.Phone); in.Phone != "" && (!ok || number != m.Phone) {
		return m, false, nil
	}
	if in.Code == "" {
		_, done, err = p.doneBefore(ctx, p.binding(in.Session, m.ID, ""))
		return m, done, err
	}
	code, _ := normalCode(in.Code)
	_, done, err = p.doneByCode(ctx, ForBind, m.Phone, p.binding(in.Session, m.ID, p.codeHash(m.Phone, ForBind, code)))
	return m, done, err
}

// bind binds a phone that is not bound yet.
func (p *Portal) bind(ctx context.Context, in BindInput) (Bound, error) {
	bound, err := p.ResumeBind(ctx, in.Session, in.Flow)
	if err != nil {
		return Bound{}, err
	}
	m, err := p.bindable(ctx, in.Session)
	if err != nil {
		return Bound{}, err
	}
	proof, err := p.proven(ctx, in.Flow, ForBind, targetOf(m.ID))
	if err != nil {
		return Bound{}, err
	}
	phone, _, err := p.person(ctx, proof.phone)
	if err != nil {
		return Bound{}, err
	}
	settle, err := p.bindPassword(ctx, in, m, phone, bound.Need)
	if err != nil {
		return Bound{}, err
	}
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		if err := p.spend(ctx, tx, proof); err != nil {
			return err
		}
		if phone.ID == 0 {
			id, err := tx.AddPhone(ctx, store.Phone{Phone: proof.phone, CreatedAt: store.At(p.now())})
			if err != nil {
				return err
			}
			if phone, err = tx.PhoneByNumber(ctx, proof.phone); err != nil {
				return err
			}
			if id == 0 && phone.PasswordHash != "" { // registered meanwhile
				return &Refused{Refusal: DataAbnormal}
			}
		}
		if err := settle(tx, phone); err != nil {
			return err
		}
		if err := tx.BindPhone(ctx, m.CompanyID, m.ID, phone); err != nil {
			if errors.Is(err, store.ErrNotFound) {
				err = &Refused{Refusal: WrongParameters}
			}
			return err
		}
		if err := tx.DropFirstPassword(ctx, m.CompanyID, m.ID); err != nil { // there is a way in by phone now
			return err
		}
		if err := tx.EndAccount(ctx, m.ID, in.Session.Family); err != nil {
			return err
		}
		if err := p.noteBound(ctx, tx, in.Session, m, proof); err != nil {
			return err
		}
		m.PhoneID = phone.ID
		if bound.Token, err = p.renew(ctx, tx, in.Session); err != nil {
			return err
		}
		return p.event(ctx, tx, "phone_bound", m, "")
	})
	if err != nil {
		return Bound{}, err
	}
	p.tell(ctx, proof.phone, NoticeBound, in.Lang, m.Company)
	return Bound{Phone: proof.phone, Token: bound.Token}, nil
}

// bindPassword checks the password that confirms, or makes the new one; what it gives back is done in the
// transaction of the binding.
func (p *Portal) bindPassword(ctx context.Context, in BindInput, m store.Member, phone store.Phone, need BindNeed) (func(*store.DB, store.Phone) error, error) {
	owner := candidate{subject: phoneSubject(phone.ID), hash: phone.PasswordHash, phone: phone}
	if need == NeedPassword && !in.New {
		if in.Password == "" || len(in.Password) > MaxPassword {
			return nil, invalid(Fields{"password": PasswordRequired})
		}
		g, err := p.checkPassword(ctx, LoginInput{Password: in.Password, Device: in.Device}, owner, nil)
		if err != nil {
			return nil, waitInstead(err)
		}
		settled := func(*store.DB, store.Phone) error { return nil }
		return settled, p.db.Tx(ctx, func(tx *store.DB) error { return p.passed(ctx, tx, g, nil) })
	}
	fields := Fields{}
	p.newPasswordFields(fields, in.Password, in.Confirm, candidate{phone: phone, member: store.Member{Account: m.Account, Company: m.Company}}.about(""))
	if err := invalid(fields); err != nil {
		return nil, err
	}
	if err := p.checkNewPassword(ctx, owner, in.Password, ""); err != nil {
		return nil, err
	}
	hash, err := p.hasher.hash(ctx, in.Password)
	if err != nil {
		return nil, err
	}
	return func(tx *store.DB, phone store.Phone) error {
		owner := candidate{subject: phoneSubject(phone.ID), phone: phone}
		return p.setPassword(ctx, tx, owner, hash, "password_reset", in.Session.Family)
	}, nil
}

// waitInstead turns a question, which this form does not ask, into the wait that ends it.
func waitInstead(err error) error {
	refused := new(Refused)
	if errors.As(err, &refused) && refused.Question != nil {
		return &Refused{Refusal: TooManyAttempts, Wait: FailureWindow}
	}
	return err
}

// StopBindReminder notes that the holder of an own account does not want to be asked again; NotFound for an
// account that is not the session's. named is the account once more, as some callers give it, 0 for not: another one is
// WrongParameters.
func (p *Portal) StopBindReminder(ctx context.Context, s Session, accountID, named int64) error {
	if named != 0 && named != accountID {
		return &Refused{Refusal: WrongParameters}
	}
	m, err := p.ownMember(ctx, s, accountID)
	if err != nil {
		return err
	}
	return p.db.StopBindReminder(ctx, m.CompanyID, m.ID)
}
