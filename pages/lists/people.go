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

// statesOfSides are the states for the values of ?side=, which addresses of former versions have.
var statesOfSides = map[store.Side]string{store.Mgr: "staff", store.Shop: "shop"}

// ShowPeople answers GET /people: the accounts of the company.
func (l *Pages) ShowPeople(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx := r.Context()
	path := l.path + "/people"
	query := r.URL.Query()
	in := inputOf(query)
	in.State = cmp.Or(in.State, statesOfSides[store.Side(query.Get("side"))])
	page, err := l.portal.Lists.People(ctx, here, in, string(locale.Of(ctx)))
	if err != nil {
		return err
	}
	v := newView(r, path, "people", "name", page, personLabels)
	v.sorted(locale.T(ctx, "lists.person"), kindName, "name")
	v.column(locale.T(ctx, "lists.role"), kindText)
	v.column(locale.T(ctx, "lists.login"), kindMinor)
	v.column(locale.T(ctx, "lists.phone"), kindMinor)
	v.column(locale.T(ctx, "order.client"), kindText)
	v.sorted(locale.T(ctx, "lists.opened"), kindTime, "date")
	v.column(locale.T(ctx, "lists.state"), kindState)
	for _, m := range page.Rows {
		state := site.PersonChip(r, m)
		v.Rows = append(v.Rows, newRow(path, m.ID,
			text(cmp.Or(m.Name, m.Login)), text(locale.T(ctx, "type."+web.TypeName(m.Type))), text(m.Login),
			text(access.MaskPhone(m.Phone)), text(m.ClientName), moment(m.CreatedAt), cell{Chip: &state},
		))
	}
	v.choose(r, here, lists.PeopleList)
	if err := l.savedFilters(r, here, lists.PeopleList, &v); err != nil {
		return err
	}
	v.Empty.Text = locale.T(ctx, "people.none")
	action, href := "", ""
	if access.May(here.Member, access.RightManagePeople) {
		action, href = locale.T(ctx, "people.open"), path+"/new"
		v.Empty.Action, v.Empty.Href = action, href
		v.Import = path + "/import"
	}
	return l.web.Render(w, r, http.StatusOK, l.site.Frame(r, here, path),
		listPage(locale.T(ctx, "office.people"), action, href, v))
}
