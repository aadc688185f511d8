package office

import (
	"net/http"

	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/office"
	"portico/store"
)

// sideTab is a link to the form of one side.
type sideTab struct {
	Label, Href string
	Current     bool
}

// personStates has the chip of each state of an account.
var personStates = map[office.PersonState]web.Chip{
	office.PersonActive:        {Kind: "ok", Text: "people.state_active"},
	office.PersonInvited:       {Kind: "", Text: "people.state_invited"},
	office.PersonDeclined:      {Kind: "", Text: "people.state_declined"},
	office.PersonFirstPassword: {Kind: "warn", Text: "people.state_first_password"},
	office.PersonUnderReview:   {Kind: "warn", Text: "people.state_under_review"},
	office.PersonDisabled:      {Kind: "bad", Text: "people.state_disabled"},
}

// PersonChip returns the chip of an account's state.
func PersonChip(r *http.Request, m store.Member) web.Chip {
	state := personStates[office.PersonStateOf(m)]
	return web.Chip{Kind: state.Kind, Text: locale.T(r.Context(), state.Text)}
}

func (l *Pages) personLines(r *http.Request, people []store.Member) []forms.PersonLine {
	var lines []forms.PersonLine
	for _, m := range people {
		line := forms.PersonLine{Href: l.path + "/people/" + web.Decimal(m.ID), Name: m.Name,
			Role: locale.T(r.Context(), "type."+web.TypeName(m.Type)), State: PersonChip(r, m)}
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
