package portal

import (
	"context"
	"errors"
	"slices"

	"portico/store"
)

// recipientOf decides whom a code goes to, by its purpose (requirement 11: nobody whom it does not concern).
func (p *Portal) recipientOf(ctx context.Context, in *AskCodeInput) (recipient, error) {
	switch {
	case in.Purpose == ForUnbind:
		return p.unbindRecipient(ctx, in)
	case in.Purpose == ForReset && in.Login != "":
		if in.Phone != "" {
			return recipient{}, &Refused{Refusal: WrongParameters}
		}
		return p.accountRecipient(ctx, in)
	}
	if err := invalid(phoneFields(&in.Phone)); err != nil {
		return recipient{}, err
	}
	to := recipient{phone: in.Phone, target: targetPhone}
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
		return to, err
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

// knownPhone is a phone that somebody signs in with; strict does not tell others from it.
func (p *Portal) knownPhone(ctx context.Context, in *AskCodeInput, to recipient) (recipient, error) {
	phone, err := p.db.PhoneByNumber(ctx, to.phone)
	known := err == nil
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return recipient{}, err
	}
	if known && in.Purpose == ForLogin {
		members, err := p.db.MembersByPhone(ctx, phone.ID)
		if err != nil {
			return recipient{}, err
		}
		known = len(members) > 0
	}
	if known {
		return to, nil
	}
	if p.strict { // the caps on messages count it like any other
		to.silent = true
		return to, nil
	}
	if err := p.probed(ctx, "phone:"+to.phone); err != nil {
		return recipient{}, err
	}
	return recipient{}, &Refused{Refusal: PhoneNotBound, Contacts: p.Support(in.Place)}
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
func (p *Portal) named(ctx context.Context, login string, place Place) (to recipient, members []store.Member, err error) {
	members, err = p.db.MembersByLogin(ctx, login)
	if own := p.inPlace(members, place.CompanyID()); len(own) > 0 {
		members = own
	}
	for _, m := range members {
		if m.PhoneID != 0 {
			return recipient{
				phone: m.Phone, target: targetOf(m.ID), login: m.Login, company: m.Company, hidden: true,
			}, members, err
		}
	}
	return recipient{phone: "login:" + store.LoginKey(login), target: targetNobody, silent: true, hidden: true}, members, err
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

// uninvited is a phone for which a company opened nothing that is still to be set up: it gets no message in the company's
// name. strict does not tell it from others.
func (p *Portal) uninvited(ctx context.Context, in *AskCodeInput, to recipient, known bool, err error) (recipient, error) {
	if err != nil || p.strict {
		to.silent = true
		return to, err
	}
	if err := p.probed(ctx, "phone:"+to.phone); err != nil {
		return recipient{}, err
	}
	if known {
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
		_, members, err := p.person(ctx, to.phone)
		members = p.inPlace(members, c.ID)
		if err != nil || !slices.ContainsFunc(members, func(m store.Member) bool { return m.Invited }) {
			return p.uninvited(ctx, in, to, len(members) > 0, err)
		}
	}
	if reason := BlockedBy(store.Member{Company: *c}, false, p.now()); reason != "" {
		return recipient{}, &Refused{Refusal: reason}
	}
	if in.Purpose == ForApplication && !c.RegistrationOpen {
		return to, p.appliedBefore(ctx, to.phone, *c)
	}
	return to, nil
}

// appliedBefore refuses phones that sent nothing in to a company that is closed now: others may still see where they stand.
// strict does not tell who did.
func (p *Portal) appliedBefore(ctx context.Context, phone string, c store.Company) error {
	closed := &Refused{Refusal: RegistrationClosed, Contacts: p.contactsFor(RegistrationClosed, c)}
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
