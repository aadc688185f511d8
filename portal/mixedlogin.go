package portal

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"portico/store"
)

// MixedLoginInput is one try of an API client to sign in: Login is a phone number or an account name.
// CompanyID keeps the accounts of one company, AccountID one account; 0 for all. Target asks for a one-time code for that
// side, which User then carries; "" for none.
type MixedLoginInput struct {
	Login     string `json:"login_"`
	Password  string `json:"password_"`
	CompanyID int64  `json:"company_id_"`
	AccountID int64  `json:"account_id_"`
	Question  string `json:"question_"` // the token of a question that was asked
	Answer    string `json:"answer_"`
	Proof     string `json:"proof_"` // the token of a proof of work that was set
	Work      string `json:"work_"`  // the number that proves it

	Target store.Slot `json:"target_"`

	Client   Client
	Lighting bool
	Site     int64 // the company whose site the caller says it is on, 0 for none

	ticket string // of the identity that signs in; a ticket makes one sign-in; "" for none
}

// MixedLogin is a sign-in through the API: the person's accounts, blocked ones with their reason, the offers to the
// person (Blocked is Offered), and a ticket to choose with. User is set, with its token, when a single account can be
// entered.
type MixedLogin struct {
	Phone  string // 11 digits, "" where none is bound
	Mgr    []AccountView
	Shop   []AccountView
	Ticket string
	User   *User
}

// MixedLogin signs in by phone or account name, whichever Login is, and refuses as Login does. An AccountID
// that is not among the accounts is NotFound, an offer is Offered; a company other than the site's is WrongParameters.
// It refuses an unknown Target under "target", and with WrongParameters one that the only account cannot enter.
func (p *Portal) MixedLogin(ctx context.Context, in MixedLoginInput) (result MixedLogin, err error) {
	defer func() { p.countSignIn(byPassword, err) }()
	if err := refuseUnknownTarget(in.Target); err != nil {
		return MixedLogin{}, err
	}
	in.CompanyID = cmp.Or(in.CompanyID, in.Site)
	if in.Site != 0 && in.CompanyID != in.Site {
		return MixedLogin{}, &Refused{Refusal: WrongParameters}
	}
	place, guard, err := p.proveMixed(ctx, in)
	if err != nil {
		return MixedLogin{}, err
	}
	result, err = p.signInClient(ctx, in, place, guard.subject, "password", guard.RightPassword(ctx))
	return result, guard.Explain(ctx, err)
}

// placeOfCompany is where a program is that names a company, 0 for none: one that does not exist has no accounts.
func placeOfCompany(companyID int64) Place {
	if companyID == 0 {
		return Place{}
	}
	return Place{Company: &store.Company{ID: companyID}}
}

// proveMixed compares the password with everyone whose phone or account name it could be.
func (p *Portal) proveMixed(ctx context.Context, in MixedLoginInput) (Place, *Guard, error) {
	try := LoginInput{
		ByName: true, Login: in.Login, Password: in.Password, AccountID: in.AccountID,
		Question: in.Question, Answer: in.Answer, Proof: in.Proof, Work: in.Work,
		Browser: Browser{Place: placeOfCompany(in.CompanyID), Lighting: in.Lighting},
	}
	byPhone, err := p.isPhone(ctx, in)
	if err != nil {
		return Place{}, nil, err
	}
	if byPhone {
		try.ByName, try.Phone = false, in.Login
	}
	if err := try.Validate(); err != nil {
		return Place{}, nil, err
	}
	found, err := p.prove(ctx, try)
	return try.Place, found, err
}

// isPhone says whether what was typed is a phone number. One that nobody registered may still be somebody's
// account name, as may one that comes with the id of such an account.
func (p *Portal) isPhone(ctx context.Context, in MixedLoginInput) (bool, error) {
	number, ok := NormalPhone(in.Login)
	if !ok {
		return false, nil
	}
	_, err := p.db.PhoneByNumber(ctx, number)
	registered := !errors.Is(err, store.ErrNotFound)
	if registered && (err != nil || in.AccountID == 0) {
		return true, err
	}
	named, err := p.db.MembersByLogin(ctx, in.Login)
	if err != nil || len(named) == 0 {
		return true, err
	}
	for _, m := range named {
		if m.ID == in.AccountID {
			return false, nil
		}
	}
	return registered, nil
}

// signInClient makes the ticket, and the token where a single account remains, once the person was proven; settle is as in signIn.
func (p *Portal) signInClient(
	ctx context.Context, in MixedLoginInput, place Place, c Subject, how string, settle settler,
) (MixedLogin, error) {
	members, err := p.provenMembers(ctx, c)
	if err != nil {
		return MixedLogin{}, err
	}
	refusal, err := p.refuseSignIn(ctx, c, members, place, in.Lighting)
	if err != nil {
		return MixedLogin{}, err
	}
	offers, err := p.offerViews(ctx, c.phone.ID, in.CompanyID)
	if err != nil {
		return MixedLogin{}, err
	}
	members = p.inPlace(members, in.CompanyID)
	if in.AccountID != 0 && refusal == nil {
		members, refusal = p.only(ctx, c, members, in)
		offers = nil
	}
	step := p.firstStep(store.Phone{}, members, in.Lighting)
	if refusal == nil {
		refusal = refuseTarget(members, step, in.Target)
	}
	ticket, token := randomToken(32), randomToken(32)
	s := p.newClientSession(ctx, in.Client, ticket)
	s.PhoneID, s.AccountID, s.CompanyID, s.Lighting = c.phone.ID, c.member.ID, in.CompanyID, in.Lighting
	s.Provider = string(c.provider)
	result := MixedLogin{Phone: c.phone.Phone + c.member.Phone, Ticket: ticket}
	fresh := s
	how += ", " + string(in.Client)
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		b := new(store.Batch)
		err := settle(tx, b)
		if err != nil {
			return err
		}
		if refusal != nil {
			return tx.Run(ctx, b)
		}
		if s, err = p.sessionOfTicket(ctx, tx, in.ticket, fresh); err != nil {
			return err
		}
		b.AddSession(p.asTicket(s))
		if step.Kind == StepEnter {
			s.ID, s.ActingID = hashed(token), step.AccountID
			b.AddSession(s)
		}
		b.AddAuditEvent(p.auditEvent(ctx, "sign_in", c.who(), how))
		return tx.Run(ctx, b)
	})
	if err == nil {
		err = refusal
	}
	if err != nil {
		return MixedLogin{}, err
	}
	p.logAudit(ctx, "sign_in", c.who(), how)
	for _, m := range members {
		view := p.view(m, in.Lighting, c.phone)
		if m.ID == s.ActingID {
			user := p.userOf(m)
			user.Token = Text(token)
			if result.User = &user; in.Target != "" {
				if user.AuthCode, err = p.authCodeFor(ctx, s, m, in.Target); err != nil {
					return MixedLogin{}, err
				}
			}
		}
		if m.Side == store.Mgr {
			result.Mgr = append(result.Mgr, view)
		} else {
			result.Shop = append(result.Shop, view)
		}
	}
	for _, offer := range offers {
		if offer.Side == store.Mgr {
			result.Mgr = append(result.Mgr, offer)
		} else {
			result.Shop = append(result.Shop, offer)
		}
	}
	return result, nil
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
