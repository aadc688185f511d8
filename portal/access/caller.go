package access

import (
	"context"
	"log/slog"

	"portico/store"
)

// Caller identifies the client of a request for limits, the audit log and the security log.
type Caller struct {
	RequestID string
	Address   string // the right-most untrusted hop
	Agent     string // User-Agent, shortened
	Unlimited bool   // PORTICO_LIMITS=off
}

type callerKey struct{}

// WithCaller stores the caller in the context. It also limits the time of each database operation, because a caller is
// waiting for the answer.
func WithCaller(ctx context.Context, c Caller) context.Context {
	var from store.Networks
	if !c.Unlimited {
		from = Networks(c.Address)
	}
	return context.WithValue(store.InRequest(ctx, from), callerKey{}, c)
}

// CallerOf returns the caller that WithCaller stored, or the zero value.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// Event writes an audit event of an account to the audit table and, after the commit, to the log. detail must not hold
// a secret, a phone number or a code.
func (a *Access) Event(ctx context.Context, db *store.DB, kind string, m store.Member, detail string) error {
	db.AfterCommit(func() { a.LogAudit(ctx, kind, m, detail) })
	return db.Audit.Add(ctx, a.AuditEvent(ctx, kind, m, detail))
}

// LogAudit writes an audit event to the security log only.
func (a *Access) LogAudit(ctx context.Context, kind string, m store.Member, detail string) {
	a.LogSecurity(ctx, LogInfo, kind,
		slog.Int64("company", m.CompanyID), slog.Int64("phone", m.PersonID), slog.Int64("account", m.ID),
		slog.String("detail", detail))
}

// AuditEvent returns the row of the audit table for an event, with the caller's address and request id.
func (a *Access) AuditEvent(ctx context.Context, kind string, m store.Member, detail string) store.AuditEvent {
	c := CallerOf(ctx)
	return store.AuditEvent{
		At: store.At(a.now()), Kind: kind, Part: string(auditGroupOf[kind]),
		CompanyID: m.CompanyID, PersonID: m.PersonID, AccountID: m.ID,
		Address: c.Address, RequestID: c.RequestID, Detail: detail,
	}
}

// auditGroupOf maps each kind to its group.
var auditGroupOf = func() map[string]AuditGroup {
	all := map[string]AuditGroup{}
	for group, kinds := range AuditKinds {
		for _, kind := range kinds {
			all[kind] = group
		}
	}
	return all
}()

// AuditGroup is a part of the audit log. Its label is the locale key "audit.of_" + its value.
type AuditGroup string

// AuditKinds lists the kinds of events by group. Every kind is in exactly one group. Its label is the locale key
// "audit." + the kind.
var AuditKinds = map[AuditGroup][]string{
	AuditSignIn: {
		"sign_in", "sign_out", "auth_code_issued", "auth_code_used", "auth_code_reused", "code_sent", "session_ended",
		"token_ended", "probe", "default_company_set",
	},
	AuditPeople: {
		"account_set_up", "offer_declined", "account_forgotten", "account_opened", "account_invited", "account_enabled",
		"account_disabled", "first_password_given", "first_password_changed", "phone_bound", "phone_unbound",
		"phone_changed", "identity_linked", "identity_unlinked", "password_set", "password_changed", "password_reset",
		"account_password_ended", "bind_reminder_stopped", "bind_reminder_resumed", "account_edited", "profile_changed",
		"portrait_set", "portrait_removed", "administrator_made", "administrator_ended",
	},
	AuditCustomers: {
		"application_sent", "application_approved", "application_rejected", "customer_added", "customer_ended",
		"customer_resumed", "upload_stored", "upload_refused", "customer_type_set", "customer_types_set",
	},
	AuditSettings: {
		"company_registered", "company_opened", "company_initialised", "company_enabled", "company_disabled",
		"company_renewed",
		"company_set", "trial_extended", "sandbox_opened", "samples_cleared", "registration_set", "appearance_set",
		"appearance_undone", "icon_set", "icon_removed", "welcome_set", "employee_rights_set", "bank_account_set",
		"bank_account_removed", "domain_claimed", "domain_verified", "domain_lapsed", "domain_removed",
		"desktop_domain_set",
	},
	AuditOrders:   {"order_placed", "order_confirmed"},
	AuditProducts: {"product_added", "product_edited", "product_off", "product_on"},
}

// LogInfo is the level of all security events, refused or not.
const LogInfo = slog.LevelInfo

// LogWarn is the level of events that an operator may have to look at.
const LogWarn = slog.LevelWarn

// LogDetail returns the log attribute with the details of an event, which must not be secret.
func LogDetail(detail string) slog.Attr { return slog.String("detail", detail) }

// LogEvent returns the log attribute with the kind of an event.
func LogEvent(kind string) slog.Attr { return slog.String("event", kind) }

// LogSubject returns the log attribute for a failure counter. subject consists of ids, never of a phone number or a
// name.
func LogSubject(subject string) slog.Attr { return slog.String("subject", subject) }

// LogSecurity writes a line of the security log. Every line has the same keys for the event, the request id and the
// caller's address.
func (a *Access) LogSecurity(ctx context.Context, level slog.Level, event string, more ...slog.Attr) {
	c := CallerOf(ctx)
	about := []slog.Attr{LogEvent(event), slog.String("request_id", c.RequestID), slog.String("address", c.Address)}
	a.log.LogAttrs(ctx, level, "security", append(about, more...)...)
}
