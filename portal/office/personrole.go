package office

import (
	"cmp"
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/signin"
	"portico/store"
)

const (
	// RoleChanges is how often the roles of a company's people may be changed in a day. Each change sends messages.
	RoleChanges = 20
	// AdministratorsNotified is how many administrators of a company get a message about a change.
	AdministratorsNotified = 20
)

const (
	// RoleNotActive says that the account is not PersonActive.
	RoleNotActive access.Problem = "role_not_active"
	// OnlyAdministrator says that the company would have no administrator left who can sign in.
	OnlyAdministrator access.Problem = "only_administrator"
)

// RoleChange is a change of the administrator's role.
type RoleChange string

const (
	// MakeAdministrator makes an employee an administrator.
	MakeAdministrator RoleChange = "make_administrator"
	// MakeEmployee makes an administrator an employee.
	MakeEmployee RoleChange = "make_employee"
	// HandOver makes another person an administrator, and the administrator who does it an employee.
	HandOver RoleChange = "hand_over"
)

// ChangeRoleInput changes the role of an account. Password is the password with which the administrator signs in, or
// Code a code that was sent to the phone of an administrator without a password. With OwnDomain, on a company's own
// domain, where no secrets are typed, a sign-in that is younger than FreshSession is needed instead. Device is the
// browser's id, "" for none.
type ChangeRoleInput struct {
	AccountID int64
	Change    RoleChange
	Password  string `form:"password"`
	Code      string `form:"code"`

	OwnDomain bool
	Device    string
}

// RoleProof is how an administrator proves a change of roles: by a sign-in that is younger than FreshSession, by a code
// to Phone, which is masked, or by the password.
type RoleProof struct {
	BySignIn bool
	ByCode   bool
	Phone    string
}

// RoleProofOf returns how an administrator proves a change of roles. It refuses with Forbidden anyone without
// RightManagePeople, and with LoginRequired when the sign-in that entered the back office has ended.
func (b *Backoffice) RoleProofOf(ctx context.Context, here access.Landing, ownDomain bool) (RoleProof, error) {
	if err := access.RequireRight(here, access.RightManagePeople); err != nil {
		return RoleProof{}, err
	}
	if ownDomain {
		return RoleProof{BySignIn: true}, nil
	}
	_, owner, err := b.signInOwner(ctx, here)
	return RoleProof{ByCode: owner.Hash == "" && owner.Person.ID != 0, Phone: access.MaskPhone(owner.Person.Phone)}, err
}

// signInOwner reads the sign-in that entered a side, and the person or account whose password proved it.
func (b *Backoffice) signInOwner(ctx context.Context, here access.Landing) (access.Session, access.Subject, error) {
	s, err := b.core.DB.Sessions.SignInOfFamily(ctx, here.Family, store.At(b.core.Now()))
	if errors.Is(err, store.ErrNotFound) {
		err = access.LoginRequired
	}
	if err != nil {
		return s, access.Subject{}, err
	}
	owner, err := b.credentials.SessionOwner(ctx, s)
	return s, owner, err
}

// lockSignIn refuses with LoginRequired when the sign-in that entered a side has ended. A transaction that ends it
// waits until this one ends.
func (b *Backoffice) lockSignIn(ctx context.Context, tx *store.DB, here access.Landing) error {
	s, err := tx.Sessions.SignInOfFamily(ctx, here.Family, store.At(b.core.Now()))
	if err == nil {
		err = tx.Sessions.Lock(ctx, s.ID)
	}
	if errors.Is(err, store.ErrNotFound) {
		return access.LoginRequired
	}
	return err
}

// RoleFlow is the flow of the codes that prove a change of roles: they are valid for one sign-in.
func RoleFlow(here access.Landing) string { return "role:" + here.Family }

// AskRoleCode sends the code that proves a change of roles to the administrator's phone. It refuses what RoleProofOf
// and Send refuse, and with WrongParameters an administrator who has a password.
func (b *Backoffice) AskRoleCode(
	ctx context.Context, here access.Landing, in core.AskCodeInput,
) (core.CodeSent, error) {
	proof, err := b.RoleProofOf(ctx, here, in.Place.OwnDomain)
	if err == nil && !proof.ByCode {
		err = &access.Refused{Refusal: access.WrongParameters}
	}
	if err != nil {
		return core.CodeSent{}, err
	}
	s, _, err := b.signInOwner(ctx, here)
	if err != nil {
		return core.CodeSent{}, err
	}
	in.Purpose = core.ForRole
	in.Flow = RoleFlow(here)
	in.Phone = ""
	in.Login = ""
	m, err := b.accounts.OwnMember(ctx, s, here.Member.ID)
	if err != nil {
		return core.CodeSent{}, err
	}
	if m.Phone == "" {
		return core.CodeSent{}, &access.Refused{Refusal: access.WrongParameters}
	}
	return b.core.Verification.Send(ctx, in, core.Recipient{
		Phone: m.Phone, Target: core.AccountTarget(m.ID), Login: m.Login, Company: m.Company,
		Asker: core.KnownBrowser, Hidden: true,
	})
}

