// Package lists reads the lists of the back office: pages of a company's orders, customers, applications, people and
// products, searched, filtered and sorted, and how many rows each state has.
//
// The work does not grow with the company. Every filter has an index that ends with what the rows are sorted by, and a
// page continues after a key. Counts end at MostCounted. A search reads the first MostFound keys that begin with what
// was typed; dates, states and the order apply to these.
package lists

import (
	"context"
	"strconv"
	"strings"

	"portico/store"
	"portico/store/searchkey"
)

const (
	// MostFound is how many rows a search finds at most.
	MostFound = 1001
	// MostCounted is how many rows of a state are counted at most.
	MostCounted = 1001
	// wholePhone is the number of digits of a phone number, leastPhone of the shortest part that is searched for among
	// all people of the platform: no more than mostPhones numbers begin with it.
	wholePhone = 11
	leastPhone = 10
	mostPhones = 10
)

// Query says which rows of a list to read.
type Query struct {
	Company     int64
	Search      Search
	State       string        // one of the list's states, "" for all rows
	Category    int64         // of products, 0 for all
	From, Until store.Instant // rows from From and before Until; 0 for no limit
	ByName      bool          // sort by name, else by date. Only for a search or without From and Until
	Descending  bool
	After       Key // continue after this row; the zero value begins
	Limit       int
	All         bool // read all rows that a search finds, not only the first MostFound; only ascending and ByName
}

// Search is what was typed, in each way in which it can be understood.
type Search struct {
	Prefix string // the beginning of a name's key or of a login, "" for no search
	Number int64  // a number, 0 for none
	Phone  string // the first digits of a phone number, "" for none
}

// Key is the place of a row in a list.
type Key struct {
	At   store.Instant
	Name string
	ID   int64
}

// KeyOf returns the place of a row with a date and a name.
func KeyOf(at store.Instant, name string, id int64) Key { return Key{at, searchkey.Of(name), id} }

// NewSearch understands what was typed. Digits may be grouped, and a phone number may have the country code.
func NewSearch(typed string) Search {
	s := Search{Prefix: searchkey.Of(typed)}
	digits, ok := searchkey.Digits(typed)
	for _, code := range []string{"86", "0086"} {
		if len(digits) == wholePhone+len(code) {
			digits = strings.TrimPrefix(digits, code)
		}
	}
	if !ok || digits == "" || len(digits) > wholePhone {
		return s
	}
	s.Phone = digits
	s.Number, _ = strconv.ParseInt(digits, 10, 64)
	return s
}

// table is a list: the columns of its table by which it is filtered and sorted.
type table struct {
	name    string
	at      string            // the column of the date
	columns string            // what the conditions of states need, besides id, at and name
	alias   string            // the name of the table in the joins of a page
	shown   string            // the columns that a page needs
	states  map[string]string // the condition of each state
}

// source finds rows for a search: id, at, name and the table's columns.
type source struct {
	query string
	args  []any
}

// keys returns a query for the rows of a page in order: the columns that are shown, or only the ids of what a search
// finds.
func (t table) keys(db *store.DB, q Query) (query string, args []any) {
	if q.Search.Prefix == "" {
		query, args = "SELECT "+t.shown+" FROM "+t.name+" WHERE company_id = ?", []any{q.Company}
	} else {
		query, args = t.found(db, q)
		query = "SELECT id FROM (" + query + ") found WHERE TRUE"
		t.at = "at"
	}
	if condition := t.states[q.State]; condition != "" {
		query += " AND " + condition
	}
	if q.Category != 0 {
		query, args = query+" AND category_id = ?", append(args, q.Category)
	}
	sorted, after := t.at, any(q.After.At)
	if q.ByName {
		sorted, after = "search", q.After.Name
		if q.Search.Prefix != "" {
			sorted = "name"
		}
	}
	// Beside the place to continue after, a limit on the same side would let SQLite begin at the wrong one of the two.
	isContinued := q.After.ID != 0
	if q.From != 0 && (!isContinued || q.Descending || q.ByName) {
		query, args = query+" AND "+t.at+" >= ?", append(args, q.From)
	}
	if q.Until != 0 && (!isContinued || !q.Descending || q.ByName) {
		query, args = query+" AND "+t.at+" < ?", append(args, q.Until)
	}
	sign, direction := " > ", ""
	if q.Descending {
		sign, direction = " < ", " DESC"
	}
	if isContinued {
		query, args = query+" AND ("+sorted+", id)"+sign+"(?, ?)", append(args, after, q.After.ID)
	}
	return query + " ORDER BY " + sorted + direction + ", id" + direction + " LIMIT ?", append(args, q.Limit)
}

// found returns a query for the rows that a search finds.
func (t table) found(db *store.DB, q Query) (query string, args []any) {
	var parts []string
	for _, s := range t.sources(db, q) {
		parts = append(parts, "SELECT * FROM ("+s.query+") AS part")
		args = append(args, s.args...)
	}
	return strings.Join(parts, " UNION "), args
}

