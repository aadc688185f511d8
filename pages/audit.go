package pages

import (
	"cmp"
	"net/http"
	"time"

	"portico/locale"
	"portico/portal/access"
)

// auditView is a page of what happened in a company.
type auditView struct {
	Path   string
	Of     string // the group shown, "" for all
	Groups []choice
	Events []auditLine
	Older  string // the address of the next page, "" for none
	Later  bool   // this is not the newest page
	Newest string
	Export string // the address of the CSV file
}

// auditLine is an event: what, who, when and from where.
type auditLine struct {
	What, Who string
	At        time.Time
	Address   string
}

func (l landingPages) showAudit(w http.ResponseWriter, r *http.Request, here access.Landing) error {
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
	v.Groups = append(v.Groups, choice{"", locale.T(r.Context(), "audit.of_all"), of == ""})
	for _, group := range access.AuditGroups {
		v.Groups = append(
			v.Groups, choice{string(group), locale.T(r.Context(), "audit.of_"+string(group)), of == string(group)},
		)
	}
	for _, e := range list.Events {
		v.Events = append(v.Events, auditLine{auditWhat(r, e), auditWho(r, e), e.At.Time(), e.Address})
	}
	if list.Older > 0 {
		v.Older = auditAddress(path, of, list.Older)
	}
	return l.render(w, r, http.StatusOK, l.frame(r, here, path), auditPage(v))
}

// auditAddress is the address of a part of the log; of is one of portal.AuditGroups or "".
func auditAddress(path, of string, before int64) string {
	sign := "?"
	if of != "" {
		path, sign = path+"?of="+of, "&"
	}
	if before > 0 {
		path += sign + "before=" + decimal(before)
	}
	return path
}

// auditWhat is an event in words; a kind that this version has no words for stands as it is.
func auditWhat(r *http.Request, e access.AuditEvent) string {
	key := "audit." + e.Kind
	if !locale.Has(key) {
		return e.Kind
	}
	what := locale.T(r.Context(), key)
	if of := cmp.Or(e.Host, e.Card); of != "" {
		what += ": " + of
	}
	return what
}

// auditWho names who did something: somebody of the company, the platform, or nobody who is known here.
func auditWho(r *http.Request, e access.AuditEvent) string {
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
