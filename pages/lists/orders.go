package lists

import (
	"context"
	"net/http"
	"slices"

	"portico/locale"
	"portico/portal/access"
	"portico/portal/lists"
	"portico/store"
)

// orderLabels are the keys of the texts of the states by which orders are filtered.
var orderLabels = map[string]string{"": "lists.all", "new": "order.new", "confirmed": "order.confirmed"}

// orders is the list of the orders to the company.
func (l *Pages) orders() list[store.Order, lists.OrderRecord] {
	return list[store.Order, lists.OrderRecord]{
		of: l.portal.Lists.Orders, labels: orderLabels, hasChoice: true, isPulled: true,
		id: func(o store.Order) int64 { return o.ID },
		columns: []columnOf[store.Order]{
			{label: "lists.order", kind: kindName, cell: func(r *http.Request, o store.Order) cell {
				number := locale.T(r.Context(), "order.number", "num", o.Number)
				return cell{Text: number, Sample: o.Sample != ""}
			}},
			{label: "order.client", kind: kindText, sort: "customer", cell: func(_ *http.Request, o store.Order) cell {
				return cell{Text: o.ClientName, Sample: o.ClientSample != "" && o.Sample == ""}
			}},
			{label: "order.placed_at", kind: kindTime, sort: "date", cell: func(_ *http.Request, o store.Order) cell {
				return moment(o.PlacedAt)
			}},
			{label: "lists.state", kind: kindState, cell: func(r *http.Request, o store.Order) cell {
				if o.State == store.OrderNew {
					return chip(r, "warn", "order.new")
				}
				return chip(r, "ok", "order.confirmed")
			}},
			{label: "order.total", kind: kindMoney, cell: func(_ *http.Request, o store.Order) cell {
				return moneyText(o.Total)
			}},
		},
		complete: func(r *http.Request, here access.Landing, _ lists.Page[store.Order], v *listView) error {
			v.Empty.Text = locale.T(r.Context(), "order.none")
			v.Empty.Body = locale.T(r.Context(), "order.none_office")
			v.Empty.Action, v.Empty.Href = l.addCustomer(r, here)
			return nil
		},
		render: func(w http.ResponseWriter, r *http.Request, here access.Landing, v listView) error {
			shell := l.site.Frame(r, here, v.Path)
			l.site.OfferNotices(r, &shell)
			return l.web.Render(w, r, http.StatusOK, shell, listPage(v))
		},
		heads: []string{
			"lists.order", "lists.customer_number", "order.client", "order.placed_at", "lists.state",
			"lists.product_number", "lists.product", "product.spec", "product.unit", "product.price", "order.quantity",
			"order.amount", "lists.order_total", "lists.is_sample",
		},
		records: func(r *http.Request, o lists.OrderRecord) [][]any { return orderRows(r.Context(), o) },
	}
}

// orderRows returns a row for each line of an order, and one without a product for an order that has no lines. Each row
// repeats the facts of the order, so that the rows can be sorted and filtered in a spreadsheet.
func orderRows(ctx context.Context, o lists.OrderRecord) (rows [][]any) {
	facts := []any{o.Number, o.ClientID, o.ClientName, stamp(o.PlacedAt), locale.T(ctx, orderLabels[string(o.State)])}
	order := func(line ...any) []any {
		return append(slices.Concat(facts, line), money(o.Total), sampleText(ctx, o.Sample))
	}
	for _, l := range o.Lines {
		amount := money(l.Price * l.Quantity)
		rows = append(rows, order(l.Number, l.Name, l.Spec, l.Unit, money(l.Price), l.Quantity, amount))
	}
	if len(rows) == 0 {
		rows = append(rows, order("", "", "", "", "", "", ""))
	}
	return rows
}
