package signin

import (
	"context"
	"errors"
	"slices"
	"strings"

	"portico/portal/access"
	"portico/store"
)

// LoginInput is an attempt to sign in a browser by password. ByName decides whether Login or Phone is read. The limits
// of the fields are those of access.NormalPhone, access.NormalLogin and access.MaxPassword.
type LoginInput struct {
	ByName   bool   // the page for account names was sent: Login is read, else Phone
	Phone    string `form:"phone"`
	Login    string `form:"login"`
	Password string `form:"password"`
	Question string `form:"question"` // the token of the sum that was asked, "" for none
	Answer   string `form:"answer"`
	Proof    string `form:"proof"` // the token of a proof of work that was set
	Work     string `form:"work"`  // the number that proves it

	AccountID int64 // the account of that name to sign in to; 0 for the one that the password fits
	access.Browser

	// Enter is how to enter an account when the sign-in leads straight into one: the device, the language and Arrive.
	// With nil the caller calls Enter. A person who has not accepted version Agreement of the agreement does not enter.
	Enter     *access.EnterInput
	Agreement string
}

// LoginResult is a new session of a browser.
type LoginResult struct {
	Token      string        // the value of the session cookie
	Device     string        // the id of the browser, for the device cookie
	Session    store.Session // as it was stored
	Step       Step          // where the person goes next
	Identifier string        // the phone or account name in its normal form

	// Entered is where to redirect at once, nil when the person follows Step. See LoginInput.Enter.
	Entered *Redirect
}

// Validate puts the phone or account name into its normal form, and refuses malformed fields with ValidationFailed. It
// refuses a password only when it is missing or too long: the rule for new passwords may have changed since this one
// was set.
func (in *LoginInput) Validate() error {
	fields := access.Fields{}
	if in.ByName {
		in.validateName(fields)
	} else {
		in.validatePhone(fields)
	}
	if in.Password == "" {
		fields["password"] = access.PasswordRequired
	} else if len(in.Password) > access.MaxPassword {
		fields["password"] = access.PasswordTooLong
	}
	return access.Invalid(fields)
}

// validateName checks Login and puts it into its normal form.
func (in *LoginInput) validateName(fields access.Fields) {
	login, ok := access.NormalLogin(in.Login)
	switch {
	case !ok:
		fields["login"] = access.LoginMalformed
	case login == "":
		fields["login"] = access.LoginMissing
	default:
		in.Login, in.Phone = login, ""
	}
}

// validatePhone checks Phone and puts it into its normal form.
func (in *LoginInput) validatePhone(fields access.Fields) {
	phone, ok := access.NormalPhone(in.Phone)
	switch {
	case strings.TrimSpace(in.Phone) == "":
		fields["phone"] = access.PhoneRequired
	case !ok:
		fields["phone"] = access.PhoneMalformed
	default:
		in.Phone, in.Login = phone, ""
	}
}

// Login signs a browser in by password: a person by phone, or an account by its name. It refuses
//   - malformed fields with ValidationFailed,
//   - an unknown phone or name with PhoneNotBound or AccountNotFound,
//   - a wrong password with WrongPassword, too many of them with TooManyAttempts,
//   - an expired first password with PasswordNotSet,
//   - a person who has no account in the company of the host with NotInCompany,
//   - a person whose accounts are all blocked with the reason of the first one and the people who can help.
func (s *Signin) Login(ctx context.Context, in LoginInput) (result LoginResult, err error) {
	defer func() { s.core.Access.CountSignIn(access.ByPassword, err) }()
	if err := in.Validate(); err != nil {
		return LoginResult{}, err
	}
	proof, err := s.Prove(ctx, in)
	if err != nil {
		return LoginResult{}, err
	}
	return s.loginProven(ctx, in, proof)
}

// loginProven signs in a person whose password was right.
func (s *Signin) loginProven(ctx context.Context, in LoginInput, g *Guard) (LoginResult, error) {
	result, err := s.SignInBrowser(ctx, BrowserSignIn{
		SignIn:  SignIn{Subject: g.Subject, How: access.ByPassword, Settle: g.RightPassword(ctx)},
		Browser: in.Browser, enter: in.Enter, agreement: in.Agreement,
	})
	if err != nil {
		return LoginResult{}, g.Explain(ctx, err)
	}
	result.Identifier = in.Phone + in.Login
	return result, nil
}

// Prove compares the password with those of all subjects that the phone or name can stand for. It returns the guard of
// the one that it fits, which the caller settles.
func (s *Signin) Prove(ctx context.Context, in LoginInput) (*Guard, error) {
	if err := s.refuseStranger(ctx, in.passwordTry()); err != nil {
		return nil, err
	}
	candidates, unknown, err := s.candidates(ctx, in)
	if err != nil {
		return nil, err
	}
	return s.proveOneOf(ctx, in, candidates, unknown)
}

