package store

import (
	"context"
	"fmt"
	"strings"
)

// tables are all tables of the schema. Tests count and search their rows.
var tables = []string{"companies", "company_hosts", "clients", "phones", "accounts", "sessions", "session_slots",
	"session_hidden",
	"auth_codes", "attempts", "lookups", "known_devices", "audit_events",
	"signatures", "push_ids", "idempotency_keys", "codes",
	"sandboxes", "acceptances", "account_acceptances", "registrations", "last_ids", "categories", "products", "orders",
	"order_lines",
	"applications", "application_drafts", "uploads", "domain_claims",
	"company_credentials", "identities", "identity_applicants", "authorisations", "provider_tokens",
	"page_views", "company_bank_accounts",
	"company_styles", "company_looks", "look_drafts", "portraits", "customer_types",
	"repeats", "kept_forms", "device_accounts",
	"declined_offers", "used_tickets", "read_signatures", "leases", "hash_keys",
	"application_watchers"}

// RowCounts returns the number of rows of every table, as text that tests compare.
func (db *DB) RowCounts(ctx context.Context) (string, error) {
	var all strings.Builder
	for _, table := range tables {
		var n int
		if err := db.get(ctx, &n, "SELECT COUNT(*) FROM "+table); err != nil {
			return "", err
		}
		fmt.Fprintf(&all, "%s=%d ", table, n)
	}
	return all.String(), nil
}

// Dump returns every value of every table as text. Tests search it for secrets that must not be stored.
func (db *DB) Dump(ctx context.Context) (string, error) {
	var all strings.Builder
	for _, table := range tables {
		rows, err := db.read.QueryxContext(ctx, "SELECT * FROM "+table)
		if err != nil {
			return "", err
		}
		for rows.Next() {
			values, err := rows.SliceScan()
			if err != nil {
				_ = rows.Close()
				return "", err
			}
			fmt.Fprintln(&all, table, values)
		}
		if err := rows.Close(); err != nil {
			return "", err
		}
	}
	return all.String(), nil
}
