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