// proveOneOf compares the password with that of each candidate. unknown is the refusal when there is none.
func (s *Signin) proveOneOf(
	ctx context.Context, in LoginInput, candidates []access.Subject, unknown access.Refusal,
) (*Guard, error) {
	try := in.passwordTry()
	identifier := in.identifier()
	if len(candidates) == 0 { // an unknown subject must cost the same time and count the same
		candidates = []access.Subject{{Key: "unknown:" + s.core.Sealing.Tag("unknown", identifier)}}
	}
	var tried []refusedTry
	for _, c := range candidates {
		g, err := s.guard(ctx, try, c)
		right := false
		if err == nil {
			switch earlier := earlierTry(tried, g); {
			case earlier == nil:
				right, err = g.Compare(ctx, nil)
			case earlier.refused == nil:
				right, err = g.Compare(ctx, earlier.guard)
			default: // one attempt is refused as a whole
				err = earlier.refused
			}
		}
		if err == nil && right {
			// If the password was wrong for an earlier candidate, that is the account of this name on the other side.
			// It is no failure.
			return g, nil
		}
		if err != nil && (!access.IsRefused(err) || errors.Is(err, access.NotAvailable)) {
			// The answer shows that the passwords compared before it were wrong, so they count.
			_, counting := countTried(store.AfterRequest(ctx), tried)
			return nil, errors.Join(err, counting)
		}
		tried = append(tried, refusedTry{g, err})
	}
	refusal, err := countTried(ctx, tried)
	if err != nil {
		return nil, err
	}
	if errors.Is(refusal, access.WrongPassword) {
		if err := s.core.Limits.CountLookup(ctx, identifier); err != nil {
			return nil, err
		}
		if unknown != "" {
			refusal = &access.Refused{
				Refusal: unknown, Contacts: s.core.Access.Support(in.Place), Question: questionOf(refusal),
			}
		}
	}
	s.countFailure(ctx, refusal, in.Place, in.Phone, candidates)
	return nil, s.neutral(ctx, refusal, in.Password)
}

// refusedTry is an attempt at a subject's password that did not sign in: the password was wrong, or the attempt was
// refused before the comparison.
type refusedTry struct {
	guard   *Guard
	refused error // nil when the password was compared
}

// earlierTry returns the attempt of the same sign-in that a guard's counter has counted or refused already, nil for
// none.
func earlierTry(tried []refusedTry, g *Guard) *refusedTry {
	i := slices.IndexFunc(tried, func(t refusedTry) bool { return t.guard.key == g.key })
	if i < 0 {
		return nil
	}
	return &tried[i]
}

// countTried counts the failure of a sign-in whose password fits no subject, once for each person. It returns the
// refusal of the sign-in: the first one that is not WrongPassword, or else the last one.
func countTried(ctx context.Context, tried []refusedTry) (refusal, err error) {
	counted := map[string]*Guard{}
	for _, t := range tried {
		refused := t.refused
		if refused == nil {
			if before := counted[t.guard.key]; before != nil {
				t.guard.counter, t.guard.atAddress = before.counter, before.atAddress
				refused = t.guard.wrongRefusal()
			} else if refused = t.guard.Wrong(ctx); !access.IsRefused(refused) {
				return nil, refused
			}
			counted[t.guard.key] = t.guard
		}
		if refusal == nil || errors.Is(refusal, access.WrongPassword) {
			refusal = refused
		}
	}
	return refusal, nil
}

// questionOf returns the question that a refusal asks, nil for none.
func questionOf(err error) *access.Question {
	refused, ok := errors.AsType[*access.Refused](err)
	if !ok {
		return nil
	}
	return refused.Question
}

// passwordTry returns the attempt at the password that a sign-in makes.
func (in *LoginInput) passwordTry() access.PasswordTry {
	return access.PasswordTry{
		Password: in.Password, Question: in.Question, Answer: in.Answer, Proof: in.Proof, Work: in.Work,
		Device: in.Device,
	}
}

// identifier names what was typed: the kind, and the name or phone in its normal form.
func (in *LoginInput) identifier() string {
	if in.ByName {
		return "login:" + store.LoginKey(in.Login)
	}
	return "phone:" + in.Phone
}

// candidates finds the subjects that the phone or name can stand for. unknown is the refusal when there is none.
func (s *Signin) candidates(
	ctx context.Context, in LoginInput,
) (found []access.Subject, unknown access.Refusal, err error) {
	if !in.ByName {
		person, err := s.core.DB.Persons.ByNumber(ctx, in.Phone)
		return s.candidatesByPhone(ctx, person, err)
	}
	members, err := s.core.DB.Accounts.ByLogin(ctx, in.Login)
	if err != nil {
		return nil, "", err
	}
	return s.candidatesByName(in, members)
}

// candidatesByPhone returns the person of a phone that was looked up. readErr is the error of the look-up.
func (s *Signin) candidatesByPhone(
	ctx context.Context, person store.Person, readErr error,
) (found []access.Subject, unknown access.Refusal, err error) {
	if errors.Is(readErr, store.ErrNotFound) {
		return nil, access.PhoneNotBound, nil
	}
	if readErr != nil {
		return nil, "", readErr
	}
	if person.PasswordHash == "" {
		members, err := s.core.DB.Accounts.ByPerson(ctx, person.ID)
		if err != nil {
			return nil, "", err
		}
		if !access.IsPerson(person, members) { // the number has only offers
			return nil, access.PhoneNotBound, nil
		}
	}
	return []access.Subject{access.PersonSubject(person)}, "", nil
}

// candidatesByName returns the accounts of a name, or with in.AccountID that account alone.
func (s *Signin) candidatesByName(
	in LoginInput, members []store.Member,
) (found []access.Subject, unknown access.Refusal, err error) {
	if in.AccountID != 0 {
		members = slices.DeleteFunc(members, func(m store.Member) bool { return m.ID != in.AccountID })
	}
	if len(members) == 0 {
		return nil, access.AccountNotFound, nil
	}
	slices.SortStableFunc(members, func(a, b store.Member) int { // one password may fit the accounts of both sides
		return s.closedRank(a, in) - s.closedRank(b, in)
	})
	for _, m := range members {
		found = append(found, access.AccountSubject(m))
	}
	return found, "", nil
}

// closedRank returns 1 for an account that this sign-in cannot enter, else 0, so that the latter is compared first.
func (s *Signin) closedRank(m store.Member, in LoginInput) int {
	here := s.core.Access.InPlace([]store.Member{m}, in.Place.CompanyID())
	if len(here) == 0 || access.BlockedBy(m, in.Lighting, s.core.Now()) != "" {
		return 1
	}
	return 0
}
