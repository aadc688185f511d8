package schema

// Tables are all tables of the schema.
var Tables = []string{
	"companies", "company_hosts", "clients", "phones", "accounts", "sessions", "session_slots", "session_hidden",
	"auth_codes", "attempts", "lookups", "known_devices", "audit_events", "signatures", "push_ids",
	"idempotency_keys", "codes", "sandboxes", "acceptances", "account_acceptances", "registrations", "last_ids",
	"categories", "products", "orders", "order_lines", "applications", "application_drafts", "uploads",
	"domain_claims", "company_credentials", "identities", "identity_applicants", "authorisations", "provider_tokens",
	"page_views", "company_bank_accounts", "company_styles", "company_looks", "look_drafts", "portraits",
	"customer_types", "repeats", "kept_forms", "device_accounts", "declined_offers", "used_tickets",
	"read_signatures", "leases", "hash_keys", "application_watchers", "heartbeats", "carts", "cart_lines",
	"saved_filters",
}
