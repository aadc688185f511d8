package signin

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/store"
)

// StepKind says what a person does next after signing in or choosing.
type StepKind string

// The steps.
const (
	StepEnter    StepKind = "enter"    // straight to the destination of Step.AccountID
	StepCompany  StepKind = "company"  // choose a company
	StepAccounts StepKind = "accounts" // choose among the accounts of the chosen company
	StepSide     StepKind = "side"     // choose between the shop and the back office of a company
	StepBind     StepKind = "bind"     // the account has no phone: offer to bind one, then continue
	StepPassword StepKind = "password" // a first password from an administrator must be replaced, then continue
)

// Step is what a person does next. The ids are 0 where the kind does not need them.
type Step struct {
	Kind      StepKind
	CompanyID int64
	AccountID int64
}

// StepOf returns a step about an account.
func StepOf(kind StepKind, m store.Member) Step {
	return Step{Kind: kind, CompanyID: m.CompanyID, AccountID: m.ID}
}

// StartStep decides where a new session starts. It is the step of FirstStep; where that is a choice of company, it is
// the account that this person entered last on this device. With a default company only accounts of that company count,
// and with a default side only those on that side.
// A new membership never changes where a session starts.
func (a *Accounts) StartStep(
	ctx context.Context, device string, person store.Person, members []store.Member, lighting bool,
) (Step, error) {
	step := a.FirstStep(person, members, lighting)
	if step.Kind != StepCompany {
		return step, nil
	}
	used, err := a.LastUsed(ctx, device, person.ID)
	if used == 0 || err != nil {
		return step, err
	}
	hasDefault := person.DefaultCompanyID != 0 && len(a.core.Access.InPlace(members, person.DefaultCompanyID)) > 0
	for _, m := range members {
		inDefault := !hasDefault || m.CompanyID == person.DefaultCompanyID &&
			(person.DefaultSide == "" || m.Side == person.DefaultSide)
		if m.ID == used && inDefault && access.BlockedBy(m, lighting, a.core.Now()) == "" {
			return Step{Kind: StepEnter, CompanyID: m.CompanyID, AccountID: m.ID}, nil
		}
	}
	return step, nil
}

// FirstStep decides where a person goes after signing in, without looking at the device. A person with one usable
// account enters it. With several, the person enters the account in the default company, on the default side, if there
// is exactly one there, and chooses a company otherwise. A default side on which nothing is open counts as none.
func (a *Accounts) FirstStep(person store.Person, members []store.Member, lighting bool) Step {
	var open []store.Member
	for _, m := range members {
		if access.BlockedBy(m, lighting, a.core.Now()) == "" {
			open = append(open, m)
		}
	}
	if len(open) == 1 {
		return Step{Kind: StepEnter, CompanyID: open[0].CompanyID, AccountID: open[0].ID}
	}
	if person.DefaultCompanyID != 0 {
		own := a.core.Access.InPlace(open, person.DefaultCompanyID)
		if chosen := onSide(own, person.DefaultSide); len(chosen) > 0 {
			own = chosen
		}
		if len(own) == 1 {
			return Step{Kind: StepEnter, CompanyID: own[0].CompanyID, AccountID: own[0].ID}
		}
	}
	return Step{Kind: StepCompany}
}

// stepInto returns the step after a company was chosen, or one of its sides; "" for the company alone.
func stepInto(c CompanyAccounts, side store.Side) Step {
	mgr, shop := c.Open()
	switch side {
	case store.Mgr:
		shop = nil
	case store.Shop:
		mgr = nil
	}
	step := Step{Kind: StepAccounts, CompanyID: c.Company.ID}
	switch {
	case len(mgr)+len(shop) == 1:
		step.Kind, step.AccountID = StepEnter, append(mgr, shop...)[0].ID
	case len(mgr) == 1 && len(shop) == 1:
		step.Kind = StepSide
	}
	return step
}

// ChooseCompanyInput chooses one of the person's companies, and perhaps one of its sides. With a side and CompanyID 0
// it is the company that the session chose last. Default also makes them the default.
type ChooseCompanyInput struct {
	Session   store.Session
	CompanyID int64      `form:"company_id"`
	Side      store.Side `form:"side"`
	Default   bool       `form:"default"`
}

