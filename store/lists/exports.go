package lists

import (
	"context"
	"slices"
	"strings"

	"portico/store"
)

// recordsAtOnce is how many records one statement reads for an export.
const recordsAtOnce = 100

// OrderLine is a line of an order with the number of its product.
type OrderLine struct {
	store.OrderLine
	Number string `db:"product_number"`
}

// OrderLines reads the lines of some orders of a company, with what the products were called when they were ordered, by
// the ids of the orders.
func OrderLines(ctx context.Context, db *store.DB, company int64, orders []int64) (map[int64][]OrderLine, error) {
	all := map[int64][]OrderLine{}
	for some := range slices.Chunk(orders, recordsAtOnce) {
		var lines []OrderLine
		in, args := inList(some)
		err := db.ReadRows(ctx, &lines, `SELECT l.order_id, l.line, l.product_id, l.quantity, l.price, l.sample,
			COALESCE(NULLIF(l.name, ''), p.name) AS name, CASE l.name WHEN '' THEN p.spec ELSE l.spec END AS spec,
			CASE l.name WHEN '' THEN p.unit ELSE l.unit END AS unit, p.sample AS product_sample,
			p.number AS product_number
			FROM order_lines l CROSS JOIN products p
			WHERE l.order_id IN (`+in+`) AND p.id = l.product_id AND +p.company_id = ?
			ORDER BY l.order_id, l.line`, append(args, company)...)
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			all[line.OrderID] = append(all[line.OrderID], line)
		}
	}
	return all, nil
}

// Contact is how to reach a customer: the phone of its oldest account that has one, and the facts of its application.
// Province, City and District are region codes.
type Contact struct {
	ClientID     int64  `db:"client_id"`
	Phone        string `db:"phone"`
	ContactPhone string `db:"contact_phone"` // as in the application, "" for none
	Province     string `db:"province"`
	City         string `db:"city"`
	District     string `db:"district"`
	Address      string `db:"address"`
}

// Contacts reads how to reach some customers of a company, by their ids. It leaves out customers without a phone.
func Contacts(ctx context.Context, db *store.DB, company int64, customers []int64) (map[int64]Contact, error) {
	all := map[int64]Contact{}
	for some := range slices.Chunk(customers, recordsAtOnce) {
		var contacts []Contact
		in, args := inList(some)
		args = append(args, company, company)
		err := db.ReadRows(ctx, &contacts, `SELECT a.client_id, p.phone, COALESCE(j.contact_phone, '') AS contact_phone,
			COALESCE(j.province, '') AS province, COALESCE(j.city, '') AS city, COALESCE(j.district, '') AS district,
			COALESCE(j.address, '') AS address
			FROM (SELECT client_id, MIN(id) AS id FROM accounts
				WHERE client_id IN (`+in+`) AND +company_id = ? AND phone_id IS NOT NULL GROUP BY client_id) oldest
			CROSS JOIN accounts a CROSS JOIN phones p
			LEFT JOIN applications j ON j.phone = p.phone AND j.company_id = ? AND j.account_id = a.id
			WHERE a.id = oldest.id AND p.id = a.phone_id`, args...)
		if err != nil {
			return nil, err
		}
		for _, c := range contacts {
			all[c.ClientID] = c
		}
	}
	return all, nil
}

// inList returns the placeholders and the values of an IN list of ids.
func inList(ids []int64) (placeholders string, args []any) {
	for _, id := range ids {
		args = append(args, id)
	}
	return "?" + strings.Repeat(", ?", len(ids)-1), args
}
