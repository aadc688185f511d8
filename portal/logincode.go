package portal

import (
	"context"
	"errors"

	"portico/store"
)

// CodeLoginInput signs in with a code instead of a password; Flow is the browser that asked for it.
type CodeLoginInput struct {
	Phone string `form:"phone"`
	Code  string `form:"code"`

	Flow string
	Browser
	Enter     *EnterInput // see LoginInput
	Agreement string
}

// LoginByCode signs a person in by a code sent to their phone. It refuses as Login does, and with CodeWrong,
// CodeExpired and TooManyAttempts. Wrong passwords do not stand in its way. An applicant without an account, whose
// phone need not be registered, gets UnderReview with the application; the same code gives that answer again within
// RepeatWindow.
func (p *Portal) LoginByCode(ctx context.Context, in CodeLoginInput) (result LoginResult, err error) {
	defer func() { p.countSignIn(byCode, err) }()
	if err := invalid(codeFields(&in.Phone, &in.Code)); err != nil {
		return LoginResult{}, err
	}
	defer p.proofs.hold(p.applicantSignIn(in))() // a repetition waits for the first request
	result, err = p.loginByCode(ctx, in)
	switch {
	case errors.Is(err, CodeExpired):
		err = p.applicantAgain(ctx, in, err)
	case errors.Is(err, UnderReview):
		err = p.applicantByCode(ctx, in, err)
	}
	return result, err
}

// loginByCode is LoginByCode for a request that repeats no earlier one.
func (p *Portal) loginByCode(ctx context.Context, in CodeLoginInput) (LoginResult, error) {
	proof, err := p.proveCode(ctx, in.Phone, ForLogin, in.Place.CompanyID(), in.Flow, targetPhone, in.Code)
	if err != nil {
		return LoginResult{}, err
	}
	phone, err := p.db.PhoneByNumber(ctx, in.Phone)
	if errors.Is(err, store.ErrNotFound) {
		phone, err = store.Phone{Phone: in.Phone}, nil
	}
	if err != nil {
		return LoginResult{}, err
	}
	if phone.PasswordHash == "" {
		refusal, err := p.refuseUnregistered(ctx, in, phone)
		if err == nil && errors.Is(refusal, UnderReview) {
			err = p.db.Tx(ctx, func(tx *store.DB) error { return p.spend(ctx, tx, proof) })
		}
		if err == nil {
			err = refusal
		}
		if err != nil {
			return LoginResult{}, err
		}
	}
	settle := func(tx *store.DB, _ *store.Batch) error { return p.spend(ctx, tx, proof) }
	result, err := p.signInBrowser(ctx, browserSignIn{
		signIn:  signIn{subject: personSubject(phone), how: "code", settle: settle},
		browser: in.Browser, enter: in.Enter, agreement: in.Agreement,
	})
	if err != nil {
		return LoginResult{}, err
	}
	result.Identifier = in.Phone
	return result, nil
}

// refuseUnregistered returns the refusal of a code sign-in by a phone that is not registered: where its application
// stands, or PhoneNotBound for a number that has no row. It returns nil for a phone that has accounts or only offers.
func (p *Portal) refuseUnregistered(
	ctx context.Context, in CodeLoginInput, phone store.Phone,
) (refusal, err error) {
	if phone.ID == 0 {
		refusal = &Refused{Refusal: PhoneNotBound, Contacts: p.Support(in.Place)}
	} else if members, err := p.db.MembersByPhone(ctx, phone.ID); err != nil || isPerson(phone, members) {
		return nil, err
	}
	return p.refuseApplicant(ctx, phone, in.Place.CompanyID(), refusal)
}