// Continue returns the step that signing in again would lead to, without the accounts that the person removed from this
// browser's list.
func (a *Accounts) Continue(ctx context.Context, s store.Session) (Step, error) {
	members, person, err := a.Members(ctx, s)
	if err != nil {
		return Step{}, err
	}
	refusal, err := a.RefuseSignIn(ctx, access.Subject{Person: person}, members, PlaceOfCompany(s.CompanyID),
		s.Lighting)
	if err == nil {
		err = refusal
	}
	if err != nil {
		return Step{}, err
	}
	hidden, err := a.core.DB.Slots.HiddenAccounts(ctx, s.ID)
	if err != nil {
		return Step{}, err
	}
	members = slices.DeleteFunc(members, func(m store.Member) bool { return slices.Contains(hidden, m.ID) })
	return a.StartStep(ctx, s.Device, person, members, s.Lighting)
}

// ChooseCompany chooses a company and returns the next step: its only account, or the choice among several. With a side
// only the accounts of that side count. It refuses with NotFound an unknown side and a company in which the person has
// no account, and a blocked company or side with the reason.
func (a *Accounts) ChooseCompany(ctx context.Context, in ChooseCompanyInput) (Step, error) {
	chosen, err := a.asked(ctx, in)
	if err != nil {
		return Step{}, err
	}
	reason, contacts := chosen.Blocked()
	if in.Side != "" {
		reason, contacts = chosen.SideBlocked(in.Side)
	}
	if reason != "" {
		return Step{}, &access.Refused{Refusal: reason, Company: &chosen.Company, Contacts: contacts}
	}
	err = a.core.DB.Tx(ctx, func(tx *store.DB) error {
		if err := tx.Sessions.ChooseCompany(ctx, in.Session.ID, chosen.Company.ID); err != nil {
			return err
		}
		if !in.Default || in.Session.PersonID == 0 {
			return nil
		}
		return tx.Persons.SetDefaultCompany(ctx, in.Session.PersonID, chosen.Company.ID, in.Side)
	})
	if errors.Is(err, store.ErrNotFound) {
		err = access.LoginRequired
	}
	return stepInto(chosen, in.Side), err
}

// asked reads the company that the input names.
func (a *Accounts) asked(ctx context.Context, in ChooseCompanyInput) (CompanyAccounts, error) {
	switch {
	case in.Side != "" && in.Side != store.Shop && in.Side != store.Mgr:
		return CompanyAccounts{}, access.NotFound
	case in.CompanyID != 0:
		return a.chosen(ctx, in.Session, in.CompanyID)
	case in.Side != "":
		return a.Chosen(ctx, in.Session, 0)
	}
	return CompanyAccounts{}, access.Invalid(access.Fields{"company_id": access.ChoiceRequired})
}

// Chosen reads the person's accounts in a company. companyID is the company that the page names; with 0 it is the one
// that the session chose last, or the only one. A page names its company because another tab may have chosen another
// company since. It refuses with
// NotFound when the person has no account in that company, or when no company was chosen.
func (a *Accounts) Chosen(ctx context.Context, s store.Session, companyID int64) (CompanyAccounts, error) {
	list, err := a.Accounts(ctx, s)
	if err != nil {
		return CompanyAccounts{}, err
	}
	for _, c := range list {
		isChosen := c.Company.ID == s.ChosenCompanyID || len(list) == 1
		if companyID != 0 {
			isChosen = c.Company.ID == companyID
		}
		if isChosen {
			return c, nil
		}
	}
	return CompanyAccounts{}, access.NotFound
}

// chosen reads the person's accounts in a company that a request names. It refuses with NotFound, and logs, a company
// in which the person has none.
func (a *Accounts) chosen(ctx context.Context, s store.Session, companyID int64) (CompanyAccounts, error) {
	list, err := a.Accounts(ctx, s)
	if err != nil {
		return CompanyAccounts{}, err
	}
	for _, c := range list {
		if c.Company.ID == companyID {
			return c, nil
		}
	}
	a.core.Access.LogForeign(ctx, s, "company")
	return CompanyAccounts{}, access.NotFound
}

// OnlyStep returns the next step when there is only one company and it is not blocked; false when the person has to
// choose.
func OnlyStep(list []CompanyAccounts) (Step, bool) {
	if len(list) != 1 {
		return Step{}, false
	}
	if blocked, _ := list[0].Blocked(); blocked != "" {
		return Step{}, false
	}
	return stepInto(list[0], ""), true
}
