package portal

import (
	"context"
	"errors"

	"portico/store"
)

// BindInput binds a phone to the account of a session. The code is needed once; its proof lasts for ProofLife. New says
// that Password is a new password for a phone whose holder does not remember the current one. Keep keeps the account's
// own password, for signing in by name; with New also those of the phone's other accounts.
type BindInput struct {
	Phone    string `form:"phone" json:"phone_"`
	Code     string `form:"code" json:"code_"`
	Password string `form:"password" json:"password_"`
	Confirm  string `form:"confirm_password" json:"confirm_password_"`
	Keep     bool   `form:"keep_passwords" json:"keep_passwords_"`
	New      bool

	Session Session
	Flow    string
	Device  string
	Lang    string
}

// BindNeed is what is still needed to bind a phone after its code was accepted.
type BindNeed string

// The needs.
const (
	NeedNothing     BindNeed = ""        // the phone is bound
	NeedNewPassword BindNeed = "new"     // the phone is not registered, or has no password yet
	NeedPassword    BindNeed = "confirm" // the phone's password
)

// Bound is the progress of a binding. Phone has 11 digits. Others are the phone's other accounts, which a new password
// also applies to. OwnPassword says that the account has a password of its own, which ends unless BindInput.Keep is
// set.
type Bound struct {
	Need        BindNeed
	Phone       string
	Others      []store.Member
	OwnPassword bool
	Token       string // the browser's new cookie value after the binding
}

// bindable returns the account that a session may bind a phone to: one without a phone that signed in by its account
// name. It refuses any other session with WrongParameters, and an expired first password with PasswordNotSet.
func (p *Portal) bindable(ctx context.Context, s Session) (store.Member, error) {
	if s.PhoneID != 0 {
		return store.Member{}, &Refused{Refusal: WrongParameters} // its accounts have this phone already
	}
	members, _, err := p.covered(ctx, s)
	if err != nil {
		return store.Member{}, err
	}
	if members[0].PhoneID != 0 {
		return store.Member{}, &Refused{Refusal: WrongParameters}
	}
	if byFirstPassword(s, members) {
		if err := p.firstEnded(Subject{member: members[0]}); err != nil {
			return store.Member{}, err
		}
	}
	return members[0], nil
}

// Bindable returns the account that a session may bind a phone to; ok is false when there is none.
func (p *Portal) Bindable(ctx context.Context, s Session) (m store.Member, ok bool, err error) {
	m, err = p.bindable(ctx, s)
	if errors.Is(err, WrongParameters) {
		return m, false, nil
	}
	return m, err == nil, err
}

// ProveBind checks the code of a binding and says what is needed next: NeedNothing when the same code has already bound
// the phone within RepeatWindow. It refuses with CodeWrong, CodeExpired, TooManyAttempts, PhoneBoundElsewhere, and with
// WrongParameters a session that cannot bind a phone.
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

// ResumeBind says what a binding needs next after its code was accepted; CodeExpired when no code was, or too long ago.
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
	bound := Bound{Need: NeedPassword, Phone: proof.phone, Others: others, OwnPassword: hasOwnPassword(m)}
	if phone.PasswordHash == "" {
		bound.Need = NeedNewPassword
	}
	return bound, nil
}

