package portal

import (
	"context"
	"errors"
	"slices"
	"strings"

	"portico/store"
)

// LoginInput is one try to sign in. Exactly one of Phone and Login is read, by the door it came through.
type LoginInput struct {
	ByName   bool   // the second page: an account name
	Phone    string `form:"phone"`
	Login    string `form:"login"`
	Password string `form:"password"`
	Question string `form:"question"` // the token of a question that was asked
	Answer   string `form:"answer"`
	Proof    string `form:"proof"` // the token of a proof of work that was set
	Work     string `form:"work"`  // the number that proves it

	AccountID int64 // this one of the accounts of that name; 0: whichever the password opens
	Browser

	// Enter is how to enter an account when the sign-in leads straight into one: the device, the language and Arrive.
	// nil: the caller calls Enter. A person who first has to accept version Agreement of the agreement does not enter.
	Enter     *EnterInput
	Agreement string
}

// LoginResult is a fresh session: Token is the cookie's value, Device the browser's id, Session what it
// holds, Step where the person goes now. Identifier is the phone or login in its normal form.
type LoginResult struct {
	Token      string
	Device     string
	Session    store.Session
	Step       Step
	Identifier string
	Entered    *Destination // where to redirect at once, nil when Step says what comes first; see LoginInput.Enter
}

// Validate puts what was typed into its one spelling and names the fields that cannot be right. It judges
// no password but an absent or over-long one: which characters are allowed is for new passwords.
func (in *LoginInput) Validate() error {
	fields := Fields{}
	if in.ByName {
		login, ok := NormalLogin(in.Login)
		if login == "" && ok {
			fields["login"] = LoginMissing
		} else if !ok {
			fields["login"] = LoginMalformed
		} else {
			in.Login, in.Phone = login, ""
		}
	} else {
		phone, ok := NormalPhone(in.Phone)
		if strings.TrimSpace(in.Phone) == "" {
			fields["phone"] = PhoneRequired
		} else if !ok {
			fields["phone"] = PhoneMalformed
		} else {
			in.Phone, in.Login = phone, ""
		}
	}
	if in.Password == "" {
		fields["password"] = PasswordRequired
	} else if len(in.Password) > MaxPassword {
		fields["password"] = PasswordTooLong
	}
	return invalid(fields)
}

// Login signs a person in by phone or an account in by name. What it refuses: malformed fields, unknown
// phone or login, wrong password, too many tries, a company that has no such account, and accounts that
// are all blocked, with the first one's reason and who can help; PasswordNotSet for a first password past its end.
func (p *Portal) Login(ctx context.Context, in LoginInput) (result LoginResult, err error) {
	defer func() { p.countSignIn(byPassword, err) }()
	if err := in.Validate(); err != nil {
		return LoginResult{}, err
	}
	proof, err := p.prove(ctx, in)
	if err != nil {
		return LoginResult{}, err
	}
	return p.loginProven(ctx, in, proof)
}

// loginProven signs in a person whose password was right.
func (p *Portal) loginProven(ctx context.Context, in LoginInput, g *Guard) (LoginResult, error) {
	result, err := p.signInBrowser(ctx, browserSignIn{
		signIn:  signIn{subject: g.subject, how: "password", settle: g.RightPassword(ctx)},
		browser: in.Browser, enter: in.Enter, agreement: in.Agreement,
	})
	if err != nil {
		return LoginResult{}, g.Explain(ctx, err)
	}
	result.Identifier = in.Phone + in.Login
	return result, nil
}

// prove compares the password with everyone it could belong to. It returns the guard of the one that it fits.
func (p *Portal) prove(ctx context.Context, in LoginInput) (*Guard, error) {
	if err := p.refuseStranger(ctx, in.passwordTry()); err != nil {
		return nil, err
	}
	candidates, unknown, err := p.candidates(ctx, in)
	if err != nil {
		return nil, err
	}
	return p.proveOneOf(ctx, in, candidates, unknown)
}

