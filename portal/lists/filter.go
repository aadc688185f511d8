package lists

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/portal/access"
	"portico/store"
	"portico/store/lists"
)

// MaxSearch is the largest number of bytes of a search that are read.
const MaxSearch = 200

// Limits are the numbers of rows that a page may have, the usual one first.
var Limits = []int{25, 50, 100}

// Input is what an address says about a list, as it was typed. Wrong values are ignored.
type Input struct {
	Search   string // the beginning of a name or login, a number, or the first digits of a phone number
	State    string
	Category string // the id of a category of products
	From     string // a day like 2026-11-25, the first one
	To       string // the last day
	Sort     string // the name of a column, "-" before it for descending
	Limit    string
	Cursor   string // Page.Next of the page before
}

// Filter is an Input with what was understood of it. Sort is never "".
type Filter struct {
	Search, State, From, To, Sort string
	Category                      int64 // 0 for all
	Limit                         int

	// NameSorted says whether the list can be sorted by name: an index has the names, or the dates, but not both.
	NameSorted bool
}

// Narrowed says whether the list may lack rows because of what the person chose.
func (f Filter) Narrowed() bool {
	return f.Search != "" || f.State != "" || f.Category != 0 || f.From != "" || f.To != ""
}

// input returns the Input that says the same.
func (f Filter) input() Input {
	return Input{
		Search: f.Search, State: f.State, From: f.From, To: f.To, Sort: f.Sort, Limit: strconv.Itoa(f.Limit),
	}
}

// sortDate is the name of the column of dates.
const sortDate = "date"

// filter reads an Input for a list with some states and a column of names.
func (in Input) filter(states []string, byName string) Filter {
	f := Filter{Search: strings.TrimSpace(strings.ToValidUTF8(access.Truncated(in.Search, MaxSearch), ""))}
	f.Search = strings.ReplaceAll(f.Search, "\x00", "")
	if lists.NewSearch(f.Search).Prefix == "" {
		f.Search = ""
	}
	if slices.Contains(states, in.State) {
		f.State = in.State
	}
	if _, ok := day(in.From); ok {
		f.From = in.From
	}
	if _, ok := day(in.To); ok {
		f.To = in.To
	}
	if f.From != "" && f.To != "" && f.From > f.To {
		f.From, f.To = f.To, f.From
	}
	f.Limit = Limits[0]
	if n, err := strconv.Atoi(in.Limit); err == nil && slices.Contains(Limits, n) {
		f.Limit = n
	}
	f.NameSorted = f.Search != "" || f.From == "" && f.To == ""
	f.Sort = "-" + sortDate
	switch column := strings.TrimPrefix(in.Sort, "-"); {
	case column == sortDate, column == byName && f.NameSorted:
		f.Sort = in.Sort
	}
	return f
}

// day reads a day like 2026-11-25 and returns its beginning for the company.
func day(typed string) (time.Time, bool) {
	t, err := time.ParseInLocation(time.DateOnly, typed, access.CompanyDay)
	return t, err == nil && t.Year() > 0
}

func (f Filter) query(company int64) lists.Query {
	q := lists.Query{Company: company, Search: lists.NewSearch(f.Search), State: f.State, Category: f.Category}
	if from, ok := day(f.From); ok {
		q.From = store.At(from)
	}
	if to, ok := day(f.To); ok {
		q.Until = store.At(to.AddDate(0, 0, 1))
	}
	q.Descending = strings.HasPrefix(f.Sort, "-")
	q.ByName = strings.TrimPrefix(f.Sort, "-") != sortDate
	return q
}

// cursor writes a place in the list as text for an address.
func (f Filter) cursor(place lists.Key) string {
	parts := []string{f.Sort, access.Decimal(int64(place.At)), access.Decimal(place.ID), place.Name}
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join(parts, "\n")))
}

// after reads what cursor wrote. Anything else, the cursor of another order, and a place outside the dates mean the
// beginning.
func (f Filter) after(cursor string) lists.Key {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	parts := strings.SplitN(string(text), "\n", 4)
	if err != nil || len(parts) != 4 || parts[0] != f.Sort {
		return lists.Key{}
	}
	at, err := strconv.ParseInt(parts[1], 10, 64)
	id, ok := access.DecimalID(parts[2])
	q := f.query(0)
	isOutside := q.From != 0 && store.Instant(at) < q.From || q.Until != 0 && store.Instant(at) >= q.Until
	if err != nil || !ok || isOutside {
		return lists.Key{}
	}
	return lists.Key{At: store.Instant(at), ID: id, Name: parts[3]}
}
