package credentials

import (
	"context"
	"slices"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// AskResetCode sends a code that resets the password of a phone or, with in.Login, of the account with that name. The
// caller sees only a masked number that belongs to a name. It refuses with PhoneNotBound a number that is not
// registered and a name without a phone, with AccountNotFound an unknown name, and what Send refuses. Under strict
// privacy all of them get the same answer.
func (c *Credentials) AskResetCode(ctx context.Context, in core.AskCodeInput) (core.CodeSent, error) {
	in.Purpose = core.ForReset
	to, err := c.resetRecipient(ctx, &in)
	if err != nil {
		return core.CodeSent{}, err
	}
	return c.core.Verification.Send(ctx, in, to)
}

func (c *Credentials) resetRecipient(ctx context.Context, in *core.AskCodeInput) (core.Recipient, error) {
	if in.Login != "" {
		if in.Phone != "" {
			return core.Recipient{}, &access.Refused{Refusal: access.WrongParameters}
		}
		return c.namedRecipient(ctx, in)
	}
	to, err := core.TypedRecipient(in)
	if err != nil {
		return core.Recipient{}, err
	}
	person, members, err := c.core.Access.Person(ctx, to.Phone)
	if err != nil {
		return core.Recipient{}, err
	}
	return c.core.Verification.KnownRecipient(
		ctx, *in, to, access.IsPerson(person, members), access.Registered(person, members),
	)
}

// namedRecipient returns the phone that is bound to an account name.
func (c *Credentials) namedRecipient(ctx context.Context, in *core.AskCodeInput) (core.Recipient, error) {
	login, ok := access.NormalLogin(in.Login)
	if !ok || login == "" {
		return core.Recipient{}, access.Invalid(access.Fields{"login": access.LoginMalformed})
	}
	in.Login = login
	to, members, err := c.Named(ctx, login, in.Place)
	if err != nil || to.Target != core.TargetNobody || c.core.Strict {
		return to, err
	}
	if err := c.core.Limits.CountLookup(ctx, "login:"+store.LoginKey(login)); err != nil {
		return core.Recipient{}, err
	}
	if len(members) == 0 {
		return core.Recipient{}, &access.Refused{
			Refusal: access.AccountNotFound, Contacts: c.core.Access.Support(in.Place),
		}
	}
	refused := &access.Refused{Refusal: access.PhoneNotBound, Contacts: c.core.Access.Support(in.Place)}
	// On the platform's own hosts a name proves nothing: anybody could publish a number there by opening an account.
	if company := members[0].Company; in.Place.CompanyID() == company.ID {
		refused.Contacts = c.core.Access.ContactsFor(access.PhoneNotBound, company)
	}
	return core.Recipient{}, refused
}

// Named returns the phone that is bound to an account of a name. On a company's own host its own account comes before
// another company's. Without such a phone nothing is sent; strict mode answers as if a code had been sent. members are
// all accounts that the name may mean.
func (c *Credentials) Named(
	ctx context.Context, login string, place access.Place,
) (to core.Recipient, members []store.Member, err error) {
	name := store.LoginKey(login)
	to = core.Recipient{
		Phone:  core.NameSubject(name),
		Name:   name,
		Target: core.TargetNobody,
		Asker:  core.RegisteredPhone,
		Silent: true,
		Hidden: true,
	}
	members, err = c.core.DB.Accounts.ByLogin(ctx, login)
	if own := c.core.Access.InPlace(members, place.CompanyID()); len(own) > 0 {
		members = own
	}
	i := slices.IndexFunc(members, func(m store.Member) bool { return m.PersonID != 0 })
	if err != nil || i < 0 {
		return to, members, err
	}
	m := members[i]
	person, accounts, err := c.core.Access.Person(ctx, m.Phone)
	to.Phone = m.Phone
	to.Target = core.AccountTarget(m.ID)
	to.Login = m.Login
	to.Company = m.Company
	to.Silent = false
	c.core.Verification.SetAsker(&to, access.Registered(person, accounts))
	return to, members, err
}
