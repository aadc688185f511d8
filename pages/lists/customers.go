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

// customers is the list of the customers of the company.
func (l *Pages) customers() list[store.Client, lists.CustomerRecord] {
	return list[store.Client, lists.CustomerRecord]{
		of: l.portal.Lists.Customers, labels: customerLabels, hasChoice: true,
		id: func(c store.Client) int64 { return c.ID },
		columns: []columnOf[store.Client]{
			{label: "order.client", kind: kindName, sort: "name", cell: func(_ *http.Request, c store.Client) cell {
				return cell{Text: c.Name, Sample: c.Sample != ""}
			}},
			{label: "customer.contact", kind: kindText, cell: textCell(func(c store.Client) string {
				return c.Contact
			})},
			{label: "customer.number", kind: kindMinor, cell: textCell(func(c store.Client) string {
				return web.Decimal(c.ID)
			})},
			{label: "customer.since", kind: kindTime, sort: "date", cell: func(_ *http.Request, c store.Client) cell {
				return moment(c.CreatedAt)
			}},
			{label: "lists.state", kind: kindState, cell: func(r *http.Request, c store.Client) cell {
				if c.State == store.ClientEnded {
					return chip(r, "bad", "chip.partner_ended")
				}
				return chip(r, "ok", "office.partner")
			}},
		},
		complete: func(r *http.Request, here access.Landing, _ lists.Page[store.Client], v *listView) error {
			ctx := r.Context()
			v.Action, v.Href = l.addCustomer(r, here)
			v.Empty = empty{
				locale.T(ctx, "office.no_customers"), locale.T(ctx, "office.no_customers_body"), v.Action, v.Href,
			}
			if access.May(here.Member, access.RightManagePeople) {
				v.Import = v.Path + "/import"
			}
			return nil
		},
		heads: []string{
			"customer.number", "order.client", "customer.contact", "lists.phone", "apply.contact_phone",
			"region.legend", "apply.address", "customer.since", "lists.state", "lists.is_sample",
		},
		records: func(r *http.Request, c lists.CustomerRecord) [][]any {
			ctx := r.Context()
			return [][]any{{
				c.ID, c.Name, c.Contact, c.Phone, c.ContactPhone, c.Region, c.Address, stamp(c.CreatedAt),
				locale.T(ctx, customerLabels[c.State]), sampleText(ctx, c.Sample),
			}}
		},
	}
}
