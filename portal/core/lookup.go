package core

import (
	"context"

	"portico/portal/access"
	"portico/store"
)

// PhoneInput is the input of PhoneInCompany and PhoneKnown. PhoneKnown ignores CompanyID.
type PhoneInput struct {
	Phone     string `json:"phone_"`
	CompanyID int64  `json:"company_id_"`
}

// Validate normalises the phone. It refuses a malformed one with ValidationFailed.
func (in *PhoneInput) Validate() error {
	return access.Invalid(access.PhoneFields(&in.Phone))
}

// Known is the result of a look-up. A nil field is not revealed, which is always so under strict privacy.
type Known struct {
	Exists *bool
	Bound  *bool
}

// PhoneInCompany says whether a phone has an account in a company. It counts as a look-up and refuses like CountLookup.
func (l *Limits) PhoneInCompany(ctx context.Context, in PhoneInput) (Known, error) {
	if err := in.Validate(); err != nil {
		return Known{}, err
	}
	if in.CompanyID == 0 {
		return Known{}, access.Invalid(access.Fields{"company_id": access.ChoiceRequired})
	}
	_, members, err := l.lookUpPhone(ctx, in.Phone)
	if err != nil || l.core.Strict {
		return Known{}, err
	}
	exists := len(l.core.Access.InPlace(members, in.CompanyID)) > 0
	return Known{Exists: &exists}, nil
}

// PhoneKnown says whether a phone is registered and whether accounts are bound to it. It counts as a look-up and
// refuses like CountLookup.
func (l *Limits) PhoneKnown(ctx context.Context, in PhoneInput) (Known, error) {
	if err := in.Validate(); err != nil {
		return Known{}, err
	}
	person, members, err := l.lookUpPhone(ctx, in.Phone)
	if err != nil || l.core.Strict {
		return Known{}, err
	}
	exists, bound := access.IsPerson(person, members), len(members) > 0
	return Known{Exists: &exists, Bound: &bound}, nil
}

func (l *Limits) lookUpPhone(ctx context.Context, number string) (store.Person, []store.Member, error) {
	if err := l.CountLookup(ctx, "phone:"+number); err != nil {
		return store.Person{}, nil, err
	}
	return l.core.Access.Person(ctx, number)
}

// CompanyContactInput is the input of CompanyContact. If several companies have the name, CompanyID chooses one.
type CompanyContactInput struct {
	Login     string `json:"login_"`
	CompanyID int64
}

// CompanyContact returns the contact that the company of an account name has published, or an empty one under strict
// privacy. It refuses with AccountNotFound for an unknown name, counts as a look-up and refuses like CountLookup.
func (l *Limits) CompanyContact(ctx context.Context, in CompanyContactInput) (access.Contact, error) {
	login, ok := access.NormalLogin(in.Login)
	switch {
	case login == "" && ok:
		return access.Contact{}, access.Invalid(access.Fields{"login": access.LoginMissing})
	case !ok:
		return access.Contact{}, access.Invalid(access.Fields{"login": access.LoginMalformed})
	}
	if err := l.CountLookup(ctx, "login:"+store.LoginKey(login)); err != nil {
		return access.Contact{}, err
	}
	members, err := l.core.DB.Accounts.ByLogin(ctx, login)
	if err != nil || l.core.Strict {
		return access.Contact{}, err
	}
	if own := l.core.Access.InPlace(members, in.CompanyID); len(own) > 0 {
		members = own
	}
	if len(members) == 0 {
		return access.Contact{}, &access.Refused{Refusal: access.AccountNotFound}
	}
	c := members[0].Company
	return access.Contact{Role: access.RoleAdministrator, Name: c.ContactName, Phone: c.ContactPhone}, nil
}
