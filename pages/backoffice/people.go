package backoffice

import (
	"net/http"
	"net/url"

	"portico/locale"
	"portico/pages/forms"
	"portico/pages/request"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/backoffice"
	"portico/store"
)

// peopleView is the list of the company's accounts, on one side or both.
type peopleView struct {
	Sides   []sideTab
	People  []forms.PersonLine
	More    string // the address of the next page, "" for none
	First   string // the address of the first page, "" on it
	NewHref string // the page that opens an account, "" for readers who may not
}

// sideTab is a link that filters the list by side.
type sideTab struct {
	Label, Href string
	Current     bool
}

// personStates has the chip of each state of an account.
var personStates = map[backoffice.PersonState]web.Chip{
	backoffice.PersonActive:        {Kind: "ok", Text: "people.state_active"},
	backoffice.PersonInvited:       {Kind: "", Text: "people.state_invited"},
	backoffice.PersonDeclined:      {Kind: "", Text: "people.state_declined"},
	backoffice.PersonFirstPassword: {Kind: "warn", Text: "people.state_first_password"},
	backoffice.PersonUnderReview:   {Kind: "warn", Text: "people.state_under_review"},
	backoffice.PersonDisabled:      {Kind: "bad", Text: "people.state_disabled"},
}

func personChip(r *http.Request, m store.Member) web.Chip {
	state := personStates[backoffice.PersonStateOf(m)]
	return web.Chip{Kind: state.Kind, Text: locale.T(r.Context(), state.Text)}
}

// ShowPeople answers GET /people: the accounts of the company, page by page, of one side or both.
func (l *Pages) ShowPeople(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	side := store.Side(r.URL.Query().Get("side"))
	after, _ := access.DecimalID(r.URL.Query().Get("after"))
	list, err := l.portal.Backoffice.People(r.Context(), here, side, after)
	if err != nil {
		return err
	}
	path := l.path + "/people"
	view := peopleView{Sides: sideTabs(r, path, side), People: l.personLines(r, list.People)}
	if access.May(here.Member, access.RightManagePeople) {
		view.NewHref = path + "/new"
	}
	query := url.Values{}
	if side == store.Mgr || side == store.Shop {
		query.Set("side", string(side))
	}
	if after > 0 {
		view.First = withQuery(path, query)
	}
	if list.More > 0 {
		query.Set("after", request.Decimal(list.More))
		view.More = withQuery(path, query)
	}
	return l.web.Render(w, r, http.StatusOK, l.site.Frame(r, here, path), peoplePage(view))
}

func sideTabs(r *http.Request, path string, side store.Side) []sideTab {
	ctx := r.Context()
	tabs := []sideTab{
		{Label: locale.T(ctx, "people.all"), Href: path},
		{Label: locale.T(ctx, "people.side_mgr"), Href: path + "?side=mgr"},
		{Label: locale.T(ctx, "people.side_shop"), Href: path + "?side=shop"},
	}
	current := map[store.Side]int{store.Mgr: 1, store.Shop: 2}[side]
	tabs[current].Current = true
	return tabs
}

func (l *Pages) personLines(r *http.Request, people []store.Member) []forms.PersonLine {
	var lines []forms.PersonLine
	for _, m := range people {
		line := forms.PersonLine{Href: l.path + "/people/" + request.Decimal(m.ID), Name: m.Name,
			Role: locale.T(r.Context(), "type."+web.TypeName(m.Type)), State: personChip(r, m)}
		if line.Name == "" {
			line.Name = m.Login
		}
		for _, detail := range []string{m.Login, access.MaskPhone(m.Phone), m.ClientName} {
			if detail != "" {
				line.Details = append(line.Details, detail)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func withQuery(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}
