package office

import (
	"net/http"

	"portico/locale"
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/store"
)

// sideTab is a link to the form of one side.
type sideTab struct {
	Label, Href string
	Current     bool
}

func (l *Pages) personLines(r *http.Request, people []store.Member) []forms.PersonLine {
	var lines []forms.PersonLine
	for _, m := range people {
		line := forms.PersonLine{Href: l.path + "/people/" + web.Decimal(m.ID), Name: m.Name,
			Role: locale.T(r.Context(), "type."+web.TypeName(m.Type)), State: site.PersonChip(r, m)}
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
