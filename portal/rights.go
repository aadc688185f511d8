package portal

import (
	"context"
	"slices"
	"strings"

	"portico/store"
)

// Right is something one may do in a company's back office. Its name in words is the locale key "right." + the constant.
type Right string

// The rights. Every person of the management side sees the first page.
const (
	RightOrders       Right = "orders"       // see orders and confirm them
	RightCustomers    Right = "customers"    // see customers
	RightApplications Right = "applications" // see applications to join, with their licences
	RightPeople       Right = "people"       // see who has an account
	RightAudit        Right = "audit"        // see what happened, and how many visited

	RightReview          Right = "review"           // decide applications (requirement 109)
	RightManageCustomers Right = "manage_customers" // end and resume partnerships
	RightManagePeople    Right = "manage_people"    // open, invite, disable accounts, give first passwords
	RightSettings        Right = "settings"         // registration, appearance, bank account, employees' rights, initialisation
)

// RightRow says who may have a right: administrators always have it, employees only where the company's administrators
// allow it, and never what is Alone the administrators'.
type RightRow struct {
	Right Right
	Alone bool
}

// Rights is the table of who may do what (specification section 6 leaves it to us); docs/back-office.md shows it.
var Rights = []RightRow{
	{RightOrders, false},
	{RightCustomers, false},
	{RightApplications, false},
	{RightPeople, false},
	{RightAudit, false},
	{RightReview, true},
	{RightManageCustomers, true},
	{RightManagePeople, true},
	{RightSettings, true},
}

// May says whether somebody may do something in their company's back office.
func May(m store.Member, right Right) bool {
	i := slices.IndexFunc(Rights, func(row RightRow) bool { return row.Right == right })
	switch {
	case i < 0 || m.Side != store.Mgr:
		return false
	case isAdministrator(m):
		return true
	}
	return !Rights[i].Alone && slices.Contains(strings.Fields(m.Company.EmployeeRights), string(right))
}

// may refuses who may not: Forbidden; NotFound on the other side.
func may(here Landing, right Right) error {
	if here.Member.Side != store.Mgr {
		return NotFound
	}
	if !May(here.Member, right) {
		return Forbidden
	}
	return nil
}

// setCompany changes settings of one's company and notes it; what others changed meanwhile stays.
func (p *Portal) setCompany(ctx context.Context, here Landing, event string, change func(*store.Company) error) error {
	defer p.companies.forget()
	return p.db.Tx(ctx, func(tx *store.DB) error { return p.setCompanyIn(ctx, tx, here, event, change) })
}

// setCompanyIn does it as part of a transaction. It writes and notes nothing when change leaves the company as it is,
// because people send a form again when its answer was lost.
func (p *Portal) setCompanyIn(ctx context.Context, tx *store.DB, here Landing, event string, change func(*store.Company) error) error {
	by, err := p.acting(ctx, tx, here, RightSettings)
	if err != nil {
		return err
	}
	c := by.Company
	if err := change(&c); err != nil || c == by.Company {
		return err
	}
	c.UpdatedAt = max(c.UpdatedAt+1, store.At(p.now()))
	if err := tx.UpdateCompany(ctx, c); err != nil {
		return err
	}
	if err := p.keepLook(ctx, tx, by.Company, c); err != nil {
		return err
	}
	return p.event(ctx, tx, event, by, "")
}
