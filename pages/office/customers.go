package office

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/office"
	"portico/store"
)

// customerLine is what names a customer.
type customerLine struct {
	Href, Name, Contact string
	Number              int64
	State               web.Chip
	Sample              bool
}

// customerView is the page of one customer.
type customerView struct {
	customerLine
	Back    string
	Facts   []forms.Fact
	People  []forms.PersonLine // nil for readers who may not see them
	NewHref string             // the page that opens an account for the customer, "" for readers who may not
	Manages bool               // the reader may change the customer
	Ended   bool               // the partnership has ended
	Token   string
	History site.HistoryView
	Orders  *customerOrdersView // nil for readers who may not see them

	Type     customerType
	Heading  string // of the error summary
	Mistakes []components.Mistake
}

// customerOrdersView is what the customer has ordered: the newest orders, and the list of all of them.
type customerOrdersView struct {
	Latest []site.OrderLine
	All    string
}

// customerType is the form that chooses a customer's type.
type customerType struct {
	Types   []store.CustomerType
	Chosen  int64
	Seen    string // tag of the type that was shown
	Message string
	Edit    string // the page on which the types are named
}

// customerLineOf returns the line of a customer. path is the address of the list.
func customerLineOf(r *http.Request, path string, c store.Client) customerLine {
	state := web.Chip{Kind: "ok", Text: locale.T(r.Context(), "office.partner")}
	if c.State == store.ClientEnded {
		state = web.Chip{Kind: "bad", Text: locale.T(r.Context(), "chip.partner_ended")}
	}
	return customerLine{path + "/" + web.Decimal(c.ID), c.Name, c.Contact, c.ID, state, c.Sample != ""}
}

// showCustomer shows one customer.
func (l *Pages) showCustomer(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return access.NotFound
	}
	return l.renderCustomer(w, r, here, id, nil, nil)
}

// renderCustomer writes the page. typed is the type that was chosen and refused, nil for none.
func (l *Pages) renderCustomer(
	w http.ResponseWriter, r *http.Request, here access.Landing, id int64,
	typed *office.CustomerTypeInput, refused *access.Refused,
) error {
	ctx, path := r.Context(), l.path+"/customers"
	c, err := l.portal.Backoffice.Customer(ctx, here, id)
	if err != nil {
		return err
	}
	view := customerView{
		customerLine: customerLineOf(r, path, c.Client),
		Back:         path,
		Ended:        c.State == store.ClientEnded,
		Token:        l.web.FormToken(r),
		Manages:      access.May(here.Member, access.RightManageCustomers),
		Facts: []forms.Fact{
			{Name: locale.T(ctx, "customer.number"), Value: web.Decimal(c.ID)},
			{Name: locale.T(ctx, "customer.since"), Value: components.Day(locale.Of(ctx), c.CreatedAt.Time())},
		},
	}
	if c.Contact != "" {
		view.Facts = append([]forms.Fact{{Name: locale.T(ctx, "customer.contact"), Value: c.Contact}}, view.Facts...)
	}
	l.addOrders(r, here, &view, c.Orders)
	if err := l.typeCustomer(r, here, &view, c.Client, typed, refused); err != nil {
		return err
	}
	events, err := l.portal.Core.Access.HistoryOfCustomer(ctx, here, id)
	if err != nil {
		return err
	}
	view.History = l.site.HistoryOf(r, here, "customers", id, events)
	for i := range c.Accounts { // the page names the customer already
		c.Accounts[i].ClientName = ""
	}
	if access.May(here.Member, access.RightPeople) {
		view.People = append([]forms.PersonLine{}, l.personLines(r, c.Accounts)...)
	}
	if access.May(here.Member, access.RightManagePeople) && !view.Ended {
		view.NewHref = l.path + "/people/new?side=shop&client_id=" + web.Decimal(c.ID)
	}
	shell := l.site.Frame(r, here, path)
	if view.Manages && len(view.Type.Types) > 0 {
		shell.Form = "customer-type"
	}
	switch done := r.URL.Query().Get("done"); {
	case done == "end" && view.Ended:
		shell.Toast = locale.T(ctx, "customer.ended")
	case done == "resume" && !view.Ended:
		shell.Toast = locale.T(ctx, "customer.resumed")
	case done == "set_type":
		shell.Toast = locale.T(ctx, "customer.type_saved")
	}
	return l.web.Render(w, r, web.RefusedStatus(w, refused), shell, customerPage(view))
}

