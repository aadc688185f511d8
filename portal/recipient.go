package portal

import (
	"context"
	"errors"
	"slices"

	"portico/store"
)

// recipientOf decides by the purpose who gets a code and which group asks for it. It sends no code to a number that the
// operation does not concern.
func (p *Portal) recipientOf(ctx context.Context, in *AskCodeInput) (recipient, error) {
	to, err := p.recipientByPurpose(ctx, in)
	if err != nil || in.Device == "" || to.silent {
		return to, err
	}
	phone, err := p.db.PhoneByNumber(ctx, to.phone)
	if errors.Is(err, store.ErrNotFound) {
		return to, nil
	}
	if err != nil {
		return to, err
	}
	known, err := p.db.DeviceKnown(ctx, in.Device, personKey(phone.ID), store.At(p.now().Add(-DeviceKnownFor)))
	if known {
		to.asker, to.sandboxOnly = knownBrowser, false
	}
	return to, err
}

func (p *Portal) recipientByPurpose(ctx context.Context, in *AskCodeInput) (recipient, error) {
	switch {
	case in.Purpose == ForUnbind:
		return p.unbindRecipient(ctx, in)
	case in.Purpose == ForOldPhone:
		return p.oldPhoneRecipient(ctx, in)
	case in.Purpose == ForRole:
		return p.roleRecipient(ctx, in)
	case in.Purpose == ForReset && in.Login != "":
		if in.Phone != "" {
			return recipient{}, &Refused{Refusal: WrongParameters}
		}
		return p.accountRecipient(ctx, in)
	}
	if err := invalid(phoneFields(&in.Phone)); err != nil {
		return recipient{}, err
	}
	to := recipient{phone: in.Phone, target: targetPhone, asker: stranger}
	if in.Place.Company != nil {
		to.company = *in.Place.Company
	}
	switch in.Purpose {
	case ForLogin, ForReset:
		return p.knownPhone(ctx, in, to)
	case ForRegister:
		return p.newPhone(ctx, to, in.Add)
	case ForBind:
		m, err := p.bindable(ctx, in.Session)
		to.target, to.login, to.company = targetOf(m.ID), m.Login, m.Company
		if m.Company.Standing == store.Formal { // anybody opens a company on trial, and as many accounts as they like
			to.asker = registeredPhone
		}
		return to, err
	case ForNewPhone:
		return p.newPhoneRecipient(ctx, in)
	case ForShopRegister, ForApplication:
		if err := p.invitedRecipient(ctx, in); err != nil {
			return recipient{}, err
		}
		return p.companyRecipient(ctx, in, to)
	case ForExperience:
		return to, nil
	}
	return recipient{}, WrongParameters
}

// knownPhone is a phone that somebody signs in with; strict does not tell others from it. An applicant without an
// account may ask for a code to sign in, too: the sign-in then says where the application stands.
func (p *Portal) knownPhone(ctx context.Context, in *AskCodeInput, to recipient) (recipient, error) {
	phone, members, err := p.person(ctx, to.phone)
	if err != nil {
		return recipient{}, err
	}
	isKnown := isPerson(phone, members)
	if isKnown && len(members) == 0 && in.Purpose == ForLogin { // a sign-in would show an offer or nothing
		if isKnown, err = p.offerWaits(ctx, phone.ID, 0); err != nil {
			return recipient{}, err
		}
	}
	if !isKnown && in.Purpose == ForLogin {
		if _, isKnown, err = p.applicationOf(ctx, phone, in.Place.CompanyID()); err != nil {
			return recipient{}, err
		}
	}
	to.silent = !isKnown
	p.askedFor(&to, registered(phone, members))
	if isKnown || p.strict {
		return to, nil
	}
	if err := p.probed(ctx, "phone:"+to.phone); err != nil {
		return recipient{}, err
	}
	return recipient{}, &Refused{Refusal: PhoneNotBound, Contacts: p.Support(in.Place)}
}

// askedFor returns the group that requests a code for the holder of a phone. A phone that has only a sandbox counts as
// a stranger's, because anybody who has a number once can open one. The strict mode must not distinguish these phones
// from registered ones.
func (p *Portal) askedFor(to *recipient, registered bool) {
	to.asker = registeredPhone
	if registered || to.silent {
		return
	}
	if p.strict {
		to.sandboxOnly = true
	} else {
		to.asker = stranger
	}
}

// newPhone is one that nobody signs in with yet, or with add, one to which a company is to be added; strict tells only
// once the code was right. A phone may be known from a trial or from a company's invitation alone.
func (p *Portal) newPhone(ctx context.Context, to recipient, add bool) (recipient, error) {
	phone, members, err := p.person(ctx, to.phone)
	if err == nil && (p.strict || add || !registered(phone, members)) {
		return to, nil
	}
	if err == nil {
		if err = p.probed(ctx, "phone:"+to.phone); err == nil {
			err = &Refused{Refusal: PhoneRegistered}
		}
	}
	return recipient{}, err
}

