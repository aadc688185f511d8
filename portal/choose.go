package portal

import (
	"context"
	"errors"
	"slices"
	"strings"

	"portico/store"
)

// AccountView is an account as its holder sees it in a list: Blocked is empty when it can be entered.
type AccountView struct {
	store.Member
	Blocked  Refusal
	Contacts []Contact
}

// CompanyAccounts are a person's accounts in one company, merged (specification section 3: accountList).
type CompanyAccounts struct {
	Company store.Company
	Default bool
	Mgr     []AccountView
	Shop    []AccountView
}

// Blocked is the reason when no account of the company can be entered, else "".
func (c CompanyAccounts) Blocked() (Refusal, []Contact) {
	all := append(slices.Clone(c.Mgr), c.Shop...)
	for _, a := range all {
		if a.Blocked == "" {
			return "", nil
		}
	}
	return all[0].Blocked, all[0].Contacts
}

// Open are the accounts that can be entered.
func (c CompanyAccounts) Open() (mgr, shop []AccountView) {
	keep := func(all []AccountView) (open []AccountView) {
		for _, a := range all {
			if a.Blocked == "" {
				open = append(open, a)
			}
		}
		return open
	}
	return keep(c.Mgr), keep(c.Shop)
}

// StepKind is where a person goes after signing in or choosing.
type StepKind string

// The steps.
const (
	StepEnter    StepKind = "enter"    // straight to the destination of Step.AccountID
	StepCompany  StepKind = "company"  // choose a company
	StepAccounts StepKind = "accounts" // choose among the logins of the chosen company
	StepSide     StepKind = "side"     // choose between its mall and its back office
)

// Step is the next one.
type Step struct {
	Kind      StepKind
	CompanyID int64
	AccountID int64
}

// firstStep is the rule after sign-in (contract section 3): one account goes straight to its destination;
// several: the default company's if it has exactly one there, else a choice of company.
func (p *Portal) firstStep(phone store.Phone, members []store.Member, lighting bool) Step {
	var open []store.Member
	for _, m := range members {
		if BlockedBy(m, lighting, p.now()) == "" {
			open = append(open, m)
		}
	}
	if len(open) == 1 {
		return Step{Kind: StepEnter, CompanyID: open[0].CompanyID, AccountID: open[0].ID}
	}
	if phone.DefaultCompanyID != 0 {
		if own := p.inPlace(open, phone.DefaultCompanyID); len(own) == 1 {
			return Step{Kind: StepEnter, CompanyID: own[0].CompanyID, AccountID: own[0].ID}
		}
	}
	return Step{Kind: StepCompany}
}

// stepInto is the rule once a company is chosen.
func stepInto(c CompanyAccounts) Step {
	mgr, shop := c.Open()
	step := Step{Kind: StepAccounts, CompanyID: c.Company.ID}
	switch {
	case len(mgr)+len(shop) == 1:
		step.Kind, step.AccountID = StepEnter, append(mgr, shop...)[0].ID
	case len(mgr) == 1 && len(shop) == 1:
		step.Kind = StepSide
	}
	return step
}

