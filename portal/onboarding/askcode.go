package onboarding

import (
	"context"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// AskRegisterCode sends the code that registers a company: to a phone that cannot sign in yet or, with in.Add, to one
// that gets another company. Sandboxes and offers do not count. Under strict privacy a registered phone is refused only
// after its code was right. It refuses with CompaniesClosed where only the operator opens companies, a malformed
// number, with PhoneRegistered a registered one, and what Send refuses.
func (o *Onboarding) AskRegisterCode(ctx context.Context, in core.AskCodeInput) (core.CodeSent, error) {
	in.Purpose = core.ForRegister
	if err := o.core.Access.RequireCompaniesOpen(); err != nil {
		return core.CodeSent{}, err
	}
	to, err := core.TypedRecipient(&in)
	if err != nil {
		return core.CodeSent{}, err
	}
	person, members, err := o.core.Access.Person(ctx, to.Phone)
	if err != nil {
		return core.CodeSent{}, err
	}
	if !o.core.Strict && !in.Add && access.Registered(person, members) {
		if err := o.core.Limits.CountLookup(ctx, "phone:"+to.Phone); err != nil {
			return core.CodeSent{}, err
		}
		return core.CodeSent{}, &access.Refused{Refusal: access.PhoneRegistered}
	}
	return o.core.Verification.Send(ctx, in, to)
}

// AskExperienceCode sends the code that opens a sandbox. It refuses a malformed number, and what Send refuses.
func (o *Onboarding) AskExperienceCode(ctx context.Context, in core.AskCodeInput) (core.CodeSent, error) {
	in.Purpose = core.ForExperience
	to, err := core.TypedRecipient(&in)
	if err != nil {
		return core.CodeSent{}, err
	}
	return o.core.Verification.Send(ctx, in, to)
}

// AskCompleteCode sends the code that sets up an account that a company offers: in.CompanyID, or with in.Invite the one
// of an invitation link. It refuses a malformed number; with NotFound a link that is not valid; under "phone" with
// PhoneNotInvited a number that the link is not for; as access.ChosenCompany does; the reason why the company is
// blocked; a number without an offer, with PhoneRegistered when it has an account there, else with NotInCompany; and
// what Send refuses.
func (o *Onboarding) AskCompleteCode(ctx context.Context, in core.AskCodeInput) (core.CodeSent, error) {
	in.Purpose = core.ForShopRegister
	to, err := core.TypedRecipient(&in)
	if err != nil {
		return core.CodeSent{}, err
	}
	if err := o.useInvitation(ctx, &in); err != nil {
		return core.CodeSent{}, err
	}
	if to.Company, err = o.core.Access.ChosenCompany(ctx, in.CompanyID); err != nil {
		return core.CodeSent{}, err
	}
	person, members, err := o.core.Access.Person(ctx, to.Phone)
	if err != nil {
		return core.CodeSent{}, err
	}
	offers, err := o.core.DB.Offers.InCompany(ctx, to.Company.ID, person.ID)
	if err != nil {
		return core.CodeSent{}, err
	}
	if len(offers) == 0 {
		// A phone without an offer gets no message in the company's name. Under strict privacy the answer is the same
		// as for a code that was sent.
		if !o.core.Strict {
			return core.CodeSent{}, o.refuseUninvited(ctx, in, len(o.core.Access.InPlace(members, to.Company.ID)) > 0)
		}
		to.Silent = true
		return o.core.Verification.Send(ctx, in, to)
	}
	if reason := access.BlockedBy(store.Member{Company: to.Company}, false, o.core.Now()); reason != "" {
		return core.CodeSent{}, &access.Refused{Refusal: reason}
	}
	return o.core.Verification.Send(ctx, in, to)
}

// useInvitation reads the company from an invitation link, which is for one phone.
func (o *Onboarding) useInvitation(ctx context.Context, in *core.AskCodeInput) error {
	if in.Invite == "" {
		return nil
	}
	invitation, ok, err := o.credentials.Invitation(ctx, in.Invite)
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

// refuseUninvited refuses a phone to which a company offers no account. isMember says that it has an account there.
func (o *Onboarding) refuseUninvited(ctx context.Context, in core.AskCodeInput, isMember bool) error {
	if err := o.core.Limits.CountLookup(ctx, "phone:"+in.Phone); err != nil {
		return err
	}
	if isMember {
		return &access.Refused{Refusal: access.PhoneRegistered}
	}
	return &access.Refused{Refusal: access.NotInCompany, Contacts: o.core.Access.Support(in.Place)}
}
