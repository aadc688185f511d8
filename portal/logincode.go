package portal

import (
	"context"
	"errors"
	"strings"

	"portico/store"
)

// CodeLoginInput signs in with a code instead of a password; Flow is the browser that asked for it.
type CodeLoginInput struct {
	Phone    string `form:"phone"`
	Code     string `form:"code"`
	Remember bool   `form:"remember"`

	Flow        string
	Place       Place
	Lighting    bool
	Device      string
	Width       int
	ShareUser   int64
	ShareClient int64
	Enter       *EnterInput // see LoginInput
	Agreement   string
}

// LoginByCode signs a person in by a code sent to their phone. Refused as Login refuses, and CodeWrong,
// CodeExpired, TooManyAttempts. Wrong passwords do not stand in its way (requirement 25).
func (p *Portal) LoginByCode(ctx context.Context, in CodeLoginInput) (result LoginResult, err error) {
	defer func() { p.countSignIn(byCode, err) }()
	if err := invalid(codeFields(&in.Phone, &in.Code)); err != nil {
		return LoginResult{}, err
	}
	proof, err := p.proveCode(ctx, in.Phone, ForLogin, in.Place.CompanyID(), in.Flow, targetPhone, in.Code)
	if err != nil {
		return LoginResult{}, err
	}
	phone, err := p.db.PhoneByNumber(ctx, in.Phone)
	if errors.Is(err, store.ErrNotFound) {
		return LoginResult{}, &Refused{Refusal: PhoneNotBound, Contacts: p.Support(in.Place)}
	}
	if err != nil {
		return LoginResult{}, err
	}
	try := LoginInput{
		Phone: in.Phone, Remember: in.Remember, Place: in.Place, Lighting: in.Lighting, Device: in.Device, Width: in.Width,
		ShareUser: in.ShareUser, ShareClient: in.ShareClient,
		Enter: in.Enter, Agreement: in.Agreement,
	}
	who := candidate{subject: phoneSubject(phone.ID), phone: phone}
	return p.signIn(ctx, try, who, "code", func(tx *store.DB, _ *store.Batch) error { return p.spend(ctx, tx, proof) })
}

// codeFields puts a phone and the code sent to it into their one spelling, or says what is wrong with them.
func codeFields(phone, code *string) Fields {
	fields := phoneFields(phone)
	if problem := codeProblem(*code); problem != "" {
		fields["code"] = problem
	}
	*code, _ = normalCode(*code)
	return fields
}

// phoneFields puts a phone into its one spelling, or says what is wrong with it.
func phoneFields(phone *string) Fields {
	number, ok := NormalPhone(*phone)
	switch {
	case strings.TrimSpace(*phone) == "":
		return Fields{"phone": PhoneRequired}
	case !ok:
		return Fields{"phone": PhoneMalformed}
	}
	*phone = number
	return Fields{}
}
