package backoffice

import (
	"net/http"

	"portico/components"
	"portico/locale"
	orderingpages "portico/pages/ordering"
	"portico/pages/site"
	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/backoffice"
	"portico/store"
)

// officeView is the first page of the back office.
type officeView struct {
	Hello       site.HelloView
	Setup       []setupLine
	SetUpHref   string // the page that initialises the company, "" when that is done or not allowed
	Figures     []figure
	Week        *weekView // nil for readers who may not see it
	Latest      []orderingpages.OrderLine
	Orders      string // the list of all orders, "" for readers who may not see it
	Samples     int    // the number of samples that an administrator may clear
	SamplesHref string
	Account     site.AccountView
}

// setupLine is a step of setting up a company, with the page where it is done.
type setupLine struct {
	Label, Body, Href string
	IsDone            bool
}

// setupPages describes the first steps of a company, and the pages where they are taken, without the path of the back
// office.
var setupPages = map[backoffice.SetupName]struct{ label, body, path string }{
	backoffice.SetupApplications: {"setup.applications", "setup.applications_body", "/settings/registration"},
	backoffice.SetupLook:         {"setup.look", "setup.look_body", "/settings/appearance"},
	backoffice.SetupBank:         {"setup.bank", "setup.bank_body", "/settings/bank"},
	backoffice.SetupStaff:        {"setup.staff", "setup.staff_body", "/people/new"},
}

// setupLines returns the first steps of a new company.
func (l *Pages) setupLines(r *http.Request, steps []backoffice.SetupStep) (lines []setupLine) {
	for _, step := range steps {
		page := setupPages[step.Name]
		lines = append(lines, setupLine{
			Label: locale.T(r.Context(), page.label), Body: locale.T(r.Context(), page.body),
			Href: l.path + page.path, IsDone: step.IsDone,
		})
	}
	return lines
}

// figure is a count with a link to what it counts.
type figure struct {
	Label, Href string
	Count       string
	Waiting     bool // staff have something to do
}

// ShowOffice answers GET /home or /mgr: the first page of a back office, with counts, visits and the newest orders.
func (l *Pages) ShowOffice(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx, c := r.Context(), here.Member.Company
	office, err := l.portal.Backoffice.Office(ctx, here, string(locale.Of(ctx)))
	if err != nil {
		return err
	}
	about, err := l.site.AccountWithOffers(r, here, locale.T(ctx, "office.about"))
	if err != nil {
		return err
	}
	administrator := here.Member.Type == store.TypeAdministrator
	view := officeView{
		Hello: l.site.Hello(r, here), Figures: l.figuresFor(r, here, office),
		Latest:  l.ordering.OrderLines(r, office.Latest),
		Setup:   l.setupLines(r, office.Setup),
		Account: about,
	}
	view.Week = l.weekOf(r, office.Visits)
	if access.May(here.Member, access.RightOrders) {
		view.Orders = l.path + "/orders"
	}
	if access.May(here.Member, access.RightSettings) {
		view.Samples, view.SamplesHref = office.Samples, l.path+"/settings/initialisation"
	}
	if administrator && c.InitialisedAt == 0 && !c.Sandbox {
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

// figuresFor returns the figures that the account may see.
func (l *Pages) figuresFor(r *http.Request, here access.Landing, office backoffice.Office) []figure {
	ctx, m := r.Context(), here.Member
	var all []figure
	if access.May(m, access.RightOrders) {
		all = append(all, figure{
			Label: locale.T(ctx, "office.waiting"), Href: l.path + "/orders",
			Count: figureText(r, office.NewOrders), Waiting: office.NewOrders > 0,
		})
	}
	if access.May(m, access.RightApplications) {
		all = append(all, figure{
			Label: locale.T(ctx, "office.pending"), Href: l.path + "/applications",
			Count: figureText(r, office.Pending), Waiting: office.Pending > 0,
		})
	}
	if access.May(m, access.RightCustomers) {
		all = append(all, figure{
			Label: locale.T(ctx, "office.customers"), Href: l.path + "/customers",
			Count: figureText(r, office.Customers),
		})
	}
	return all
}

// figureText writes the count of a figure. Counts end at portal.CountShown; beyond it the figure says that there are
// more.
func figureText(r *http.Request, n int) string {
	lang := locale.Of(r.Context())
	if n > application.CountShown {
		return lang.T("office.figure_more", "num", components.Count(lang, application.CountShown))
	}
	return components.Count(lang, int64(n))
}
