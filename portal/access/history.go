package access

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"portico/store"
)

// MachineKinds are the kinds of events that a program causes while a person does something else: codes, one-time passes
// and files.
var MachineKinds = []string{
	"auth_code_issued", "auth_code_used", "auth_code_reused", "code_sent", "token_ended", "probe", "upload_stored",
	"upload_refused",
}

// IsMachine reports whether an event is of one of MachineKinds.
func (e AuditEvent) IsMachine() bool { return slices.Contains(MachineKinds, e.Kind) }

// Group returns the part of the log that the event stands in.
func (e AuditEvent) Group() AuditGroup { return auditGroupOf[e.Kind] }

// auditEvent returns an event as a company may read it.
func auditEvent(r store.AuditRow) AuditEvent {
	e := AuditEvent{
		ID: r.ID, At: r.At, Kind: r.Kind, Name: r.Name, Login: r.Login, Operator: r.Detail == "operator",
		Address: r.Address,
	}
	if slices.Contains(domainKinds, r.Kind) {
		e.Host = r.Detail
	}
	if slices.Contains(bankKinds, r.Kind) {
		e.Card = r.Detail
	}
	for i, named := range namedKinds {
		if slices.Contains(named.kinds, r.Kind) {
			e.ObjectID, _ = strconv.ParseInt(r.Detail, 10, 64)
			e.named = i + 1
		}
	}
	if r.Kind == "order_placed" {
		e.Object = r.Detail // the order's number
	}
	return e
}

// named is a kind of record that events are about.
type named struct {
	kinds []string
	names func(store.ReportTable, context.Context, int64, []int64) ([]store.Named, error)
	Record
}

// namedKinds are the kinds of events whose detail is the id of a row, with the statement that reads the names of such
// rows.
var namedKinds = []named{
	{[]string{
		"account_opened", "account_invited", "account_enabled", "account_disabled", "account_edited",
		"first_password_given", "administrator_made", "administrator_ended", "offer_declined",
	}, store.ReportTable.AccountNames, Record{"people", RightPeople}},
	{[]string{"application_sent", "application_approved", "application_rejected"},
		store.ReportTable.ApplicantNames, Record{"applications", RightApplications}},
	{[]string{"customer_added", "customer_ended", "customer_resumed", "customer_type_set"},
		store.ReportTable.CustomerNames, Record{"customers", RightCustomers}},
	{[]string{"order_confirmed"}, store.ReportTable.OrderNumbers, Record{"orders", RightOrders}},
	{[]string{"product_added", "product_edited", "product_off", "product_on"},
		store.ReportTable.ProductNames, Record{"products", RightProducts}},
}

// Record is the kind of a record with a page in the back office, as its address has it, and the right to see it.
type Record struct {
	Kind  string // "people", "applications", "customers", "orders" or "products"; "" for none
	Right Right
}

// About returns the kind of the record whose id is ObjectID. An event whose record was removed is about none.
func (e AuditEvent) About() Record {
	if e.named == 0 || e.Object == "" {
		return Record{}
	}
	return namedKinds[e.named-1].Record
}

// objectParts are the parts of the log that have an index by record.
var objectParts = map[string]AuditGroup{
	"orders": AuditOrders, "customers": AuditCustomers, "applications": AuditCustomers, "people": AuditPeople,
}

// ObjectName names a record in the filter of the log, "" for a kind of record by which it can't be filtered.
func ObjectName(kind string, id int64) string {
	if objectParts[kind] == "" {
		return ""
	}
	return kind + "-" + Decimal(id)
}

// about returns what the name of a record means in the filter of the log; the zero value for a name of none, and for
// a record of a kind that the reader may not see.
func (a *Access) about(ctx context.Context, here Landing, name string) (about store.AuditAbout, err error) {
	kind, id, _ := strings.Cut(name, "-")
	number, ok := DecimalID(id)
	at := slices.IndexFunc(namedKinds, func(n named) bool { return n.Kind == kind })
	if !ok || at < 0 || objectParts[kind] == "" || !May(here.Member, namedKinds[at].Right) {
		return about, nil
	}
	about = store.AuditAbout{Part: string(objectParts[kind]), Detail: id, Kinds: namedKinds[at].kinds}
	if kind == "orders" {
		names, err := a.db.ForLists(ctx).Reports.OrderNumbers(ctx, here.Member.CompanyID, []int64{number})
		if len(names) > 0 {
			about.Placed, about.OfNumber = "order_placed", names[0].Name
		}
		return about, err
	}
	return about, nil
}

