package signin

import (
	"context"
	"errors"
	"slices"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// clientSignIn is a sign-in of a program. It makes a ticket, with which the program chooses an account, and also a
// token when only one account can be entered.
type clientSignIn struct {
	signin *Signin
	SignIn
	in ClientLoginInput

	members       []store.Member // the accounts in the program's list
	offers        []AccountView
	step          Step
	ticket, token string
	fresh         access.Session // a new session for the ticket
	session       access.Session // the stored session: of the token if there is one, else of the ticket
}

// SignInClient signs a proven subject in to a program.
func (s *Signin) SignInClient(ctx context.Context, in ClientLoginInput, proven SignIn) (ClientLogin, error) {
	proven.place, proven.lighting = PlaceOfCompany(in.CompanyID), in.Lighting
	c := clientSignIn{signin: s, SignIn: proven, in: in}
	if err := s.signIn(ctx, proven, &c); err != nil {
		return ClientLogin{}, err
	}
	return c.result(ctx)
}

func (c *clientSignIn) prepare(ctx context.Context, members []store.Member) (refusal, err error) {
	s := c.signin
	in := c.in
	subject := c.Subject
	if in.AccountID != 0 {
		if members, refusal = s.NamedAccount(ctx, subject, members, in); refusal != nil {
			return refusal, nil
		}
	} else if c.offers, err = s.accounts.OfferViews(ctx, subject.Person.ID, in.CompanyID); err != nil {
		return nil, err
	}
	c.members, c.step = members, s.accounts.FirstStep(store.Person{}, members, in.Lighting)
	if refusal = refuseTarget(members, c.step, in.Target); refusal != nil {
		return refusal, nil
	}
	c.ticket, c.token = access.RandomToken(32), access.RandomToken(32)
	c.fresh = s.core.Sessions.NewClientSession(ctx, in.Client, c.ticket)
	c.fresh.PersonID, c.fresh.AccountID = subject.Person.ID, subject.Member.ID
	c.fresh.CompanyID, c.fresh.Lighting = in.CompanyID, in.Lighting
	c.fresh.Provider = string(subject.Provider)
	return nil, nil
}

func (c *clientSignIn) add(ctx context.Context, tx *store.DB, b *store.Batch) (err error) {
	s := c.signin
	if c.session, err = s.sessionOfTicket(ctx, tx, c.in.Ticket, c.fresh); err != nil {
		return err
	}
	b.AddSession(s.core.Sessions.AsTicket(c.session))
	if c.step.Kind == StepEnter {
		c.session.ID, c.session.ActingID = access.Hashed(c.token), c.step.AccountID
		b.AddSession(c.session)
	}
	return nil
}

func (c *clientSignIn) audited() (who store.Member, how string) {
	return c.Subject.Who(), c.How + ", " + string(c.in.Client)
}

// result returns what the program gets: the lists of accounts and offers, the ticket and, with a single account, the
// user with a token.
func (c *clientSignIn) result(ctx context.Context) (ClientLogin, error) {
	s := c.signin
	result := ClientLogin{Phone: c.Subject.Phone(), Ticket: c.ticket}
	for _, m := range c.members {
		result.add(s.accounts.View(m, c.lighting, c.Subject.Person))
		if m.ID != c.session.ActingID {
			continue
		}
		user := s.accounts.UserOf(m)
		user.Token = access.Text(c.token)
		if c.in.Target != "" {
			var err error
			if user.AuthCode, err = s.AuthCodeFor(ctx, c.session, m, c.in.Target); err != nil {
				return ClientLogin{}, err
			}
		}
		result.User = &user
	}
	for _, offer := range c.offers {
		result.add(offer)
	}
	return result, nil
}

// add adds an account to the list of its side.
func (l *ClientLogin) add(account AccountView) {
	if account.Side == store.Mgr {
		l.Mgr = append(l.Mgr, account)
	} else {
		l.Shop = append(l.Shop, account)
	}
}

// RefuseUnknownTarget refuses an unknown side under "target". "" asks for no side and passes.
func RefuseUnknownTarget(target store.Slot) error {
	if target != "" && !slices.Contains(access.Slots, target) {
		return access.Invalid(access.Fields{"target": access.TargetUnknown})
	}
	return nil
}

// refuseTarget refuses with WrongParameters a side that the account of step cannot enter. It passes when no side was
// asked for and when the person still has to choose an account.
func refuseTarget(members []store.Member, step Step, target store.Slot) error {
	i := slices.IndexFunc(members, func(m store.Member) bool { return m.ID == step.AccountID })
	if target == "" || i < 0 {
		return nil
	}
	_, err := ChosenSlot(members[i], access.EnterInput{Slot: target})
	return err
}

// AuthCodeFor makes a one-time code with which an account enters a side. session is the session of the program that has
// signed in to the account.
func (s *Signin) AuthCodeFor(
	ctx context.Context, session access.Session, m store.Member, target store.Slot,
) (access.Text, error) {
	to, err := s.entry.EnterAsClient(ctx, session, m.ID, target)
	return access.Text(to.Code), err
}

// NamedAccount returns the one of members that in.AccountID names. It refuses with NotFound an account of another
// person, with Offered an offer to the person, and a blocked account with the reason.
func (s *Signin) NamedAccount(
	ctx context.Context, c access.Subject, members []store.Member, in ClientLoginInput,
) ([]store.Member, error) {
	for _, m := range members {
		if m.ID != in.AccountID {
			continue
		}
		if reason := access.BlockedBy(m, in.Lighting, s.core.Now()); reason != "" {
			return nil, s.core.Access.Blocked(ctx, s.core.DB, m, reason)
		}
		return []store.Member{m}, nil
	}
	of := access.Session{PersonID: c.Person.ID, CompanyID: in.CompanyID}
	return nil, s.accounts.RefuseNotOwn(ctx, of, in.AccountID)
}

// sessionOfTicket returns the session that a sign-in with a ticket makes. The first use of a ticket begins a sign-in; a
// later use, to choose an account, is part of the same sign-in: it has the same age and ends with it. It refuses with
// WeChatExpired once that sign-in has ended. ticket is "" for any other sign-in, whose session stays as it is.
func (s *Signin) sessionOfTicket(
	ctx context.Context, tx *store.DB, ticket string, fresh access.Session,
) (access.Session, error) {
	if ticket == "" {
		return fresh, nil
	}
	now := s.core.Now()
	family, err := tx.Tickets.Use(ctx, s.core.Sealing.Tag("used ticket", ticket), fresh.Family,
		store.At(now.Add(IdentityTicketLife)))
	if err != nil || family == fresh.Family {
		return fresh, err
	}
	first, err := tx.Sessions.SignInOfFamily(ctx, family, store.At(now))
	if err == nil {
		err = tx.Sessions.Lock(ctx, first.ID) // it may end at the same time
	}
	isOther := first.PersonID != fresh.PersonID || first.AccountID != fresh.AccountID
	if errors.Is(err, store.ErrNotFound) || err == nil && isOther {
		err = &access.Refused{Refusal: access.WeChatExpired}
	}
	fresh.Family, fresh.CreatedAt = family, first.CreatedAt
	fresh.EndsAt = store.At(first.CreatedAt.Time().Add(core.TokenLife))
	return fresh, err
}

// IdentityTicketLife is how long the ticket of an identity is valid: the time that a person has, after a chat app has
// confirmed who they are, to prove which account is theirs.
const IdentityTicketLife = 10 * time.Minute

// Acting says for which account a program gets a token.
type Acting struct {
	Client access.Client
	Member store.Member
	From   access.Session // that asks for the token, zero for none: the token keeps the chat app that began it
	How    string         // what proved the person
	Again  bool           // the proof was used before: the token then works for the company of the account alone
}

// ActAs gives a program a token for one account of a person, within the caller's transaction, and records the sign-in
// in the audit log.
func (s *Signin) ActAs(ctx context.Context, tx *store.DB, in Acting) (access.User, error) {
	token := access.RandomToken(32)
	session := s.core.Sessions.NewClientSession(ctx, in.Client, token)
	session.PersonID = in.Member.PersonID
	session.ActingID = in.Member.ID
	session.Provider = in.From.Provider
	if in.Again {
		session.CompanyID = in.Member.CompanyID
	}
	if err := tx.Sessions.Add(ctx, session); err != nil {
		return access.User{}, err
	}
	user := s.accounts.UserOf(in.Member)
	user.Token = access.Text(token)
	return user, s.core.Access.Event(ctx, tx, "sign_in", in.Member, in.How+", "+string(in.Client))
}
