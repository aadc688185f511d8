package lists

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"portico/components"
	"portico/locale"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/core"
	"portico/portal/lists"
	"portico/store"
)

// listView is a page of a list. Name is the list's name in addresses, like "orders".
type listView struct {
	Name, Path string

	Heading, Action, Href string // of the page, and the button that adds to the list, "" for none

	Filter     lists.Filter
	Hint       string // what can be searched for
	Tabs       []tab
	Sorts      []web.Choice
	Categories []web.Choice // the categories by which products are filtered; nil for other lists
	Columns    []column
	Rows       []row
	TooMany    string // says that a search found more than can be shown, "" for no
	First      string // the address of the first page, "" on it
	Next       string // the address of the next page, "" on the last one
	Clear      string // the address without search and filter
	Empty      empty
	Pulled     bool   // the list is renewed by pulling the page down
	CSV, Excel string // the addresses of the exports
	Import     string // the page that imports rows from a file, "" for readers who may not
	Here       string // the address of this page

	Saved     []savedLink // the filters that the reader has saved
	SaveHref  string      // the page that saves and removes filters
	SaveLabel string      // of the link to it, "" for no link
	Set       []setFilter // the filters that are set
	Drawings  []site.ProductDrawing
	Choose    *chooseBar // what can be done to rows that are chosen, nil for nothing
	AllChosen bool
}

// headView is the heading of a list. CSV and Excel are the addresses of its exports, Import that of the page that reads
// a file, and Href that of the page that adds to the list; "" for none.
type headView struct {
	Heading, Action, Href, CSV, Excel, Import string
}

// head returns the heading of the list. A list without rows has no exports.
func (v listView) head() headView {
	h := headView{Heading: v.Heading, Action: v.Action, Href: v.Href, Import: v.Import}
	if len(v.Rows) > 0 {
		h.CSV, h.Excel = v.CSV, v.Excel
	}
	return h
}

// files names the menu with the list's files.
func (v headView) files(ctx context.Context) string {
	if v.Import != "" {
		return locale.T(ctx, "lists.export_import")
	}
	return locale.T(ctx, "lists.export")
}

// filterButton is a button that opens a panel of filters. Set is how many of them are set. On phones a button with an
// icon shows the number and no label.
type filterButton struct {
	Icon, Label string
	Set         int
}

// name is what screen readers say, also where the label is not shown.
func (b filterButton) name() string {
	if b.Icon == "" || b.Set == 0 {
		return b.Label
	}
	return b.Label + " " + strconv.Itoa(b.Set)
}

// setFilter is a filter that is set, and the address of the list without it.
type setFilter struct{ Text, Without string }

// clearHref returns the address of the list without search and filters, "" when it has none or shows no rows: then the
// empty list has a button for it.
func (v listView) clearHref() string {
	if v.Filter.Narrowed() && len(v.Rows) > 0 {
		return v.Clear
	}
	return ""
}

// total returns how many rows the list has in the chosen state.
func (v listView) total() string {
	for _, t := range v.Tabs {
		if t.Current {
			return t.Count
		}
	}
	return ""
}

// empty is what a list without any rows says, and the button that ends that state.
type empty struct {
	Text, Body, Action, Href string
}

// tab is a link that filters the list by state.
type tab struct {
	Label, Count, Href string
	Current            bool
}

// column is a column of the table. Href sorts by it, "" where the list cannot be sorted by it. Sorted is the value of
// aria-sort, "" for a column by which the list is not sorted. Kind is the kind of its cells.
type column struct {
	Label, Href, Sorted, Kind string
}

// row is a row of the table. Its first cell is a link to the page Href, "" for none. ID is the value of its check box.
type row struct {
	ID    string
	Href  string
	Cells []cell
}

// cell is a text, a time or a chip. Label says what the text is where the head of the column is not shown, "" for a
// text that needs none.
type cell struct {
	Text, Label string

	HasTile        bool // a picture stands before the text: see site.Tile
	Photo, Drawing string

	At   time.Time
	Chip *web.Chip

	Sample bool // the text names a record that came with the sample data
}

// The kinds of columns.
const (
	kindName  = "name"
	kindText  = "text"
	kindMinor = "minor" // left out on narrow screens
	kindTime  = "time"
	kindMoney = "money"
	kindStock = "stock"
	kindState = "status"
	kindWhy   = "why" // may have several lines
)

// statesOfSides are the states of people for the values of ?side=, which addresses of former versions have.
var statesOfSides = map[store.Side]string{store.Mgr: "staff", store.Shop: "shop"}

// inputOf reads what an address says about a list.
func inputOf(query url.Values) lists.Input {
	return lists.Input{
		Search: query.Get("q"), State: cmp.Or(query.Get("state"), statesOfSides[store.Side(query.Get("side"))]),
		Category: query.Get("category"),
		From:     query.Get("from"), To: query.Get("to"),
		Sort: query.Get("sort"), Limit: query.Get("limit"), Cursor: query.Get("cursor"),
	}
}

