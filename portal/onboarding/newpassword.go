package onboarding

import (
	"context"

	"portico/portal/access"
	"portico/store"
)

// firstPassword hashes the password of a person who has none yet, "" for one who has.
func (o *Onboarding) firstPassword(
	ctx context.Context, person store.Phone, password string, about access.PasswordContext,
) (hash string, err error) {
	if person.PasswordHash != "" {
		return "", nil
	}
	if problem := o.passwords.Password.Check(password, about); problem != "" {
		return "", access.Invalid(access.Fields{"password": problem})
	}
	if err := o.passwords.CheckNewPassword(
		ctx, access.Subject{Key: access.PersonKey(person.ID), Phone: person}, password, "",
	); err != nil {
		return "", err
	}
	return o.passwords.Hasher.Hash(ctx, password)
}
