package signin

import (
	"cmp"
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// TicketLoginInput signs a program in by an identity that a provider gave to it.
type TicketLoginInput struct {
	Ticket    string `json:"ticket_"`
	CompanyID int64  `json:"company_id_"`
	AccountID int64  `json:"account_id_"`

	Target store.Slot `json:"target_"` // see ClientLoginInput

	Client   access.Client
	Lighting bool
	Site     int64
}

// LoginByTicket signs in the person whom an identity is linked to, as ClientLogin does, within the company for which
// the identity was authorised. A ticket makes one sign-in: see sessionOfTicket. It refuses what OpenTicket refuses,
// with AccountNotFound an identity that signs nobody in, with UnderReview one that has applied to the company, with
// WrongParameters another company, and what blocks a sign-in.
func (cl *Chatlogin) LoginByTicket(ctx context.Context, in TicketLoginInput) (ClientLogin, error) {
	if err := RefuseUnknownTarget(in.Target); err != nil {
		return ClientLogin{}, err
	}
	in.CompanyID = cmp.Or(in.CompanyID, in.Site)
	if in.Site != 0 && in.CompanyID != in.Site {
		return ClientLogin{}, &access.Refused{Refusal: access.WrongParameters}
	}
	who, err := cl.OpenTicket(ctx, in.Ticket, Holder{Client: in.Client})
	if err == nil {
		in.CompanyID, err = who.within(in.CompanyID)
	}
	if err != nil {
		return ClientLogin{}, err
	}
	c, row, found, err := cl.Linked(ctx, who)
	if err == nil && !found {
		err = cl.refuseUnlinked(ctx, who)
	}
	if err != nil {
		return ClientLogin{}, err
	}
	try := ClientLoginInput{
		CompanyID: in.CompanyID, AccountID: in.AccountID, Client: in.Client, Lighting: in.Lighting, Ticket: in.Ticket,
		Target: in.Target,
	}
	return cl.signInClientBy(ctx, try, who, c, row)
}

// refuseUnlinked returns the refusal of an identity that signs nobody in: UnderReview with its application to the
// company where it was authorised, else AccountNotFound.
func (cl *Chatlogin) refuseUnlinked(ctx context.Context, who appIdentity) error {
	id, err := cl.appliedBy(ctx, who)
	if err != nil {
		return err
	}
	if id == 0 {
		return &access.Refused{Refusal: access.AccountNotFound}
	}
	a, err := cl.core.DB.Applications.OfCompany(ctx, who.CompanyID, id)
	if err != nil {
		return err
	}
	a.RejectReason = "" // shown only to a person who has proven the phone
	refused, err := cl.accounts.Applicants.Refusal(ctx, a)
	if err != nil {
		return err
	}
	return refused
}

// within keeps an identity in the company where it authorised. That company's staff may see what the authorisation
// returns, so it must not open another company. It refuses another company with WrongParameters.
func (k appIdentity) within(companyID int64) (int64, error) {
	companyID = cmp.Or(companyID, k.CompanyID)
	if k.CompanyID != 0 && companyID != k.CompanyID {
		return 0, &access.Refused{Refusal: access.WrongParameters}
	}
	return companyID, nil
}

// signInClientBy signs a program in as the person or account that an identity is linked to.
func (cl *Chatlogin) signInClientBy(
	ctx context.Context, in ClientLoginInput, who appIdentity, c access.Subject, row store.Identity,
) (result ClientLogin, err error) {
	defer func() { cl.core.Access.CountSignIn(string(who.Provider), err) }()
	c.Provider = who.Provider
	return cl.signin.SignInClient(ctx, in, SignIn{
		Subject: c, How: string(who.Provider), Settle: cl.notingIdentity(ctx, who, c, row),
	})
}

// BindByTicketInput links an identity to an account by its password in one call. The program itself asks the person to
// confirm.
type BindByTicketInput struct {
	Ticket    string `json:"ticket_"`
	Login     string `json:"login_"`
	Password  string `json:"password_"`
	AccountID int64  `json:"account_id_"`
	Question  string `json:"question_"`
	Answer    string `json:"answer_"`

	Target store.Slot `json:"target_"` // see ClientLoginInput

	Client   access.Client
	Lighting bool
	Site     int64
	Lang     string // of the message to the phone
}

// BindByTicket proves an account as ClientLogin does, links the identity to it and signs in, in the company where the
// identity authorised. It refuses what ConfirmLink and ClientLogin refuse, and links nothing then.
func (cl *Chatlogin) BindByTicket(ctx context.Context, in BindByTicketInput) (result ClientLogin, err error) {
	if err := RefuseUnknownTarget(in.Target); err != nil {
		return ClientLogin{}, err
	}
	who, err := cl.OpenTicket(ctx, in.Ticket, Holder{Client: in.Client})
	if err != nil {
		return ClientLogin{}, err
	}
	defer func() { cl.core.Access.CountSignIn(string(who.Provider), err) }()
	companyID, err := who.within(in.Site)
	if err != nil {
		return ClientLogin{}, err
	}
	mixed := ClientLoginInput{
		Login:     in.Login,
		Password:  in.Password,
		AccountID: in.AccountID,
		CompanyID: companyID,
		Question:  in.Question,
		Answer:    in.Answer,
		Client:    in.Client,
		Lighting:  in.Lighting,
		Ticket:    in.Ticket,
		Target:    in.Target,
	}
	guard, err := cl.signin.ProveClientLogin(ctx, mixed)
	if err == nil {
		err = guard.SettleSignIn(ctx)
	}
	if err != nil {
		return ClientLogin{}, err
	}
	c, err := cl.asStored(ctx, guard.Subject, in.Password)
	c.Provider = who.Provider
	if err == nil {
		err = cl.mayBind(ctx, who, c, in.AccountID, PlaceOfCompany(companyID), in.Lighting)
	}
	if err != nil {
		return ClientLogin{}, err
	}
	fresh := false
	linking := func(tx *store.DB, _ *store.Batch) (err error) {
		fresh, err = cl.Link(ctx, tx, who, c)
		return err
	}
	result, err = cl.signin.SignInClient(
		ctx, mixed, SignIn{Subject: c, How: string(who.Provider), Settle: linking},
	)
	if err == nil && fresh {
		cl.core.Verification.NotifyOwner(ctx, c, linkedNotice(who, in.Lang))
	}
	return result, err
}

// mayBind refuses a link that would sign in to no account here.
func (cl *Chatlogin) mayBind(
	ctx context.Context, who appIdentity, c access.Subject, accountID int64, place access.Place, lighting bool,
) error {
	members, err := cl.linkable(ctx, who, c, place, lighting)
	if err != nil || accountID == 0 {
		return err
	}
	named := ClientLoginInput{AccountID: accountID, CompanyID: place.CompanyID(), Lighting: lighting}
	all, err := cl.signin.ProvenMembers(ctx, c)
	if err != nil {
		return err
	}
	if _, err = cl.signin.NamedAccount(ctx, c, cl.core.Access.InPlace(all, named.CompanyID), named); err != nil {
		return err
	}
	_, err = cl.signin.NamedAccount(ctx, c, cl.core.Access.InPlace(members, named.CompanyID), named)
	return err
}

// LoginAsInput chooses one of the accounts that a program has signed in to. Target is as in ClientLoginInput.
type LoginAsInput struct {
	AccountID int64      `json:"account_id_"`
	Target    store.Slot `json:"target_"`

	Client access.Client
}

// LoginAs chooses one of the accounts that a program has signed in to, and returns its user with a token of its own.
// The token is part of that sign-in: it is as old and ends with it. It refuses with NotFound any other account, with
// LoginRequired a session that an auth code was redeemed for, with its reason a blocked account, and what ClientLogin
// refuses of a Target.
func (cl *Chatlogin) LoginAs(ctx context.Context, s access.Session, in LoginAsInput) (access.User, error) {
	accountID, client := in.AccountID, in.Client
	if accountID == 0 {
		return access.User{}, access.Invalid(access.Fields{"account_id": access.ChoiceRequired})
	}
	if s.Purpose == store.PurposeCode {
		return access.User{}, access.LoginRequired
	}
	m, err := cl.accounts.OwnMember(ctx, s, accountID)
	if err != nil {
		return access.User{}, err
	}
	if reason := access.BlockedBy(m, s.Lighting, cl.core.Now()); reason != "" {
		return access.User{}, cl.core.Access.Blocked(ctx, cl.core.DB, m, reason)
	}
	if in.Target != "" {
		if _, err := ChosenSlot(m, access.EnterInput{Slot: in.Target}); err != nil {
			return access.User{}, err
		}
	}
	token := access.RandomToken(32)
	made := cl.core.Sessions.NewClientSession(ctx, client, token)
	made.PersonID = s.PersonID
	made.AccountID = s.AccountID
	made.CompanyID = s.CompanyID
	made.Lighting = s.Lighting
	made.ActingID = m.ID
	made.Family = s.Family
	made.Provider = s.Provider
	made.Device, made.CreatedAt = s.Device, s.CreatedAt
	made.EndsAt = store.At(s.CreatedAt.Time().Add(core.TokenLife))
	made.IdleUntil = min(made.IdleUntil, made.EndsAt)
	err = cl.core.DB.Tx(ctx, func(tx *store.DB) error {
		if _, err := tx.Sessions.ByID(ctx, s.ID, store.At(cl.core.Now())); err != nil {
			return err
		}
		if err := tx.Sessions.Add(ctx, made); err != nil {
			return err
		}
		return cl.core.Access.Event(ctx, tx, "sign_in", m, "chosen, "+string(client))
	})
	if errors.Is(err, store.ErrNotFound) { // signed out meanwhile
		err = access.LoginRequired
	}
	if err != nil {
		return access.User{}, err
	}
	user := cl.accounts.UserOf(m)
	user.Token = access.Text(token)
	if in.Target != "" {
		user.AuthCode, err = cl.signin.AuthCodeFor(ctx, made, m, in.Target)
	}
	return user, err
}
