package office

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/components"
	"portico/locale"
	"portico/pages/site"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/office"
	"portico/store"
)

// officeView is the first page of the back office.
type officeView struct {
	Hello      site.HelloView
	Trial      string // the part of the trial that is left, in percent; "" without a trial
	Date       string // of today
	ToDos      []toDo
	CaughtUp   bool // nothing waits
	Offers     offersLine
	Samples    samplesLine
	SetUpHref  string // the page that initialises the company, "" when that is done or not allowed
	Setup      []setupLine
	SetupDone  string // how many of the first steps are done
	SetupShare string // and their share in percent
	Charts     []chart
	Days       []dayRow // the table behind Charts
	Weeks      *weeksView
	SignIns    *signInsView
	Figures    []figure
	Latest     []site.OrderLine
	Orders     string // the list of all orders, "" for readers who may not see it
}

// toDo is a tile: how many records wait for the reader, and the address of their list. Samples says how many of the
// records are samples, "" for none.
type toDo struct {
	Icon, Count, Label, Samples, Href string
	Waits                             bool // the count without samples is not 0
}

// samplesLine says which of the figures are samples. Href is the page that clears them, "" for readers who may not.
type samplesLine struct{ Text, Href string }

// offersLine leads to the offers that the reader has in other companies.
type offersLine struct{ Label, Href string }

// setupLine is a step of setting up a company, with the page where it is done.
type setupLine struct {
	Label, Body, Href string
	IsDone            bool
}

// figure is a count with a link to what it counts, and a line of its last days, "" for none.
type figure struct{ Label, Count, Href, Line string }

// setupPages describes the first steps of a company, and the pages where they are taken, without the path of the back
// office.
var setupPages = map[office.SetupName]struct{ label, body, path string }{
	office.SetupProducts:     {"setup.products", "setup.products_body", "/products"},
	office.SetupApplications: {"setup.applications", "setup.applications_body", "/settings/registration"},
	office.SetupLook:         {"setup.look", "setup.look_body", "/settings/appearance"},
	office.SetupBank:         {"setup.bank", "setup.bank_body", "/settings/bank"},
	office.SetupStaff:        {"setup.staff", "setup.staff_body", "/people/new"},
	office.SetupSamples:      {"setup.samples", "setup.samples_body", "/settings/initialisation"},
}

// ShowOffice answers GET /home or /mgr: what there is to do, today's orders beside those of yesterday, and the newest
// orders.
func (l *Pages) ShowOffice(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx, c := r.Context(), here.Member.Company
	office, err := l.portal.Overview.Office(ctx, here)
	if err != nil {
		return err
	}
	view := officeView{
		Hello: l.site.Hello(r, here), Figures: l.figures(r, here, office),
		Latest: l.site.OrderLines(r, office.Latest),
	}
	own, err := l.site.AccountWithOffers(r, here, "")
	if err != nil {
		return err
	}
	view.ToDos, view.Offers = l.toDos(r, here, office), offersLine{own.Offers, own.OffersHref}
	view.CaughtUp = !slices.ContainsFunc(view.ToDos, func(t toDo) bool { return t.Waits })
	view.Date, view.Trial = locale.Of(ctx).Weekday(l.portal.Overview.Today()), trialShare(here.DaysLeft)
	view.Samples = l.samplesLine(r, here, office.Samples)
	l.addSetup(r, &view, office.Setup)
	if office.Sales != nil {
		view.Charts, view.Days = salesCharts(r, *office.Sales)
		view.Orders = l.path + "/orders"
	}
	view.Weeks = l.weeksView(r, office.Weeks)
	if office.SignIns != nil {
		view.SignIns = signInsViewOf(r, *office.SignIns)
	}
	if access.IsAdministrator(here.Member) && c.InitialisedAt == 0 && !c.Sandbox {
		view.SetUpHref = here.FromOrigin + "/register/init"
	}
	shell := l.site.Frame(r, here, l.path)
	if shell.Mirror, err = l.site.MirrorFirst(r, here); err != nil {
		return err
	}
	if r.URL.Query().Get("done") == "hand_over" && here.Member.Type == store.TypeEmployee {
		shell.Toast, shell.ToastLong = locale.T(ctx, "role_change.handed_over"), true
	}
	return l.web.Render(w, r, http.StatusOK, shell, officePage(view))
}

