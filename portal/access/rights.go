package access

import (
	"context"
	"slices"
	"strings"

	"portico/store"
)

// Right is an action that a person may be allowed to do in a company's back office. Its label is the locale key
// "right." + its value.
type Right string

// The rights. Everyone with an account on the management side sees the first page.
const (
	RightOrders       Right = "orders"       // see orders and confirm them
	RightCustomers    Right = "customers"    // see customers
	RightApplications Right = "applications" // see applications to join, with their licences
	RightPeople       Right = "people"       // see who has an account
	RightAudit        Right = "audit"        // see the activity log and the visits
	RightProducts     Right = "products"     // see, add and change products

	RightReview          Right = "review"           // decide applications
	RightManageCustomers Right = "manage_customers" // end and resume partnerships
	RightManagePeople    Right = "manage_people"    // open, invite, disable accounts, give first passwords
	RightSettings        Right = "settings"         // applications, appearance, bank account, rights, initialisation
)

// RightRow says who may have a right. Administrators have every right. Employees have the ones that the company's
// administrators give them, except those with Alone, which only administrators can have.
type RightRow struct {
	Right Right
	Alone bool
}

// Rights is the table of rights; docs/back-office.md shows it.
var Rights = []RightRow{
	{RightOrders, false},
	{RightCustomers, false},
	{RightApplications, false},
	{RightPeople, false},
	{RightAudit, false},
	{RightProducts, false},
	{RightReview, true},
	{RightManageCustomers, true},
	{RightManagePeople, true},
	{RightSettings, true},
}

// May says whether an account has a right in its company's back office.
func May(m store.Member, right Right) bool {
	i := slices.IndexFunc(Rights, func(row RightRow) bool { return row.Right == right })
	switch {
	case i < 0 || m.Side != store.Mgr:
		return false
	case IsAdministrator(m):
		return true
	}
	return !Rights[i].Alone && slices.Contains(strings.Fields(m.Company.EmployeeRights), string(right))
}

// RequireRight refuses an account without a right: Forbidden, or NotFound for an account of the shop side.
func RequireRight(here Landing, right Right) error {
	if here.Member.Side != store.Mgr {
		return NotFound
	}
	if !May(here.Member, right) {
		return Forbidden
	}
	return nil
}

// SetCompany changes settings of the administrator's company and logs an event. change gets the stored company, so that
// settings that another person has changed since stay.
func (a *Access) SetCompany(ctx context.Context, here Landing, event string, change func(*store.Company) error) error {
	defer a.Companies.Forget()
	return a.db.Tx(ctx, func(tx *store.DB) error { return a.SetCompanyIn(ctx, tx, here, event, change) })
}

// SetCompanyIn does what SetCompany does, within a transaction. It writes and logs nothing when change leaves the
// company as it is: a form that is sent again after a lost response must not log a second event.
func (a *Access) SetCompanyIn(
	ctx context.Context, tx *store.DB, here Landing, event string, change func(*store.Company) error,
) error {
	by, err := a.LockActor(ctx, tx, here, RightSettings)
	if err != nil {
		return err
	}
	c := by.Company
	if err := change(&c); err != nil || c == by.Company {
		return err
	}
	c.UpdatedAt = max(c.UpdatedAt+1, store.At(a.now()))
	if err := tx.Companies.Update(ctx, c); err != nil {
		return err
	}
	if err := a.KeepLook(ctx, tx, by.Company, c); err != nil {
		return err
	}
	return a.Event(ctx, tx, event, by, "")
}

// LockActor locks the company, reads the acting account again and checks that it is not blocked and has the right. So
// an account that was disabled or lost the right since its request began is refused.
func (a *Access) LockActor(ctx context.Context, tx *store.DB, here Landing, right Right) (store.Member, error) {
	if err := tx.Companies.Lock(ctx, here.Member.CompanyID); err != nil {
		return store.Member{}, err
	}
	m, err := tx.Accounts.ByID(ctx, here.Member.CompanyID, here.Member.ID)
	if err != nil {
		return m, err
	}
	if reason := BlockedBy(m, false, a.now()); reason != "" {
		return m, a.Blocked(ctx, tx, m, reason)
	}
	return m, RequireRight(Landing{Member: m}, right)
}

// IsAdministrator says whether an account is of type 1.
func IsAdministrator(m store.Member) bool { return m.Type == store.TypeAdministrator }