// ChangeRole makes an employee an administrator, an administrator an employee, or both at once: see RoleChange. The new
// rights apply to the next request. The person and the other administrators get a message.
//
// It refuses with Forbidden anyone without RightManagePeople; with NotFound an account of another company or of the
// shop side; under "action" with RoleNotActive an account that is not active, and with OnlyAdministrator a change
// after which the company would have no administrator who can sign in; with WrongPassword, CodeWrong, CodeExpired or
// PasswordNotSet, or LoginRequired on a company's own domain; and with TooManyAttempts after RoleChanges. A repetition
// within RepeatWindow succeeds and changes nothing.
func (b *Backoffice) ChangeRole(ctx context.Context, here access.Landing, in ChangeRoleInput) error {
	// a repetition waits for the first request
	defer b.core.Replay.Proofs.Hold("change role:" + access.Decimal(here.Member.ID))()
	by, err := b.core.DB.Accounts.ByID(ctx, here.Member.CompanyID, here.Member.ID)
	if err != nil {
		return err
	}
	done := b.core.Replay.OperationID(
		"change role", access.Decimal(by.ID), access.Decimal(in.AccountID), string(in.Change),
	)
	if by.Type == store.TypeEmployee { // perhaps by the first request
		if _, repeated, err := b.core.Replay.DoneBefore(ctx, done); repeated || err != nil {
			return err
		}
	}
	if err := access.RequireRight(access.Landing{Member: by}, access.RightManagePeople); err != nil {
		return err
	}
	m, err := b.checkRole(ctx, b.core.DB, by, in) // before the password is tried
	if err != nil {
		return err
	}
	isSame := in.Change == MakeAdministrator && m.Type == store.TypeAdministrator ||
		in.Change == MakeEmployee && m.Type == store.TypeEmployee
	if isSame { // perhaps by the first request, which used the code
		return nil
	}
	spend, err := b.proveRole(ctx, here, in)
	if err != nil {
		return err
	}
	if err := b.core.Limits.CountUpTo(
		ctx, b.core.DB, "role changes:"+access.Decimal(here.Member.CompanyID), RoleChanges, access.Day,
	); err != nil {
		return err
	}
	defer b.core.Access.Companies.Forget() // the contact may change
	var messages []core.Message
	var company store.Company
	err = b.core.DB.Tx(ctx, func(tx *store.DB) error {
		by, err := b.core.Access.LockActor(ctx, tx, here, access.RightManagePeople)
		if err != nil {
			return err
		}
		m, err := b.checkRole(ctx, tx, by, in)
		if err != nil {
			return err
		}
		if err := b.lockSignIn(ctx, tx, here); err != nil {
			return err
		}
		if err := spend(tx); err != nil {
			return err
		}
		if err := b.setRoles(ctx, tx, by, m, in.Change); err != nil {
			return err
		}
		company = by.Company
		if messages, err = b.roleMessages(ctx, tx, by, m, in); err != nil {
			return err
		}
		return b.core.Replay.NoteDone(ctx, tx, done, "")
	})
	if err != nil {
		return err
	}
	for _, message := range messages {
		b.core.Verification.Notify(ctx, message, company)
	}
	return nil
}

// checkRole reads the account whose role is to change, and refuses a change that is not allowed, see ChangeRole.
func (b *Backoffice) checkRole(
	ctx context.Context, db *store.DB, by store.Member, in ChangeRoleInput,
) (store.Member, error) {
	m, err := db.Accounts.ByID(ctx, by.CompanyID, in.AccountID)
	if err == nil && m.Side != store.Mgr {
		err = store.ErrNotFound
	}
	if err != nil {
		return m, b.core.Access.RefuseMissing(ctx, access.Landing{Member: by}, "person", err)
	}
	switch {
	case in.Change != MakeAdministrator && in.Change != MakeEmployee && in.Change != HandOver:
		return m, access.BadRequest
	case in.Change == HandOver && m.ID == by.ID:
		return m, access.Invalid(access.Fields{"action": access.OwnAccount})
	case PersonStateOf(m) != PersonActive:
		return m, access.Invalid(access.Fields{"action": RoleNotActive})
	case in.Change != MakeEmployee:
		return m, nil
	}
	others, err := db.Accounts.HasAdministrator(ctx, m.CompanyID, m.ID, store.At(b.core.Now()))
	if err == nil && !others {
		err = access.Invalid(access.Fields{"action": OnlyAdministrator})
	}
	return m, err
}

