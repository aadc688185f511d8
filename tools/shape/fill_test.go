package shape_test

import (
	"context"
	"database/sql"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"

	"portico/locale"
	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

const password = "Growth.2026"

// cheapHash keeps the time of password hashes out of what is measured.
var cheapHash = core.HashCost{Memory: 64, Passes: 1, Threads: 1}

// platformData fills an empty database with a platform of n accounts, with the same SQL for both databases. Company 1
// is the large one: a fifth of the accounts, half of them in the back office, a tenth of n customers, half of the
// applications and a third of the events.
type platformData struct {
	accounts int
	now      time.Time
}

// tableData are the rows of each table: the columns, how many rows for n accounts, and the values of row i, from 1. In
// the values {n} stands for n, {p} for the number of persons, {c} for the number of small companies, {now} for the time
// in milliseconds, {hash} for the hash of the password, {people} and so on for a kind of events of that group.
var tableData = []struct{ table, columns, rows, values string }{
	{"companies", "id, name, registration_open, orders_made, created_at, updated_at", "{c} + 1",
		"i, 'Company ' || i, TRUE, {p}, {now} - i, {now} - i"},
	{"company_hosts", "host, company_id, verified_at", "{c}", "'shop' || i || '.example', i, {now}"},
	{"company_credentials", "company_id, kind, app, agent, secret, updated_at", "{c} / 10",
		"i + 1, 'wecom', 'corp' || i, '1', 'sealed', {now}"},
	{"phones", "phone, password_hash, created_at", "{p}", "CAST(13900000000 + i AS TEXT), {hash}, {now} - i"},
	{"clients", "id, company_id, name, search, created_at, state", "{p}",
		`i, CASE WHEN i % 8 = 0 THEN 1 ELSE 2 + i % {c} END, 'Customer ' || i, 'customer ' || i, {now} - i,
		CASE WHEN i % 64 = 16 AND i > {p} / 2 THEN 'ended' ELSE 'partner' END`},
	// Even accounts are in a back office, odd ones in a shop. Those of company 1 are the multiples of 5. Customers of
	// company 1 are the multiples of 8. A shop account with a number above that of the persons has the customer of
	// another account of its company.
	{"accounts", `company_id, side, type, login, login_key, name, search, search_of, phone_id, client_id,
		password_hash, created_at`, "{n}",
		`CASE WHEN i % 5 = 0 THEN 1 ELSE 2 + i % {c} END,
		CASE WHEN i % 2 = 0 THEN 'mgr' ELSE 'shop' END,
		CASE WHEN i % 2 = 1 THEN 3 WHEN i % 1000 = 10 THEN 1 ELSE 2 END,
		'user' || i, 'user' || i, 'Person ' || i, 'person ' || i, 'Person ' || i,
		CASE WHEN i <= {p} THEN i END,
		CASE WHEN i % 2 = 0 THEN NULL WHEN i % 5 = 0 THEN 8 * (i / 10 + 1) WHEN i <= {p} THEN i ELSE i - 26 * {c} END,
		CASE WHEN i <= {p} THEN '' ELSE {hash} END, {now} - i`},
	{"identities", "provider, app, subject, union_id, phone_id, account_id, linked_at, used_at", "2 * {n} / 5",
		`'wechat', 'wx', {random}, 'u' || i, CASE WHEN i % 10 > 0 THEN i ELSE 0 END,
		CASE WHEN i % 10 = 0 THEN i ELSE 0 END, {now}, {now}`},
	{"sessions", `id, host, family, device, phone_id, company_id, created_at, seen_at, idle_until, ends_at`, "{p}",
		`{random}, 'store1.portico.test', {random} || 'f', {device}, CASE WHEN i % 2 = 0 THEN i ELSE 0 END, 1,
		{now}, {now}, {now} + 40000000, {now} + 80000000 + i`},
	{"session_slots", `session_id, slot, account_id, company_id, family, device, from_origin, entered_at, idle_until,
		ends_at`, "{p}",
		`{random}, 'pcMgr', i, 1, {random} || 'f', {device}, 'http://account.portico.test', {now}, {now} + 40000000,
		{now} + 80000000 + i`},
	{"auth_codes", `id, session_id, family, device, account_id, company_id, slot, target, from_origin, created_at,
		expires_at, used_at`, "{n} / 10",
		`{random}, {random}, {random} || 'f', {device}, i, 1, 'pcMgr', 'store1.portico.test',
		'http://account.portico.test', {now}, {now} + i, {now}`},
	{"known_devices", "device, subject, seen_at", "6 * {n} / 5", "{device}, 'phone:' || i, {now} - i"},
	{"device_accounts", "device, phone_id, account_id, at", "{p} / 2", "{device}, i, i, {now} - i"},
	{"attempts", "key, failures, window_failures, window_from, blocked_until, updated_at", "{n}",
		`CASE i % 2 WHEN 0 THEN 'known:' || {device} || ':phone:' || i ELSE 'credit:10.0.0.1:phone:' || i END, 1, 1,
		{now}, 0, {now} - i`},
	{"attempts", "key, failures, window_failures, window_from, blocked_until, updated_at", "{n} / 10",
		`'sms:company:' || i, 1, 1, {now}, 0, {now} - i`},
	{"attempts", "key, failures, window_failures, window_from, blocked_until, updated_at", "{n} / 10",
		`'sms:strangers:hour:company:' || i, 1, 1, {now}, 0, {now} - i`},
	{"lookups", "address, subject, at", "{n} / 10", "'10.0.0.' || (i % 250), {random}, {now} - i"},
	{"codes", `subject, purpose, company_id, phone, flow, target, hash, sent_at, expires_at`, "{n} / 5",
		`{random}, 'bind', i % {c}, 'sealed', {random} || 'w', CASE i % 2 WHEN 0 THEN 'account:' || i ELSE '' END, 'h',
		{now}, {now} + 300000`},
	{"signatures", "id, path, expires_at", "{n} / 10", "{random}, '/v1/account/mixedLogin', {now} + 500000 + i"},
	{"idempotency_keys", "id, content, claimed_until, expires_at", "{n} / 20", "{random}, 'c', {now}, {now} + 500000"},
	{"repeats", "id, result, at", "{n} / 20", "{random}, '', {now}"},
	{"kept_forms", "id, company_id, phone_id, account_id, path, content, at", "{n} / 20",
		"{random}, 1, 0, i, '/mgr/people/new', 'sealed', {now}"},
	{"used_tickets", "id, family, expires_at", "{n} / 20", "{random}, {random} || 'f', {now} + 500000"},
	{"authorisations", "id, door, provider, app, created_at, expires_at", "{n} / 20",
		"{random}, 'wechat', 'wechat', 'wx', {now}, {now} + 500000"},
	{"identity_applicants", "company_id, provider, app, subject, phone, at", "{n} / 20",
		"1, 'wechat', 'wx', {random}, 'sealed', {now}"},
	{"acceptances", "phone_id, company_id, version, lang, address, at", "{p}", "i, 0, '{agreement}', 'zh', '', {now}"},
	{"declined_offers", "company_id, subject, at", "{n} / 20", "1, {random}, {now} - 200000000 - 90000 * i"},
	{"application_drafts", "company_id, subject, content, updated_at", "{n} / 20", "1, {random}, '{}', {now}"},
	{"uploads", "id, company_id, purpose, owner, content, created_at, used_at", "{n} / 20",
		"{random}, 1, 'licence', {random}, 'c' || i, {now} - i, {now}"},
	{"applications", `id, company_id, phone, state, company_name, search, contact_name, created_at, decided_at`,
		"{n} / 2",
		`7000000 + i, CASE i % 2 WHEN 0 THEN 1 ELSE 2 + i % {c} END, CAST(15900000000 + i AS TEXT),
		CASE i % 3 WHEN 0 THEN 'pending' WHEN 1 THEN 'approved' ELSE 'rejected' END, 'Shop ' || i, 'shop ' || i,
		'Person ' || i, {now} - 1000 * i, CASE i % 3 WHEN 0 THEN 0 ELSE {now} END`},
	{"categories", "company_id, name", "4", "1, 'Category ' || i"},
	{"products", "company_id, category_id, name, search, spec, unit, price, stock, created_at", "2000",
		"1, 1 + i % 4, 'Product ' || i, 'product ' || i, '1 kg', 'bag', 1000, 1000000, {now} - 1000 * i"},
	// Every eighth order is one of company 1, which gets 200 a day.
	{"orders", `company_id, number, client_id, account_id, form, state, total, placed_at, search`, "{p}",
		`CASE WHEN i % 8 = 0 THEN 1 ELSE 2 + i % {c} END, i, i, i, {random},
		CASE WHEN i % 16 = 0 THEN 'new' ELSE 'confirmed' END, 1000, {now} - 600000 - 54000 * ({p} - i),
		'customer ' || i`},
	{"order_lines", "order_id, line, product_id, quantity, price", "{p}", "i, 1, 1 + i % 20, 2, 500"},
	// The kinds of customers' events are rare and old, so that a search for them passes many others.
	{"audit_events", "at, kind, part, company_id, account_id, address", "3 * {n}",
		`{now} - 1000 * (3 * {n} - i),
		CASE WHEN i % 12 = 0 AND i < {n} THEN {customers} WHEN i % 12 = 3 THEN {people} WHEN i % 12 = 6 THEN {settings}
			WHEN i % 12 = 9 THEN {orders} ELSE {sign_in} END,
		CASE WHEN i % 12 = 0 AND i < {n} THEN 'customers' WHEN i % 12 = 3 THEN 'people' WHEN i % 12 = 6 THEN 'settings'
			WHEN i % 12 = 9 THEN 'orders' ELSE 'sign_in' END,
		CASE i % 3 WHEN 0 THEN 1 ELSE 2 + i % {c} END,
		CASE i % 3 WHEN 0 THEN 5 * (1 + (i / 3) % ({n} / 5)) ELSE i % {n} END, '10.0.0.1'`},
	{"page_views", "company_id, day, page, device, views", "600",
		"1, {today} - i % 30, 'page' || (i / 30 % 10), 'device' || (i / 300 % 2), 7"},
	{"page_views", "company_id, day, page, device, views", "{n} / 10",
		"2 + i % {c}, {today} - (i / {c}) % 30, 'page', 'device', 7"},
}

// finalStatements change the rows that follow no formula: person 3 has four accounts, person 5 has three offers.
var finalStatements = []string{
	"UPDATE accounts SET phone_id = 3, password_hash = '' WHERE id > {n} - 3",
	"UPDATE accounts SET phone_id = 5, invited = TRUE, invited_at = {now} WHERE id > {n} - 6 AND id <= {n} - 3",
}

// fill runs the statements on a database that was migrated.
func (f platformData) fill(ctx context.Context, to *sql.DB) error {
	for _, each := range tableData {
		rows, values := f.text(each.rows), f.text(each.values)
		statement := fmt.Sprintf(`INSERT INTO %s (%s)
			WITH RECURSIVE series (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM series WHERE i < %s)
			SELECT %s FROM series`, each.table, each.columns, rows, values)
		if each.table == "page_views" {
			statement += " WHERE TRUE ON CONFLICT DO NOTHING"
		}
		if _, err := to.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("fill %s: %w", each.table, err)
		}
	}
	for _, statement := range finalStatements {
		if _, err := to.ExecContext(ctx, f.text(statement)); err != nil {
			return fmt.Errorf("fill: %w", err)
		}
	}
	return nil
}

