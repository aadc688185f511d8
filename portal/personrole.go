package portal

import (
	"cmp"
	"context"
	"errors"

	"portico/store"
)

const (
	// RoleChanges is how often the roles of a company's people may be changed in a day. Each change sends messages.
	RoleChanges = 20
	// AdministratorsTold is how many administrators of a company get a message about a change.
	AdministratorsTold = 20
)

// The problems of a change of roles. RoleNotActive: nobody can enter the account now. OnlyAdministrator: the company
// would have no administrator left who can sign in.
const (
	RoleNotActive     Problem = "role_not_active"
	OnlyAdministrator Problem = "only_administrator"
)

// RoleChange is a change of the administrator's role.
type RoleChange string

// The changes. HandOver makes another person an administrator and oneself an employee.
const (
	MakeAdministrator RoleChange = "make_administrator"
	MakeEmployee      RoleChange = "make_employee"
	HandOver          RoleChange = "hand_over"
)

// ChangeRoleInput changes the role of an account. Password is the password with which the administrator signs in, or
// Code a code that was sent to the administrator's phone, for one without a password. On a company's own domain nothing
// secret is typed: OwnDomain needs a sign-in that is younger than FreshSession instead. Device is the browser's id, ""
// for none.
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

// RoleProofOf says how an administrator proves a change of roles. It refuses with Forbidden anyone without
// RightManagePeople, and with LoginRequired when the sign-in that entered the back office has ended.
func (p *Portal) RoleProofOf(ctx context.Context, here Landing, ownDomain bool) (RoleProof, error) {
	if err := may(here, RightManagePeople); err != nil {
		return RoleProof{}, err
	}
	if ownDomain {
		return RoleProof{BySignIn: true}, nil
	}
	_, owner, err := p.signInOwner(ctx, here)
	return RoleProof{ByCode: owner.hash == "" && owner.phone.ID != 0, Phone: MaskPhone(owner.phone.Phone)}, err
}

// signInOwner reads the sign-in that entered a side, and the person or account whose password proved it.
func (p *Portal) signInOwner(ctx context.Context, here Landing) (Session, Subject, error) {
	s, err := p.db.SignInOfFamily(ctx, here.family, store.At(p.now()))
	if errors.Is(err, store.ErrNotFound) {
		err = LoginRequired
	}
	if err != nil {
		return s, Subject{}, err
	}
	owner, err := p.sessionOwner(ctx, s)
	return s, owner, err
}

// holdSignIn refuses with LoginRequired when the sign-in that entered a side has ended. A transaction that ends it
// waits until this one ends.
func (p *Portal) holdSignIn(ctx context.Context, tx *store.DB, here Landing) error {
	s, err := tx.SignInOfFamily(ctx, here.family, store.At(p.now()))
	if err == nil {
		err = tx.LockSession(ctx, s.ID)
	}
	if errors.Is(err, store.ErrNotFound) {
		return LoginRequired
	}
	return err
}

// RoleFlow is the flow of the codes that prove a change of roles: they are valid for one sign-in.
func RoleFlow(here Landing) string { return "role:" + here.family }

// AskRoleCode sends the code that proves a change of roles to the administrator's phone. It refuses what RoleProofOf
// and AskCode refuse, and with WrongParameters an administrator who has a password.
func (p *Portal) AskRoleCode(ctx context.Context, here Landing, in AskCodeInput) (CodeSent, error) {
	proof, err := p.RoleProofOf(ctx, here, in.Place.OwnDomain)
	if err == nil && !proof.ByCode {
		err = &Refused{Refusal: WrongParameters}
	}
	if err != nil {
		return CodeSent{}, err
	}
	s, _, err := p.signInOwner(ctx, here)
	if err != nil {
		return CodeSent{}, err
	}
	in.Purpose, in.Session, in.Flow, in.Phone, in.Login = ForRole, s, RoleFlow(here), "", ""
	in.AccountID = here.Member.ID
	return p.AskCode(ctx, in)
}

