package pages

import (
	"net/http"

	"portico/locale"
	"portico/portal"
	"portico/store"
)

// officeView is the back office's first page: what waits.
type officeView struct {
	Hello       helloView
	SetUpHref   string // to finish setting up, "" where that is done or not one's to do
	Figures     []figure
	Latest      []orderLine
	Orders      string // the address of all
	Samples     int    // that an administrator may clear
	SamplesHref string
	Account     accountView
}

// figure is a number that leads to what it counts.
type figure struct {
	Label, Href string
	Count       int
	Waiting     bool // something to do
}

// customersView is a company's customers.
type customersView struct{ Customers []customerLine }

type customerLine struct {
	Name, Contact string
	Number        int64
	State         chip
}

func (l landing) showOffice(w http.ResponseWriter, r *http.Request, here portal.Landing) error {
	ctx, c := r.Context(), here.Member.Company
	office, err := l.portal.Office(ctx, here, string(locale.Of(ctx)))
	if err != nil {
		return err
	}
	orders, administrator := l.path+"/orders", here.Member.Type == store.TypeAdministrator
	view := officeView{
		Hello: l.hello(r, here), Latest: l.orderLines(r, office.Latest), Orders: orders, Account: account(r, here, locale.T(ctx, "office.about")),
		Figures: []figure{
			{Label: locale.T(ctx, "office.waiting"), Href: orders, Count: office.NewOrders, Waiting: office.NewOrders > 0},
			{Label: locale.T(ctx, "office.customers"), Href: l.path + "/customers", Count: office.Customers},
		},
	}
	if administrator {
		view.Samples, view.SamplesHref = office.Samples, l.path+"/settings/initialisation"
	}
	if administrator && c.InitialisedAt == 0 && !c.Sandbox {
		view.SetUpHref = here.FromOrigin + "/register/init"
	}
	shell := l.frame(r, here, l.path)
	shell.Toast = l.told(w, r, "entered", "enter.entered")
	return l.render(w, r, http.StatusOK, shell, officePage(view))
}

func (l landing) showCustomers(w http.ResponseWriter, r *http.Request, here portal.Landing) error {
	ctx := r.Context()
	customers, err := l.portal.Customers(ctx, here, string(locale.Of(ctx)))
	if err != nil {
		return err
	}
	var view customersView
	for _, c := range customers {
		state := chip{"ok", locale.T(ctx, "office.partner")}
		if c.State == store.ClientEnded {
			state = chip{"bad", locale.T(ctx, "chip.partner_ended")}
		}
		view.Customers = append(view.Customers, customerLine{c.Name, c.Contact, c.ID, state})
	}
	return l.render(w, r, http.StatusOK, l.frame(r, here, l.path+"/customers"), customersPage(view))
}
