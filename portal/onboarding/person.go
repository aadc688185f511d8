package onboarding

import (
	"context"
	"slices"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// requireFree refuses with PhoneBoundElsewhere a person with an account in a company with exclusive phones.
func (o *Onboarding) requireFree(ctx context.Context, person store.Person) error {
	members, err := o.core.DB.Accounts.ByPerson(ctx, person.ID)
	if err != nil {
		return err
	}
	// the setting of a sandbox does not restrict its own person
	members = slices.DeleteFunc(members, func(m store.Member) bool { return m.Company.Sandbox })
	return access.RequireExclusivePhone(store.Member{}, members)
}

// settlePerson adds the person of a proven phone, or sets the first password of an existing person. The first password
// revokes all earlier access, which may be a stranger's, except for the session family kept. It refuses with
// PhoneRegistered when the person was added or got a password meanwhile, and with DataAbnormal when the number was
// given to another person meanwhile.
func (o *Onboarding) settlePerson(
	ctx context.Context, tx *store.DB, number string, person store.Person, hash, kept string,
) (store.Person, error) {
	if person.ID == 0 {
		id, err := tx.Persons.Add(ctx, store.Person{
			Phone: number, PasswordHash: hash, CreatedAt: store.At(o.core.Now()),
		})
		if err != nil {
			return store.Person{}, err
		}
		if id == 0 { // another request has added the person
			return store.Person{}, &access.Refused{Refusal: access.PhoneRegistered}
		}
		return tx.Persons.ByID(ctx, id)
	}
	now, err := tx.Persons.ByID(ctx, person.ID)
	if err != nil {
		return now, err
	}
	if now.Phone != person.Phone { // the number was given to another person
		return now, &access.Refused{Refusal: access.DataAbnormal}
	}
	if hash == "" {
		return now, nil
	}
	if now.PasswordHash != "" {
		return now, &access.Refused{Refusal: access.PhoneRegistered}
	}
	owner := access.Subject{Key: access.PersonKey(person.ID), Person: person}
	return now, o.credentials.SetPassword(ctx, tx, owner, hash, "password_set", core.KeptAccess{Family: kept})
}

// firstPassword checks and hashes the first password of a person. It returns "" for a person who has a password.
func (o *Onboarding) firstPassword(
	ctx context.Context, person store.Person, password string, about access.PasswordContext,
) (hash string, err error) {
	if person.PasswordHash != "" {
		return "", nil
	}
	if problem := o.core.Passwords.Password.Check(password, about); problem != "" {
		return "", access.Invalid(access.Fields{"password": problem})
	}
	if err := o.core.Passwords.CheckNewPassword(
		ctx, access.Subject{Key: access.PersonKey(person.ID), Person: person}, password, "",
	); err != nil {
		return "", err
	}
	return o.core.Passwords.Hasher.Hash(ctx, password)
}