// proveOneOf compares the password with that of each candidate. unknown is the refusal when there is none.
func (p *Portal) proveOneOf(
	ctx context.Context, in LoginInput, candidates []Subject, unknown Refusal,
) (*Guard, error) {
	try := in.passwordTry()
	identifier := in.identifier()
	if len(candidates) == 0 { // costs the same as a real one and counts the same
		candidates = []Subject{{key: "unknown:" + p.tag("unknown", identifier)}}
	}
	var tried []refusedTry
	for _, c := range candidates {
		g, err := p.guard(ctx, try, c)
		right := false
		if err == nil {
			right, err = g.Compare(ctx, isFirstTry(tried, g))
		}
		if err == nil && right {
			// If the password was wrong for an earlier candidate, that is the account of this name on the other side.
			// It is no failure.
			return g, nil
		}
		if err != nil && (!isRefused(err) || errors.Is(err, NotAvailable)) {
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
	if !errors.Is(refusal, WrongPassword) {
		return nil, p.neutral(ctx, refusal)
	}
	if err := p.probed(ctx, identifier); err != nil {
		return nil, err
	}
	if unknown != "" {
		refusal = &Refused{Refusal: unknown, Contacts: p.Support(in.Place), Question: questionOf(refusal)}
	}
	return nil, p.neutral(ctx, refusal)
}

// refusedTry is an attempt at a subject's password that did not sign in: the password was wrong, or the attempt was
// refused before the comparison.
type refusedTry struct {
	guard   *Guard
	refused error // nil: it was compared
}

// isFirstTry says whether a guard's counter has no earlier attempt of the same sign-in.
func isFirstTry(tried []refusedTry, g *Guard) bool {
	return !slices.ContainsFunc(tried, func(t refusedTry) bool { return t.guard.key == g.key })
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
			} else if refused = t.guard.Wrong(ctx); !isRefused(refused) {
				return nil, refused
			}
			counted[t.guard.key] = t.guard
		}
		if refusal == nil || errors.Is(refusal, WrongPassword) {
			refusal = refused
		}
	}
	return refusal, nil
}

// questionOf returns the question that a refusal asks, nil for none.
func questionOf(err error) *Question {
	refused, ok := errors.AsType[*Refused](err)
	if !ok {
		return nil
	}
	return refused.Question
}

// passwordTry returns the attempt at the password that a sign-in makes.
func (in *LoginInput) passwordTry() PasswordTry {
	return PasswordTry{
		Password: in.Password, Question: in.Question, Answer: in.Answer, Proof: in.Proof, Work: in.Work, Device: in.Device,
	}
}

func (in *LoginInput) identifier() string {
	if in.ByName {
		return "login:" + store.LoginKey(in.Login)
	}
	return "phone:" + in.Phone
}

// candidates finds whose password this could be; unknown is the refusal when there is nobody.
func (p *Portal) candidates(ctx context.Context, in LoginInput) (found []Subject, unknown Refusal, err error) {
	if !in.ByName {
		phone, err := p.db.PhoneByNumber(ctx, in.Phone)
		return p.candidatesByPhone(ctx, phone, err)
	}
	members, err := p.db.MembersByLogin(ctx, in.Login)
	if err != nil {
		return nil, "", err
	}
	return p.candidatesByName(in, members)
}

// candidatesByPhone returns the person of a phone that was looked up; readErr is the error of the look-up.
func (p *Portal) candidatesByPhone(
	ctx context.Context, phone store.Phone, readErr error,
) (found []Subject, unknown Refusal, err error) {
	if errors.Is(readErr, store.ErrNotFound) {
		return nil, PhoneNotBound, nil
	}
	if readErr != nil {
		return nil, "", readErr
	}
	if phone.PasswordHash == "" {
		members, err := p.db.MembersByPhone(ctx, phone.ID)
		if err != nil {
			return nil, "", err
		}
		if !isPerson(phone, members) { // the number has only offers
			return nil, PhoneNotBound, nil
		}
	}
	return []Subject{personSubject(phone)}, "", nil
}

// candidatesByName returns the accounts of a name; with in.AccountID that one alone.
func (p *Portal) candidatesByName(
	in LoginInput, members []store.Member,
) (found []Subject, unknown Refusal, err error) {
	if in.AccountID != 0 {
		members = slices.DeleteFunc(members, func(m store.Member) bool { return m.ID != in.AccountID })
	}
	if len(members) == 0 {
		return nil, AccountNotFound, nil
	}
	slices.SortStableFunc(members, func(a, b store.Member) int { // where one password fits both sides
		return p.closed(a, in) - p.closed(b, in)
	})
	for _, m := range members {
		found = append(found, accountSubject(m))
	}
	return found, "", nil
}

// closed ranks an account that this sign-in could not enter behind one that it could.
func (p *Portal) closed(m store.Member, in LoginInput) int {
	if p.refuseMembers([]store.Member{m}, in.Place, in.Lighting) != nil {
		return 1
	}
	return 0
}
