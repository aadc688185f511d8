package portal

import (
	"cmp"
	"context"
	"errors"

	"portico/store"
)

// TicketLoginInput signs a program in by an identity that a provider gave to it.
type TicketLoginInput struct {
	Ticket    string `json:"ticket_"`
	CompanyID int64  `json:"company_id_"`
	AccountID int64  `json:"account_id_"`

	Target store.Slot `json:"target_"` // see MixedLoginInput

	Client   Client
	Lighting bool
	Site     int64
}

// LoginByTicket signs in the person whom an identity is linked to, as MixedLogin does, within the company for which the
// identity was authorised. A ticket makes one sign-in: see sessionOfTicket. It refuses what openTicket refuses, with
// AccountNotFound an identity that signs nobody in, with UnderReview one that has applied to the company, with
// WrongParameters another company, and what blocks a sign-in.
func (p *Portal) LoginByTicket(ctx context.Context, in TicketLoginInput) (MixedLogin, error) {
	if err := refuseUnknownTarget(in.Target); err != nil {
		return MixedLogin{}, err
	}
	in.CompanyID = cmp.Or(in.CompanyID, in.Site)
	if in.Site != 0 && in.CompanyID != in.Site {
		return MixedLogin{}, &Refused{Refusal: WrongParameters}
	}
	who, err := p.openTicket(ctx, in.Ticket, holder{Client: in.Client})
	if err == nil {
		in.CompanyID, err = who.within(in.CompanyID)
	}
	if err != nil {
		return MixedLogin{}, err
	}
	c, row, found, err := p.linked(ctx, who)
	if err == nil && !found {
		err = p.refuseUnlinked(ctx, who)
	}
	if err != nil {
		return MixedLogin{}, err
	}
	try := MixedLoginInput{
		CompanyID: in.CompanyID, AccountID: in.AccountID, Client: in.Client, Lighting: in.Lighting, ticket: in.Ticket,
		Target: in.Target,
	}
	return p.signInClientBy(ctx, try, who, c, row)
}

// refuseUnlinked returns the refusal of an identity that signs nobody in: UnderReview with its application to the
// company where it was authorised, else AccountNotFound.
func (p *Portal) refuseUnlinked(ctx context.Context, who known) error {
	id, err := p.appliedBy(ctx, who)
	if err != nil {
		return err
	}
	if id == 0 {
		return &Refused{Refusal: AccountNotFound}
	}
	a, err := p.db.ApplicationOf(ctx, who.CompanyID, id)
	if err != nil {
		return err
	}
	a.RejectReason = "" // shown only to a person who has proven the phone
	refused, err := p.appliedRefusal(ctx, a)
	if err != nil {
		return err
	}
	return refused
}

// within keeps an identity in the company for which it was authorised: its people may see what comes back there, and
// it must not open any other. WrongParameters for another.
func (k known) within(companyID int64) (int64, error) {
	companyID = cmp.Or(companyID, k.CompanyID)
	if k.CompanyID != 0 && companyID != k.CompanyID {
		return 0, &Refused{Refusal: WrongParameters}
	}
	return companyID, nil
}

func (p *Portal) signInClientBy(
	ctx context.Context, in MixedLoginInput, who known, c Subject, row store.Identity,
) (result MixedLogin, err error) {
	defer func() { p.countSignIn(string(who.Provider), err) }()
	c.provider = who.Provider
	return p.signInClient(ctx, in, signIn{
		subject: c, how: string(who.Provider), settle: p.notingIdentity(ctx, who, c, row),
	})
}

// BindByTicketInput links an identity to an account by its password, in one call: the program shows what it is about
// to do.
type BindByTicketInput struct {
	Ticket    string `json:"ticket_"`
	Login     string `json:"login_"`
	Password  string `json:"password_"`
	AccountID int64  `json:"account_id_"`
	Question  string `json:"question_"`
	Answer    string `json:"answer_"`

	Target store.Slot `json:"target_"` // see MixedLoginInput

	Client   Client
	Lighting bool
	Site     int64
	Lang     string // of the message to the phone
}

