package portal

import (
	"context"

	"portico/store"
)

// PhoneInput asks about a phone; CompanyID where a company is meant.
type PhoneInput struct {
	Phone     string `json:"phone_"`
	CompanyID int64  `json:"company_id_"`
}

// Validate puts the phone into its one spelling.
func (in *PhoneInput) Validate() error {
	return invalid(phoneFields(&in.Phone))
}

// Known is what a look-up tells; nil is "not told" (PORTICO_PRIVACY=strict).
type Known struct {
	Exists *bool
	Bound  *bool
}

// PhoneInCompany says whether a phone has an account in a company. It draws on the address's small budget of
// look-ups.
func (p *Portal) PhoneInCompany(ctx context.Context, in PhoneInput) (Known, error) {
	if err := in.Validate(); err != nil {
		return Known{}, err
	}
	if in.CompanyID == 0 {
		return Known{}, invalid(Fields{"company_id": ChoiceRequired})
	}
	_, members, err := p.lookUpPhone(ctx, in.Phone)
	if err != nil || p.strict {
		return Known{}, err
	}
	exists := len(p.inPlace(members, in.CompanyID)) > 0
	return Known{Exists: &exists}, nil
}

// PhoneKnown says whether a phone is registered, and whether accounts are bound to it; the same budget.
func (p *Portal) PhoneKnown(ctx context.Context, in PhoneInput) (Known, error) {
	if err := in.Validate(); err != nil {
		return Known{}, err
	}
	phone, members, err := p.lookUpPhone(ctx, in.Phone)
	if err != nil || p.strict {
		return Known{}, err
	}
	exists, bound := isPerson(phone, members), len(members) > 0
	return Known{Exists: &exists, Bound: &bound}, nil
}

func (p *Portal) lookUpPhone(ctx context.Context, number string) (store.Phone, []store.Member, error) {
	if err := p.probed(ctx, "phone:"+number); err != nil {
		return store.Phone{}, nil, err
	}
	return p.person(ctx, number)
}

// LoginQuestion asks for whom to call about an account name; CompanyID prefers the account of one company.
type LoginQuestion struct {
	Login     string `json:"login_"`
	CompanyID int64
}

// AdministratorOf names whom the company of an account name wants called, as it published them; nobody under
// PORTICO_PRIVACY=strict. AccountNotFound for a name nobody has; the same budget of look-ups.
func (p *Portal) AdministratorOf(ctx context.Context, in LoginQuestion) (Contact, error) {
	login, ok := NormalLogin(in.Login)
	switch {
	case login == "" && ok:
		return Contact{}, invalid(Fields{"login": LoginMissing})
	case !ok:
		return Contact{}, invalid(Fields{"login": LoginMalformed})
	}
	if err := p.probed(ctx, "login:"+store.LoginKey(login)); err != nil {
		return Contact{}, err
	}
	members, err := p.db.MembersByLogin(ctx, login)
	if err != nil || p.strict {
		return Contact{}, err
	}
	if own := p.inPlace(members, in.CompanyID); len(own) > 0 {
		members = own
	}
	if len(members) == 0 {
		return Contact{}, &Refused{Refusal: AccountNotFound}
	}
	c := members[0].Company
	return Contact{Role: RoleAdministrator, Name: c.ContactName, Phone: c.ContactPhone}, nil
}
