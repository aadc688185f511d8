package lists

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/locale"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/lists"
)

// auditView is one page of a company's activity log.
type auditView struct {
	Path   string
	Filter access.AuditFilter
	Groups []web.Choice
	People []web.Choice
	Days   []auditDay
	Older  string      // the address of the next page, "" for none
	Newest string      // the address of the first page, "" on it
	Clear  string      // the address without filter, "" when nothing is filtered
	Set    []setFilter // the filters that are set
	CSV    string      // the addresses of the exports
	Excel  string
}

// head returns the heading of the log.
func (v auditView) head(heading string) headView {
	if len(v.Days) == 0 && v.Older == "" {
		return headView{Heading: heading}
	}
	return headView{Heading: heading, CSV: v.CSV, Excel: v.Excel}
}

// buttonOf returns the button of a filter with one or more fields.
func buttonOf(ctx context.Context, key string, set ...bool) filterButton {
	v := filterButton{Label: locale.T(ctx, key)}
	for _, isSet := range set {
		if isSet {
			v.Set++
		}
	}
	return v
}

// auditLine is one event: what happened, who did it, when and from which IP address.
type auditLine struct {
	Parts     []site.EventPart // the sentence, nil for an event without one
	What, Who string           // in words, for an event without a sentence
	Href      string           // the page of what it is about, "" for none
	Icon      string
	Machine   bool // a program caused it
	At        time.Time
	Address   string // the IP address
}

// auditFilterOf reads what an address says about the log.
func auditFilterOf(query url.Values) access.AuditFilter {
	f := access.AuditFilter{
		Of: access.AuditGroup(query.Get("of")), From: query.Get("from"), To: query.Get("to"),
		Object: query.Get("object"), Search: query.Get("q"),
	}
	if n, err := strconv.Atoi(query.Get("limit")); err == nil && slices.Contains(lists.Limits, n) {
		f.Limit = n
	}
	f.Person, _ = access.DecimalID(query.Get("person"))
	f.Before, _ = access.DecimalID(cmp.Or(query.Get("cursor"), query.Get("before"))) // "before" is in old links
	return f
}

// auditAddress returns the address of a page of the log.
func auditAddress(path string, f access.AuditFilter) string {
	query := url.Values{}
	set := func(name, value string) {
		if value != "" && value != "0" {
			query.Set(name, value)
		}
	}
	set("q", f.Search)
	set("limit", strconv.Itoa(f.Limit))
	set("of", string(f.Of))
	set("person", web.Decimal(f.Person))
	set("object", f.Object)
	set("from", f.From)
	set("to", f.To)
	set("cursor", web.Decimal(f.Before))
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// showAudit answers GET /audit: the newest events that pass the filter, or those before ?cursor=.
func (l *Pages) showAudit(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx := r.Context()
	list, err := l.portal.Lists.Audit(ctx, here, auditFilterOf(r.URL.Query()))
	if err != nil {
		return err
	}
	path, f := l.path+"/audit", list.Filter
	at := func(before int64) string {
		of := f
		of.Before = before
		return auditAddress(path, of)
	}
	f.Found = nil
	first := f
	first.Before = 0
	v := auditView{
		Path: path, Filter: f,
		CSV:   auditAddress(path+"/export.csv", first),
		Excel: auditAddress(path+"/export.xlsx", first),
	}
	if first != (access.AuditFilter{Limit: f.Limit}) {
		v.Clear = path
	}
	if f.Before > 0 {
		v.Newest = at(0)
	}
	if list.Older > 0 {
		v.Older = at(list.Older)
	}
	v.Groups = append(v.Groups, web.Choice{Value: "", Label: locale.T(ctx, "audit.of_all"), Chosen: f.Of == ""})
	for _, group := range access.AuditGroups {
		v.Groups = append(v.Groups, web.Choice{
			Value: string(group), Label: locale.T(ctx, "audit.of_"+string(group)), Chosen: f.Of == group,
		})
	}
	v.People = append(v.People, web.Choice{Value: "", Label: locale.T(ctx, "audit.anyone"), Chosen: f.Person == 0})
	for _, m := range list.Staff {
		v.People = append(v.People, web.Choice{Value: web.Decimal(m.ID), Label: m.Name, Chosen: f.Person == m.ID})
	}
	v.setFilters(r, list.Object)
	var lines []auditLine
	for _, e := range list.Events {
		lines = append(lines, auditLine{
			Parts: site.EventParts(r, e), What: site.EventText(r, e), Who: eventActor(r, e), At: e.At.Time(),
			Address: e.Address, Machine: e.IsMachine(), Href: l.recordOf(here, e), Icon: groupIcons[e.Group()],
		})
	}
	v.Days = daysOf(r, lines)
	return l.web.Render(w, r, http.StatusOK, l.site.Frame(r, here, path), auditPage(v))
}

// groupIcons are the icons of the parts of the log.
var groupIcons = map[access.AuditGroup]string{
	access.AuditSignIn: "lock", access.AuditPeople: "people", access.AuditCustomers: "customers",
	access.AuditSettings: "settings", access.AuditOrders: "orders", access.AuditProducts: "shop",
}

// setFilters lists the filters that are set, each with the address of the log without it. object is the name of the
// record of the filter.
func (v *auditView) setFilters(r *http.Request, object string) {
	add := func(text string, without access.AuditFilter) {
		without.Before, without.Found = 0, nil
		v.Set = append(v.Set, setFilter{text, auditAddress(v.Path, without)})
	}
	f := v.Filter
	if f.Search != "" {
		without := f
		without.Search = ""
		add(f.Search, without)
	}
	if f.Object != "" {
		without := f
		without.Object = ""
		kind, id, _ := strings.Cut(f.Object, "-")
		if name := cmp.Or(object, id); kind == "orders" {
			add(locale.T(r.Context(), "order.number", "num", name), without)
		} else {
			add(name, without)
		}
	}
	for _, c := range v.Groups {
		if c.Chosen && c.Value != "" {
			without := f
			without.Of = ""
			add(c.Label, without)
		}
	}
	for _, c := range v.People {
		if c.Chosen && c.Value != "" {
			without := f
			without.Person = 0
			add(c.Label, without)
		}
	}
	if days := dayRange(r, f.From, f.To); days != "" {
		without := f
		without.From, without.To = "", ""
		add(days, without)
	}
}

// recordOf returns the address of the page of what an event is about, where its history is, too; "" for none and when
// the reader may not see it.
func (l *Pages) recordOf(here access.Landing, e access.AuditEvent) string {
	about := e.About()
	if about.Kind == "" || !access.May(here.Member, about.Right) {
		return ""
	}
	return rowHref(l.path+"/"+about.Kind, e.ObjectID)
}

// showAuditExport answers GET /audit/export.csv and .xlsx: the newest events that pass the filter.
func (l *Pages) showAuditExport(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx := r.Context()
	e := l.newExporter(w, r, here, "audit", "audit.when", "audit.what", "audit.who", "audit.address")
	err := l.portal.Lists.EachAuditEvent(ctx, here, auditFilterOf(r.URL.Query()),
		add(e, func(e access.AuditEvent) [][]any {
			return [][]any{{stamp(e.At), site.EventText(r, e), eventActor(r, e), e.Address}}
		}))
	return e.finish(ctx, err)
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
