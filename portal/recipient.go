package portal

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// recipientOf decides by the purpose who gets a code and which group asks for it. It sends no code to a number that the
// operation does not concern.
func (p *Portal) recipientOf(ctx context.Context, in *core.AskCodeInput) (core.Recipient, error) {
	to, err := p.recipientByPurpose(ctx, in)
	if err != nil || in.Device == "" || to.Silent {
		return to, err
	}
	phone, err := p.DB.Phones.ByNumber(ctx, to.Phone)
	if errors.Is(err, store.ErrNotFound) {
		return to, nil
	}
	if err != nil {
		return to, err
	}
	known, err := p.DB.Devices.IsKnown(
		ctx, in.Device, access.PersonKey(phone.ID), store.At(p.Now().Add(-core.DeviceKnownFor)),
	)
	if known {
		to.Asker, to.SandboxOnly = core.KnownBrowser, false
	}
	return to, err
}

func (p *Portal) recipientByPurpose(
	ctx context.Context,
	in *core.AskCodeInput,
) (core.Recipient, error) {
	switch {
	case in.Purpose == core.ForUnbind:
		return p.Binding.UnbindRecipient(ctx, in)
	case in.Purpose == core.ForOldPhone:
		return p.Binding.OldPhoneRecipient(ctx, in)
	case in.Purpose == core.ForRole:
		return p.Backoffice.RoleRecipient(ctx, in)
	case in.Purpose == core.ForReset && in.Login != "":
		if in.Phone != "" {
			return core.Recipient{}, &access.Refused{Refusal: access.WrongParameters}
		}
		return p.accountRecipient(ctx, in)
	}
	if err := access.Invalid(access.PhoneFields(&in.Phone)); err != nil {
		return core.Recipient{}, err
	}
	to := core.Recipient{Phone: in.Phone, Target: core.TargetPhone, Asker: core.Stranger}
	if in.Place.Company != nil {
		to.Company = *in.Place.Company
	}
	switch in.Purpose {
	case core.ForLogin, core.ForReset:
		return p.knownPhone(ctx, in, to)
	case core.ForRegister:
		return p.newPhone(ctx, to, in.Add)
	case core.ForBind:
		m, err := p.Binding.AccountToBind(ctx, in.Session)
		to.Target = core.AccountTarget(m.ID)
		to.Login = m.Login
		to.Company = m.Company
		if m.Company.Standing == store.Formal { // anybody opens a company on trial, and as many accounts as they like
			to.Asker = core.RegisteredPhone
		}
		return to, err
	case core.ForNewPhone:
		return p.Binding.NewPhoneRecipient(ctx, in)
	case core.ForShopRegister, core.ForApplication:
		if err := p.invitedRecipient(ctx, in); err != nil {
			return core.Recipient{}, err
		}
		return p.companyRecipient(ctx, in, to)
	case core.ForExperience:
		return to, nil
	}
	return core.Recipient{}, access.WrongParameters
}

// knownPhone sends a code to a registered phone only. An applicant without an account may also ask for a code to sign
// in, which then shows the state of the application. Under strict privacy other phones get the same answer and no code.
func (p *Portal) knownPhone(
	ctx context.Context,
	in *core.AskCodeInput,
	to core.Recipient,
) (core.Recipient, error) {
	phone, members, err := p.Access.Person(ctx, to.Phone)
	if err != nil {
		return core.Recipient{}, err
	}
	isKnown := access.IsPerson(phone, members)
	if isKnown && len(members) == 0 && in.Purpose == core.ForLogin { // a sign-in would show an offer or nothing
		if isKnown, err = p.Accounts.OfferWaits(ctx, phone.ID, 0); err != nil {
			return core.Recipient{}, err
		}
	}
	if !isKnown && in.Purpose == core.ForLogin {
		if _, isKnown, err = p.Accounts.Applicants.OpenApplication(ctx, phone, in.Place.CompanyID()); err != nil {
			return core.Recipient{}, err
		}
	}
	to.Silent = !isKnown
	p.Credentials.AskedFor(&to, access.Registered(phone, members))
	if isKnown || p.Strict {
		return to, nil
	}
	if err := p.Limits.Probed(ctx, "phone:"+to.Phone); err != nil {
		return core.Recipient{}, err
	}
	return core.Recipient{}, &access.Refused{
		Refusal:  access.PhoneNotBound,
		Contacts: p.Access.Support(in.Place),
	}
}

// newPhone sends a code to a phone that cannot sign in yet or, with add, to one that gets another company. Sandboxes
// and offers do not count. Under strict privacy a registered phone is refused only after its code was right.
func (p *Portal) newPhone(ctx context.Context, to core.Recipient, add bool) (core.Recipient, error) {
	phone, members, err := p.Access.Person(ctx, to.Phone)
	if err == nil && (p.Strict || add || !access.Registered(phone, members)) {
		return to, nil
	}
	if err == nil {
		if err = p.Limits.Probed(ctx, "phone:"+to.Phone); err == nil {
			err = &access.Refused{Refusal: access.PhoneRegistered}
		}
	}
	return core.Recipient{}, err
}

