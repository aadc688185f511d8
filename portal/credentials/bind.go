package credentials

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
	"portico/store"
)

// BindInput binds a phone to the account of a session. The code is needed once; its proof lasts for ProofLife.
// New says that Password is a new password for a phone whose holder does not remember the current one. Keep
// keeps the account's own password, for signing in by name; with New also those of the phone's other accounts.
type BindInput struct {
	Phone    string `form:"phone" json:"phone_"`
	Code     string `form:"code" json:"code_"`
	Password string `form:"password" json:"password_"`
	Confirm  string `form:"confirm_password" json:"confirm_password_"`
	Keep     bool   `form:"keep_passwords" json:"keep_passwords_"`
	New      bool

	Session access.Session
	Flow    string
	Device  string
	Lang    string
}

// BindNeed is what is still needed to bind a phone after its code was accepted.
type BindNeed string

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

// AccountToBind returns the account that a session may bind a phone to: one without a phone that signed in by its
// account name. It refuses any other session with WrongParameters, and an expired first password with PasswordNotSet.
func (b *Binding) AccountToBind(ctx context.Context, s access.Session) (store.Member, error) {
	if s.PersonID != 0 {
		return store.Member{}, &access.Refused{Refusal: access.WrongParameters} // its accounts have this phone already
	}
	members, _, err := b.accounts.CoveredMembers(ctx, s)
	if err != nil {
		return store.Member{}, err
	}
	if members[0].PersonID != 0 {
		return store.Member{}, &access.Refused{Refusal: access.WrongParameters}
	}
	if signin.ByFirstPassword(s, members) {
		if err := b.accounts.RefuseExpiredFirstPassword(ctx, access.Subject{Member: members[0]}); err != nil {
			return store.Member{}, err
		}
	}
	return members[0], nil
}

// Bindable returns the account that a session may bind a phone to; ok is false when there is none.
func (b *Binding) Bindable(ctx context.Context, s access.Session) (m store.Member, ok bool, err error) {
	m, err = b.AccountToBind(ctx, s)
	if errors.Is(err, access.WrongParameters) {
		return m, false, nil
	}
	return m, err == nil, err
}

// ProveBind checks the code of a binding and says what is needed next: NeedNothing when the same code has already bound
// the phone within RepeatWindow. It refuses with CodeWrong, CodeExpired, TooManyAttempts, PhoneBoundElsewhere, and with
// WrongParameters a session that cannot bind a phone.
func (b *Binding) ProveBind(ctx context.Context, in BindInput) (Bound, error) {
	bound, err := b.proveBind(ctx, in)
	if !errors.Is(err, access.WrongParameters) && !errors.Is(err, access.CodeExpired) || in.Code == "" {
		return bound, err
	}
	if m, done, lookErr := b.boundBefore(ctx, in); done || lookErr != nil {
		return Bound{Phone: m.Phone}, lookErr
	}
	return bound, err
}

func (b *Binding) proveBind(ctx context.Context, in BindInput) (Bound, error) {
	m, err := b.AccountToBind(ctx, in.Session)
	if err != nil {
		return Bound{}, err
	}
	if err := access.Invalid(core.CodeFields(&in.Phone, &in.Code)); err != nil {
		return Bound{}, err
	}
	if _, err := b.core.Verification.ProveCode(ctx, core.TypedCode{
		Phone: in.Phone, Purpose: core.ForBind, Flow: in.Flow, Target: core.AccountTarget(m.ID), Code: in.Code,
	}); err != nil {
		return Bound{}, err
	}
	return b.ResumeBind(ctx, in.Session, in.Flow)
}

// ResumeBind says what a binding needs next after its code was accepted; CodeExpired when no code was, or too long ago.
func (b *Binding) ResumeBind(ctx context.Context, s access.Session, flow string) (Bound, error) {
	m, err := b.AccountToBind(ctx, s)
	if err != nil {
		return Bound{}, err
	}
	proof, err := b.core.Verification.Proven(ctx, flow, core.ForBind, core.AccountTarget(m.ID))
	if err != nil {
		return Bound{}, err
	}
	person, others, err := b.core.Access.Person(ctx, proof.Phone)
	if err != nil {
		return Bound{}, err
	}
	if err := access.RequireExclusivePhone(m, others); err != nil {
		return Bound{}, err
	}
	bound := Bound{Need: NeedPassword, Phone: proof.Phone, Others: others, OwnPassword: core.HasOwnPassword(m)}
	if person.PasswordHash == "" {
		bound.Need = NeedNewPassword
	}
	return bound, nil
}

