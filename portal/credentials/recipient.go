package credentials

import (
	"context"
	"slices"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// AskedFor returns the group that requests a code for the holder of a phone. A phone that has only a sandbox counts as
// a stranger's, because anybody who has a number once can open one. The strict mode must not distinguish these phones
// from registered ones.
func (c *Credentials) AskedFor(to *core.Recipient, registered bool) {
	to.Asker = core.RegisteredPhone
	if registered || to.Silent {
		return
	}
	if c.core.Strict {
		to.SandboxOnly = true
	} else {
		to.Asker = core.Stranger
	}
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
	i := slices.IndexFunc(members, func(m store.Member) bool { return m.PhoneID != 0 })
	if err != nil || i < 0 {
		return to, members, err
	}
	m := members[i]
	phone, accounts, err := c.core.Access.Person(ctx, m.Phone)
	to.Phone = m.Phone
	to.Target = core.AccountTarget(m.ID)
	to.Login = m.Login
	to.Company = m.Company
	to.Silent = false
	c.AskedFor(&to, access.Registered(phone, accounts))
	return to, members, err
}
