package access

import (
	"context"
	"slices"

	"portico/store"
)

// Limits of the audit log.
const (
	// AuditPage is how many events a page of it has.
	AuditPage = 50
	// AuditExport is how many events an export of it has at most.
	AuditExport = 10_000
	// DefaultAuditKept is how long events are kept where the operator says nothing else.
	DefaultAuditKept = 400 * Day
)

// The groups.
const (
	AuditSignIn    AuditGroup = "sign_in"
	AuditPeople    AuditGroup = "people"
	AuditCustomers AuditGroup = "customers"
	AuditSettings  AuditGroup = "settings"
	AuditOrders    AuditGroup = "orders"
)

// AuditGroups are the groups in the order shown.
var AuditGroups = []AuditGroup{AuditSignIn, AuditPeople, AuditCustomers, AuditSettings, AuditOrders}

// AuditEvent is one event as a company may read it. Kind is one of AuditKinds; Name and Login are of the account that
// did it, "" where nobody of the company did; Operator says that the platform did.
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
}

// AuditList is a page of the audit log; Older is what to ask for with before, 0 at the end.
type AuditList struct {
	Events []AuditEvent
	Older  int64
}

// Audit reads what happened in a company, newest first, AuditPage at a time from before an id (0: the newest); of a
// group alone, or all for "". Forbidden for employees who are not allowed to; NotFound for an unknown group.
func (a *Access) Audit(ctx context.Context, here Landing, of AuditGroup, before int64) (AuditList, error) {
	events, err := a.auditEvents(ctx, here, of, before, AuditPage+1)
	list := AuditList{Events: events}
	if len(events) > AuditPage {
		list.Events = events[:AuditPage]
		list.Older = list.Events[AuditPage-1].ID
	}
	return list, err
}

// AuditAll reads the newest AuditExport events, for an export; refused like Audit.
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
	rows, err := a.db.AuditLog(ctx, here.Member.CompanyID, before, string(of), limit)
	if err != nil {
		return nil, err
	}
	events := make([]AuditEvent, 0, len(rows))
	for _, r := range rows {
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
		events = append(events, e)
	}
	return events, nil
}

// domainKinds are the events whose detail is a host.
var domainKinds = []string{"domain_claimed", "domain_verified", "domain_lapsed", "domain_removed", "desktop_domain_set"}

// bankKinds are those whose detail is the masked number of a bank account.
var bankKinds = []string{"bank_account_set", "bank_account_removed"}
