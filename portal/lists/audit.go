package lists

import (
	"context"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
	"portico/store/lists"
)

const (
	// AuditExport is how many events an export of the activity log has at most.
	AuditExport = 10_000
	// auditFound is how many people, and how many customers, a search of the log finds at most.
	auditFound = 10
)

// Audit reads a page of the activity log as access.Access.Audit does, with a search. The search finds the events by and
// about people whose names or logins begin with the typed text, those about customers that it matches, and those about
// the order with that number.
func (l *Lists) Audit(ctx context.Context, here access.Landing, f access.AuditFilter) (access.AuditList, error) {
	if err := l.searchLog(ctx, here, &f); err != nil {
		return access.AuditList{}, err
	}
	return l.core.Access.Audit(ctx, here, f)
}

// EachAuditEvent calls each with the newest AuditExport events that match a filter, some at a time. It refuses as Audit
// does, and with NotAvailable while too many exports of any list are being written.
func (l *Lists) EachAuditEvent(
	ctx context.Context, here access.Landing, f access.AuditFilter, each func([]access.AuditEvent) error,
) error {
	if err := l.searchLog(ctx, here, &f); err != nil {
		return err
	}
	done, err := l.exports.Take(ctx, core.TakerOf(here))
	if err != nil {
		return err
	}
	defer done()
	for left := AuditExport; left > 0; {
		store.RenewTime(ctx)
		f.Limit = min(ExportStep, left)
		list, err := l.core.Access.Audit(ctx, here, f)
		if err != nil {
			return err
		}
		if len(list.Events) > 0 { // a step of a search may find nothing
			if err := each(list.Events); err != nil {
				return err
			}
		}
		if list.Older == 0 {
			return nil
		}
		left, f.Before = left-len(list.Events), list.Older
	}
	return nil
}

// searchLog finds out what the search of a filter means. It refuses with Forbidden an account without RightAudit.
func (l *Lists) searchLog(ctx context.Context, here access.Landing, f *access.AuditFilter) (err error) {
	if err := access.RequireRight(here, access.RightAudit); err != nil {
		return err
	}
	f.Search = Input{Search: f.Search}.filter(nil, "").Search
	if f.Search == "" {
		return nil
	}
	db, found := l.core.DB.ForLists(ctx), new(store.AuditFound)
	f.Found = found
	query := lists.Query{
		Company: here.Member.CompanyID, Search: lists.NewSearch(f.Search), ByName: true, Limit: auditFound,
	}
	people, err := lists.People(ctx, db, query)
	if err != nil {
		return err
	}
	for _, m := range people {
		found.People = append(found.People, m.ID)
	}
	customers, err := lists.Customers(ctx, db, query)
	if err != nil {
		return err
	}
	for _, c := range customers {
		found.Customers = append(found.Customers, c.ID)
	}
	if query.Search.Number != 0 {
		found.Orders, err = db.Reports.OrderIDs(ctx, query.Company, []int64{query.Search.Number})
	}
	return err
}
