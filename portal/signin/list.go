package signin

import (
	"context"
	"errors"
	"slices"
	"strings"

	"portico/portal/access"
	"portico/store"
)

// AccountView is an account as its holder sees it in a list.
type AccountView struct {
	store.Member
	Default  bool             // whether its company is the person's default company
	Blocked  access.Refusal   // why it cannot be entered, "" when it can
	Contacts []access.Contact // who can help when it is blocked; Accounts reads them
}

// View returns an account as the person of a phone sees it in a list. lighting says that the person uses the lighting
// edition, which some companies do not have.
func (a *Accounts) View(m store.Member, lighting bool, person store.Person) AccountView {
	return AccountView{
		Member: m, Default: m.CompanyID == person.DefaultCompanyID,
		Blocked: access.BlockedBy(m, lighting, a.core.Now()),
	}
}

// CompanyAccounts is a person's accounts in one company, on both sides.
type CompanyAccounts struct {
	Company     store.Company
	Default     bool
	DefaultSide store.Side // of the default company, "" for either
	Mgr         []AccountView
	Shop        []AccountView
	Removed     []store.Side // sides that have an account that the person removed from this browser's list
}

// Blocked returns why no account of the company can be entered, and who can help. The reason is "" when one can.
func (c CompanyAccounts) Blocked() (access.Refusal, []access.Contact) {
	all := append(slices.Clone(c.Mgr), c.Shop...)
	for _, a := range all {
		if a.Blocked == "" {
			return "", nil
		}
	}
	return all[0].Blocked, all[0].Contacts
}

// SideBlocked returns why a side of the company cannot be entered, and who can help. The reason is "" when an account
// of the side can be entered, NotInCompany when there is no account, and else what blocks the first account.
func (c CompanyAccounts) SideBlocked(side store.Side) (access.Refusal, []access.Contact) {
	accounts := map[store.Side][]AccountView{store.Mgr: c.Mgr, store.Shop: c.Shop}[side]
	if len(accounts) == 0 {
		return access.NotInCompany, nil
	}
	for _, a := range accounts {
		if a.Blocked == "" {
			return "", nil
		}
	}
	return accounts[0].Blocked, accounts[0].Contacts
}

// Administered says whether one of the accounts is an administrator of the company.
func (c CompanyAccounts) Administered() bool {
	return slices.ContainsFunc(c.Mgr, func(a AccountView) bool { return access.IsAdministrator(a.Member) })
}

// Open returns the accounts that can be entered.
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

// Accounts lists the accounts that a session may enter by company: the default company first, the others by their ids,
// companies that cannot be entered last. Blocked accounts are in the list with their reason. Accounts that the person
// removed from this browser's list are not. It refuses what Members refuses.
func (a *Accounts) Accounts(ctx context.Context, s store.Session) ([]CompanyAccounts, error) {
	members, person, err := a.Members(ctx, s)
	if err != nil {
		return nil, err
	}
	var hidden []int64
	if s.Client == "" { // a program has no hidden accounts
		if hidden, err = a.core.DB.Slots.HiddenAccounts(ctx, s.ID); err != nil {
			return nil, err
		}
	}
	var list []CompanyAccounts
	at, removed := map[int64]int{}, map[int64][]store.Side{}
	for _, m := range members {
		if slices.Contains(hidden, m.ID) {
			removed[m.CompanyID] = append(removed[m.CompanyID], m.Side)
			continue
		}
		view := a.View(m, s.Lighting, person)
		if view.Blocked != "" {
			view.Contacts, err = access.ContactsForOwn(ctx, a.core.Access, a.core.DB, m, view.Blocked)
			if err != nil {
				return nil, err
			}
		}
		i, seen := at[m.CompanyID]
		if !seen {
			i = len(list)
			at[m.CompanyID] = i
			list = append(list, CompanyAccounts{
				Company: m.Company, Default: view.Default, DefaultSide: person.DefaultSide,
			})
		}
		if m.Side == store.Mgr {
			list[i].Mgr = append(list[i].Mgr, view)
		} else {
			list[i].Shop = append(list[i].Shop, view)
		}
	}
	for id, i := range at {
		list[i].Removed = removed[id]
	}
	slices.SortStableFunc(list, func(x, y CompanyAccounts) int { return rank(x) - rank(y) })
	return list, nil
}

