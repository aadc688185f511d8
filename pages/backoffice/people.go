package backoffice

import (
	"net/http"

	"portico/locale"
	"portico/pages/forms"
	"portico/pages/request"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/backoffice"
	"portico/store"
)

// sideTab is a link to the form of one side.
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

// PersonChip returns the chip of an account's state.
func PersonChip(r *http.Request, m store.Member) web.Chip {
	state := personStates[backoffice.PersonStateOf(m)]
	return web.Chip{Kind: state.Kind, Text: locale.T(r.Context(), state.Text)}
}

func (l *Pages) personLines(r *http.Request, people []store.Member) []forms.PersonLine {
	var lines []forms.PersonLine
	for _, m := range people {
		line := forms.PersonLine{Href: l.path + "/people/" + request.Decimal(m.ID), Name: m.Name,
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