// findPlaced sets the ids of the orders that were placed: their events have the numbers.
func (a *Access) findPlaced(ctx context.Context, companyID int64, events []AuditEvent) error {
	placed := map[string][]*AuditEvent{}
	var numbers []int64
	for at := range events {
		e := &events[at]
		if number, ok := DecimalID(e.Object); ok && e.Kind == "order_placed" {
			numbers = append(numbers, number)
			placed[e.Object] = append(placed[e.Object], e)
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	found, err := a.db.ForLists(ctx).Reports.OrderIDs(ctx, companyID, numbers)
	for _, order := range found {
		for _, e := range placed[order.Name] {
			e.ObjectID = order.ID
			e.named = 1 + slices.IndexFunc(namedKinds, func(n named) bool { return n.Kind == "orders" })
		}
	}
	return err
}

// nameObjects sets the names of what the events of a company are about. Rows that were removed keep no name.
func (a *Access) nameObjects(ctx context.Context, companyID int64, events []AuditEvent) error {
	if err := a.findPlaced(ctx, companyID, events); err != nil {
		return err
	}
	for i, named := range namedKinds {
		ids := map[int64][]*AuditEvent{}
		for at := range events {
			if e := &events[at]; e.named == i+1 && e.ObjectID != 0 {
				ids[e.ObjectID] = append(ids[e.ObjectID], e)
			}
		}
		if len(ids) == 0 {
			continue
		}
		var sorted []int64
		for id := range ids {
			sorted = append(sorted, id)
		}
		slices.Sort(sorted)
		found, err := named.names(a.db.ForLists(ctx).Reports, ctx, companyID, sorted)
		if err != nil {
			return err
		}
		for _, one := range found {
			for _, e := range ids[one.ID] {
				e.Object = one.Name
			}
		}
	}
	return nil
}

// HistoryOfOrder reads what was done with an order of the reader's company, the newest first. The caller has checked
// that the reader may see the order.
func (a *Access) HistoryOfOrder(ctx context.Context, here Landing, o store.Order) ([]AuditEvent, error) {
	later, err := a.db.Reports.HistoryOfOrder(ctx, here.Member.CompanyID, Decimal(o.ID))
	if err != nil {
		return nil, err
	}
	placed, err := a.db.Reports.HistoryOfOrder(ctx, here.Member.CompanyID, Decimal(o.Number))
	later = slices.DeleteFunc(later, func(r store.AuditRow) bool { return r.Kind == "order_placed" })
	placed = slices.DeleteFunc(placed, func(r store.AuditRow) bool { return r.Kind != "order_placed" })
	return ofRecord(append(later, placed...), err, func(store.AuditRow) bool { return true })
}

// HistoryOfApplication reads what was done with an application, as HistoryOfOrder does.
func (a *Access) HistoryOfApplication(ctx context.Context, here Landing, id int64) ([]AuditEvent, error) {
	rows, err := a.db.Reports.HistoryOfCustomer(ctx, here.Member.CompanyID, Decimal(id))
	return ofRecord(rows, err, func(r store.AuditRow) bool { return slices.Contains(namedKinds[1].kinds, r.Kind) })
}

// HistoryOfCustomer reads what was done with a customer, as HistoryOfOrder does.
func (a *Access) HistoryOfCustomer(ctx context.Context, here Landing, id int64) ([]AuditEvent, error) {
	rows, err := a.db.Reports.HistoryOfCustomer(ctx, here.Member.CompanyID, Decimal(id))
	return ofRecord(rows, err, func(r store.AuditRow) bool { return slices.Contains(namedKinds[2].kinds, r.Kind) })
}

// HistoryOfPerson reads what was done with an account, as HistoryOfOrder does.
func (a *Access) HistoryOfPerson(ctx context.Context, here Landing, id int64) ([]AuditEvent, error) {
	rows, err := a.db.Reports.HistoryOfPerson(ctx, here.Member.CompanyID, Decimal(id))
	return ofRecord(rows, err, func(r store.AuditRow) bool { return slices.Contains(namedKinds[0].kinds, r.Kind) })
}

// LastSignIn returns when somebody last signed in to an account of the reader's company; 0 when that is not known.
func (a *Access) LastSignIn(ctx context.Context, here Landing, id int64) (store.Instant, error) {
	return a.db.Reports.LastSignIn(ctx, here.Member.CompanyID, id)
}

// ofRecord returns the events of the rows that are about a record: the ids of orders, customers and applications may
// be the same numbers.
func ofRecord(rows []store.AuditRow, err error, isAbout func(store.AuditRow) bool) (events []AuditEvent, _ error) {
	for _, r := range rows {
		if isAbout(r) {
			events = append(events, auditEvent(r))
		}
	}
	return events, err
}
