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
	result, err := p.signIn(ctx, in, g.subject, "password", g.RightPassword(ctx))
	return result, g.Explain(ctx, err)
}

// A settler runs in the transaction of a sign-in and settles what proved the person, for example by using up a code. It
// adds statements whose results do not matter to the batch, which runs at the end of the transaction.
type settler func(tx *store.DB, b *store.Batch) error

// prove compares the password with everyone it could belong to. It returns the guard of the one that it fits.
func (p *Portal) prove(ctx context.Context, in LoginInput) (*Guard, error) {
	try := in.passwordTry()
	if err := p.refuseStranger(ctx, try); err != nil {
		return nil, err
	}
	candidates, unknown, err := p.candidates(ctx, in)
	if err != nil {
		return nil, err
	}
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
		if errors.Is(err, store.ErrNotFound) {
			return nil, PhoneNotBound, nil
		}
		if err == nil && phone.PasswordHash == "" {
			members, err := p.db.MembersByPhone(ctx, phone.ID)
			if err == nil && !isPerson(phone, members) { // the number has only offers
				return nil, PhoneNotBound, nil
			}
			if err != nil {
				return nil, "", err
			}
		}
		return []Subject{personSubject(phone)}, "", err
	}
	members, err := p.db.MembersByLogin(ctx, in.Login)
	if in.AccountID != 0 {
		members = slices.DeleteFunc(members, func(m store.Member) bool { return m.ID != in.AccountID })
	}
	if err != nil || len(members) == 0 {
		return nil, AccountNotFound, err
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

// signIn creates the session after the password or code was right and there is an account to enter or an offer to
// answer. settle runs in the same transaction, also when the sign-in is refused, because the proof was right. Where the
// sign-in leads straight into an account and in.Enter is set, it enters the account in that transaction as well.
func (p *Portal) signIn(
	ctx context.Context, in LoginInput, c Subject, how string, settle settler,
) (LoginResult, error) {
	members, err := p.provenMembers(ctx, c)
	if err != nil {
		return LoginResult{}, err
	}
	refusal, err := p.refuseSignIn(ctx, c, members, in.Place, in.Lighting)
	if err != nil {
		return LoginResult{}, err
	}
	ctx = p.withSession(ctx)
	result := p.freshLogin(ctx, in, c)
	result.Step, err = p.startStep(ctx, result.Device, c.phone, p.inPlace(members, in.Place.CompanyID()), in.Lighting)
	if err != nil {
		return LoginResult{}, err
	}
	switch {
	case c.member.FirstPasswordUntil != 0:
		result.Step = Step{Kind: StepPassword, CompanyID: c.member.CompanyID, AccountID: c.member.ID}
	case offersBinding(c.member):
		result.Step = Step{Kind: StepBind, CompanyID: c.member.CompanyID, AccountID: c.member.ID}
	}
	var entry *entry
	if refusal == nil {
		if entry, err = p.straightEntry(ctx, in, result, members); err != nil {
			return LoginResult{}, err
		}
	}
	who := c.who()
	if entry != nil {
		who, how = entry.member, how+", "+string(entry.code.Slot)
	}
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		b := new(store.Batch)
		if err := settle(tx, b); err != nil {
			return err
		}
		if refusal == nil {
			if err := p.endOldSession(ctx, tx, in.Place.Host); err != nil {
				return err
			}
			if err := p.addSession(ctx, tx, b, c, &result); err != nil {
				return err
			}
			if entry != nil {
				entry.code.SessionID = result.Session.ID
				p.addEntry(b, result.Session, *entry)
			}
			b.AddAuditEvent(p.auditEvent(ctx, "sign_in", who, how))
		}
		return tx.Run(ctx, b)
	})
	if err == nil {
		err = refusal
	}
	if err != nil {
		return LoginResult{}, err
	}
	p.logAudit(ctx, "sign_in", who, how)
	if entry != nil {
		result.Entered = &entry.to
	}
	return result, nil
}

// straightEntry makes the entry of a sign-in that leads straight into an account. It returns nil when the person has a
// choice, or something has to be done first, or in.Enter is not set. It also returns nil for a refusal: Enter refuses.
func (p *Portal) straightEntry(
	ctx context.Context, in LoginInput, result LoginResult, members []store.Member,
) (*entry, error) {
	if in.Enter == nil || result.Step.Kind != StepEnter {
		return nil, nil
	}
	due, err := p.AgreementDue(ctx, result.Session, in.Agreement)
	if due || err != nil {
		return nil, err
	}
	i := slices.IndexFunc(members, func(m store.Member) bool { return m.ID == result.Step.AccountID })
	if i < 0 {
		return nil, nil
	}
	enter := *in.Enter
	enter.Session, enter.AccountID, enter.Place, enter.by = result.Session, members[i].ID, in.Place, p.callerTag(ctx)
	entry, err := p.newEntry(ctx, enter, members[i])
	if isRefused(err) {
		return nil, nil
	}
	return &entry, err
}

