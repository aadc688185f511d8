package access

import (
	"cmp"
	"context"
	"errors"

	"portico/store"
)

// Limits of the audit log.
const (
	// AuditPage is how many events a page of the audit log has.
	AuditPage = 50
	// AuditStaff is how many people of the staff a page of the audit log offers to filter by.
	AuditStaff = 50
	// DefaultAuditKept is how long events are kept unless the operator sets another time.
	DefaultAuditKept = 400 * Day
)

// The groups of audit events.
const (
	AuditSignIn    AuditGroup = "sign_in"
	AuditPeople    AuditGroup = "people"
	AuditCustomers AuditGroup = "customers"
	AuditSettings  AuditGroup = "settings"
	AuditOrders    AuditGroup = "orders"
	AuditProducts  AuditGroup = "products"
)

// AuditGroups lists the groups in the order in which pages show them.
var AuditGroups = []AuditGroup{AuditSignIn, AuditPeople, AuditCustomers, AuditSettings, AuditOrders,
	AuditProducts}

// AuditEvent is one event as a company may read it. Kind is one of AuditKinds. Name and Login belong to the account
// that did it; they are "" when no account of the company did. Operator says that the operator of the platform did it.
type AuditEvent struct {
	ID       int64
	At       store.Instant
	Kind     string
	Name     string
	Login    string
	Operator bool
	Address  string
	Host     string // of a domain's events
	Card     string // of the bank account's events: the last digits, as office.MaskCard shows them
	Object   string // the name of what it is about, or the number of an order; "" where there is none or it is gone

	ObjectID int64 // of what it is about, see namedKinds; 0 for none
	named    int   // the place in namedKinds, from 1; 0 for none
}

// AuditList is a page of the audit log. Older is Before of the filter for the next page, 0 on the last page. Pages of a
// search before the last one may have few events or none.
type AuditList struct {
	Filter AuditFilter // what was applied
	Events []AuditEvent
	Older  int64
	Object string        // the name of the record of the filter, "" for none
	Staff  []store.Named // people for whose events the log can be filtered, the first AuditStaff by name
}

// AuditFilter is what an address says about the log, as it was typed. The zero value is the whole log. Days that are
// none, and a person whom the company does not have, leave everything out of the filter that they stand for.
type AuditFilter struct {
	Of     AuditGroup
	Person int64  // the id of the account that did it
	From   string // a day like 2026-11-25, the first one
	To     string // the last day
	Before int64  // the id of an event: those older than it
	Object string // a record like "orders-12", as ObjectName writes it
	Search string // what was searched for
	Limit  int    // the size of a page, 0 for AuditPage

	Found *store.AuditFound // what the search means, nil for no search
}

// Audit returns a page of a company's events that pass a filter, newest first. It refuses with Forbidden when
// the account has no RightAudit, and with NotFound for an unknown group or an account of the shop side.
func (a *Access) Audit(ctx context.Context, here Landing, f AuditFilter) (AuditList, error) {
	list := AuditList{}
	q, err := a.auditQuery(ctx, here, &f)
	if err != nil {
		return list, err
	}
	list.Filter = f
	size := cmp.Or(f.Limit, AuditPage)
	if list.Events, list.Older, err = a.auditEvents(ctx, q, size+1); err != nil {
		return list, err
	}
	if len(list.Events) > size {
		list.Events = list.Events[:size]
		list.Older = list.Events[size-1].ID
	}
	if list.Staff, err = a.db.ForLists(ctx).Reports.StaffNames(ctx, q.CompanyID, AuditStaff); err != nil {
		return list, err
	}
	err = a.nameObjects(ctx, here.Member.CompanyID, list.Events)
	if f.Object != "" && len(list.Events) > 0 {
		list.Object = list.Events[0].Object
	}
	return list, err
}

// auditQuery returns what a filter means, and removes from the filter what has no meaning.
func (a *Access) auditQuery(ctx context.Context, here Landing, f *AuditFilter) (store.AuditQuery, error) {
	q := store.AuditQuery{
		CompanyID: here.Member.CompanyID, Part: string(f.Of), Before: f.Before, Found: f.Found,
	}
	err := RequireRight(here, RightAudit)
	if err != nil {
		return q, err
	}
	if _, known := AuditKinds[f.Of]; !known && f.Of != "" {
		return q, NotFound
	}
	from, to := day(f.From), day(f.To)
	if from.IsZero() {
		f.From = ""
	}
	if to.IsZero() {
		f.To = ""
	}
	if f.From != "" && f.To != "" && to.Before(from) {
		f.From, f.To = f.To, f.From
		from, to = to, from
	}
	if f.From != "" {
		q.From = store.At(from)
	}
	if f.To != "" {
		q.Until = store.At(to.AddDate(0, 0, 1))
	}
	if q.About, err = a.about(ctx, here, f.Object); err != nil {
		return q, err
	}
	if q.About.Part == "" {
		f.Object = ""
	}
	if f.Person == 0 {
		return q, nil
	}
	m, err := a.db.Accounts.ByID(ctx, here.Member.CompanyID, f.Person)
	if errors.Is(err, store.ErrNotFound) {
		f.Person, err = 0, nil
	}
	q.AccountID = m.ID
	return q, err
}

// auditEvents reads events. rest is the id of the event before which a search continues, 0 when it is finished: a page
// of a search may have few events, or none, and yet not be the last one.
func (a *Access) auditEvents(
	ctx context.Context, q store.AuditQuery, limit int,
) (events []AuditEvent, rest int64, err error) {
	q.Limit = limit
	var rows []store.AuditRow
	if q.Found == nil {
		rows, err = a.db.ForLists(ctx).Reports.Audit(ctx, q)
	} else {
		rows, rest, err = a.db.ForLists(ctx).Reports.SearchAudit(ctx, q)
	}
	if err != nil {
		return nil, 0, err
	}
	events = make([]AuditEvent, 0, len(rows))
	for _, r := range rows {
		events = append(events, auditEvent(r))
	}
	return events, rest, nil
}

// domainKinds are the kinds of events whose detail is a host.
var domainKinds = []string{"domain_claimed", "domain_verified", "domain_lapsed", "domain_removed", "desktop_domain_set"}

// bankKinds are the kinds of events whose detail is the masked number of a bank account.
var bankKinds = []string{"bank_account_set", "bank_account_removed"}