// Accounts lists what a session may enter, a company an entry, blocked ones with their reason, hidden ones
// left out. The order is: default company first, then as the companies are numbered.
func (p *Portal) Accounts(ctx context.Context, s store.Session) ([]CompanyAccounts, error) {
	members, phone, err := p.members(ctx, s)
	if err != nil {
		return nil, err
	}
	hidden, err := p.db.HiddenAccounts(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	var list []CompanyAccounts
	at := map[int64]int{}
	for _, m := range members {
		if slices.Contains(hidden, m.ID) {
			continue
		}
		i, seen := at[m.CompanyID]
		if !seen {
			i = len(list)
			at[m.CompanyID] = i
			list = append(list, CompanyAccounts{Company: m.Company, Default: m.CompanyID == phone.DefaultCompanyID})
		}
		view := AccountView{Member: m, Blocked: BlockedBy(m, s.Lighting, p.now())}
		if view.Blocked != "" {
			view.Contacts = p.contactsFor(view.Blocked, m.Company)
		}
		if m.Side == store.Mgr {
			list[i].Mgr = append(list[i].Mgr, view)
		} else {
			list[i].Shop = append(list[i].Shop, view)
		}
	}
	slices.SortStableFunc(list, func(a, b CompanyAccounts) int { return rank(a) - rank(b) })
	return list, nil
}

// rank puts the default company first and companies that cannot be entered last.
func rank(c CompanyAccounts) int {
	if blocked, _ := c.Blocked(); blocked != "" {
		return 2
	}
	if c.Default {
		return 0
	}
	return 1
}

// members are the accounts a session's proof covers, those of the host's company where it has one.
func (p *Portal) members(ctx context.Context, s store.Session) ([]store.Member, store.Phone, error) {
	if s.PhoneID == 0 {
		m, err := p.db.MemberOfAccount(ctx, s.AccountID)
		if errors.Is(err, store.ErrNotFound) {
			return nil, store.Phone{}, LoginRequired
		}
		return []store.Member{m}, store.Phone{}, err
	}
	phone, err := p.db.PhoneByID(ctx, s.PhoneID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, phone, LoginRequired
	}
	if err != nil {
		return nil, phone, err
	}
	members, err := p.db.MembersByPhone(ctx, s.PhoneID)
	return p.inPlace(members, s.CompanyID), phone, err
}

// Search keeps the companies whose name, or one of whose logins, contains the words; all for no words.
func Search(list []CompanyAccounts, words string) []CompanyAccounts {
	words = strings.ToLower(strings.TrimSpace(limited(words, 4*maxChosenSearch)))
	if words == "" {
		return list
	}
	var hits []CompanyAccounts
	for _, c := range list {
		text := strings.ToLower(c.Company.Name) + " " + decimal(c.Company.ID)
		for _, a := range append(slices.Clone(c.Mgr), c.Shop...) {
			text += " " + store.LoginKey(a.Login)
		}
		if strings.Contains(text, words) {
			hits = append(hits, c)
		}
	}
	return hits
}

// ChooseCompanyInput names a company of one's own; Default makes it the one gone to first.
type ChooseCompanyInput struct {
	Session   store.Session
	CompanyID int64 `form:"company_id"`
	Default   bool  `form:"default"`
}

// Continue takes someone who is signed in already where signing in would have taken them, hidden accounts
// left out.
func (p *Portal) Continue(ctx context.Context, s store.Session) (Step, error) {
	members, phone, err := p.members(ctx, s)
	if err != nil {
		return Step{}, err
	}
	if refusal := p.refuseMembers(members, 0, s.Lighting); refusal != nil {
		return Step{}, refusal
	}
	hidden, err := p.db.HiddenAccounts(ctx, s.ID)
	if err != nil {
		return Step{}, err
	}
	members = slices.DeleteFunc(members, func(m store.Member) bool { return slices.Contains(hidden, m.ID) })
	return p.firstStep(phone, members, s.Lighting), nil
}

// ChooseCompany takes the person into a company: to its only account, or to the choice it leaves. A company
// that is not theirs is NotFound, one that is blocked is refused with its reason.
func (p *Portal) ChooseCompany(ctx context.Context, in ChooseCompanyInput) (Step, error) {
	if in.CompanyID == 0 {
		return Step{}, invalid(Fields{"company_id": ChoiceRequired})
	}
	chosen, err := p.chosen(ctx, in.Session, in.CompanyID)
	if err != nil {
		return Step{}, err
	}
	if reason, contacts := chosen.Blocked(); reason != "" {
		return Step{}, &Refused{Refusal: reason, Company: &chosen.Company, Contacts: contacts}
	}
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.ChooseCompany(ctx, in.Session.ID, in.CompanyID); err != nil {
			return err
		}
		if !in.Default || in.Session.PhoneID == 0 {
			return nil
		}
		return tx.SetDefaultCompany(ctx, in.Session.PhoneID, in.CompanyID)
	})
	if errors.Is(err, store.ErrNotFound) {
		err = LoginRequired
	}
	return stepInto(chosen), err
}