// freshLogin returns the session for a person whose proof was accepted. addSession gives it its id and its cookie.
func (p *Portal) freshLogin(ctx context.Context, in LoginInput, c Subject) LoginResult {
	browser := in.Browser
	browser.Device = browser.deviceOrNew()
	result := LoginResult{Device: browser.Device, Identifier: in.Phone + in.Login}
	result.Session = p.newSession(ctx, browser)
	result.Session.PhoneID, result.Session.AccountID = c.phone.ID, c.member.ID
	result.Session.Provider = string(c.provider)
	return result
}

// begin signs the browser in: the session it held before ends.
func (p *Portal) begin(
	ctx context.Context, tx *store.DB, place Place, c Subject, how string, result *LoginResult,
) error {
	ctx = p.withSession(ctx)
	if err := p.endOldSession(ctx, tx, place.Host); err != nil {
		return err
	}
	b := new(store.Batch)
	if err := p.addSession(ctx, tx, b, c, result); err != nil {
		return err
	}
	if err := tx.Run(ctx, b); err != nil {
		return err
	}
	return p.event(ctx, tx, "sign_in", c.who(), how)
}

// addSession adds the new session to a batch, under a new cookie, and notes that the browser is known to the person.
func (p *Portal) addSession(
	ctx context.Context, tx *store.DB, b *store.Batch, c Subject, result *LoginResult,
) error {
	if err := p.addLogin(ctx, tx, b, result); err != nil {
		return err
	}
	now := result.Session.CreatedAt
	b.KnowDevice(result.Device, c.key, now, store.At(now.Time().Add(-DeviceNotedFor)))
	return nil
}

// addLogin adds the new session to a batch, under a new cookie.
func (p *Portal) addLogin(ctx context.Context, tx *store.DB, b *store.Batch, result *LoginResult) (err error) {
	if result.Token, err = p.newCookie(ctx); err != nil {
		return err
	}
	result.Session.ID = hashed(result.Token)
	_, err = p.commitSession(ctx, tx, b, store.BrowserSession{Session: result.Session})
	return err
}

// provenMembers are the accounts that a sign-in opens: all of a phone, or the one of a name. A sign-in by WeChat may link
// the identity in its transaction, so its accounts count as bound to WeChat already.
func (p *Portal) provenMembers(ctx context.Context, c Subject) ([]store.Member, error) {
	members := []store.Member{c.member}
	if c.member.ID == 0 {
		var err error
		if members, err = p.db.MembersByPhone(ctx, c.phone.ID); err != nil {
			return nil, err
		}
	}
	for i := range members {
		members[i].WeChatBound = members[i].WeChatBound || c.provider == WeChat
	}
	return p.enteredBy(string(c.provider), members...), nil
}

// enteredBy marks the accounts that a sign-in enters with how the sign-in began, see markEntry.
func (p *Portal) enteredBy(provider string, members ...store.Member) []store.Member {
	for i := range members {
		p.markEntry(&members[i], provider)
	}
	return members
}

// markEntry marks an account with how the sign-in that would enter it began. provider is the chat app whose identity
// began it, "" for a sign-in by password or code. BlockedBy then refuses the account where its company has turned chat
// apps off, and a back office that is closed to WeChat.
func (p *Portal) markEntry(m *store.Member, provider string) {
	m.ByChat = provider != ""
	m.ManagerClosed = p.ManagerClosedTo(ProviderName(provider))
}

// ManagerClosedTo says whether sign-ins that an identity of a provider began enter no back office. WeCom is another app
// than WeChat and is never closed.
func (p *Portal) ManagerClosedTo(provider ProviderName) bool {
	return provider == WeChat && p.providers.ManagerClosed
}

// refuseMembers refuses when there is no account, none in the host's company, or none that can be entered.
func (p *Portal) refuseMembers(members []store.Member, place Place, lighting bool) error {
	if len(members) == 0 {
		return &Refused{Refusal: PhoneNotBound, Contacts: p.Support(place)}
	}
	members = p.inPlace(members, place.CompanyID())
	if len(members) == 0 {
		return &Refused{Refusal: NotInCompany, Contacts: p.Support(place)}
	}
	best := -1
	var first store.Member
	for _, m := range members {
		rank := slices.Index(blockingOrder, BlockedBy(m, lighting, p.now()))
		if rank < 0 {
			return nil
		}
		if best < 0 || rank < best {
			best, first = rank, m
		}
	}
	return p.blocked(first, blockingOrder[best])
}

// blocked is the refusal of a blocked account with its company and who can help.
func (p *Portal) blocked(m store.Member, r Refusal) error {
	return &Refused{Refusal: r, Company: &m.Company, Contacts: p.contactsFor(r, m.Company)}
}

// inPlace keeps the accounts of the host's company, all where the host has none.
func (p *Portal) inPlace(members []store.Member, companyID int64) []store.Member {
	if companyID == 0 {
		return members
	}
	var own []store.Member
	for _, m := range members {
		if m.CompanyID == companyID {
			own = append(own, m)
		}
	}
	return own
}
