package signin

import (
	"context"

	"portico/portal/access"
	"portico/portal/core"
)

// AskCode sends a code to sign in with. An applicant without an account may ask for one, too, and then sees the state
// of the application. It refuses with PhoneNotBound any other number that is not registered, and what Send refuses.
func (s *Signin) AskCode(ctx context.Context, in core.AskCodeInput) (core.CodeSent, error) {
	in.Purpose = core.ForLogin
	to, err := core.TypedRecipient(&in)
	if err != nil {
		return core.CodeSent{}, err
	}
	person, members, err := s.core.Access.Person(ctx, to.Phone)
	if err != nil {
		return core.CodeSent{}, err
	}
	isKnown := access.IsPerson(person, members)
	if isKnown && len(members) == 0 { // a sign-in would show an offer or nothing
		if isKnown, err = s.accounts.OfferWaits(ctx, person.ID, 0); err != nil {
			return core.CodeSent{}, err
		}
	}
	if !isKnown {
		if _, isKnown, err = s.accounts.Applicants.OpenApplication(ctx, person, in.Place.CompanyID()); err != nil {
			return core.CodeSent{}, err
		}
	}
	to, err = s.core.Verification.KnownRecipient(ctx, in, to, isKnown, access.Registered(person, members))
	if err != nil {
		return core.CodeSent{}, err
	}
	return s.core.Verification.Send(ctx, in, to)
}