func (f platformData) persons() int { return f.accounts * 4 / 5 }

// smallCompanies returns the number of small companies. Their ids begin with 2.
func (f platformData) smallCompanies() int { return f.accounts/100 - 1 }

func (f platformData) text(of string) string {
	const device = "substr('d' || i || '-----------------------', 1, 22)"
	// Spread over its range like a hash, so that rows next to each other are not next to each other in an index.
	const random = "CAST((i * 2654435761) % 4294967296 AS TEXT) || '-' || i || '-0123456789abcdef0123456789abcdef'"
	pairs := []string{
		"{n}", fmt.Sprint(f.accounts), "{p}", fmt.Sprint(f.persons()), "{c}", fmt.Sprint(f.smallCompanies()),
		"{now}", fmt.Sprint(store.At(f.now)), "{today}", fmt.Sprint(store.DayOf(f.now)),
		"{hash}", "'" + hashOf(password) + "'",
		"{agreement}", locale.Chinese.Agreement().Version, "{random}", random, "{device}", device,
	}
	for group, kinds := range access.AuditKinds {
		var list strings.Builder
		for i, kind := range kinds {
			fmt.Fprintf(&list, " WHEN %d THEN '%s'", i, kind)
		}
		kind := fmt.Sprintf("CASE (i / 12) %% %d%s END", len(kinds), list.String())
		pairs = append(pairs, "{"+string(group)+"}", kind)
	}
	return strings.NewReplacer(pairs...).Replace(of)
}

// hashOf returns the hash of a password as portal stores it.
func hashOf(password string) string {
	salt := []byte("sixteen bytes ok")
	sum := argon2.IDKey([]byte(password), salt, cheapHash.Passes, cheapHash.Memory, cheapHash.Threads, 32)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, cheapHash.Memory, cheapHash.Passes,
		cheapHash.Threads, b64.EncodeToString(salt), b64.EncodeToString(sum))
}
