package signin

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// CodeLoginInput is an attempt to sign in a browser with a verification code. Flow is the flow of the browser that
// asked for the code.
type CodeLoginInput struct {
	Phone string `form:"phone"`
	Code  string `form:"code"`

	Flow string
	access.Browser
	Enter     *access.EnterInput // see LoginInput
	Agreement string
}

// LoginByCode signs a person in by a code sent to their phone. It refuses as Login does, and with CodeWrong,
// CodeExpired and TooManyAttempts. Wrong passwords do not block it. An applicant without an account, whose
// phone need not be registered, gets UnderReview with the application; the same code gives that answer again within
// RepeatWindow.
func (s *Signin) LoginByCode(ctx context.Context, in CodeLoginInput) (result LoginResult, err error) {
	defer func() { s.core.Access.CountSignIn(access.ByCode, err) }()
	if err := access.Invalid(core.CodeFields(&in.Phone, &in.Code)); err != nil {
		return LoginResult{}, err
	}
	defer s.core.Replay.Proofs.Hold(s.applicantSignIn(in))() // a repetition waits for the first request
	result, err = s.loginByCode(ctx, in)
	switch {
	case errors.Is(err, access.CodeExpired):
		err = s.applicantAgain(ctx, in, err)
	case errors.Is(err, access.UnderReview):
		err = s.applicantByCode(ctx, in, err)
	}
	if errors.Is(err, access.CodeWrong) || errors.Is(err, access.CodeExpired) ||
		errors.Is(err, access.TooManyAttempts) {
		s.countFailure(ctx, err, in.Place, in.Phone, nil)
	}
	return result, err
}

// loginByCode is LoginByCode for a request that repeats no earlier one.
func (s *Signin) loginByCode(ctx context.Context, in CodeLoginInput) (LoginResult, error) {
	proof, err := s.core.Verification.ProveCode(ctx, core.TypedCode{
		Phone: in.Phone, Purpose: core.ForLogin, CompanyID: in.Place.CompanyID(), Flow: in.Flow,
		Target: core.TargetPhone, Code: in.Code,
	})
	if err != nil {
		return LoginResult{}, err
	}
	person, err := s.core.DB.Persons.ByNumber(ctx, in.Phone)
	if errors.Is(err, store.ErrNotFound) {
		person, err = store.Person{Phone: in.Phone}, nil
	}
	if err != nil {
		return LoginResult{}, err
	}
	if person.PasswordHash == "" {
		refusal, err := s.refuseUnregistered(ctx, in, person)
		if err != nil {
			return LoginResult{}, err
		}
		if errors.Is(refusal, access.UnderReview) {
			err := s.core.DB.Tx(ctx, func(tx *store.DB) error { return s.core.Verification.Spend(ctx, tx, proof) })
			if err != nil {
				return LoginResult{}, err
			}
		}
		if refusal != nil {
			s.countFailure(ctx, refusal, in.Place, in.Phone, nil)
			return LoginResult{}, refusal
		}
	}
	settle := func(tx *store.DB, _ *store.Batch) error { return s.core.Verification.Spend(ctx, tx, proof) }
	result, err := s.SignInBrowser(ctx, BrowserSignIn{
		SignIn:  SignIn{Subject: access.PersonSubject(person), How: access.ByCode, Settle: settle},
		Browser: in.Browser, enter: in.Enter, agreement: in.Agreement,
	})
	if err != nil {
		return LoginResult{}, err
	}
	result.Identifier = in.Phone
	return result, nil
}

// refuseUnregistered returns the refusal of a code sign-in by a phone that is not registered: where its application
// stands, or PhoneNotBound for a number that has no row. It returns nil for a phone that has accounts or only offers.
func (s *Signin) refuseUnregistered(
	ctx context.Context, in CodeLoginInput, person store.Person,
) (refusal, err error) {
	if person.ID == 0 {
		refusal = &access.Refused{Refusal: access.PhoneNotBound, Contacts: s.core.Access.Support(in.Place)}
	} else {
		members, err := s.core.DB.Accounts.ByPerson(ctx, person.ID)
		if err != nil || access.IsPerson(person, members) {
			return nil, err
		}
	}
	return s.accounts.Applicants.Refuse(ctx, person, in.Place.CompanyID(), refusal)
}
