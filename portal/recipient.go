package portal

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/limits"
	"portico/portal/sealing"
	"portico/portal/verification"
	"portico/store"
)

// recipientOf decides by the purpose who gets a code and which group asks for it. It sends no code to a number that the
// operation does not concern.
func (p *Portal) recipientOf(ctx context.Context, in *verification.AskCodeInput) (verification.Recipient, error) {
	to, err := p.recipientByPurpose(ctx, in)
	if err != nil || in.Device == "" || to.Silent {
		return to, err
	}
	phone, err := p.db.Phones.ByNumber(ctx, to.Phone)
	if errors.Is(err, store.ErrNotFound) {
		return to, nil
	}
	if err != nil {
		return to, err
	}
	known, err := p.db.Devices.IsKnown(
		ctx, in.Device, access.PersonKey(phone.ID), store.At(p.now().Add(-limits.DeviceKnownFor)),
	)
	if known {
		to.Asker, to.SandboxOnly = verification.KnownBrowser, false
	}
	return to, err
}

func (p *Portal) recipientByPurpose(
	ctx context.Context,
	in *verification.AskCodeInput,
) (verification.Recipient, error) {
	switch {
	case in.Purpose == verification.ForUnbind:
		return p.Binding.UnbindRecipient(ctx, in)
	case in.Purpose == verification.ForOldPhone:
		return p.Binding.OldPhoneRecipient(ctx, in)
	case in.Purpose == verification.ForRole:
		return p.Backoffice.RoleRecipient(ctx, in)
	case in.Purpose == verification.ForReset && in.Login != "":
		if in.Phone != "" {
			return verification.Recipient{}, &access.Refused{Refusal: access.WrongParameters}
		}
		return p.accountRecipient(ctx, in)
	}
	if err := access.Invalid(access.PhoneFields(&in.Phone)); err != nil {
		return verification.Recipient{}, err
	}
	to := verification.Recipient{Phone: in.Phone, Target: verification.TargetPhone, Asker: verification.Stranger}
	if in.Place.Company != nil {
		to.Company = *in.Place.Company
	}
	switch in.Purpose {
	case verification.ForLogin, verification.ForReset:
		return p.knownPhone(ctx, in, to)
	case verification.ForRegister:
		return p.newPhone(ctx, to, in.Add)
	case verification.ForBind:
		m, err := p.Binding.AccountToBind(ctx, in.Session)
		to.Target, to.Login, to.Company = sealing.AccountTarget(m.ID), m.Login, m.Company
		if m.Company.Standing == store.Formal { // anybody opens a company on trial, and as many accounts as they like
			to.Asker = verification.RegisteredPhone
		}
		return to, err
	case verification.ForNewPhone:
		return p.Binding.NewPhoneRecipient(ctx, in)
	case verification.ForShopRegister, verification.ForApplication:
		if err := p.invitedRecipient(ctx, in); err != nil {
			return verification.Recipient{}, err
		}
		return p.companyRecipient(ctx, in, to)
	case verification.ForExperience:
		return to, nil
	}
	return verification.Recipient{}, access.WrongParameters
}

// knownPhone sends a code to a registered phone only. An applicant without an account may also ask for a code to sign
// in, which then shows the state of the application. Under strict privacy other phones get the same answer and no code.
func (p *Portal) knownPhone(
	ctx context.Context,
	in *verification.AskCodeInput,
	to verification.Recipient,
) (verification.Recipient, error) {
	phone, members, err := p.Access.Person(ctx, to.Phone)
	if err != nil {
		return verification.Recipient{}, err
	}
	isKnown := access.IsPerson(phone, members)
	if isKnown && len(members) == 0 && in.Purpose == verification.ForLogin { // a sign-in would show an offer or nothing
		if isKnown, err = p.Accounts.OfferWaits(ctx, phone.ID, 0); err != nil {
			return verification.Recipient{}, err
		}
	}
	if !isKnown && in.Purpose == verification.ForLogin {
		if _, isKnown, err = p.Accounts.Applicants.OpenApplication(ctx, phone, in.Place.CompanyID()); err != nil {
			return verification.Recipient{}, err
		}
	}
	to.Silent = !isKnown
	p.Credentials.AskedFor(&to, access.Registered(phone, members))
	if isKnown || p.strict {
		return to, nil
	}
	if err := p.Limits.Probed(ctx, "phone:"+to.Phone); err != nil {
		return verification.Recipient{}, err
	}
	return verification.Recipient{}, &access.Refused{
		Refusal:  access.PhoneNotBound,
		Contacts: p.Access.Support(in.Place),
	}
}