// roleRecipient is the phone of the administrator who changes a role.
func (p *Portal) roleRecipient(ctx context.Context, in *AskCodeInput) (recipient, error) {
	m, err := p.ownMember(ctx, in.Session, in.AccountID)
	if err != nil {
		return recipient{}, err
	}
	if m.Phone == "" {
		return recipient{}, &Refused{Refusal: WrongParameters}
	}
	return recipient{
		phone: m.Phone, target: targetOf(m.ID), login: m.Login, company: m.Company, asker: knownBrowser, hidden: true,
	}, nil
}

// ChangeRole makes an employee an administrator, an administrator an employee, or both at once: see RoleChange. The new
// rights apply to the next request. The person and the other administrators get a message.
//
// It refuses with Forbidden anyone without RightManagePeople; with NotFound an account of another company or of the
// shop side; under "action" with RoleNotActive an account that nobody can enter, and with OnlyAdministrator a change
// after which the company would have no administrator who can sign in; with WrongPassword, CodeWrong, CodeExpired or
// PasswordNotSet, or LoginRequired on a company's own domain; and with TooManyAttempts after RoleChanges. A repetition
// within RepeatWindow succeeds and changes nothing.
func (p *Portal) ChangeRole(ctx context.Context, here Landing, in ChangeRoleInput) error {
	defer p.proofs.hold("change role:" + decimal(here.Member.ID))() // a repetition waits for the first request
	by, err := p.db.MemberByID(ctx, here.Member.CompanyID, here.Member.ID)
	if err != nil {
		return err
	}
	done := p.operationID("change role", decimal(by.ID), decimal(in.AccountID), string(in.Change))
	if by.Type == store.TypeEmployee { // perhaps by the first request
		if _, repeated, err := p.doneBefore(ctx, done); repeated || err != nil {
			return err
		}
	}
	if err := may(Landing{Member: by}, RightManagePeople); err != nil {
		return err
	}
	m, err := p.checkRole(ctx, p.db, by, in) // before the password is tried
	if err != nil {
		return err
	}
	isSame := in.Change == MakeAdministrator && m.Type == store.TypeAdministrator ||
		in.Change == MakeEmployee && m.Type == store.TypeEmployee
	if isSame { // perhaps by the first request, which used the code
		return nil
	}
	spend, err := p.proveRole(ctx, here, in)
	if err != nil {
		return err
	}
	if err := p.countUpTo(ctx, p.db, "role changes:"+decimal(here.Member.CompanyID), RoleChanges, day); err != nil {
		return err
	}
	defer p.companies.forget() // the contact may change
	var messages []Message
	var company store.Company
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		by, err := p.acting(ctx, tx, here, RightManagePeople)
		if err != nil {
			return err
		}
		m, err := p.checkRole(ctx, tx, by, in)
		if err != nil {
			return err
		}
		if err := p.holdSignIn(ctx, tx, here); err != nil {
			return err
		}
		if err := spend(tx); err != nil {
			return err
		}
		if err := p.setRoles(ctx, tx, by, m, in.Change); err != nil {
			return err
		}
		company = by.Company
		if messages, err = p.roleMessages(ctx, tx, by, m, in); err != nil {
			return err
		}
		return p.noteDone(ctx, tx, done, "")
	})
	if err != nil {
		return err
	}
	for _, message := range messages {
		p.notify(ctx, message, company)
	}
	return nil
}

// checkRole reads the account whose role is to change, and refuses a change that is not allowed, see ChangeRole.
func (p *Portal) checkRole(
	ctx context.Context, db *store.DB, by store.Member, in ChangeRoleInput,
) (store.Member, error) {
	m, err := db.MemberByID(ctx, by.CompanyID, in.AccountID)
	if err == nil && m.Side != store.Mgr {
		err = store.ErrNotFound
	}
	if err != nil {
		return m, p.missing(ctx, Landing{Member: by}, "person", err)
	}
	switch {
	case in.Change != MakeAdministrator && in.Change != MakeEmployee && in.Change != HandOver:
		return m, BadRequest
	case in.Change == HandOver && m.ID == by.ID:
		return m, invalid(Fields{"action": OwnAccount})
	case PersonStateOf(m) != PersonActive:
		return m, invalid(Fields{"action": RoleNotActive})
	case in.Change != MakeEmployee:
		return m, nil
	}
	others, err := db.HasAdministrator(ctx, m.CompanyID, m.ID, store.At(p.now()))
	if err == nil && !others {
		err = invalid(Fields{"action": OnlyAdministrator})
	}
	return m, err
}

