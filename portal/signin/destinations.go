package signin

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// Destination is a place that a person can go to: one side of one company.
type Destination struct {
	Company  store.Company
	Side     store.Side
	Accounts []AccountView    // those that can be entered, or all of them when none can
	Default  bool             // the person's next sign-in opens it
	Last     bool             // the person entered it last on this device
	Waiting  int              // orders to confirm, at most MostWaiting; 0 for none, and when that is not known
	Blocked  access.Refusal   // why it cannot be entered, "" when it can
	Contacts []access.Contact // who can help when it is blocked
}

// MostWaiting is the largest number of orders to confirm that is counted.
const MostWaiting = 99

// countedOffices is the number of back offices in a list for which orders are counted, because each takes a statement.
const countedOffices = 5

// LastUsed returns the id of the account that a person entered last on a device, 0 for none. That is forgotten after
// core.DeviceKnownFor. device and personID may be those of nobody: "" and 0.
func (a *Accounts) LastUsed(ctx context.Context, device string, personID int64) (int64, error) {
	if personID == 0 || device == "" {
		return 0, nil
	}
	used, err := a.core.DB.Devices.UsedAccount(ctx, device, personID, store.At(a.core.Now().Add(-core.DeviceKnownFor)))
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	return used, err
}

// Destinations returns the sides of the companies in a list: the default company or side first, then the one that this
// person entered last on this device, then the others in the order of the list, and at the end those that cannot be
// entered.
func (a *Accounts) Destinations(
	ctx context.Context, s store.Session, list []CompanyAccounts,
) ([]Destination, error) {
	used, err := a.LastUsed(ctx, s.Device, s.PersonID)
	if err != nil {
		return nil, err
	}
	var all []Destination
	for _, c := range list {
		for _, d := range sidesOf(c) {
			d.Last = slices.ContainsFunc(d.Accounts, func(v AccountView) bool { return v.ID == used })
			all = append(all, d)
		}
	}
	slices.SortStableFunc(all, func(x, y Destination) int { return x.place() - y.place() })
	counted := 0
	for i := range all {
		d := &all[i]
		if counted == countedOffices || !d.seesOrders() {
			continue
		}
		counted++
		if d.Waiting, err = a.core.DB.Reports.CountNewOrders(ctx, d.Company.ID, MostWaiting); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// sidesOf returns the sides of a company on which the person has accounts.
func sidesOf(c CompanyAccounts) []Destination {
	var sides []Destination
	mgr, shop := c.Open()
	for _, one := range []struct {
		side      store.Side
		all, open []AccountView
	}{{store.Mgr, c.Mgr, mgr}, {store.Shop, c.Shop, shop}} {
		if len(one.all) == 0 {
			continue
		}
		d := Destination{Company: c.Company, Side: one.side, Accounts: one.open}
		d.Default = c.Default && (c.DefaultSide == "" || c.DefaultSide == one.side)
		if d.Blocked, d.Contacts = c.SideBlocked(one.side); d.Blocked != "" {
			d.Accounts = one.all
		}
		sides = append(sides, d)
	}
	return sides
}

// place returns the place of a destination in a list: the smaller, the earlier.
func (d Destination) place() int {
	switch {
	case d.Blocked != "":
		return 3
	case d.Default:
		return 0
	case d.Last:
		return 1
	}
	return 2
}

// seesOrders reports whether the person may see the orders of this back office.
func (d Destination) seesOrders() bool {
	return d.Side == store.Mgr && d.Blocked == "" &&
		slices.ContainsFunc(d.Accounts, func(v AccountView) bool { return access.May(v.Member, access.RightOrders) })
}