// proveRole checks the administrator's password or code. It returns what the transaction has to do so that the proof is
// used once and still valid.
func (b *Backoffice) proveRole(
	ctx context.Context, here access.Landing, in ChangeRoleInput,
) (func(tx *store.DB) error, error) {
	s, owner, err := b.signInOwner(ctx, here)
	if err != nil {
		return nil, err
	}
	if in.OwnDomain {
		if b.core.Now().Sub(s.CreatedAt.Time()) >= signin.FreshSession {
			return nil, access.LoginRequired
		}
		return func(*store.DB) error { return nil }, nil
	}
	if owner.Hash == "" && owner.Person.ID != 0 {
		code, _ := core.NormalCode(in.Code)
		if problem := core.CodeProblem(in.Code); problem != "" {
			return nil, access.Invalid(access.Fields{"code": problem})
		}
		proof, err := b.core.Verification.ProveCode(ctx, core.TypedCode{
			Phone: owner.Person.Phone, Purpose: core.ForRole, Flow: RoleFlow(here),
			Target: core.AccountTarget(here.Member.ID), Code: code,
		})
		return func(tx *store.DB) error { return b.core.Verification.Spend(ctx, tx, proof) }, err
	}
	switch {
	case owner.Hash == "":
		return nil, &access.Refused{Refusal: access.PasswordNotSet}
	case in.Password == "":
		return nil, access.Invalid(access.Fields{"password": access.PasswordRequired})
	case len(in.Password) > access.MaxPassword:
		return nil, access.Invalid(access.Fields{"password": access.PasswordTooLong})
	}
	err = b.signin.TryPassword(ctx, access.PasswordTry{Password: in.Password, Device: in.Device, SignedIn: true}, owner)
	return func(*store.DB) error { return nil }, credentials.WaitInstead(err)
}

// setRoles writes the new roles and logs them.
func (b *Backoffice) setRoles(ctx context.Context, tx *store.DB, by, m store.Member, change RoleChange) error {
	set := func(of store.Member, kind int, event string) error {
		if of.Type == kind {
			return nil
		}
		if err := tx.Accounts.SetType(ctx, of.CompanyID, of.ID, kind); err != nil {
			return err
		}
		return b.core.Access.Event(ctx, tx, event, by, access.Decimal(of.ID))
	}
	if change == MakeEmployee {
		return set(m, store.TypeEmployee, "administrator_ended")
	}
	if err := set(m, store.TypeAdministrator, "administrator_made"); err != nil || change == MakeAdministrator {
		return err
	}
	if err := set(by, store.TypeEmployee, "administrator_ended"); err != nil || !ContactFollows(by, m) {
		return err
	}
	c := by.Company
	c.ContactName, c.ContactPhone = cmp.Or(m.Name, m.Login), m.Phone
	c.UpdatedAt = max(c.UpdatedAt+1, store.At(b.core.Now()))
	return tx.Companies.Update(ctx, c)
}

// ContactFollows reports whether handing over also changes the contact that the company's people and applicants see. If
// it is the phone of the administrator who hands over, the successor's phone replaces it.
func ContactFollows(by, successor store.Member) bool {
	return by.Company.ContactPhone != "" && by.Company.ContactPhone == by.Phone && successor.Phone != ""
}

// roleMessages are the messages about a change of roles: to the person, and to the other administrators of the company.
func (b *Backoffice) roleMessages(
	ctx context.Context, tx *store.DB, by, m store.Member, in ChangeRoleInput,
) ([]core.Message, error) {
	all, err := tx.Accounts.Administrators(ctx, by.CompanyID, AdministratorsNotified)
	if err != nil {
		return nil, err
	}
	notice := core.NoticeAdministrator
	if in.Change == MakeEmployee {
		notice = core.NoticeEmployee
	}
	lang := by.Company.Language
	messages := []core.Message{{Notice: notice, Phone: m.Phone, Login: m.Login, Lang: lang}}
	for _, administrator := range all {
		if administrator.ID != m.ID && administrator.ID != by.ID {
			messages = append(messages, core.Message{
				Notice: core.NoticeRoles, Phone: administrator.Phone, Login: m.Login, Lang: lang,
			})
		}
	}
	if in.Change == HandOver {
		messages = append(messages, core.Message{
			Notice: core.NoticeEmployee, Phone: by.Phone, Login: by.Login, Lang: lang,
		})
	}
	return messages, nil
}
