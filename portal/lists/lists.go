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

// Lists reads the lists of the back office, and does to their rows what their pages do. It is safe for concurrent use.
type Lists struct {
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
	return &Lists{
		core: c, application: application, office: office, shop: shop, exports: core.NewTurns(exportRule),
	}
}

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

// kind is a list: the right to see it, what it is filtered by, and how its rows are read.
type kind[T any] struct {
	right  access.Right
	states []string
	byName string // the name of the column by which it is sorted besides "date"

	hasCategories bool // it is filtered by category
	read          func(context.Context, *store.DB, lists.Query) ([]T, error)
	count         func(context.Context, *store.DB, lists.Query) ([]lists.StateCount, error)
	place         func(T) lists.Key // the place of a row, before inLang
	// inLang gives sample products their names in the language, nil for rows without names of products
	inLang func(c store.Company, lang string, rows []T)
}

var orders = kind[store.Order]{
	right: access.RightOrders, states: lists.OrderStates, byName: "customer",
	read: lists.Orders, count: lists.CountOrders,
	place: func(o store.Order) lists.Key { return lists.KeyOf(o.PlacedAt, o.ClientName, o.ID) },
}

var customers = kind[store.Client]{
	right: access.RightCustomers, states: lists.CustomerStates, byName: "name",
	read: lists.Customers, count: lists.CountCustomers,
	place: func(c store.Client) lists.Key { return lists.KeyOf(c.CreatedAt, c.Name, c.ID) },
}

var applications = kind[store.Application]{
	right: access.RightApplications, states: lists.ApplicationStates, byName: "name",
	read: lists.Applications, count: lists.CountApplications,
	place: func(a store.Application) lists.Key { return lists.KeyOf(a.CreatedAt, a.CompanyName, a.ID) },
}

var people = kind[store.Member]{
	right: access.RightPeople, states: lists.PersonStates, byName: "name",
	read: lists.People, count: lists.CountPeople,
	place: func(m store.Member) lists.Key { return lists.KeyOf(m.CreatedAt, m.Name, m.ID) },
}

var products = kind[lists.Product]{
	right: access.RightProducts, states: lists.ProductStates, byName: "name", hasCategories: true,
	read: lists.Products, count: lists.CountProducts,
	place: func(p lists.Product) lists.Key { return lists.KeyOf(p.CreatedAt, p.Name, p.ID) },
	inLang: func(c store.Company, lang string, rows []lists.Product) {
		words := samples.WordsFor(c, lang)
		for i := range rows {
			p := &rows[i]
			words.Product(p.Sample, &p.Name, &p.Spec, &p.Unit)
			p.Drawing = words.Drawing(p.Sample, p.Drawing)
			category := store.Category{Name: p.Category, Sample: p.CategorySample}
			words.Category(&category)
			p.Category = category.Name
		}
	},
}

// Orders reads a page of the company's orders; samples are in the language lang. It refuses with Forbidden an account
// without RightOrders.
func (l *Lists) Orders(ctx context.Context, here access.Landing, in Input, lang string) (Page[store.Order], error) {
	return readPage(ctx, l, here, orders, in, lang)
}

// Customers reads a page of the company's customers as Orders does, for RightCustomers.
func (l *Lists) Customers(ctx context.Context, here access.Landing, in Input, lang string) (Page[store.Client], error) {
	return readPage(ctx, l, here, customers, in, lang)
}

// Applications reads a page of the applications to the company as Orders does, for RightApplications.
func (l *Lists) Applications(
	ctx context.Context, here access.Landing, in Input, lang string,
) (Page[store.Application], error) {
	return readPage(ctx, l, here, applications, in, lang)
}

// People reads a page of the company's accounts as Orders does, for RightPeople.
func (l *Lists) People(ctx context.Context, here access.Landing, in Input, lang string) (Page[store.Member], error) {
	return readPage(ctx, l, here, people, in, lang)
}

// Product is a product with the name of its category.
type Product = lists.Product

// Products reads a page of the company's products as Orders does, for RightProducts.
func (l *Lists) Products(ctx context.Context, here access.Landing, in Input, lang string) (Page[Product], error) {
	return readPage(ctx, l, here, products, in, lang)
}

// filter reads an Input for the list.
func (k kind[T]) filter(in Input) Filter {
	f := in.filter(k.states, k.byName)
	if id, ok := access.DecimalID(in.Category); ok && k.hasCategories {
		f.Category = id
	}
	return f
}

// translate gives the samples among the rows their names in a language.
func (k kind[T]) translate(c store.Company, lang string, rows []T) {
	if k.inLang != nil {
		k.inLang(c, lang, rows)
	}
}

func readPage[T any](
	ctx context.Context, l *Lists, here access.Landing, k kind[T], in Input, lang string,
) (Page[T], error) {
	if err := access.RequireRight(here, k.right); err != nil {
		return Page[T]{}, err
	}
	filter := k.filter(in)
	query := filter.query(here.Member.CompanyID)
	query.After, query.Limit = filter.after(in.Cursor), filter.Limit+1
	page, db := Page[T]{Filter: filter}, l.core.DB.ForLists(ctx)
	var err error
	if page.Rows, err = k.read(ctx, db, query); err != nil {
		return page, err
	}
	if len(page.Rows) > filter.Limit {
		page.Rows = page.Rows[:filter.Limit]
		page.Next = filter.cursor(k.place(page.Rows[filter.Limit-1]))
	}
	k.translate(here.Member.Company, lang, page.Rows)
	page.Counts, err = k.count(ctx, db, query)
	return page, err
}
