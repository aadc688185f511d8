package lists

import (
	"context"

	"portico/store"
	"portico/store/searchkey"
)

// The states by which lists are filtered, in the order in which they are shown. "" is for all rows.
var (
	OrderStates       = []string{"", "new", "confirmed"}
	CustomerStates    = []string{"", "partner", "ended"}
	ApplicationStates = []string{"", "pending", "approved", "rejected"}
	PersonStates      = []string{"", "staff", "shop", "invited", "disabled"}
	ProductStates     = []string{"", "on", "off"}
)

var orders = table{
	name: "orders", at: "placed_at", columns: ", state",
	alias: "o", shown: "id, company_id, number, client_id, state, total, sample, placed_at, confirmed_at, search",
	states: map[string]string{"new": "state = 'new'", "confirmed": "state = 'confirmed'"},
}

var customers = table{
	name: "clients", at: "created_at", columns: ", state",
	alias: "k", shown: "id, company_id, name, type_id, state, contact, sample, created_at, search",
	states: map[string]string{"partner": "state = 'partner'", "ended": "state = 'ended'"},
}

var applications = table{
	name: "applications", at: "created_at", columns: ", state",
	alias: "a", shown: "id, company_id, phone, state, company_name, contact_name, reject_reason, " +
		"decided_by, decided_at, created_at, search",
	states: map[string]string{
		"pending": "state = 'pending'", "approved": "state = 'approved'", "rejected": "state = 'rejected'",
	},
}

var people = table{
	name: "accounts", at: "created_at", columns: ", side, state, invited",
	alias: "a", shown: "id, company_id, side, type, login, name, state, duty_name, dept_name, invited, " +
		"first_password_until, declined_at, created_at, phone_id, client_id, search",
	states: map[string]string{
		"staff": "side = 'mgr'", "shop": "side = 'shop'", "invited": "invited = TRUE", "disabled": "state = 'disabled'",
	},
}

var products = table{
	name: "products", at: "created_at", columns: ", state, category_id",
	alias: "p", shown: "id, company_id, category_id, number, name, spec, unit, price, stock, state, picture, form, " +
		"sample, created_at, updated_at, search",
	states: map[string]string{"on": "state = 'on'", "off": "state = 'off'"},
}

// The columns that a page reads of each list, by the aliases of its tables.
const (
	orderColumns = `o.id, o.company_id, o.number, o.client_id, o.state, o.total, o.sample, o.placed_at, o.confirmed_at,
			k.name AS client_name, k.sample AS client_sample`
	customerColumns    = "k.id, k.company_id, k.name, k.type_id, k.state, k.contact, k.sample, k.created_at"
	applicationColumns = `a.id, a.company_id, a.phone, a.state, a.company_name, a.contact_name, a.reject_reason,
			a.decided_by, a.decided_at, a.created_at`
	personColumns = `a.id, a.company_id, a.side, a.type, a.login, a.name, a.state, a.duty_name, a.dept_name, a.invited,
			a.first_password_until, a.declined_at, a.created_at, COALESCE(a.phone_id, 0) AS phone_id,
			COALESCE(a.client_id, 0) AS client_id, COALESCE(p.phone, '') AS phone,
			COALESCE(k.name, '') AS client_name`
	personJoins = ` LEFT JOIN phones p ON p.id = a.phone_id
			LEFT JOIN clients k ON k.id = a.client_id AND k.company_id = a.company_id`
)

// sources returns the ways in which a search finds rows of a list.
func (t table) sources(db *store.DB, q Query) []source {
	all := []source{t.byName(q)}
	switch t.name {
	case orders.name:
		if q.Search.Number != 0 {
			all = append(all, t.byNumber(q))
		}
	case customers.name:
		if q.Search.Number != 0 {
			all = append(all, t.byID(q))
		}
		if len(q.Search.Phone) >= leastPhone {
			all = append(all, customersByPhone(q))
		}
	case applications.name:
		if q.Search.Phone != "" {
			all = append(all, applicationsByPhone(q))
		}
	case people.name:
		all = append(all, peopleByLogin(db, q))
		if len(q.Search.Phone) >= leastPhone {
			all = append(all, peopleByPhone(q))
		}
	case products.name:
		all = append(all, productsByNumber(q))
	}
	return all
}

// customersByPhone finds the customers of people whose phone number begins with some digits.
func customersByPhone(q Query) source {
	from, to := phoneRange(q.Search.Phone)
	return source{
		`SELECT k.id, k.created_at AS at, k.search AS name, k.state FROM
			(SELECT id FROM phones WHERE phone >= ? AND phone <= ? LIMIT ?) p CROSS JOIN accounts a CROSS JOIN clients k
			WHERE a.phone_id = p.id AND a.company_id = ? AND k.id = a.client_id AND k.company_id = a.company_id`,
		[]any{from, to, mostPhones, q.Company},
	}
}

