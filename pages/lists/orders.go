package lists

import (
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/lists"
	"portico/store"
)

// orderLabels are the keys of the texts of the states by which orders are filtered.
var orderLabels = map[string]string{"": "lists.all", "new": "order.new", "confirmed": "order.confirmed"}

// ShowOrders answers GET /orders in the back office: the orders of the company.
func (l *Pages) ShowOrders(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx, path := r.Context(), l.path+"/orders"
	page, err := l.portal.Lists.Orders(ctx, here, inputOf(r.URL.Query()), string(locale.Of(ctx)))
	if err != nil {
		return err
	}
	v := newView(r, path, "orders", "customer", page, orderLabels)
	v.column(locale.T(ctx, "lists.order"), kindName)
	v.sorted(locale.T(ctx, "order.client"), kindText, "customer")
	v.sorted(locale.T(ctx, "order.placed_at"), kindTime, "date")
	v.column(locale.T(ctx, "lists.state"), kindState)
	v.column(locale.T(ctx, "order.total"), kindMoney)
	for _, o := range page.Rows {
		state := chip(r, "ok", "order.confirmed")
		if o.State == store.OrderNew {
			state = chip(r, "warn", "order.new")
		}
		v.Rows = append(v.Rows, newRow(path, o.ID,
			cell{Text: locale.T(ctx, "order.number", "num", o.Number), Sample: o.Sample != ""},
			cell{Text: o.ClientName, Sample: o.ClientSample != "" && o.Sample == ""}, moment(o.PlacedAt), state,
			text(components.Money(o.Total)),
		))
	}
	v.choose(r, here, lists.OrderList)
	if err := l.savedFilters(r, here, lists.OrderList, &v); err != nil {
		return err
	}
	v.Pulled = true
	v.Empty = empty{Text: locale.T(ctx, "order.none"), Body: locale.T(ctx, "order.none_office")}
	if access.May(here.Member, access.RightManagePeople) {
		v.Empty.Action, v.Empty.Href = locale.T(ctx, "lists.add_customer"), l.path+"/people/new?side=shop"
	}
	shell := l.site.Frame(r, here, path)
	l.site.OfferNotices(r, &shell)
	return l.web.Render(w, r, http.StatusOK, shell, listPage(locale.T(ctx, "office.orders"), "", "", v))
}
