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

// products is the list of the products of the company.
func (l *Pages) products() list[lists.Product, lists.Product] {
	return list[lists.Product, lists.Product]{
		of: l.portal.Lists.Products, labels: productLabels,
		id: func(p lists.Product) int64 { return p.ID },
		columns: []columnOf[lists.Product]{
			{label: "product.name", kind: kindName, sort: "name", cell: func(_ *http.Request, p lists.Product) cell {
				return cell{
					Text: p.Name, HasTile: true, Photo: access.ProductPicture(p.Picture), Drawing: p.Drawing,
					Sample: p.Sample != "",
				}
			}},
			{
				label: "product.number", kind: kindMinor,
				cell: textCell(func(p lists.Product) string { return p.Number }),
				isShown: func(rows []lists.Product) bool {
					return slices.ContainsFunc(rows, func(p lists.Product) bool { return p.Number != "" })
				},
			},
			{label: "product.category", kind: kindText, cell: textCell(func(p lists.Product) string {
				return p.Category
			})},
			{label: "product.stock", kind: kindStock, cell: func(r *http.Request, p lists.Product) cell {
				return cell{Text: components.Count(p.Stock), Label: locale.T(r.Context(), "product.stock")}
			}},
			{label: "lists.state", kind: kindState, cell: func(r *http.Request, p lists.Product) cell {
				state := site.ProductChip(r, p.Product)
				return cell{Chip: &state}
			}},
			{label: "product.price", kind: kindMoney, cell: func(_ *http.Request, p lists.Product) cell {
				return moneyText(p.Price)
			}},
		},
		complete: l.completeProducts,
		heads: []string{
			"product.number", "product.name", "product.category", "product.spec", "product.unit", "product.price",
			"product.stock", "lists.state", "lists.is_sample",
		},
		records: func(r *http.Request, p lists.Product) [][]any {
			ctx := r.Context()
			return [][]any{{
				p.Number, p.Name, p.Category, p.Spec, p.Unit, money(p.Price), p.Stock,
				locale.T(ctx, productLabels[p.State]), sampleText(ctx, p.Sample),
			}}
		},
	}
}

// completeProducts adds the drawings of the rows, and the categories by which products are filtered.
func (l *Pages) completeProducts(
	r *http.Request, here access.Landing, page lists.Page[lists.Product], v *listView,
) (err error) {
	ctx := r.Context()
	var drawn []string
	for _, p := range page.Rows {
		drawn = append(drawn, p.Drawing)
	}
	v.Drawings = site.ProductDrawings(drawn)
	if v.Categories, err = l.categoryChoices(r, here, page.Filter); err != nil {
		return err
	}
	for _, c := range v.Categories {
		if c.Chosen && c.Value != "" {
			without := page.Filter
			without.Category = 0
			v.Set = append(v.Set, setFilter{c.Label, addressOf(v.Path, without, "")})
		}
	}
	v.Action, v.Href = locale.T(ctx, "product.add"), v.Path+"/new"
	v.Import = v.Path + "/import"
	v.Empty = empty{locale.T(ctx, "product.none"), locale.T(ctx, "product.none_body"), v.Action, v.Href}
	return nil
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
