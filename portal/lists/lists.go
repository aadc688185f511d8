// Package lists has the lists in which a company's staff work: orders, customers, applications, people and products,
// which they search, filter, sort and export, and to whose rows they do something together.
package lists

import (
	"context"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/office"
	"portico/portal/samples"
	"portico/portal/shop"
	"portico/store"
	"portico/store/lists"
)

// ExportStep is how many rows an export reads at a time.
const ExportStep = 500

// Lists are the lists of the back office, and what their pages do to their rows. It is safe for concurrent use.
type Lists struct {
	Orders       List[store.Order, OrderRecord]
	Customers    List[store.Client, CustomerRecord]
	Applications List[store.Application, store.Application]
	People       List[store.Member, store.Member]
	Products     List[Product, Product]

	core *core.Core

	application *application.Application
	office      *office.Backoffice
	shop        *shop.Shop
	exports     *core.Turns
}

// New makes a Lists.
func New(
	c *core.Core, application *application.Application, office *office.Backoffice, shop *shop.Shop,
) *Lists {
	l := &Lists{
		core: c, application: application, office: office, shop: shop, exports: core.NewTurns(exportRule),
	}
	l.Orders = List[store.Order, OrderRecord]{
		Name: OrderList, all: l, read: lists.Orders, count: lists.CountOrders, records: l.orderRecords,
		place: func(o store.Order) lists.Key { return lists.KeyOf(o.PlacedAt, o.ClientName, o.ID) },
	}
	l.Customers = List[store.Client, CustomerRecord]{
		Name: CustomerList, all: l, read: lists.Customers, count: lists.CountCustomers, records: l.customerRecords,
		place: func(c store.Client) lists.Key { return lists.KeyOf(c.CreatedAt, c.Name, c.ID) },
	}
	l.Applications = List[store.Application, store.Application]{
		Name: ApplicationList, all: l, read: lists.Applications, count: lists.CountApplications,
		records: rowsAsRecords[store.Application],
		place:   func(a store.Application) lists.Key { return lists.KeyOf(a.CreatedAt, a.CompanyName, a.ID) },
	}
	l.People = List[store.Member, store.Member]{
		Name: PeopleList, all: l, read: lists.People, count: lists.CountPeople, records: rowsAsRecords[store.Member],
		place: func(m store.Member) lists.Key { return lists.KeyOf(m.CreatedAt, m.Name, m.ID) },
	}
	l.Products = List[Product, Product]{
		Name: ProductList, all: l, read: lists.Products, count: lists.CountProducts, records: rowsAsRecords[Product],
		place:  func(p Product) lists.Key { return lists.KeyOf(p.CreatedAt, p.Name, p.ID) },
		inLang: productsInLang,
	}
	return l
}

// Name is the name of a list, as it is in addresses.
type Name string

// The lists.
const (
	OrderList       Name = "orders"
	CustomerList    Name = "customers"
	ApplicationList Name = "applications"
	PeopleList      Name = "people"
	ProductList     Name = "products"
)

// rules are who may see a list, what it is filtered by, and how rows are read to which something is done together.
type rules struct {
	right         access.Right
	states        []string
	byName        string // the name of the column by which it is sorted besides "date"
	hasCategories bool   // it is filtered by category
	chosen        func(
		ctx context.Context, db *store.DB, here access.Landing, ids []int64, lang string,
	) ([]candidate, error) // nil for a list whose rows are not chosen and whose filters are not saved
}

var listRules = map[Name]rules{
	OrderList: {
		right: access.RightOrders, states: lists.OrderStates, byName: "customer", chosen: chosenOrders,
	},
	CustomerList: {
		right: access.RightCustomers, states: lists.CustomerStates, byName: "name", chosen: chosenCustomers,
	},
	ApplicationList: {
		right: access.RightApplications, states: lists.ApplicationStates, byName: "name", chosen: chosenApplications,
	},
	PeopleList:  {right: access.RightPeople, states: lists.PersonStates, byName: "name", chosen: chosenPeople},
	ProductList: {right: access.RightProducts, states: lists.ProductStates, byName: "name", hasCategories: true},
}

// filter reads an Input for the list.
func (r rules) filter(in Input) Filter {
	f := in.filter(r.states, r.byName)
	if id, ok := access.DecimalID(in.Category); ok && r.hasCategories {
		f.Category = id
	}
	return f
}

// List is one list: Row is a row on a page, Record one in an export.
type List[Row, Record any] struct {
	Name Name

	all   *Lists
	read  func(context.Context, *store.DB, lists.Query) ([]Row, error)
	count func(context.Context, *store.DB, lists.Query) ([]lists.StateCount, error)
	place func(Row) lists.Key // the place of a row, before inLang
	// inLang gives sample products their names in the language, nil for rows without names of products
	inLang func(c store.Company, lang string, rows []Row)
	// records calls each with the records of some rows
	records func(
		ctx context.Context, here access.Landing, lang string, rows []Row, each func([]Record) error,
	) error
}

// SortsBy returns the name of the column by which the list is sorted besides "date".
func (k List[Row, Record]) SortsBy() string { return listRules[k.Name].byName }

// StateCount is how many rows a state has, "" for all states.
type StateCount = lists.StateCount

// Page is a page of a list. Filter is what was applied. Counts has the number of rows of each state, up to
// CountShown+1. Next is the cursor of the next page, "" at the end.
type Page[T any] struct {
	Rows   []T
	Filter Filter
	Counts []StateCount
	Next   string
}

// Product is a product with the name of its category.
type Product = lists.Product

// productsInLang gives sample products their names in a language.
func productsInLang(c store.Company, lang string, rows []Product) {
	words := samples.WordsFor(c, lang)
	for i := range rows {
		p := &rows[i]
		words.Product(p.Sample, &p.Name, &p.Spec, &p.Unit)
		p.Drawing = words.Drawing(p.Sample, p.Drawing)
		category := store.Category{Name: p.Category, Sample: p.CategorySample}
		words.Category(&category)
		p.Category = category.Name
	}
}

// translate gives the samples among the rows their names in a language.
func (k List[Row, Record]) translate(c store.Company, lang string, rows []Row) {
	if k.inLang != nil {
		k.inLang(c, lang, rows)
	}
}

// Page reads a page of the list for the company of an account; samples are in the language lang. It refuses with
// Forbidden an account that may not see the list.
func (k List[Row, Record]) Page(
	ctx context.Context, here access.Landing, in Input, lang string,
) (page Page[Row], err error) {
	rules := listRules[k.Name]
	if err := access.RequireRight(here, rules.right); err != nil {
		return page, err
	}
	page.Filter = rules.filter(in)
	query := page.Filter.query(here.Member.CompanyID)
	query.After, query.Limit = page.Filter.after(in.Cursor), page.Filter.Limit+1
	db := k.all.core.DB.ForLists(ctx)
	if page.Rows, err = k.read(ctx, db, query); err != nil {
		return page, err
	}
	if len(page.Rows) > page.Filter.Limit {
		page.Rows = page.Rows[:page.Filter.Limit]
		page.Next = page.Filter.cursor(k.place(page.Rows[page.Filter.Limit-1]))
	}
	k.translate(here.Member.Company, lang, page.Rows)
	page.Counts, err = k.count(ctx, db, query)
	return page, err
}