// byName finds the rows whose names begin with what was typed.
func (t table) byName(q Query) source {
	if q.All {
		return t.nextByName(q)
	}
	return source{
		"SELECT id, " + t.at + " AS at, search AS name" + t.columns + " FROM " + t.name +
			" WHERE company_id = ? AND search >= ? AND search < ? ORDER BY search DESC, id DESC LIMIT ?",
		[]any{q.Company, q.Search.Prefix, searchkey.End(q.Search.Prefix), MostFound},
	}
}

// nextByName finds the rows of one page: those that pass the filter, after a key.
func (t table) nextByName(q Query) source {
	query := "SELECT id, " + t.at + " AS at, search AS name" + t.columns + " FROM " + t.name +
		" WHERE company_id = ? AND search >= ? AND search < ? AND (search, id) > (?, ?)"
	args := []any{q.Company, q.Search.Prefix, searchkey.End(q.Search.Prefix), q.After.Name, q.After.ID}
	if condition := t.states[q.State]; condition != "" {
		query += " AND " + condition
	}
	if q.Category != 0 {
		query, args = query+" AND category_id = ?", append(args, q.Category)
	}
	if q.From != 0 {
		query, args = query+" AND "+t.at+" >= ?", append(args, q.From)
	}
	if q.Until != 0 {
		query, args = query+" AND "+t.at+" < ?", append(args, q.Until)
	}
	return source{query + " ORDER BY search, id LIMIT ?", append(args, q.Limit)}
}

// byNumber finds the row with a number.
func (t table) byNumber(q Query) source {
	return source{
		"SELECT id, " + t.at + " AS at, search AS name" + t.columns + " FROM " + t.name +
			" WHERE company_id = ? AND number = ?",
		[]any{q.Company, q.Search.Number},
	}
}

// byID finds the row whose id is the number. The limit makes Postgres look for the id alone. With the company beside
// it, Postgres may read the company's whole index of names.
func (t table) byID(q Query) source {
	return source{
		"SELECT id, " + t.at + " AS at, search AS name" + t.columns + " FROM (SELECT * FROM " + t.name +
			" WHERE id = ? LIMIT 1) AS one WHERE company_id = ?",
		[]any{q.Search.Number, q.Company},
	}
}

// phoneRange returns the smallest and the largest phone number that begins with some digits.
func phoneRange(digits string) (from, to string) {
	missing := max(0, wholePhone-len(digits))
	return digits + strings.Repeat("0", missing), digits + strings.Repeat("9", missing)
}

// StateCount is how many rows a state has, up to MostCounted.
type StateCount struct {
	State string `db:"state"`
	Count int    `db:"n"`
}

// count counts the rows of all states of a list, "" for all rows.
func (t table) count(ctx context.Context, db *store.DB, q Query, states []string) ([]StateCount, error) {
	from := t.name + " WHERE company_id = ?"
	at := t.at
	first := []any{q.Company}
	query, args := "", []any{}
	if q.Search.Prefix != "" {
		found, foundArgs := t.found(db, q)
		query, args = "WITH found AS MATERIALIZED ("+found+") ", foundArgs
		from = "found WHERE TRUE"
		at = "at"
		first = nil
	}
	for i, state := range states {
		if i > 0 {
			query += " UNION ALL "
		}
		query += "SELECT '" + state + "' AS state, COUNT(*) AS n FROM (SELECT 1 FROM " + from
		args = append(args, first...)
		if condition := t.states[state]; condition != "" {
			query += " AND " + condition
		}
		if q.Category != 0 {
			query, args = query+" AND category_id = ?", append(args, q.Category)
		}
		if q.From != 0 {
			query, args = query+" AND "+at+" >= ?", append(args, q.From)
		}
		if q.Until != 0 {
			query, args = query+" AND "+at+" < ?", append(args, q.Until)
		}
		query, args = query+" LIMIT ?) AS counted", append(args, MostCounted)
	}
	var all []StateCount
	err := db.ReadRows(ctx, &all, query, args...)
	return all, err
}

// selection is what a statement reads of the rows of a list: columns, the joins of other tables, which follow the
// list's own, and a condition on them.
type selection struct{ columns, joins, on string }

// page reads the rows of a page.
func page[T any](ctx context.Context, db *store.DB, t table, q Query, of selection) ([]T, error) {
	keys, args := t.keys(db, q)
	from, sorted := "("+keys+") "+t.alias, t.alias+"."+t.at
	if q.ByName {
		sorted = t.alias + ".search"
	}
	if q.Search.Prefix != "" {
		// CROSS JOIN makes SQLite begin with the keys
		from = "(" + keys + ") page CROSS JOIN " + t.name + " " + t.alias
		of.on += " AND " + t.alias + ".id = page.id"
	}
	direction := ""
	if q.Descending {
		direction = " DESC"
	}
	var all []T
	err := db.ReadRows(ctx, &all, "SELECT "+of.columns+" FROM "+from+of.joins+" WHERE TRUE"+of.on+
		" ORDER BY "+sorted+direction+", "+t.alias+".id"+direction, args...)
	return all, err
}