// Chosen are the accounts of the company the session is in the middle of choosing among; of its only
// company when none was chosen; NotFound when neither is clear.
func (p *Portal) Chosen(ctx context.Context, s store.Session) (CompanyAccounts, error) {
	list, err := p.Accounts(ctx, s)
	if err != nil {
		return CompanyAccounts{}, err
	}
	for _, c := range list {
		if c.Company.ID == s.ChosenCompanyID || len(list) == 1 {
			return c, nil
		}
	}
	return CompanyAccounts{}, NotFound
}

func (p *Portal) chosen(ctx context.Context, s store.Session, companyID int64) (CompanyAccounts, error) {
	list, err := p.Accounts(ctx, s)
	if err != nil {
		return CompanyAccounts{}, err
	}
	for _, c := range list {
		if c.Company.ID == companyID {
			return c, nil
		}
	}
	return CompanyAccounts{}, NotFound
}

// HideAccount removes an account of one's own from the list of this browser and signs it out there.
func (p *Portal) HideAccount(ctx context.Context, s store.Session, accountID int64) error {
	m, err := p.ownMember(ctx, s, accountID)
	if err != nil {
		return err
	}
	return p.db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.HideAccount(ctx, s.ID, s.Family, accountID); err != nil {
			return err
		}
		return p.event(ctx, tx, "account_forgotten", m, "")
	})
}

// ownMember reads an account the session's proof covers; anything else is NotFound, whether it exists or
// not (requirement 107).
func (p *Portal) ownMember(ctx context.Context, s store.Session, accountID int64) (store.Member, error) {
	members, _, err := p.members(ctx, s)
	if err != nil {
		return store.Member{}, err
	}
	for _, m := range members {
		if m.ID == accountID {
			return m, nil
		}
	}
	return store.Member{}, NotFound
}

// OnlyStep is the way on where there is nothing to choose: a single company that can be entered.
func OnlyStep(list []CompanyAccounts) (Step, bool) {
	if len(list) != 1 {
		return Step{}, false
	}
	if blocked, _ := list[0].Blocked(); blocked != "" {
		return Step{}, false
	}
	return stepInto(list[0]), true
}

// ChosenOnly keeps the company the session is choosing among; all of them when none was chosen or all are
// asked for.
func ChosenOnly(list []CompanyAccounts, s store.Session, all bool) []CompanyAccounts {
	if all {
		return list
	}
	for _, c := range list {
		if c.Company.ID == s.ChosenCompanyID {
			return []CompanyAccounts{c}
		}
	}
	return list
}

// ChooseSide takes the person into the mall or the back office of the chosen company: to its only login
// there, or to the choice among them. NotFound where there is none.
func (p *Portal) ChooseSide(ctx context.Context, s store.Session, side store.Side) (Step, error) {
	chosen, err := p.Chosen(ctx, s)
	if err != nil {
		return Step{}, err
	}
	mgr, shop := chosen.Open()
	logins := map[store.Side][]AccountView{store.Mgr: mgr, store.Shop: shop}[side]
	switch len(logins) {
	case 0:
		return Step{}, NotFound
	case 1:
		return Step{Kind: StepEnter, CompanyID: chosen.Company.ID, AccountID: logins[0].ID}, nil
	}
	return Step{Kind: StepAccounts, CompanyID: chosen.Company.ID}, nil
}

// Who names the person of a session for the person's own eyes: the masked phone, or the login.
func (p *Portal) Who(ctx context.Context, s store.Session) (string, error) {
	if s.PhoneID != 0 {
		phone, err := p.db.PhoneByID(ctx, s.PhoneID)
		return MaskPhone(phone.Phone), err
	}
	m, err := p.db.MemberOfAccount(ctx, s.AccountID)
	return m.Login, err
}

// TrialDaysLeft is TrialDaysLeft now.
func (p *Portal) TrialDaysLeft(c store.Company) int { return TrialDaysLeft(c, p.now()) }