// addOrders adds what the customer has ordered, for readers who may see it.
func (l *Pages) addOrders(r *http.Request, here access.Landing, view *customerView, orders office.CustomerOrders) {
	if !access.May(here.Member, access.RightOrders) {
		return
	}
	view.Orders = &customerOrdersView{
		Latest: l.site.OrderLines(r, orders.Latest),
		All:    l.path + "/orders?" + url.Values{"q": {view.Name}}.Encode(),
	}
	for i := range view.Orders.Latest { // the page names the customer already
		view.Orders.Latest[i].Client = ""
	}
	ctx := r.Context()
	switch {
	case orders.IsPart():
		view.Facts = append(view.Facts, forms.Fact{
			Name: locale.T(ctx, "customer.ordered_newest", "num", orders.Count), Value: components.Money(orders.Total),
		})
	case orders.Count > 0:
		view.Facts = append(view.Facts,
			forms.Fact{Name: locale.T(ctx, "office.orders"), Value: components.Count(orders.Count)},
			forms.Fact{Name: locale.T(ctx, "customer.ordered"), Value: components.Money(orders.Total)})
	}
}

// typeCustomer adds the customer's type to the page, and the form for readers who may change it.
func (l *Pages) typeCustomer(
	r *http.Request, here access.Landing, view *customerView, c store.Client,
	typed *office.CustomerTypeInput, refused *access.Refused,
) error {
	ctx := r.Context()
	types, err := l.portal.Backoffice.CustomerTypes(ctx, here)
	if err != nil {
		return err
	}
	stored := office.CustomerTypeTag(c)
	view.Type = customerType{
		Types:  types.Types,
		Chosen: c.TypeID,
		Seen:   stored,
		Edit:   l.path + "/settings/customer-types",
	}
	name := customerTypeName(r, types.Types, c.TypeID)
	if name != "" && !(view.Manages && len(types.Types) > 0) { // the form names it, too
		view.Facts = append(view.Facts, forms.Fact{Name: locale.T(ctx, "customer.type"), Value: name})
	}
	isThere := func(t store.CustomerType) bool { return t.ID == c.TypeID }
	if c.TypeID != 0 && !slices.ContainsFunc(types.Types, isThere) {
		removed := store.CustomerType{ID: c.TypeID, Name: customerTypeName(r, nil, c.TypeID)}
		view.Type.Types = append(slices.Clone(types.Types), removed)
	}
	if typed != nil && r.PostForm.Has("client_type_id") {
		view.Type.Chosen, view.Type.Seen = typed.TypeID, cmp.Or(typed.Seen, stored)
	}
	if refused == nil {
		return nil
	}
	view.Heading = locale.T(ctx, "summary.heading")
	for _, name := range []string{"client_type_id", "seen"} {
		problem := refused.Fields[name]
		if problem == "" {
			continue
		}
		mistake := components.Mistake{Message: l.forms.ProblemText(r, problem)}
		if name == "seen" {
			view.Type.Seen = stored // the page names the stored type now: saving again replaces it
		} else {
			view.Type.Message, mistake.Field = mistake.Message, name
		}
		view.Mistakes = append(view.Mistakes, mistake)
	}
	return nil
}

// customerTypeName returns the name of a type, its number when the company has removed it, or "" for no type.
func customerTypeName(r *http.Request, types []store.CustomerType, id int64) string {
	i := slices.IndexFunc(types, func(t store.CustomerType) bool { return t.ID == id })
	switch {
	case id == 0:
		return ""
	case i < 0:
		return locale.T(r.Context(), "customer.type_number", "num", id)
	}
	return types[i].Name
}

// CustomerForm is the page of one customer.
func (l *Pages) CustomerForm() site.FormPage {
	return site.FormPage{Show: l.showCustomer, View: l.viewCustomer, Submit: l.submitCustomer}
}

// viewCustomer shows the page with the type that was chosen.
func (l *Pages) viewCustomer(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return access.NotFound
	}
	var in office.CustomerTypeInput
	web.Decode(r, &in)
	return l.renderCustomer(w, r, here, id, &in, nil)
}

// submitCustomer changes the customer's type, or ends or resumes the partnership.
func (l *Pages) submitCustomer(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return access.NotFound
	}
	action, err := r.PostForm.Get("action"), error(access.BadRequest)
	var in office.CustomerTypeInput
	web.Decode(r, &in)
	switch action {
	case "set_type":
		refused, err := forms.RefusedOf(l.portal.Backoffice.SetCustomerType(r.Context(), here, id, in))
		if err != nil {
			return err
		}
		if refused != nil {
			return l.renderCustomer(w, r, here, id, &in, refused)
		}
		return web.SeeOther(w, r.URL.Path+"?done="+action)
	case "end":
		err = l.portal.Backoffice.EndPartnership(r.Context(), here, id)
	case "resume":
		err = l.portal.Backoffice.ResumePartnership(r.Context(), here, id)
	}
	if err != nil {
		return err
	}
	return web.SeeOther(w, r.URL.Path+"?done="+action)
}
