package lists

import (
	"cmp"
	"net/http"

	"portico/locale"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/lists"
	"portico/store"
)

// personLabels are the keys of the texts of the states by which people are filtered.
var personLabels = map[string]string{
	"": "people.all", "staff": "lists.staff", "shop": "lists.shop_accounts", "invited": "people.state_invited",
	"disabled": "people.state_disabled",
}

// people is the list of the accounts of the company.
func (l *Pages) people() list[store.Member, store.Member] {
	role := func(r *http.Request, m store.Member) string {
		return locale.T(r.Context(), "type."+web.TypeName(m.Type))
	}
	return list[store.Member, store.Member]{
		of: l.portal.Lists.People, labels: personLabels, hasChoice: true,
		id: func(m store.Member) int64 { return m.ID },
		columns: []columnOf[store.Member]{
			{label: "lists.person", kind: kindName, sort: "name", cell: textCell(func(m store.Member) string {
				return cmp.Or(m.Name, m.Login)
			})},
			{label: "lists.role", kind: kindText, cell: func(r *http.Request, m store.Member) cell {
				return cell{Text: role(r, m)}
			}},
			{label: "lists.login", kind: kindMinor, cell: textCell(func(m store.Member) string { return m.Login })},
			{label: "lists.phone", kind: kindMinor, cell: textCell(func(m store.Member) string {
				return access.MaskPhone(m.Phone)
			})},
			{label: "order.client", kind: kindText, cell: textCell(func(m store.Member) string {
				return m.ClientName
			})},
			{label: "lists.opened", kind: kindTime, sort: "date", cell: func(_ *http.Request, m store.Member) cell {
				return moment(m.CreatedAt)
			}},
			{label: "lists.state", kind: kindState, cell: func(r *http.Request, m store.Member) cell {
				state := site.PersonChip(r, m)
				return cell{Chip: &state}
			}},
		},
		complete: func(r *http.Request, here access.Landing, _ lists.Page[store.Member], v *listView) error {
			v.Empty.Text = locale.T(r.Context(), "people.none")
			if access.May(here.Member, access.RightManagePeople) {
				v.Action, v.Href = locale.T(r.Context(), "people.open"), v.Path+"/new"
				v.Empty.Action, v.Empty.Href = v.Action, v.Href
				v.Import = v.Path + "/import"
			}
			return nil
		},
		heads: []string{
			"lists.person", "lists.role", "lists.login", "lists.phone", "order.client", "lists.opened", "lists.state",
		},
		records: func(r *http.Request, m store.Member) [][]any {
			return [][]any{{
				m.Name, role(r, m), m.Login, access.MaskPhone(m.Phone), m.ClientName, stamp(m.CreatedAt),
				site.PersonChip(r, m).Text,
			}}
		},
	}
}