// accountRecipient is the phone bound to an account that is named: the asker never learns more of it than a mask.
func (p *Portal) accountRecipient(ctx context.Context, in *AskCodeInput) (recipient, error) {
	login, ok := NormalLogin(in.Login)
	if !ok || login == "" {
		return recipient{}, invalid(Fields{"login": LoginMalformed})
	}
	in.Login = login
	to, members, err := p.named(ctx, login, in.Place)
	if err != nil || to.target != targetNobody || p.strict {
		return to, err
	}
	if err := p.probed(ctx, "login:"+store.LoginKey(login)); err != nil {
		return recipient{}, err
	}
	if len(members) == 0 {
		return recipient{}, &Refused{Refusal: AccountNotFound, Contacts: p.Support(in.Place)}
	}
	return recipient{}, &Refused{Refusal: PhoneNotBound, Contacts: p.contactsFor(PhoneNotBound, members[0].Company)}
}

// named is the phone bound to an account of that name, on the company's own host to its account rather than another's.
// Without one it is nobody's, to whom nothing is sent: strict answers as if a code were on its way. members are all
// accounts the name may mean.
func (p *Portal) named(
	ctx context.Context, login string, place Place,
) (to recipient, members []store.Member, err error) {
	name := store.LoginKey(login)
	to = recipient{
		phone: nameSubject(name), name: name, target: targetNobody, asker: registeredPhone, silent: true, hidden: true,
	}
	members, err = p.db.MembersByLogin(ctx, login)
	if own := p.inPlace(members, place.CompanyID()); len(own) > 0 {
		members = own
	}
	i := slices.IndexFunc(members, func(m store.Member) bool { return m.PhoneID != 0 })
	if err != nil || i < 0 {
		return to, members, err
	}
	m := members[i]
	phone, accounts, err := p.person(ctx, m.Phone)
	to.phone, to.target, to.login, to.company, to.silent = m.Phone, targetOf(m.ID), m.Login, m.Company, false
	p.askedFor(&to, registered(phone, accounts))
	return to, members, err
}

// invitedRecipient reads the company from the link that invited, which is for one phone.
func (p *Portal) invitedRecipient(ctx context.Context, in *AskCodeInput) error {
	if in.Invite == "" {
		return nil
	}
	invitation, ok, err := p.Invitation(ctx, in.Invite)
	switch {
	case err != nil:
		return err
	case !ok:
		return NotFound
	case in.Phone != invitation.Phone:
		return invalid(Fields{"phone": PhoneNotInvited})
	}
	in.CompanyID = invitation.CompanyID
	return nil
}

// uninvited is a phone to which a company offers no account: it gets no message in the company's name. The strict mode
// answers as if a code were on its way. isMember says that the phone has an account there.
func (p *Portal) uninvited(
	ctx context.Context, in *AskCodeInput, to recipient, isMember bool,
) (recipient, error) {
	if p.strict {
		to.silent = true
		return to, nil
	}
	if err := p.probed(ctx, "phone:"+to.phone); err != nil {
		return recipient{}, err
	}
	if isMember {
		return recipient{}, &Refused{Refusal: PhoneRegistered}
	}
	return recipient{}, &Refused{Refusal: NotInCompany, Contacts: p.Support(in.Place)}
}

// companyRecipient is a phone that wants something of a company; a company that is none, that opened no account for the
// phone, or that is closed to applications, sends nothing.
func (p *Portal) companyRecipient(ctx context.Context, in *AskCodeInput, to recipient) (recipient, error) {
	if in.CompanyID == 0 {
		return recipient{}, invalid(Fields{"company_id": ChoiceRequired})
	}
	c, err := p.companies.byID(ctx, p.db, in.CompanyID, p.now())
	if errors.Is(err, store.ErrNotFound) {
		return recipient{}, NotFound
	}
	if err != nil {
		return recipient{}, err
	}
	to.company = *c
	if in.Purpose == ForShopRegister {
		person, members, err := p.person(ctx, to.phone)
		if err != nil {
			return recipient{}, err
		}
		offers, err := p.db.OffersIn(ctx, c.ID, person.ID)
		if err != nil {
			return recipient{}, err
		}
		if len(offers) == 0 {
			return p.uninvited(ctx, in, to, len(p.inPlace(members, c.ID)) > 0)
		}
	}
	if reason := BlockedBy(store.Member{Company: *c}, false, p.now()); reason != "" {
		return recipient{}, &Refused{Refusal: reason}
	}
	if in.Purpose == ForApplication && !c.ApplicationsOpen {
		return to, p.appliedBefore(ctx, to.phone, *c)
	}
	return to, nil
}

// appliedBefore refuses phones that sent nothing in to a company that is closed now: others may still see where they
// stand. strict does not tell who did.
func (p *Portal) appliedBefore(ctx context.Context, phone string, c store.Company) error {
	closed := &Refused{Refusal: ApplicationsClosed, Contacts: p.contactsFor(ApplicationsClosed, c)}
	if p.strict {
		return closed
	}
	if err := p.probed(ctx, "phone:"+phone); err != nil {
		return err
	}
	_, err := p.db.LastApplication(ctx, c.ID, phone)
	if errors.Is(err, store.ErrNotFound) {
		err = closed
	}
	return err
}