// addressOf returns the address of a list with a filter, without what is usual. cursor is "" for the first page.
func addressOf(path string, f lists.Filter, cursor string) string {
	query := url.Values{}
	set := func(name, value string) {
		if value != "" {
			query.Set(name, value)
		}
	}
	set("q", f.Search)
	set("state", f.State)
	if f.Category != 0 {
		set("category", web.Decimal(f.Category))
	}
	set("from", f.From)
	set("to", f.To)
	if f.Sort != "-date" {
		set("sort", f.Sort)
	}
	if f.Limit != lists.Limits[0] {
		set("limit", strconv.Itoa(f.Limit))
	}
	set("cursor", cursor)
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// searchHints are the keys of the texts above the search of each list.
var searchHints = map[string]string{
	"orders": "lists.search_orders", "customers": "lists.search_customers",
	"applications": "lists.search_applications", "people": "lists.search_people",
	"products": "lists.search_products",
}

// dayRange names the days of a filter, "" for none.
func dayRange(r *http.Request, from, to string) string {
	ctx := r.Context()
	name := func(day string) string {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return day
		}
		return components.Day(locale.Of(ctx), at)
	}
	switch {
	case from == "" && to == "":
		return ""
	case to == "":
		return locale.T(ctx, "lists.since", "day", name(from))
	case from == "":
		return locale.T(ctx, "lists.until", "day", name(to))
	case from == to:
		return name(from)
	}
	return name(from) + " – " + name(to)
}

// sortTexts are the keys of the texts of the orders.
var sortTexts = map[string]string{
	"-date": "lists.sort_down_date", "date": "lists.sort_date",
	"name": "lists.sort_name", "-name": "lists.sort_down_name",
	"customer": "lists.sort_customer", "-customer": "lists.sort_down_customer",
}

// newView begins the page of a list. sortName is the column of names by which it can be sorted besides the date.
func newView[T any](
	r *http.Request, path, name, sortName string, page lists.Page[T], labels map[string]string,
) listView {
	ctx, f := r.Context(), page.Filter
	v := listView{
		Name: name, Path: path, Filter: f, Clear: path, Hint: locale.T(ctx, searchHints[name]),
		CSV: addressOf(path+"/export.csv", f, ""), Excel: addressOf(path+"/export.xlsx", f, ""),
		Here: r.URL.RequestURI(),
	}
	if days := dayRange(r, f.From, f.To); days != "" {
		without := f
		without.From, without.To = "", ""
		v.Set = append(v.Set, setFilter{days, addressOf(path, without, "")})
	}
	for _, count := range page.Counts {
		v.Tabs = append(v.Tabs, tab{
			Label: locale.T(ctx, labels[count.State]), Count: countText(count), Current: count.State == f.State,
			Href: addressOf(path, withState(f, count.State), ""),
		})
		if count.State == "" && f.Search != "" && count.Count > core.CountShown {
			v.TooMany = locale.T(ctx, "lists.too_many", "num", components.Count(core.CountShown))
		}
	}
	for _, sort := range []string{"-date", "date", sortName, "-" + sortName} {
		if strings.TrimPrefix(sort, "-") == "date" || f.NameSorted {
			v.Sorts = append(v.Sorts, web.Choice{
				Value: sort, Label: locale.T(ctx, sortTexts[sort]), Chosen: sort == f.Sort,
			})
		}
	}
	if page.Next != "" {
		v.Next = addressOf(path, f, page.Next)
	}
	if r.URL.Query().Get("cursor") != "" {
		v.First = addressOf(path, f, "")
	}
	return v
}

func withState(f lists.Filter, state string) lists.Filter {
	f.State = state
	return f
}

// countText writes the number of rows of a state, like "12", or "1,000+" beyond what is counted.
func countText(c lists.StateCount) string {
	if c.Count > core.CountShown {
		return components.Count(core.CountShown) + "+"
	}
	return components.Count(int64(c.Count))
}

// addColumn adds a column. name is the one by which the list is sorted by it: then its head is a link that turns the
// order round. It is "" for a column by which the list cannot be sorted.
func (v *listView) addColumn(label, kind, name string) {
	c, f := column{Label: label, Kind: kind}, v.Filter
	if name == "" || name != "date" && !f.NameSorted {
		v.Columns = append(v.Columns, c)
		return
	}
	next := name
	if name == "date" {
		next = "-date" // the newest first
	}
	switch f.Sort {
	case name:
		c.Sorted, next = "ascending", "-"+name
	case "-" + name:
		c.Sorted, next = "descending", name
	}
	f.Sort = next
	c.Href = addressOf(v.Path, f, "")
	v.Columns = append(v.Columns, c)
}

// pageSizes returns the choices of how many rows a page has.
func pageSizes(f lists.Filter) []web.Choice {
	var all []web.Choice
	for _, n := range lists.Limits {
		text := strconv.Itoa(n)
		all = append(all, web.Choice{Value: text, Label: text, Chosen: n == f.Limit})
	}
	return all
}

// text, moment and chip make cells.
func text(s string) cell { return cell{Text: s} }

func moment(at store.Instant) cell { return cell{At: at.Time()} }

func chip(r *http.Request, kind, key string) cell {
	return cell{Chip: &web.Chip{Kind: kind, Text: locale.T(r.Context(), key)}}
}

// newRow makes a row of a list at path, without cells.
func newRow(path string, id int64) row { return row{ID: web.Decimal(id), Href: rowHref(path, id)} }

// rowHref returns the address of a row's page.
func rowHref(path string, id int64) string { return path + "/" + web.Decimal(id) }