func applicationsByPhone(q Query) source {
	from, to := phoneRange(q.Search.Phone)
	return source{
		`SELECT id, created_at AS at, search AS name, state FROM applications
			WHERE company_id = ? AND phone >= ? AND phone <= ? ORDER BY phone DESC, id DESC LIMIT ?`,
		[]any{q.Company, from, to, MostFound},
	}
}

func peopleByLogin(db *store.DB, q Query) source {
	login := db.Bytewise("login_key")
	return source{
		"SELECT id, created_at AS at, search AS name, side, state, invited FROM accounts WHERE company_id = ? AND " +
			login + " >= ? AND " + login + " < ? ORDER BY " + login + " DESC, id DESC LIMIT ?",
		[]any{q.Company, q.Search.Prefix, searchkey.End(q.Search.Prefix), MostFound},
	}
}

func peopleByPhone(q Query) source {
	from, to := phoneRange(q.Search.Phone)
	return source{
		`SELECT a.id, a.created_at AS at, a.search AS name, a.side, a.state, a.invited
			FROM (SELECT id FROM phones WHERE phone >= ? AND phone <= ? LIMIT ?) p CROSS JOIN accounts a
			WHERE a.phone_id = p.id AND a.company_id = ?`,
		[]any{from, to, mostPhones, q.Company},
	}
}

// productsByNumber finds the products whose number begins with what was typed.
func productsByNumber(q Query) source {
	return source{
		`SELECT id, created_at AS at, search AS name, state, category_id FROM products
			WHERE company_id = ? AND number_key >= ? AND number_key < ? AND number_key <> ''
			ORDER BY number_key DESC, id DESC LIMIT ?`,
		[]any{q.Company, q.Search.Prefix, searchkey.End(q.Search.Prefix), MostFound},
	}
}

// Orders reads a page of a company's orders: what lists show of them.
func Orders(ctx context.Context, db *store.DB, q Query) ([]store.Order, error) {
	return page[store.Order](ctx, db, orders, q, selection{
		columns: orderColumns, joins: " CROSS JOIN clients k", on: " AND k.id = o.client_id",
	})
}

// CountOrders counts a company's orders by state.
func CountOrders(ctx context.Context, db *store.DB, q Query) ([]StateCount, error) {
	return orders.count(ctx, db, q, OrderStates)
}

// Customers reads a page of a company's customers.
func Customers(ctx context.Context, db *store.DB, q Query) ([]store.Client, error) {
	return page[store.Client](ctx, db, customers, q, selection{columns: customerColumns})
}

// CountCustomers counts a company's customers by state.
func CountCustomers(ctx context.Context, db *store.DB, q Query) ([]StateCount, error) {
	return customers.count(ctx, db, q, CustomerStates)
}

// Applications reads a page of the applications to a company.
func Applications(ctx context.Context, db *store.DB, q Query) ([]store.Application, error) {
	return page[store.Application](ctx, db, applications, q, selection{columns: applicationColumns})
}

// CountApplications counts the applications to a company by state.
func CountApplications(ctx context.Context, db *store.DB, q Query) ([]StateCount, error) {
	return applications.count(ctx, db, q, ApplicationStates)
}

// People reads a page of a company's accounts with their phones and customers.
func People(ctx context.Context, db *store.DB, q Query) ([]store.Member, error) {
	return page[store.Member](ctx, db, people, q, selection{columns: personColumns, joins: personJoins})
}

// CountPeople counts a company's accounts by state.
func CountPeople(ctx context.Context, db *store.DB, q Query) ([]StateCount, error) {
	return people.count(ctx, db, q, PersonStates)
}

// Product is a product with the name of its category.
type Product struct {
	store.Product
	Category       string `db:"category"`
	CategorySample string `db:"category_sample"`
	Drawing        string `db:"drawing"`
}

// Products reads a page of a company's products.
func Products(ctx context.Context, db *store.DB, q Query) ([]Product, error) {
	return page[Product](ctx, db, products, q, selection{
		columns: store.ProductColumns + ", c.name AS category, c.sample AS category_sample, c.picture AS drawing",
		joins:   " CROSS JOIN categories c", on: " AND c.id = p.category_id",
	})
}

// CountProducts counts a company's products by state.
func CountProducts(ctx context.Context, db *store.DB, q Query) ([]StateCount, error) {
	return products.count(ctx, db, q, ProductStates)
}
