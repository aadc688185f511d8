package lists

import (
	"net/http"
	"slices"

	"portico/components"
	"portico/locale"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/lists"
)

// productLabels are the keys of the texts of the states by which products are filtered.
var productLabels = map[string]string{"": "lists.all", "on": "product.on", "off": "product.off"}

// ShowProducts answers GET /products: the products of the company.
func (l *Pages) ShowProducts(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx, path := r.Context(), l.path+"/products"
	page, err := l.portal.Lists.Products(ctx, here, inputOf(r.URL.Query()), string(locale.Of(ctx)))
	if err != nil {
		return err
	}
	v := newView(r, path, "products", "name", page, productLabels)
	if v.Categories, err = l.categoryChoices(r, here, page.Filter); err != nil {
		return err
	}
	v.sorted(locale.T(ctx, "product.name"), kindName, "name")
	hasNumbers := slices.ContainsFunc(page.Rows, func(p lists.Product) bool { return p.Number != "" })
	if hasNumbers {
		v.column(locale.T(ctx, "product.number"), kindMinor)
	}
	v.column(locale.T(ctx, "product.category"), kindText)
	v.column(locale.T(ctx, "product.stock"), kindStock)
	v.column(locale.T(ctx, "lists.state"), kindState)
	v.column(locale.T(ctx, "product.price"), kindMoney)
	var drawn []string
	for _, p := range page.Rows {
		state := site.ProductChip(r, p.Product)
		drawn = append(drawn, p.Drawing)
		cells := []cell{{
			Text: p.Name, HasTile: true, Photo: access.ProductPicture(p.Picture), Drawing: p.Drawing,
			Sample: p.Sample != "",
		}}
		if hasNumbers {
			cells = append(cells, text(p.Number))
		}
		v.Rows = append(v.Rows, newRow(path, p.ID, append(cells, text(p.Category),
			cell{Text: components.Count(p.Stock), Label: locale.T(ctx, "product.stock")},
			cell{Chip: &state}, text(components.Money(p.Price)),
		)...))
	}
	v.Drawings = site.ProductDrawings(drawn)
	for _, c := range v.Categories {
		if c.Chosen && c.Value != "" {
			without := page.Filter
			without.Category = 0
			v.Set = append(v.Set, setFilter{c.Label, addressOf(path, without, "")})
		}
	}
	action, href := locale.T(ctx, "product.add"), path+"/new"
	v.Import = path + "/import"
	v.Empty = empty{locale.T(ctx, "product.none"), locale.T(ctx, "product.none_body"), action, href}
	shell := l.site.Frame(r, here, path)
	return l.web.Render(w, r, http.StatusOK, shell, listPage(locale.T(ctx, "office.products"), action, href, v))
}

// categoryChoices returns the categories by which products are filtered, by their stored names.
func (l *Pages) categoryChoices(r *http.Request, here access.Landing, f lists.Filter) ([]web.Choice, error) {
	categories, err := l.portal.Shop.Categories(r.Context(), here)
	all := []web.Choice{{Label: locale.T(r.Context(), "product.any_category"), Chosen: f.Category == 0}}
	for _, c := range categories {
		all = append(all, web.Choice{Value: web.Decimal(c.ID), Label: c.Name, Chosen: c.ID == f.Category})
	}
	return all, err
}

// ShowProductsExport answers GET /products/export.csv and .xlsx.
func (l *Pages) ShowProductsExport(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx := r.Context()
	e := l.newExporter(w, r, here, "products", "product.number", "product.name", "product.category", "product.spec",
		"product.unit", "product.price", "product.stock", "lists.state", "lists.is_sample")
	in, lang := exportInput(r)
	return e.finish(ctx, l.portal.Lists.EachProduct(ctx, here, in, lang, add(e, func(p lists.Product) []any {
		state := locale.T(ctx, productLabels[p.State])
		return []any{p.Number, p.Name, p.Category, p.Spec, p.Unit, money(p.Price), p.Stock, state,
			sampleText(ctx, p.Sample)}
	})))
}
