package access

import (
	"context"

	"portico/store"
)

// Limits of the audit log.
const (
	// AuditPage is how many events a page of the audit log has.
	AuditPage = 50
	// AuditExport is how many events an export of the audit log has at most.
	AuditExport = 10_000
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
)

// AuditGroups lists the groups in the order in which pages show them.
var AuditGroups = []AuditGroup{AuditSignIn, AuditPeople, AuditCustomers, AuditSettings, AuditOrders}

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
	Card     string // of the bank account's events: the last digits, as MaskCard shows them
	Object   string // the name of what it is about, or the number of an order; "" where there is none or it is gone

	objectID int64 // of what it is about, see namedKinds
	named    int   // the place in namedKinds, from 1; 0 for none
}

// AuditList is a page of the audit log. Older is the argument before for the next page, 0 on the last page.
type AuditList struct {
	Events []AuditEvent
	Older  int64
}

// Audit returns up to AuditPage events of a company, newest first, with ids below before (0: from the newest). It
// returns the events of one group, or of all groups when of is "". It refuses with Forbidden when the account has no
// RightAudit, and with NotFound for an unknown group or an account of the shop side.
func (a *Access) Audit(ctx context.Context, here Landing, of AuditGroup, before int64) (AuditList, error) {
	events, err := a.auditEvents(ctx, here, of, before, AuditPage+1)
	list := AuditList{Events: events}
	if len(events) > AuditPage {
		list.Events = events[:AuditPage]
		list.Older = list.Events[AuditPage-1].ID
	}
	if err != nil {
		return list, err
	}
	return list, a.nameObjects(ctx, here.Member.CompanyID, list.Events)
}

// AuditAll returns the newest AuditExport events for an export. It refuses like Audit.
func (a *Access) AuditAll(ctx context.Context, here Landing, of AuditGroup) ([]AuditEvent, error) {
	return a.auditEvents(ctx, here, of, 0, AuditExport)
}

func (a *Access) auditEvents(
	ctx context.Context, here Landing, of AuditGroup, before int64, limit int,
) ([]AuditEvent, error) {
	if err := RequireRight(here, RightAudit); err != nil {
		return nil, err
	}
	if _, known := AuditKinds[of]; !known && of != "" {
		return nil, NotFound
	}
	rows, err := a.db.ForLists(ctx).Audit.Log(ctx, here.Member.CompanyID, before, string(of), limit)
	if err != nil {
		return nil, err
	}
	events := make([]AuditEvent, 0, len(rows))
	for _, r := range rows {
		events = append(events, auditEvent(r))
	}
	return events, nil
}

// domainKinds are the kinds of events whose detail is a host.
var domainKinds = []string{"domain_claimed", "domain_verified", "domain_lapsed", "domain_removed", "desktop_domain_set"}

// bankKinds are the kinds of events whose detail is the masked number of a bank account.
var bankKinds = []string{"bank_account_set", "bank_account_removed"}
