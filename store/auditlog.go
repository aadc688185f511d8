package store

import (
	"context"
	"math"
)

// AuditRow is an event with the account that did it, as far as that is one of the company's own and still there.
type AuditRow struct {
	AuditEvent
	Name  string `db:"name"`
	Login string `db:"login"`
	Side  Side   `db:"side"`
}

// auditGroup is the group of an event by its kind, as the index of the groups has it: a new kind of a group other than
// sign_in needs a migration that makes that index anew.
const auditGroup = `CASE
  WHEN kind IN ('account_set_up', 'offer_declined', 'account_forgotten', 'account_opened', 'account_invited',
    'account_enabled', 'account_disabled', 'first_password_given', 'first_password_changed', 'phone_bound',
    'phone_unbound', 'identity_linked', 'identity_unlinked', 'password_set', 'password_changed',
    'password_reset', 'account_password_ended') THEN 'people'
  WHEN kind IN ('application_sent', 'application_approved', 'application_rejected', 'customer_ended',
    'customer_resumed', 'upload_stored', 'upload_refused') THEN 'customers'
  WHEN kind IN ('company_registered', 'company_initialised', 'company_enabled', 'company_disabled',
    'company_renewed', 'company_set', 'trial_extended', 'sandbox_opened', 'samples_cleared', 'registration_set',
    'appearance_set', 'appearance_undone', 'icon_set', 'icon_removed', 'employee_rights_set',
    'bank_account_set', 'bank_account_removed', 'domain_claimed', 'domain_verified', 'domain_lapsed',
    'domain_removed', 'desktop_domain_set') THEN 'settings'
  WHEN kind IN ('order_placed', 'order_confirmed') THEN 'orders'
  ELSE 'sign_in' END`

// AuditLog reads a company's events from before an id (0: from the newest on), newest first; of a group alone, or of
// all for "".
func (db *DB) AuditLog(ctx context.Context, companyID, before int64, group string, limit int) ([]AuditRow, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	where, args := "", []any{companyID, companyID, before}
	if group != "" {
		where, args = " AND ("+auditGroup+") = ?", append(args, group)
	}
	var rows []AuditRow
	err := db.list(ctx, &rows, `SELECT e.id, e.at, e.kind, e.company_id, e.phone_id, e.account_id, e.address,
			e.request_id, e.detail,
			COALESCE(a.name, '') AS name, COALESCE(a.login, '') AS login, COALESCE(a.side, '') AS side
		FROM audit_events e LEFT JOIN accounts a ON a.id = e.account_id AND a.company_id = ?
		WHERE e.company_id = ? AND e.id < ?`+where+` ORDER BY e.id DESC LIMIT ?`, append(args, limit)...)
	return rows, err
}
