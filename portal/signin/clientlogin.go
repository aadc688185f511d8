package signin

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/store"
)

// ClientLoginInput is an attempt of a program to sign in by password. Login is a phone number or an account name.
// CompanyID limits it to the accounts of one company, AccountID to one account; 0 does not limit it. Target is a side
// for which ClientLogin.User carries a one-time code, "" for none.
type ClientLoginInput struct {
	Login     string `json:"login_"`
	Password  string `json:"password_"`
	CompanyID int64  `json:"company_id_"`
	AccountID int64  `json:"account_id_"`
	Question  string `json:"question_"` // the token of the sum that was asked, "" for none
	Answer    string `json:"answer_"`
	Proof     string `json:"proof_"` // the token of a proof of work that was set
	Work      string `json:"work_"`  // the number that proves it

	Target store.Slot `json:"target_"`

	Client   access.Client
	Lighting bool
	Site     int64 // the company whose site the program says it is on, 0 for none

	Ticket string // the ticket of the identity that signs in, "" for none. All uses of a ticket are one sign-in
}

// ClientLogin is a sign-in of a program: the person's accounts on each side, blocked ones with their reason, and the
// offers to the person, blocked with Offered. Ticket is for choosing one of them. User, with its token, is set when
// there is a single account to enter.
type ClientLogin struct {
	Phone  string // 11 digits, "" where none is bound
	Mgr    []AccountView
	Shop   []AccountView
	Ticket string
	User   *access.User
}

// ClientLogin signs a program in by phone or account name, and refuses what Login refuses. It refuses with NotFound an
// AccountID that is not among the accounts, with Offered one that is an offer, with WrongParameters a company other
// than the site's and a Target that the only account cannot enter, and an unknown Target under "target".
func (s *Signin) ClientLogin(ctx context.Context, in ClientLoginInput) (result ClientLogin, err error) {
	defer func() { s.core.Access.CountSignIn(access.ByPassword, err) }()
	if err := RefuseUnknownTarget(in.Target); err != nil {
		return ClientLogin{}, err
	}
	in.CompanyID = cmp.Or(in.CompanyID, in.Site)
	if in.Site != 0 && in.CompanyID != in.Site {
		return ClientLogin{}, &access.Refused{Refusal: access.WrongParameters}
	}
	guard, err := s.ProveClientLogin(ctx, in)
	if err != nil {
		return ClientLogin{}, err
	}
	result, err = s.SignInClient(ctx, in, SignIn{
		Subject: guard.Subject, How: access.ByPassword, Settle: guard.RightPassword(ctx),
	})
	return result, guard.Explain(ctx, err)
}

// ProveClientLogin does what Prove does, for a program: Login may be a phone or an account name.
func (s *Signin) ProveClientLogin(ctx context.Context, in ClientLoginInput) (*Guard, error) {
	try := LoginInput{
		ByName: true, Login: in.Login, Password: in.Password, AccountID: in.AccountID,
		Question: in.Question, Answer: in.Answer, Proof: in.Proof, Work: in.Work,
		Browser: access.Browser{Place: PlaceOfCompany(in.CompanyID), Lighting: in.Lighting},
	}
	if _, isPhone := access.NormalPhone(in.Login); isPhone {
		try.ByName, try.Phone = false, in.Login
	}
	if err := try.Validate(); err != nil {
		return nil, err
	}
	if err := s.refuseStranger(ctx, try.passwordTry()); err != nil {
		return nil, err
	}
	if try.ByName {
		found, unknown, err := s.candidates(ctx, try)
		if err != nil {
			return nil, err
		}
		return s.proveOneOf(ctx, try, found, unknown)
	}
	found, unknown, err := s.phoneOrName(ctx, in.Login, &try)
	if err != nil {
		return nil, err
	}
	return s.proveOneOf(ctx, try, found, unknown)
}

// phoneOrName finds the subjects of a login that has the form of a phone number. It is an account name instead when
// nobody registered that number, or when try.AccountID is an account of that name: try then signs in by name.
func (s *Signin) phoneOrName(
	ctx context.Context, login string, try *LoginInput,
) (found []access.Subject, unknown access.Refusal, err error) {
	person, err := s.core.DB.Persons.ByNumber(ctx, try.Phone)
	isRegistered := !errors.Is(err, store.ErrNotFound)
	if isRegistered && (err != nil || try.AccountID == 0) {
		return s.candidatesByPhone(ctx, person, err)
	}
	named, readErr := s.core.DB.Accounts.ByLogin(ctx, login)
	if readErr != nil {
		return nil, "", readErr
	}
	isNamed := slices.ContainsFunc(named, func(m store.Member) bool { return m.ID == try.AccountID })
	if !isNamed && (isRegistered || len(named) == 0) {
		return s.candidatesByPhone(ctx, person, err)
	}
	try.ByName, try.Login = true, login
	if err := try.Validate(); err != nil {
		return nil, "", err
	}
	return s.candidatesByName(*try, named)
}