// BindByTicket proves an account as MixedLogin does, links the identity to it and signs in, in the company of the
// identity's authorisation as LoginByTicket. What ConfirmLink and MixedLogin refuse: nothing is linked then.
func (p *Portal) BindByTicket(ctx context.Context, in BindByTicketInput) (result MixedLogin, err error) {
	if err := refuseUnknownTarget(in.Target); err != nil {
		return MixedLogin{}, err
	}
	who, err := p.openTicket(ctx, in.Ticket, holder{Client: in.Client})
	if err != nil {
		return MixedLogin{}, err
	}
	defer func() { p.countSignIn(string(who.Provider), err) }()
	companyID, err := who.within(in.Site)
	if err != nil {
		return MixedLogin{}, err
	}
	mixed := MixedLoginInput{
		Login: in.Login, Password: in.Password, AccountID: in.AccountID, CompanyID: companyID, Question: in.Question, Answer: in.Answer, Client: in.Client, Lighting: in.Lighting,
		ticket: in.Ticket, Target: in.Target,
	}
	guard, err := p.proveMixed(ctx, mixed)
	if err == nil {
		err = guard.SettleSignIn(ctx)
	}
	if err != nil {
		return MixedLogin{}, err
	}
	c, err := p.asStored(ctx, guard.subject, in.Password)
	c.provider = who.Provider
	if err == nil {
		err = p.mayBind(ctx, who, c, in.AccountID, placeOfCompany(companyID), in.Lighting)
	}
	if err != nil {
		return MixedLogin{}, err
	}
	fresh := false
	linking := func(tx *store.DB, _ *store.Batch) (err error) {
		fresh, err = p.link(ctx, tx, who, c)
		return err
	}
	result, err = p.signInClient(ctx, mixed, signIn{subject: c, how: string(who.Provider), settle: linking})
	if err == nil && fresh {
		p.notifyOwner(ctx, c, linkedNotice(who, in.Lang))
	}
	return result, err
}

// mayBind refuses a link after which nothing could be entered here.
func (p *Portal) mayBind(ctx context.Context, who known, c Subject, accountID int64, place Place, lighting bool) error {
	members, err := p.linkable(ctx, who, c, place, lighting)
	if err != nil || accountID == 0 {
		return err
	}
	named := MixedLoginInput{AccountID: accountID, CompanyID: place.CompanyID(), Lighting: lighting}
	all, err := p.provenMembers(ctx, c)
	if err != nil {
		return err
	}
	if _, err = p.only(ctx, c, p.inPlace(all, named.CompanyID), named); err != nil {
		return err
	}
	_, err = p.only(ctx, c, p.inPlace(members, named.CompanyID), named)
	return err
}

// LoginAsInput chooses one of the accounts that a program has signed in to. Target is as in MixedLoginInput.
type LoginAsInput struct {
	AccountID int64      `json:"account_id_"`
	Target    store.Slot `json:"target_"`

	Client Client
}

// LoginAs chooses one of the accounts that a program has signed in to, and returns its user with a token of its own.
// The token is part of that sign-in: it is as old and ends with it. It refuses with NotFound any other account, with
// LoginRequired a session that an auth code was redeemed for, with its reason a blocked account, and what MixedLogin
// refuses of a Target.
func (p *Portal) LoginAs(ctx context.Context, s Session, in LoginAsInput) (User, error) {
	accountID, client := in.AccountID, in.Client
	if accountID == 0 {
		return User{}, invalid(Fields{"account_id": ChoiceRequired})
	}
	if s.Purpose == store.PurposeCode {
		return User{}, LoginRequired
	}
	m, err := p.ownMember(ctx, s, accountID)
	if err != nil {
		return User{}, err
	}
	if reason := BlockedBy(m, s.Lighting, p.now()); reason != "" {
		return User{}, p.blocked(m, reason)
	}
	if in.Target != "" {
		if _, err := chosenSlot(m, EnterInput{Slot: in.Target}); err != nil {
			return User{}, err
		}
	}
	token := randomToken(32)
	made := p.newClientSession(ctx, client, token)
	made.PhoneID, made.AccountID, made.CompanyID, made.Lighting, made.ActingID, made.Family = s.PhoneID, s.AccountID, s.CompanyID, s.Lighting, m.ID, s.Family
	made.Provider = s.Provider
	made.Device, made.CreatedAt, made.EndsAt = s.Device, s.CreatedAt, store.At(s.CreatedAt.Time().Add(TokenLife))
	made.IdleUntil = min(made.IdleUntil, made.EndsAt)
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		if _, err := tx.SessionByID(ctx, s.ID, store.At(p.now())); err != nil {
			return err
		}
		if err := tx.AddSession(ctx, made); err != nil {
			return err
		}
		return p.event(ctx, tx, "sign_in", m, "chosen, "+string(client))
	})
	if errors.Is(err, store.ErrNotFound) { // signed out meanwhile
		err = LoginRequired
	}
	if err != nil {
		return User{}, err
	}
	user := p.userOf(m)
	user.Token = Text(token)
	if in.Target != "" {
		user.AuthCode, err = p.authCodeFor(ctx, made, m, in.Target)
	}
	return user, err
}