// rank returns the place of a company in the list: 0 for the default company, 2 for one that cannot be entered, else 1.
func rank(c CompanyAccounts) int {
	if blocked, _ := c.Blocked(); blocked != "" {
		return 2
	}
	if c.Default {
		return 0
	}
	return 1
}

// Search returns the companies whose name, id or account names contain the words, whatever their case. It returns all
// companies when there are no words. It reads at most four times MaxSearch bytes of words.
func Search(list []CompanyAccounts, words string) []CompanyAccounts {
	words = strings.ToLower(strings.TrimSpace(access.Truncated(words, 4*access.MaxSearch)))
	if words == "" {
		return list
	}
	var hits []CompanyAccounts
	for _, c := range list {
		text := strings.ToLower(c.Company.Name) + " " + access.Decimal(c.Company.ID)
		for _, a := range append(slices.Clone(c.Mgr), c.Shop...) {
			text += " " + store.LoginKey(a.Login)
		}
		if strings.Contains(text, words) {
			hits = append(hits, c)
		}
	}
	return hits
}

// HideAccount removes one of the person's accounts from the list of this browser, until the next sign-in, and signs it
// out there. It refuses what OwnMember refuses.
func (a *Accounts) HideAccount(ctx context.Context, s store.Session, accountID int64) error {
	m, err := a.OwnMember(ctx, s, accountID)
	if err != nil {
		return err
	}
	return a.core.DB.Tx(ctx, func(tx *store.DB) error {
		if err := tx.Slots.HideAccount(ctx, s.ID, s.Family, s.Device, accountID); err != nil {
			return err
		}
		return a.core.Access.Event(ctx, tx, "account_forgotten", m, "")
	})
}

// RefuseNotOwn returns the refusal for an account that does not belong to the person: Offered for an offer to the
// person, else NotFound.
func (a *Accounts) RefuseNotOwn(ctx context.Context, s access.Session, accountID int64) error {
	_, err := a.offer(ctx, a.core.DB, OfferInput{Session: s, AccountID: accountID})
	switch {
	case err == nil:
		return &access.Refused{Refusal: access.Offered}
	case errors.Is(err, store.ErrNotFound), errors.Is(err, access.LoginRequired):
		return access.NotFound
	}
	return err
}

// AccountsBehind does what Accounts does, for the person whose sign-in entered a side. The list is empty when that
// sign-in has ended and when Accounts refuses it.
func (a *Accounts) AccountsBehind(ctx context.Context, here access.Landing) ([]CompanyAccounts, error) {
	s, err := a.core.DB.Sessions.SignInOfFamily(ctx, here.Family, store.At(a.core.Now()))
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := a.Accounts(ctx, s)
	if access.IsRefused(err) || errors.Is(err, access.LoginRequired) {
		return nil, nil
	}
	return list, err
}

// ChosenOnly returns the company that the session has chosen, or the whole list when it has chosen none or all is set.
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

// PersonLabel returns the masked phone or the account name by which a page names the person of a session to that
// person.
func (a *Accounts) PersonLabel(ctx context.Context, s store.Session) (string, error) {
	if s.PersonID != 0 {
		person, err := a.core.DB.Persons.ByID(ctx, s.PersonID)
		return access.MaskPhone(person.Phone), err
	}
	m, err := a.core.DB.Accounts.OfAnyCompany(ctx, s.AccountID)
	return m.Login, err
}

// Person reads the person of a session that a phone opened. It refuses any other session with LoginRequired.
func (a *Accounts) Person(ctx context.Context, s access.Session) (store.Person, error) {
	person, err := a.core.DB.Persons.ByID(ctx, s.PersonID)
	if errors.Is(err, store.ErrNotFound) {
		return person, access.LoginRequired
	}
	return person, err
}

// OwnMember reads an account that the session's proof covers. It refuses with Offered an account that is offered to the
// person, and with NotFound any other, whether it exists or not.
func (a *Accounts) OwnMember(ctx context.Context, s store.Session, accountID int64) (store.Member, error) {
	members, _, err := a.Members(ctx, s)
	if err != nil {
		return store.Member{}, err
	}
	for _, m := range members {
		if m.ID == accountID {
			return m, nil
		}
	}
	err = a.RefuseNotOwn(ctx, s, accountID)
	if errors.Is(err, access.NotFound) {
		a.core.Access.LogForeign(ctx, s, "account")
	}
	return store.Member{}, err
}
