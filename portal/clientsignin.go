package portal

import (
	"context"
	"errors"
	"slices"
	"time"

	"portico/store"
)

// clientSignIn is a sign-in that leads to tokens of a program: a ticket to choose an account with, and a token where a
// single account remains.
type clientSignIn struct {
	portal *Portal
	signIn
	in MixedLoginInput

	members       []store.Member // the accounts that the program gets to see
	offers        []AccountView
	step          Step
	ticket, token string
	fresh         Session // of the ticket, unless the ticket of an identity has begun a sign-in before
	session       Session // of the token where a single account remains, else of the ticket
}

// signInClient signs a proven subject in to a program.
func (p *Portal) signInClient(ctx context.Context, in MixedLoginInput, proven signIn) (MixedLogin, error) {
	proven.place, proven.lighting = placeOfCompany(in.CompanyID), in.Lighting
	proven.how += ", " + string(in.Client)
	c := clientSignIn{portal: p, signIn: proven, in: in}
	if err := p.signIn(ctx, proven, &c); err != nil {
		return MixedLogin{}, err
	}
	return c.result(ctx)
}

func (c *clientSignIn) prepare(ctx context.Context, members []store.Member) (refusal, err error) {
	p, in, subject := c.portal, c.in, c.subject
	if in.AccountID != 0 {
		if members, refusal = p.only(ctx, subject, members, in); refusal != nil {
			return refusal, nil
		}
	} else if c.offers, err = p.offerViews(ctx, subject.phone.ID, in.CompanyID); err != nil {
		return nil, err
	}
	c.members, c.step = members, p.firstStep(store.Phone{}, members, in.Lighting)
	if refusal = refuseTarget(members, c.step, in.Target); refusal != nil {
		return refusal, nil
	}
	c.ticket, c.token = randomToken(32), randomToken(32)
	c.fresh = p.newClientSession(ctx, in.Client, c.ticket)
	c.fresh.PhoneID, c.fresh.AccountID = subject.phone.ID, subject.member.ID
	c.fresh.CompanyID, c.fresh.Lighting = in.CompanyID, in.Lighting
	c.fresh.Provider = string(subject.provider)
	return nil, nil
}

func (c *clientSignIn) add(ctx context.Context, tx *store.DB, b *store.Batch) (err error) {
	p := c.portal
	if c.session, err = p.sessionOfTicket(ctx, tx, c.in.ticket, c.fresh); err != nil {
		return err
	}
	b.AddSession(p.asTicket(c.session))
	if c.step.Kind == StepEnter {
		c.session.ID, c.session.ActingID = hashed(c.token), c.step.AccountID
		b.AddSession(c.session)
	}
	return nil
}

func (c *clientSignIn) audited() (who store.Member, how string) { return c.subject.who(), c.how }

// result returns what the program learns of the sign-in.
func (c *clientSignIn) result(ctx context.Context) (MixedLogin, error) {
	p := c.portal
	result := MixedLogin{Phone: c.subject.phone.Phone + c.subject.member.Phone, Ticket: c.ticket}
	for _, m := range c.members {
		result.add(p.view(m, c.lighting, c.subject.phone))
		if m.ID != c.session.ActingID {
			continue
		}
		user := p.userOf(m)
		user.Token = Text(c.token)
		if c.in.Target != "" {
			var err error
			if user.AuthCode, err = p.authCodeFor(ctx, c.session, m, c.in.Target); err != nil {
				return MixedLogin{}, err
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
func (l *MixedLogin) add(account AccountView) {
	if account.Side == store.Mgr {
		l.Mgr = append(l.Mgr, account)
	} else {
		l.Shop = append(l.Shop, account)
	}
}

// refuseUnknownTarget refuses an unknown side under "target"; "" is none.
func refuseUnknownTarget(target store.Slot) error {
	if target != "" && !slices.Contains(Slots, target) {
		return invalid(Fields{"target": TargetUnknown})
	}
	return nil
}

// refuseTarget refuses with WrongParameters a side that the account which a sign-in enters does not have.
func refuseTarget(members []store.Member, step Step, target store.Slot) error {
	i := slices.IndexFunc(members, func(m store.Member) bool { return m.ID == step.AccountID })
	if target == "" || i < 0 {
		return nil
	}
	_, err := chosenSlot(members[i], EnterInput{Slot: target})
	return err
}

// authCodeFor makes a one-time code with which an account enters a side, for the program that has just signed in to it.
func (p *Portal) authCodeFor(ctx context.Context, s Session, m store.Member, target store.Slot) (Text, error) {
	to, err := p.EnterAsClient(ctx, s, m.ID, target)
	return Text(to.Code), err
}

// only keeps the account that a sign-in names. It refuses with NotFound a missing account, with Offered an offer to the
// person, and with its reason a blocked account.
func (p *Portal) only(
	ctx context.Context, c Subject, members []store.Member, in MixedLoginInput,
) ([]store.Member, error) {
	for _, m := range members {
		if m.ID != in.AccountID {
			continue
		}
		if reason := BlockedBy(m, in.Lighting, p.now()); reason != "" {
			return nil, p.blocked(m, reason)
		}
		return []store.Member{m}, nil
	}
	return nil, p.refuseNotOwn(ctx, Session{PhoneID: c.phone.ID, CompanyID: in.CompanyID}, in.AccountID)
}

// sessionOfTicket returns the session that a sign-in with a ticket makes. The first use of a ticket begins a sign-in; a
// later use, to choose an account, is part of the same sign-in: it has the same age and ends with it. It refuses with
// WeChatExpired once that sign-in has ended. ticket is "" for any other sign-in, whose session stays as it is.
func (p *Portal) sessionOfTicket(ctx context.Context, tx *store.DB, ticket string, fresh Session) (Session, error) {
	if ticket == "" {
		return fresh, nil
	}
	now := p.now()
	family, err := tx.UseTicket(ctx, p.tag("used ticket", ticket), fresh.Family, store.At(now.Add(IdentityTicketLife)))
	if err != nil || family == fresh.Family {
		return fresh, err
	}
	first, err := tx.SignInOfFamily(ctx, family, store.At(now))
	if err == nil {
		err = tx.LockSession(ctx, first.ID) // it may end at the same time
	}
	isOther := first.PhoneID != fresh.PhoneID || first.AccountID != fresh.AccountID
	if errors.Is(err, store.ErrNotFound) || err == nil && isOther {
		err = &Refused{Refusal: WeChatExpired}
	}
	fresh.Family, fresh.CreatedAt = family, first.CreatedAt
	fresh.EndsAt = store.At(first.CreatedAt.Time().Add(TokenLife))
	return fresh, err
}

// IdentityTicketLife is how long somebody may take to say who they are here, once a provider has said who they are
// there.
const IdentityTicketLife = 10 * time.Minute

// actAs gives an API client a token of a person, to act as one of their accounts; again, for a proof that was used
// before, one of that company alone. from is the session that asks for it, zero for none: a sign-in that a chat app
// began stays one.
func (p *Portal) actAs(
	ctx context.Context, tx *store.DB, client Client, m store.Member, from Session, how string, again bool,
) (User, error) {
	token := randomToken(32)
	s := p.newClientSession(ctx, client, token)
	s.PhoneID, s.ActingID, s.Provider = m.PhoneID, m.ID, from.Provider
	if again {
		s.CompanyID = m.CompanyID
	}
	if err := tx.AddSession(ctx, s); err != nil {
		return User{}, err
	}
	user := p.userOf(m)
	user.Token = Text(token)
	return user, p.event(ctx, tx, "sign_in", m, how+", "+string(client))
}