// proveRole checks the administrator's password or code. It returns what the transaction has to do so that the proof is
// used once and still valid.
func (p *Portal) proveRole(ctx context.Context, here Landing, in ChangeRoleInput) (func(tx *store.DB) error, error) {
	s, owner, err := p.signInOwner(ctx, here)
	if err != nil {
		return nil, err
	}
	if in.OwnDomain {
		if p.now().Sub(s.CreatedAt.Time()) >= FreshSession {
			return nil, LoginRequired
		}
		return func(*store.DB) error { return nil }, nil
	}
	if owner.hash == "" && owner.phone.ID != 0 {
		code, _ := normalCode(in.Code)
		if problem := codeProblem(in.Code); problem != "" {
			return nil, invalid(Fields{"code": problem})
		}
		proof, err := p.proveCode(ctx, owner.phone.Phone, ForRole, 0, RoleFlow(here), targetOf(here.Member.ID), code)
		return func(tx *store.DB) error { return p.spend(ctx, tx, proof) }, err
	}
	switch {
	case owner.hash == "":
		return nil, &Refused{Refusal: PasswordNotSet}
	case in.Password == "":
		return nil, invalid(Fields{"password": PasswordRequired})
	case len(in.Password) > MaxPassword:
		return nil, invalid(Fields{"password": PasswordTooLong})
	}
	err = p.tryPassword(ctx, PasswordTry{Password: in.Password, Device: in.Device, SignedIn: true}, owner)
	return func(*store.DB) error { return nil }, waitInstead(err)
}

// setRoles writes the new roles and logs them.
func (p *Portal) setRoles(ctx context.Context, tx *store.DB, by, m store.Member, change RoleChange) error {
	set := func(of store.Member, kind int, event string) error {
		if of.Type == kind {
			return nil
		}
		if err := tx.SetAccountType(ctx, of.CompanyID, of.ID, kind); err != nil {
			return err
		}
		return p.event(ctx, tx, event, by, decimal(of.ID))
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
	c.UpdatedAt = max(c.UpdatedAt+1, store.At(p.now()))
	return tx.UpdateCompany(ctx, c)
}

// ContactFollows says whether handing over also changes the contact that the company's people and applicants see. If it
// is the phone of the administrator who hands over, the successor's phone replaces it.
func ContactFollows(by, successor store.Member) bool {
	return by.Company.ContactPhone != "" && by.Company.ContactPhone == by.Phone && successor.Phone != ""
}

// roleMessages are the messages about a change of roles: to the person, and to the other administrators of the company.
func (p *Portal) roleMessages(
	ctx context.Context, tx *store.DB, by, m store.Member, in ChangeRoleInput,
) ([]Message, error) {
	all, err := tx.Administrators(ctx, by.CompanyID, AdministratorsTold)
	if err != nil {
		return nil, err
	}
	notice := NoticeAdministrator
	if in.Change == MakeEmployee {
		notice = NoticeEmployee
	}
	lang := by.Company.Language
	messages := []Message{{Notice: notice, Phone: m.Phone, Login: m.Login, Lang: lang}}
	for _, administrator := range all {
		if administrator.ID != m.ID && administrator.ID != by.ID {
			messages = append(messages, Message{
				Notice: NoticeRoles, Phone: administrator.Phone, Login: m.Login, Lang: lang,
			})
		}
	}
	if in.Change == HandOver {
		messages = append(messages, Message{Notice: NoticeEmployee, Phone: by.Phone, Login: by.Login, Lang: lang})
	}
	return messages, nil
}
