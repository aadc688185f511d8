package backoffice

import (
	"net/http"
	"time"

	"portico/locale"
	"portico/pages/request"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
)

// auditView is one page of a company's activity log.
type auditView struct {
	Path   string
	Of     string // the group of events that is shown, "" for all
	Groups []web.Choice
	Days   []auditDay
	Older  string // the address of the next page, "" for none
	Later  bool   // there are newer events than those shown
	Newest string
	Export string // the address of the CSV file
}

// auditLine is one event: what happened, who did it, when and from which IP address.
type auditLine struct {
	What, Who string // in words; Who is "" when What names who did it
	Machine   bool   // a program caused it
	At        time.Time
	Address   string // the IP address
}

// ShowAudit shows the newest events, or those before ?before=.
func (l *Pages) ShowAudit(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	query := r.URL.Query()
	of := query.Get("of")
	before, _ := access.DecimalID(query.Get("before"))
	list, err := l.portal.Access.Audit(r.Context(), here, access.AuditGroup(of), before)
	if err != nil {
		return err
	}
	path := l.path + "/audit"
	v := auditView{
		Path:   path,
		Of:     of,
		Later:  before > 0,
		Newest: auditAddress(path, of, 0),
		Export: auditAddress(path+".csv", of, 0),
	}
	v.Groups = append(v.Groups, web.Choice{Value: "", Label: locale.T(r.Context(), "audit.of_all"), Chosen: of == ""})
	for _, group := range access.AuditGroups {
		v.Groups = append(
			v.Groups, web.Choice{Value: string(group), Label: locale.T(r.Context(), "audit.of_"+string(group)),
				Chosen: of == string(group)},
		)
	}
	var lines []auditLine
	for _, e := range list.Events {
		line := auditLine{Who: eventActor(r, e), At: e.At.Time(), Address: e.Address, Machine: e.IsMachine()}
		var names bool
		if line.What, names = site.EventSentence(r, e); names {
			line.Who = ""
		}
		lines = append(lines, line)
	}
	v.Days = daysOf(r, lines)
	if list.Older > 0 {
		v.Older = auditAddress(path, of, list.Older)
	}
	return l.web.Render(w, r, http.StatusOK, l.site.Frame(r, here, path), auditPage(v))
}

// auditAddress returns the address of a page of the log. group is one of access.AuditGroups, or "" for all. The page
// begins before the event with the id before, 0 for the newest.
func auditAddress(path, group string, before int64) string {
	sign := "?"
	if group != "" {
		path, sign = path+"?of="+group, "&"
	}
	if before > 0 {
		path += sign + "before=" + request.Decimal(before)
	}
	return path
}

// eventActor names who did something: a person of the company, the operator, or "—" when unknown.
func eventActor(r *http.Request, e access.AuditEvent) string {
	switch {
	case e.Operator:
		return locale.T(r.Context(), "audit.operator")
	case e.Login == "":
		return "—"
	case e.Name == "":
		return e.Login
	}
	return e.Name + " (" + e.Login + ")"
}