// Bind binds the phone that a code proved. Password is the phone's password or, with New or when the phone has none, a
// new password for the phone; a new password ends the phone's other sessions. The account's older sign-ins and links to
// chat apps end, and with them, unless Keep is set, its own password. A repetition within RepeatWindow
// succeeds, changes nothing and returns no new cookie value. It refuses with CodeExpired without a recent proof, with
// WrongPassword and TooManyAttempts like a sign-in, with PhoneBoundElsewhere, and with the problems of a new password.
func (p *Portal) Bind(ctx context.Context, in BindInput) (Bound, error) {
	defer p.proofs.hold("bind phone:" + in.Session.Family)() // a repetition waits for the first request
	bound, err := p.bind(ctx, in)
	mayBeDone := errors.Is(err, WrongParameters) || errors.Is(err, CodeExpired) || isSamePassword(err)
	if !mayBeDone || in.New && in.Confirm != in.Password {
		return bound, err
	}
	m, done, lookErr := p.boundBefore(ctx, in)
	if done {
		owner := Subject{key: personKey(m.PhoneID), phone: store.Phone{ID: m.PhoneID, Phone: m.Phone}}
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

// binding identifies the binding of a phone to an account by a sign-in. codeHash is the hash of the code that the
// request carries, "" for a request without one.
func (p *Portal) binding(s Session, accountID int64, codeHash string) string {
	return p.operationID("bind phone", s.Family, decimal(accountID), codeHash)
}

// noteBound stores that a phone was bound. It does so twice, because a repetition may carry the code or not: the API
// sends it with the password, the pages in a step of its own.
func (p *Portal) noteBound(ctx context.Context, tx *store.DB, s Session, m store.Member, proof codeProof) error {
	for _, codeHash := range []string{"", proof.code.Hash} {
		if err := p.noteDone(ctx, tx, p.binding(s, m.ID, codeHash), ""); err != nil {
			return err
		}
	}
	return nil
}

// boundBefore says whether this sign-in has bound a phone to its account within RepeatWindow. A phone and a code in the
// input must be the same as then. The caller compares the password.
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

// bind is Bind for a request that repeats no earlier one.
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
		m := m // each run of the transaction begins with the same value
		if err := p.spend(ctx, tx, proof); err != nil {
			return err
		}
		phone, err := p.addUnregistered(ctx, tx, proof.phone, phone)
		if err != nil {
			return err
		}
		if err := settle(tx, phone); err != nil {
			return err
		}
		if err := mayJoin(ctx, tx, m, phone.ID); err != nil {
			return err
		}
		err = tx.BindPhone(ctx, m.CompanyID, m.ID, phone)
		if errors.Is(err, store.ErrNotFound) {
			return &Refused{Refusal: WrongParameters}
		}
		if err != nil {
			return err
		}
		kept := keptAccess{family: in.Session.Family, passwords: in.Keep}
		if err := p.endOlderAccess(ctx, tx, Subject{member: m}, kept); err != nil {
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
	p.notify(ctx, Message{
		Phone: proof.phone, Notice: NoticeBound, Lang: in.Lang, Login: m.Login, Ended: hasOwnPassword(m) && !in.Keep,
	}, m.Company)
	return Bound{Phone: proof.phone, Token: bound.Token}, nil
}

// addUnregistered adds the person of a proven number that nobody has registered, and returns any other person as it is.
// It refuses with DataAbnormal a number that was registered with a password meanwhile.
func (p *Portal) addUnregistered(
	ctx context.Context, tx *store.DB, number string, phone store.Phone,
) (store.Phone, error) {
	if phone.ID != 0 {
		return phone, nil
	}
	id, err := tx.AddPhone(ctx, store.Phone{Phone: number, CreatedAt: store.At(p.now())})
	if err != nil {
		return phone, err
	}
	if phone, err = tx.PhoneByNumber(ctx, number); err != nil {
		return phone, err
	}
	if id == 0 && phone.PasswordHash != "" {
		return phone, &Refused{Refusal: DataAbnormal}
	}
	return phone, nil
}

// bindPassword checks the phone's password, or hashes the new one. It returns a function that stores the result in the
// transaction of the binding.
func (p *Portal) bindPassword(
	ctx context.Context, in BindInput, m store.Member, phone store.Phone, need BindNeed,
) (func(*store.DB, store.Phone) error, error) {
	owner := personSubject(phone)
	if need == NeedPassword && !in.New {
		if in.Password == "" || len(in.Password) > MaxPassword {
			return nil, invalid(Fields{"password": PasswordRequired})
		}
		err := p.tryPassword(ctx, PasswordTry{Password: in.Password, Device: in.Device, SignedIn: true}, owner)
		if err != nil {
			return nil, waitInstead(err)
		}
		return func(*store.DB, store.Phone) error { return nil }, nil
	}
	fields := Fields{}
	holder := Subject{phone: phone, member: store.Member{Account: m.Account, Company: m.Company}}
	p.newPasswordFields(fields, in.Password, in.Confirm, passwordContext(holder, ""))
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
		owner := Subject{key: personKey(phone.ID), phone: phone}
		return p.setPassword(ctx, tx, owner, hash, "password_reset", keptAccess{
			family: in.Session.Family, passwords: in.Keep,
		})
	}, nil
}
