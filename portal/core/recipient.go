package core

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/store"
)

// TypedRecipient returns the holder of the number that was typed, with the company of the request's host. It spells
// in.Phone as numbers are stored, and refuses a malformed one under "phone".
func TypedRecipient(in *AskCodeInput) (Recipient, error) {
	if err := access.Invalid(access.PhoneFields(&in.Phone)); err != nil {
		return Recipient{}, err
	}
	to := Recipient{Phone: in.Phone, Target: TargetPhone, Asker: Stranger}
	if in.Place.Company != nil {
		to.Company = *in.Place.Company
	}
	return to, nil
}

// KnownRecipient returns the recipient of a code for a typed number. isKnown says whether the operation knows the
// number, isRegistered whether it has an account. An unknown number is refused with PhoneNotBound. Under strict privacy
// it gets the same answer as a known one, and no code.
func (v *Verification) KnownRecipient(
	ctx context.Context, in AskCodeInput, to Recipient, isKnown, isRegistered bool,
) (Recipient, error) {
	to.Silent = !isKnown
	v.SetAsker(&to, isRegistered)
	if isKnown || v.core.Strict {
		return to, nil
	}
	if err := v.core.Limits.CountLookup(ctx, "phone:"+to.Phone); err != nil {
		return Recipient{}, err
	}
	return Recipient{}, &access.Refused{Refusal: access.PhoneNotBound, Contacts: v.core.Access.Support(in.Place)}
}

// SetAsker sets the group that requests a code for the holder of a phone. A phone that has only a sandbox counts as a
// stranger's, because anybody who has a number once can open one. The strict mode must not distinguish these phones
// from registered ones.
func (v *Verification) SetAsker(to *Recipient, isRegistered bool) {
	to.Asker = RegisteredPhone
	if isRegistered || to.Silent {
		return
	}
	if v.core.Strict {
		to.SandboxOnly = true
	} else {
		to.Asker = Stranger
	}
}

// recognise sets the group of a browser that has signed the recipient in before.
func (v *Verification) recognise(ctx context.Context, in AskCodeInput, to Recipient) (Recipient, error) {
	if in.Device == "" || to.Silent {
		return to, nil
	}
	person, err := v.core.DB.Persons.ByNumber(ctx, to.Phone)
	if errors.Is(err, store.ErrNotFound) {
		return to, nil
	}
	if err != nil {
		return to, err
	}
	known, err := v.core.DB.Devices.IsKnown(
		ctx, in.Device, access.PersonKey(person.ID), store.At(v.core.Now().Add(-DeviceKnownFor)),
	)
	if known {
		to.Asker = KnownBrowser
		to.SandboxOnly = false
	}
	return to, err
}
