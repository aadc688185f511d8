package lists

import (
	"net/http"

	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/lists"
	"portico/store"
)

// customerLabels are the keys of the texts of the states by which customers are filtered.
var customerLabels = map[string]string{"": "lists.all", "partner": "office.partner", "ended": "chip.partner_ended"}

// ShowCustomers answers GET /customers: the customers of the company.
func (l *Pages) ShowCustomers(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx, path := r.Context(), l.path+"/customers"
	page, err := l.portal.Lists.Customers(ctx, here, inputOf(r.URL.Query()), string(locale.Of(ctx)))
	if err != nil {
		return err
	}
	v := newView(r, path, "customers", "name", page, customerLabels)
	v.sorted(locale.T(ctx, "order.client"), kindName, "name")
	v.column(locale.T(ctx, "customer.contact"), kindText)
	v.column(locale.T(ctx, "customer.number"), kindMinor)
	v.sorted(locale.T(ctx, "customer.since"), kindTime, "date")
	v.column(locale.T(ctx, "lists.state"), kindState)
	for _, c := range page.Rows {
		state := chip(r, "ok", "office.partner")
		if c.State == store.ClientEnded {
			state = chip(r, "bad", "chip.partner_ended")
		}
		v.Rows = append(v.Rows, newRow(path, c.ID,
			cell{Text: c.Name, Sample: c.Sample != ""}, text(c.Contact), text(web.Decimal(c.ID)),
			moment(c.CreatedAt), state,
		))
	}
	v.choose(r, here, lists.CustomerList)
	if err := l.savedFilters(r, here, lists.CustomerList, &v); err != nil {
		return err
	}
	v.Empty = empty{Text: locale.T(ctx, "office.no_customers"), Body: locale.T(ctx, "office.no_customers_body")}
	action, href := "", ""
	if access.May(here.Member, access.RightManagePeople) {
		action, href = locale.T(ctx, "lists.add_customer"), l.path+"/people/new?side=shop"
		v.Empty.Action, v.Empty.Href = action, href
		v.Import = path + "/import"
	}
	shell := l.site.Frame(r, here, path)
	return l.web.Render(w, r, http.StatusOK, shell, listPage(locale.T(ctx, "office.customers"), action, href, v))
}