// accountRecipient sends a code to the phone that is bound to an account name. The caller sees the masked phone only.
func (p *Portal) accountRecipient(ctx context.Context, in *core.AskCodeInput) (core.Recipient, error) {
	login, ok := access.NormalLogin(in.Login)
	if !ok || login == "" {
		return core.Recipient{}, access.Invalid(access.Fields{"login": access.LoginMalformed})
	}
	in.Login = login
	to, members, err := p.Credentials.Named(ctx, login, in.Place)
	if err != nil || to.Target != core.TargetNobody || p.Strict {
		return to, err
	}
	if err := p.Limits.Probed(ctx, "login:"+store.LoginKey(login)); err != nil {
		return core.Recipient{}, err
	}
	if len(members) == 0 {
		return core.Recipient{}, &access.Refused{
			Refusal:  access.AccountNotFound,
			Contacts: p.Access.Support(in.Place),
		}
	}
	refused := &access.Refused{Refusal: access.PhoneNotBound, Contacts: p.Access.Support(in.Place)}
	// On the platform's own hosts a name proves nothing: anybody could publish a number there by opening an account.
	if c := members[0].Company; in.Place.CompanyID() == c.ID {
		refused.Contacts = p.Access.ContactsFor(access.PhoneNotBound, c)
	}
	return core.Recipient{}, refused
}

// invitedRecipient reads the company from an invitation link, which is for one phone.
func (p *Portal) invitedRecipient(ctx context.Context, in *core.AskCodeInput) error {
	if in.Invite == "" {
		return nil
	}
	invitation, ok, err := p.Onboarding.Invitation(ctx, in.Invite)
	switch {
	case err != nil:
		return err
	case !ok:
		return access.NotFound
	case in.Phone != invitation.Phone:
		return access.Invalid(access.Fields{"phone": access.PhoneNotInvited})
	}
	in.CompanyID = invitation.CompanyID
	return nil
}

// uninvited refuses a phone to which a company offers no account: it gets no message in the company's name. Under
// strict privacy the answer is the same as for a code that was sent. isMember says that the phone has an account there.
func (p *Portal) uninvited(
	ctx context.Context, in *core.AskCodeInput, to core.Recipient, isMember bool,
) (core.Recipient, error) {
	if p.Strict {
		to.Silent = true
		return to, nil
	}
	if err := p.Limits.Probed(ctx, "phone:"+to.Phone); err != nil {
		return core.Recipient{}, err
	}
	if isMember {
		return core.Recipient{}, &access.Refused{Refusal: access.PhoneRegistered}
	}
	return core.Recipient{}, &access.Refused{Refusal: access.NotInCompany, Contacts: p.Access.Support(in.Place)}
}

// companyRecipient sends a code for an application to a company or for an offered account. It refuses when there is no
// such company, when the company offers the phone no account, or when it is closed to applications.
func (p *Portal) companyRecipient(
	ctx context.Context,
	in *core.AskCodeInput,
	to core.Recipient,
) (core.Recipient, error) {
	if in.CompanyID == 0 {
		return core.Recipient{}, access.Invalid(access.Fields{"company_id": access.ChoiceRequired})
	}
	c, err := p.Access.Companies.ByID(ctx, p.DB, in.CompanyID, p.Now())
	if errors.Is(err, store.ErrNotFound) {
		return core.Recipient{}, access.NotFound
	}
	if err != nil {
		return core.Recipient{}, err
	}
	to.Company = *c
	if in.Purpose == core.ForShopRegister {
		person, members, err := p.Access.Person(ctx, to.Phone)
		if err != nil {
			return core.Recipient{}, err
		}
		offers, err := p.DB.Offers.InCompany(ctx, c.ID, person.ID)
		if err != nil {
			return core.Recipient{}, err
		}
		if len(offers) == 0 {
			return p.uninvited(ctx, in, to, len(p.Access.InPlace(members, c.ID)) > 0)
		}
	}
	if reason := access.BlockedBy(store.Member{Company: *c}, false, p.Now()); reason != "" {
		return core.Recipient{}, &access.Refused{Refusal: reason}
	}
	if in.Purpose == core.ForApplication && !c.ApplicationsOpen {
		return to, p.appliedBefore(ctx, to.Phone, *c)
	}
	return to, nil
}

// appliedBefore refuses phones that have not applied to a company that is closed to applications now; the others may
// still see the state of their application. Under strict privacy it refuses all phones, so that it reveals no
// applicant.
func (p *Portal) appliedBefore(ctx context.Context, phone string, c store.Company) error {
	closed := &access.Refused{
		Refusal:  access.ApplicationsClosed,
		Contacts: p.Access.ContactsFor(access.ApplicationsClosed, c),
	}
	if p.Strict {
		return closed
	}
	if err := p.Limits.Probed(ctx, "phone:"+phone); err != nil {
		return err
	}
	_, err := p.DB.Applications.Last(ctx, c.ID, phone)
	if errors.Is(err, store.ErrNotFound) {
		err = closed
	}
	return err
}