// toDos returns what may wait for the reader, each with a link to the list of it.
func (l *Pages) toDos(r *http.Request, here access.Landing, office office.Office) (all []toDo) {
	ctx, m := r.Context(), here.Member
	for _, each := range []struct {
		right             access.Right
		count             int
		icon, label, path string
	}{
		{access.RightOrders, office.NewOrders, "orders", "office.waiting", "/orders?state=" + string(store.OrderNew)},
		{
			access.RightApplications, office.Pending, "applications", "office.pending",
			"/applications?state=" + string(store.ApplicationPending),
		},
		{access.RightPeople, office.Offered, "people", "overview.offered", "/people?state=invited"},
	} {
		if !access.May(m, each.right) {
			continue
		}
		t := toDo{Icon: each.icon, Label: locale.T(ctx, each.label), Href: l.path + each.path, Waits: each.count > 0}
		count := each.count
		if each.right == access.RightOrders && office.Samples.New > 0 {
			count += office.Samples.New
			t.Samples = locale.T(ctx, "overview.samples_of", "num", office.Samples.New)
		}
		t.Count = countText(r, count)
		all = append(all, t)
	}
	return all
}

// samplesLine counts the samples that the figures of the page include.
func (l *Pages) samplesLine(r *http.Request, here access.Landing, s office.Samples) (line samplesLine) {
	ctx := r.Context()
	var parts []string
	add := func(key string, count int, more string) {
		if count > 0 {
			parts = append(parts, locale.T(ctx, key)+" "+components.Count(int64(count))+more)
		}
	}
	add("overview.orders_today", s.Today, " ("+components.Money(s.Total)+")")
	add("office.waiting", s.New, "")
	add("office.customers", s.Customers, "")
	if len(parts) == 0 {
		return line
	}
	line.Text = locale.T(ctx, "overview.samples", "figures", strings.Join(parts, " · "))
	if access.May(here.Member, access.RightSettings) {
		line.Href = l.path + "/settings/initialisation"
	}
	return line
}

// addSetup adds the first steps of a new company to the page.
func (l *Pages) addSetup(r *http.Request, view *officeView, steps []office.SetupStep) {
	done := 0
	for _, step := range steps {
		page := setupPages[step.Name]
		view.Setup = append(view.Setup, setupLine{
			Label: locale.T(r.Context(), page.label), Body: locale.T(r.Context(), page.body),
			Href: l.path + page.path, IsDone: step.IsDone,
		})
		if step.IsDone {
			done++
		}
	}
	if len(steps) > 0 {
		view.SetupShare = strconv.Itoa(done * 100 / len(steps))
	}
	view.SetupDone = locale.T(r.Context(), "setup.progress", "num", done, "all", len(steps))
}

// trialShare returns the part of the trial that is left, in percent. A trial that was extended is whole at first.
func trialShare(days int) string {
	whole := int(access.TrialLife / (24 * time.Hour))
	return strconv.Itoa(min(days, whole) * 100 / whole)
}

// fewestPoints is on how many days a page must have been viewed for a line to say something.
const fewestPoints = 3

// figures returns the figures that the account may see.
func (l *Pages) figures(r *http.Request, here access.Landing, office office.Office) (all []figure) {
	ctx := r.Context()
	if access.May(here.Member, access.RightCustomers) {
		all = append(all, figure{
			Label: locale.T(ctx, "office.customers"), Href: l.path + "/customers",
			Count: countText(r, office.Customers),
		})
	}
	if office.Visits != nil {
		var total int64
		var views []int64
		seen := 0
		for _, day := range office.Visits {
			total += day.Views
			views = append(views, day.Views)
			if day.Views > 0 {
				seen++
			}
		}
		line := ""
		if seen >= fewestPoints {
			line = linePath(views)
		}
		all = append(all, figure{
			Label: locale.T(ctx, "visits.week"), Href: l.path + "/settings/visits?days=" + strconv.Itoa(len(views)),
			Count: components.Count(total), Line: line,
		})
	}
	return all
}

// countText writes a count. Counts end at CountShown; beyond it the text says that there are more.
func countText(r *http.Request, n int) string {
	lang := locale.Of(r.Context())
	if n > core.CountShown {
		return lang.T("office.figure_more", "num", components.Count(core.CountShown))
	}
	return components.Count(int64(n))
}
