package portal

import (
	"context"
	"log/slog"

	"portico/store"
)

// event writes a security event to the audit table and, after the commit, to the log: no secret, no phone number, no
// code.
func (p *Portal) event(ctx context.Context, db *store.DB, kind string, m store.Member, detail string) error {
	db.AfterCommit(func() { p.logAudit(ctx, kind, m, detail) })
	return db.AddAuditEvent(ctx, p.auditEvent(ctx, kind, m, detail))
}

// logAudit writes an event to the log.
func (p *Portal) logAudit(ctx context.Context, kind string, m store.Member, detail string) {
	p.logSecurity(ctx, logInfo, kind,
		slog.Int64("company", m.CompanyID), slog.Int64("phone", m.PhoneID), slog.Int64("account", m.ID),
		slog.String("detail", detail))
}

// auditEvent is an event as the audit table stores it.
func (p *Portal) auditEvent(ctx context.Context, kind string, m store.Member, detail string) store.AuditEvent {
	c := callerOf(ctx)
	return store.AuditEvent{
		At: store.At(p.now()), Kind: kind, Part: string(auditGroupOf[kind]),
		CompanyID: m.CompanyID, PhoneID: m.PhoneID, AccountID: m.ID,
		Address: c.Address, RequestID: c.RequestID, Detail: detail,
	}
}

// auditGroupOf is the group of each kind.
var auditGroupOf = func() map[string]AuditGroup {
	all := map[string]AuditGroup{}
	for group, kinds := range AuditKinds {
		for _, kind := range kinds {
			all[kind] = group
		}
	}
	return all
}()

// AuditGroup is a part of the audit log; its name in words is the locale key "audit.of_" + the constant.
type AuditGroup string

// AuditKinds are the kinds of events by group: every kind is in one. Its name in words is the locale key "audit." + the
// kind.
var AuditKinds = map[AuditGroup][]string{
	AuditSignIn: {
		"sign_in", "sign_out", "auth_code_issued", "auth_code_used", "auth_code_reused", "code_sent", "session_ended", "token_ended", "probe", "default_company_set",
	},
	AuditPeople: {
		"account_set_up", "offer_declined", "account_forgotten", "account_opened", "account_invited", "account_enabled",
		"account_disabled",
		"first_password_given", "first_password_changed", "phone_bound", "phone_unbound", "phone_changed",
		"identity_linked", "identity_unlinked", "password_set", "password_changed", "password_reset",
		"account_password_ended", "bind_reminder_stopped", "bind_reminder_resumed",
		"account_edited", "profile_changed", "portrait_set", "portrait_removed", "administrator_made", "administrator_ended",
	},
	AuditCustomers: {
		"application_sent", "application_approved", "application_rejected", "customer_ended", "customer_resumed", "upload_stored", "upload_refused",
		"customer_type_set", "customer_types_set",
	},
	AuditSettings: {
		"company_registered", "company_initialised", "company_enabled", "company_disabled", "company_renewed", "company_set", "trial_extended", "sandbox_opened",
		"samples_cleared", "registration_set", "appearance_set", "appearance_undone", "icon_set", "icon_removed", "employee_rights_set", "bank_account_set", "bank_account_removed",
		"domain_claimed", "domain_verified", "domain_lapsed", "domain_removed", "desktop_domain_set",
	},
	AuditOrders: {"order_placed", "order_confirmed"},
}
