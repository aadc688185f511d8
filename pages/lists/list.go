package lists

import (
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/pages/site"
	"portico/portal/access"
	"portico/portal/lists"
)

// list is a list as a value: its page and its exports follow from it, and where rows can be chosen, the page of what is
// done to them and the saved filters. Row is a row on a page, Record one in an export.
type list[Row, Record any] struct {
	of        lists.List[Row, Record]
	labels    map[string]string // the keys of the texts of the states by which it is filtered
	columns   []columnOf[Row]
	id        func(Row) int64
	hasChoice bool // rows can be chosen, and filters saved
	isPulled  bool // the list is renewed by pulling the page down

	// complete adds to a page what only this list has: buttons, and what a list without rows says
	complete func(r *http.Request, here access.Landing, page lists.Page[Row], v *listView) error
	// render writes the page; nil for a page with the list alone
	render func(w http.ResponseWriter, r *http.Request, here access.Landing, v listView) error

	heads   []string // the keys of the texts above the columns of an export
	records func(r *http.Request, record Record) [][]any
}

// columnOf is a column of a list. label is the key of its head. sort is the name by which the list is sorted by it, ""
// for none.
type columnOf[Row any] struct {
	label, kind, sort string
	cell              func(r *http.Request, row Row) cell
	isShown           func(rows []Row) bool // nil for a column that is always there
}

// mount mounts what follows from the list, at path/{name}.
func (k list[Row, Record]) mount(r chi.Router, l *Pages) {
	path := l.path + "/" + string(k.of.Name)
	l.web.Form(r, path, l.site.Page(k.show(l)), nil)
	for _, file := range []string{"/export.csv", "/export.xlsx"} {
		l.web.Form(r, path+file, l.site.Page(k.export(l)), nil)
	}
	if k.hasChoice {
		l.site.FormPage(r, path+"/bulk", l.bulkForm(k.of.Name))
		l.site.FormPage(r, path+"/filters", l.filterForm(k.of.Name))
	}
}

// show answers GET /{name}.
func (k list[Row, Record]) show(l *Pages) site.Landed {
	return func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		ctx, name := r.Context(), string(k.of.Name)
		page, err := k.of.Page(ctx, here, inputOf(r.URL.Query()), string(locale.Of(ctx)))
		if err != nil {
			return err
		}
		v := newView(r, l.path+"/"+name, name, k.of.SortsBy(), page, k.labels)
		v.Heading, v.Pulled = locale.T(ctx, "office."+name), k.isPulled
		k.fill(r, page.Rows, &v)
		if k.hasChoice {
			v.choose(r, here, k.of.Name)
			if err := l.savedFilters(r, here, k.of.Name, &v); err != nil {
				return err
			}
		}
		if err := k.complete(r, here, page, &v); err != nil {
			return err
		}
		if k.render != nil {
			return k.render(w, r, here, v)
		}
		return l.web.Render(w, r, http.StatusOK, l.site.Frame(r, here, v.Path), listPage(v))
	}
}

// fill adds the columns and the rows.
func (k list[Row, Record]) fill(r *http.Request, rows []Row, v *listView) {
	columns := slices.DeleteFunc(slices.Clone(k.columns), func(c columnOf[Row]) bool {
		return c.isShown != nil && !c.isShown(rows)
	})
	for _, c := range columns {
		v.addColumn(locale.T(r.Context(), c.label), c.kind, c.sort)
	}
	for _, one := range rows {
		shown := newRow(v.Path, k.id(one))
		for _, c := range columns {
			shown.Cells = append(shown.Cells, c.cell(r, one))
		}
		v.Rows = append(v.Rows, shown)
	}
}

// export answers GET /{name}/export.csv and .xlsx.
func (k list[Row, Record]) export(l *Pages) site.Landed {
	return func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		ctx := r.Context()
		e := l.newExporter(w, r, here, string(k.of.Name), k.heads...)
		return e.finish(ctx, k.of.Each(ctx, here, inputOf(r.URL.Query()), string(locale.Of(ctx)),
			add(e, func(record Record) [][]any { return k.records(r, record) })))
	}
}

// textCell makes a column's cells of texts.
func textCell[Row any](of func(Row) string) func(*http.Request, Row) cell {
	return func(_ *http.Request, row Row) cell { return text(of(row)) }
}

// addCustomer is the button that opens an account for a new customer, for readers who may.
func (l *Pages) addCustomer(r *http.Request, here access.Landing) (label, href string) {
	if !access.May(here.Member, access.RightManagePeople) {
		return "", ""
	}
	return locale.T(r.Context(), "lists.add_customer"), l.path + "/people/new?side=shop"
}

// moneyText is a sum in cents as a text.
func moneyText(cents int64) cell { return text(components.Money(cents)) }