// newPhone sends a code to a phone that cannot sign in yet or, with add, to one that gets another company. Sandboxes
// and offers do not count. Under strict privacy a registered phone is refused only after its code was right.
func (p *Portal) newPhone(ctx context.Context, to verification.Recipient, add bool) (verification.Recipient, error) {
	phone, members, err := p.Access.Person(ctx, to.Phone)
	if err == nil && (p.strict || add || !access.Registered(phone, members)) {
		return to, nil
	}
	if err == nil {
		if err = p.Limits.Probed(ctx, "phone:"+to.Phone); err == nil {
			err = &access.Refused{Refusal: access.PhoneRegistered}
		}
	}
	return verification.Recipient{}, err
}

// accountRecipient sends a code to the phone that is bound to an account name. The caller sees the masked phone only.
func (p *Portal) accountRecipient(ctx context.Context, in *verification.AskCodeInput) (verification.Recipient, error) {
	login, ok := access.NormalLogin(in.Login)
	if !ok || login == "" {
		return verification.Recipient{}, access.Invalid(access.Fields{"login": access.LoginMalformed})
	}
	in.Login = login
	to, members, err := p.Credentials.Named(ctx, login, in.Place)
	if err != nil || to.Target != verification.TargetNobody || p.strict {
		return to, err
	}
	if err := p.Limits.Probed(ctx, "login:"+store.LoginKey(login)); err != nil {
		return verification.Recipient{}, err
	}
	if len(members) == 0 {
		return verification.Recipient{}, &access.Refused{
			Refusal:  access.AccountNotFound,
			Contacts: p.Access.Support(in.Place),
		}
	}
	refused := &access.Refused{Refusal: access.PhoneNotBound, Contacts: p.Access.Support(in.Place)}
	// On the platform's own hosts a name proves nothing: anybody could publish a number there by opening an account.
	if c := members[0].Company; in.Place.CompanyID() == c.ID {
		refused.Contacts = p.Access.ContactsFor(access.PhoneNotBound, c)
	}
	return verification.Recipient{}, refused
}

// invitedRecipient reads the company from an invitation link, which is for one phone.
func (p *Portal) invitedRecipient(ctx context.Context, in *verification.AskCodeInput) error {
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
	ctx context.Context, in *verification.AskCodeInput, to verification.Recipient, isMember bool,
) (verification.Recipient, error) {
	if p.strict {
		to.Silent = true
		return to, nil
	}
	if err := p.Limits.Probed(ctx, "phone:"+to.Phone); err != nil {
		return verification.Recipient{}, err
	}
	if isMember {
		return verification.Recipient{}, &access.Refused{Refusal: access.PhoneRegistered}
	}
	return verification.Recipient{}, &access.Refused{Refusal: access.NotInCompany, Contacts: p.Access.Support(in.Place)}
}

// companyRecipient sends a code for an application to a company or for an offered account. It refuses when there is no
// such company, when the company offers the phone no account, or when it is closed to applications.
func (p *Portal) companyRecipient(
	ctx context.Context,
	in *verification.AskCodeInput,
	to verification.Recipient,
) (verification.Recipient, error) {
	if in.CompanyID == 0 {
		return verification.Recipient{}, access.Invalid(access.Fields{"company_id": access.ChoiceRequired})
	}
	c, err := p.Access.Companies.ByID(ctx, p.db, in.CompanyID, p.now())
	if errors.Is(err, store.ErrNotFound) {
		return verification.Recipient{}, access.NotFound
	}
	if err != nil {
		return verification.Recipient{}, err
	}
	to.Company = *c
	if in.Purpose == verification.ForShopRegister {
		person, members, err := p.Access.Person(ctx, to.Phone)
		if err != nil {
			return verification.Recipient{}, err
		}
		offers, err := p.db.Offers.InCompany(ctx, c.ID, person.ID)
		if err != nil {
			return verification.Recipient{}, err
		}
		if len(offers) == 0 {
			return p.uninvited(ctx, in, to, len(p.Access.InPlace(members, c.ID)) > 0)
		}
	}
	if reason := access.BlockedBy(store.Member{Company: *c}, false, p.now()); reason != "" {
		return verification.Recipient{}, &access.Refused{Refusal: reason}
	}
	if in.Purpose == verification.ForApplication && !c.ApplicationsOpen {
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
	if p.strict {
		return closed
	}
	if err := p.Limits.Probed(ctx, "phone:"+phone); err != nil {
		return err
	}
	_, err := p.db.Applications.Last(ctx, c.ID, phone)
	if errors.Is(err, store.ErrNotFound) {
		err = closed
	}
	return err
}