// Bind binds the phone that a code proved. Password is the phone's password or, with New or when the phone has
// none, a new password for the phone; a new password ends the phone's other sessions. The account's older sign-ins and
// links to chat apps end, and with them, unless Keep is set, its own password. A repetition within RepeatWindow
// succeeds, changes nothing and returns no new cookie value. It refuses with CodeExpired without a recent proof, with
// WrongPassword and TooManyAttempts like a sign-in, with PhoneBoundElsewhere, and with the problems of a new password.
func (b *Binding) Bind(ctx context.Context, in BindInput) (Bound, error) {
	defer b.core.Replay.Proofs.Hold("bind phone:" + in.Session.Family)() // a repetition waits for the first request
	bound, err := b.bind(ctx, in)
	mayBeDone := errors.Is(err, access.WrongParameters) || errors.Is(err, access.CodeExpired) ||
		core.IsSamePassword(err)
	if !mayBeDone || in.New && in.Confirm != in.Password {
		return bound, err
	}
	m, done, lookErr := b.boundBefore(ctx, in)
	if done {
		owner := access.Subject{Key: access.PersonKey(m.PersonID), Person: store.Person{ID: m.PersonID, Phone: m.Phone}}
		if owner.Person, lookErr = b.core.DB.Persons.ByID(ctx, m.PersonID); lookErr == nil {
			owner.Hash = owner.Person.PasswordHash
			done, lookErr = b.signin.IsPasswordNow(ctx, owner, in.Device, in.Password)
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

// binding identifies the binding of a phone to an account by a sign-in. CodeHash is the hash of the code that the
// request carries, "" for a request without one.
func (b *Binding) binding(s access.Session, accountID int64, codeHash string) string {
	return b.core.Replay.OperationID("bind phone", s.Family, access.Decimal(accountID), codeHash)
}

// noteBound stores that a phone was bound. It does so twice, because a repetition may carry the code or not: the API
// sends it with the password, the pages in a step of its own.
func (b *Binding) noteBound(
	ctx context.Context, tx *store.DB, s access.Session, m store.Member, proof core.CodeProof,
) error {
	for _, codeHash := range []string{"", proof.Code.Hash} {
		if err := b.core.Replay.NoteDone(ctx, tx, b.binding(s, m.ID, codeHash), ""); err != nil {
			return err
		}
	}
	return nil
}

// boundBefore says whether this sign-in has bound a phone to its account within RepeatWindow. A phone and a code in the
// input must be the same as then. The caller compares the password.
func (b *Binding) boundBefore(ctx context.Context, in BindInput) (m store.Member, done bool, err error) {
	if in.Session.PersonID != 0 {
		return m, false, nil
	}
	members, _, err := b.accounts.CoveredMembers(ctx, in.Session)
	if err != nil || members[0].PersonID == 0 {
		return m, false, err
	}
	m = members[0]
	if number, ok := access.NormalPhone(in.Phone); in.Phone != "" && (!ok || number != m.Phone) {
		return m, false, nil
	}
	if in.Code == "" {
		_, done, err = b.core.Replay.DoneBefore(ctx, b.binding(in.Session, m.ID, ""))
		return m, done, err
	}
	code, _ := core.NormalCode(in.Code)
	_, done, err = b.core.Replay.DoneByCode(
		ctx,
		core.ForBind,
		m.Phone,
		b.binding(in.Session, m.ID, b.core.Verification.CodeHash(m.Phone, core.ForBind, code)),
	)
	return m, done, err
}

// bind is Bind for a request that repeats no earlier one.
func (b *Binding) bind(ctx context.Context, in BindInput) (Bound, error) {
	bound, err := b.ResumeBind(ctx, in.Session, in.Flow)
	if err != nil {
		return Bound{}, err
	}
	m, err := b.AccountToBind(ctx, in.Session)
	if err != nil {
		return Bound{}, err
	}
	proof, err := b.core.Verification.Proven(ctx, in.Flow, core.ForBind, core.AccountTarget(m.ID))
	if err != nil {
		return Bound{}, err
	}
	person, _, err := b.core.Access.Person(ctx, proof.Phone)
	if err != nil {
		return Bound{}, err
	}
	settle, err := b.bindPassword(ctx, in, m, person, bound.Need)
	if err != nil {
		return Bound{}, err
	}
	err = b.core.DB.Tx(ctx, func(tx *store.DB) error {
		m := m // each run of the transaction begins with the same value
		if err := b.core.Verification.Spend(ctx, tx, proof); err != nil {
			return err
		}
		person, err := b.addUnregistered(ctx, tx, proof.Phone, person)
		if err != nil {
			return err
		}
		if err := settle(tx, person); err != nil {
			return err
		}
		if err := access.MayJoin(ctx, tx, m, person.ID); err != nil {
			return err
		}
		err = tx.Persons.Bind(ctx, m.CompanyID, m.ID, person)
		if errors.Is(err, store.ErrNotFound) {
			return &access.Refused{Refusal: access.WrongParameters}
		}
		if err != nil {
			return err
		}
		kept := core.KeptAccess{Family: in.Session.Family, Passwords: in.Keep}
		if err := b.core.Revocation.EndOlderAccess(ctx, tx, access.Subject{Member: m}, kept); err != nil {
			return err
		}
		if err := b.noteBound(ctx, tx, in.Session, m, proof); err != nil {
			return err
		}
		m.PersonID = person.ID
		if bound.Token, err = b.core.Sessions.Renew(ctx, tx, in.Session); err != nil {
			return err
		}
		return b.core.Access.Event(ctx, tx, "phone_bound", m, "")
	})
	if err != nil {
		return Bound{}, err
	}
	b.core.Verification.Notify(ctx, core.Message{
		Phone:  proof.Phone,
		Notice: core.NoticeBound,
		Lang:   in.Lang,
		Login:  m.Login,
		Ended:  core.HasOwnPassword(m) && !in.Keep,
	}, m.Company)
	return Bound{Phone: proof.Phone, Token: bound.Token}, nil
}

// addUnregistered adds the person of a proven number that nobody has registered, and returns any other person as it is.
// It refuses with DataAbnormal a number that was registered with a password meanwhile.
func (b *Binding) addUnregistered(
	ctx context.Context, tx *store.DB, number string, person store.Person,
) (store.Person, error) {
	if person.ID != 0 {
		return person, nil
	}
	id, err := tx.Persons.Add(ctx, store.Person{Phone: number, CreatedAt: store.At(b.core.Now())})
	if err != nil {
		return person, err
	}
	if person, err = tx.Persons.ByNumber(ctx, number); err != nil {
		return person, err
	}
	if id == 0 && person.PasswordHash != "" {
		return person, &access.Refused{Refusal: access.DataAbnormal}
	}
	return person, nil
}

// bindPassword checks the phone's password, or hashes the new one. It returns a function that stores the result in the
// transaction of the binding.
func (b *Binding) bindPassword(
	ctx context.Context, in BindInput, m store.Member, person store.Person, need BindNeed,
) (func(*store.DB, store.Person) error, error) {
	owner := access.PersonSubject(person)
	if need == NeedPassword && !in.New {
		if in.Password == "" || len(in.Password) > access.MaxPassword {
			return nil, access.Invalid(access.Fields{"password": access.PasswordRequired})
		}
		err := b.signin.TryPassword(
			ctx, access.PasswordTry{Password: in.Password, Device: in.Device, SignedIn: true}, owner,
		)
		if err != nil {
			return nil, WaitInstead(err)
		}
		return func(*store.DB, store.Person) error { return nil }, nil
	}
	fields := access.Fields{}
	holder := access.Subject{Person: person, Member: store.Member{Account: m.Account, Company: m.Company}}
	b.core.Passwords.NewPasswordFields(fields, &in.Password, in.Confirm, core.PasswordContext(holder, ""))
	if err := access.Invalid(fields); err != nil {
		return nil, err
	}
	if err := b.core.Passwords.CheckNewPassword(ctx, owner, in.Password, ""); err != nil {
		return nil, err
	}
	hash, err := b.core.Passwords.Hasher.Hash(ctx, in.Password)
	if err != nil {
		return nil, err
	}
	return func(tx *store.DB, person store.Person) error {
		owner := access.Subject{Key: access.PersonKey(person.ID), Person: person}
		return b.credentials.SetPassword(ctx, tx, owner, hash, "password_reset", core.KeptAccess{
			Family: in.Session.Family, Passwords: in.Keep,
		})
	}, nil
}
