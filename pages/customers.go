package pages

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/portal"
	"portico/store"
)

// customersView is a company's customers.
type customersView struct {
	Customers   []customerLine
	Count       string // of all pages, "" for none
	More, First string
}

type customerLine struct {
	Href, Name, Contact string
	Number              int64
	State               chip
}

// customerView is one customer, and what may be done.
type customerView struct {
	customerLine
	Back    string
	Facts   []fact
	People  []personLine // nil for those who may not see them
	NewHref string       // opens an account for it, "" for those who may not
	Manages bool
	Ended   bool
	Token   string
}

func customerLineOf(r *http.Request, path string, c store.Client) customerLine {
	state := chip{"ok", locale.T(r.Context(), "office.partner")}
	if c.State == store.ClientEnded {
		state = chip{"bad", locale.T(r.Context(), "chip.partner_ended")}
	}
	return customerLine{path + "/" + decimal(c.ID), c.Name, c.Contact, c.ID, state}
}

func (l landing) showCustomers(w http.ResponseWriter, r *http.Request, here portal.Landing) error {
	ctx, path := r.Context(), l.path+"/customers"
	after, _ := portal.DecimalID(r.URL.Query().Get("after"))
	list, err := l.portal.Customers(ctx, here, after, string(locale.Of(ctx)))
	if err != nil {
		return err
	}
	view := customersView{Count: countText(r, list.Count, "office.customer_count", "office.customer_count_more")}
	for _, c := range list.Customers {
		view.Customers = append(view.Customers, customerLineOf(r, path, c))
	}
	if after > 0 {
		view.First = path
	}
	if list.More > 0 {
		view.More = path + "?after=" + decimal(list.More)
	}
	return l.render(w, r, http.StatusOK, l.frame(r, here, path), customersPage(view))
}

func (l landing) showCustomer(w http.ResponseWriter, r *http.Request, here portal.Landing) error {
	id, ok := portal.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return portal.NotFound
	}
	ctx, path := r.Context(), l.path+"/customers"
	c, err := l.portal.Customer(ctx, here, id, string(locale.Of(ctx)))
	if err != nil {
		return err
	}
	view := customerView{
		customerLine: customerLineOf(r, path, c.Client), Back: path, Ended: c.State == store.ClientEnded, Token: l.formToken(r),
		Manages: portal.May(here.Member, portal.RightManageCustomers),
		Facts:   []fact{{locale.T(ctx, "customer.number"), decimal(c.ID)}, {locale.T(ctx, "customer.since"), components.Day(locale.Of(ctx), c.CreatedAt.Time())}},
	}
	if c.Contact != "" {
		view.Facts = append([]fact{{locale.T(ctx, "customer.contact"), c.Contact}}, view.Facts...)
	}
	for i := range c.Accounts { // it is the page's own
		c.Accounts[i].ClientName = ""
	}
	if portal.May(here.Member, portal.RightPeople) {
		view.People = append([]personLine{}, l.personLines(r, c.Accounts)...)
	}
	if portal.May(here.Member, portal.RightManagePeople) && !view.Ended {
		view.NewHref = l.path + "/people/new?side=shop&client_id=" + decimal(c.ID)
	}
	shell := l.frame(r, here, path)
	switch done := r.URL.Query().Get("done"); {
	case done == "end" && view.Ended:
		shell.Toast = locale.T(ctx, "customer.ended")
	case done == "resume" && !view.Ended:
		shell.Toast = locale.T(ctx, "customer.resumed")
	}
	return l.render(w, r, http.StatusOK, shell, customerPage(view))
}

func (l landing) submitCustomer(w http.ResponseWriter, r *http.Request, here portal.Landing) error {
	id, ok := portal.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return portal.NotFound
	}
	action, err := r.PostForm.Get("action"), error(portal.BadRequest)
	switch action {
	case "end":
		err = l.portal.EndPartnership(r.Context(), here, id)
	case "resume":
		err = l.portal.ResumePartnership(r.Context(), here, id)
	}
	if err != nil {
		return err
	}
	return seeOther(w, r.URL.Path+"?done="+action)
}
