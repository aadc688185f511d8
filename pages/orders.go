package pages

import (
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"portico/locale"
	"portico/portal/access"
	"portico/portal/ordering"
	"portico/store"
)

// ordersView is a list of orders, of a customer or of all.
type ordersView struct {
	Heading string
	Path    string
	Orders  []orderLine
	Older   string // the address of the next page, "" for none
	Later   bool   // this is not the newest page
	Shop    bool
	Home    string
}

// orderLine is an order in a list.
type orderLine struct {
	Href   string
	Number int64
	Client string // "" where all are one's own
	At     time.Time
	Items  int
	Total  int64
	State  chip
}

// orderView is one order.
type orderView struct {
	orderLine
	Path  string // of the list
	Facts []orderFact
	Goods []orderGoods
	Token string   // "" where there is nothing to confirm
	Pay   *payView // for its customer, where the company has said
}

// orderFact is a fact of an order: words or a moment.
type orderFact struct {
	Name, Value string
	At          time.Time
}

type orderGoods struct {
	Name, Spec, Unit       string
	Quantity, Price, Total int64
}

// orderStates are the chips of the states.
var orderStates = map[store.OrderState]chip{store.OrderNew: {"", "order.new"}, store.OrderConfirmed: {"ok", "order.confirmed"}}

func (l landingPages) showOrders(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx := r.Context()
	read, heading := l.portal.Backoffice.CompanyOrders, "office.orders"
	if l.isShop() {
		read, heading = l.portal.Ordering.OwnOrders, "shop.orders"
	}
	before, _ := access.DecimalID(r.URL.Query().Get("before"))
	list, err := read(ctx, here, before, string(locale.Of(ctx)))
	if err != nil {
		return err
	}
	path := l.path + "/orders"
	view := ordersView{Heading: locale.T(ctx, heading), Path: path, Orders: l.orderLines(r, list.Orders), Later: before > 0, Shop: l.isShop(), Home: l.path}
	if list.Older > 0 {
		view.Older = path + "?before=" + decimal(list.Older)
	}
	shell := l.frame(r, here, path)
	shell.Toast = l.flash(w, r, "ordered", "order.ordered")
	l.offerNotices(r, &shell)
	return l.render(w, r, http.StatusOK, shell, ordersPage(view))
}

func (l landingPages) showOrder(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx := r.Context()
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return access.NotFound
	}
	read := l.portal.Backoffice.CompanyOrder
	if l.isShop() {
		read = l.portal.Ordering.OwnOrder
	}
	order, err := read(ctx, here, id, string(locale.Of(ctx)))
	if err != nil {
		return err
	}
	view := l.orderView(r, order)
	if view.Pay, err = l.payTo(r, here); err != nil {
		return err
	}
	shell := l.frame(r, here, l.path+"/orders")
	if r.URL.Query().Get("done") == "confirmed" && order.State == store.OrderConfirmed {
		shell.Toast = locale.T(ctx, "order.was_confirmed", "num", order.Number)
	}
	return l.render(w, r, http.StatusOK, shell, orderPage(view))
}

func (l landingPages) submitConfirm(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return access.NotFound
	}
	if r.PostForm.Get("action") != "confirm" {
		return access.BadRequest
	}
	if err := l.portal.Backoffice.ConfirmOrder(r.Context(), here, id); err != nil {
		return err
	}
	return seeOther(w, l.path+"/orders/"+decimal(id)+"?done=confirmed")
}

func (l landingPages) orderLines(r *http.Request, orders []store.Order) []orderLine {
	var lines []orderLine
	for _, o := range orders {
		lines = append(lines, l.orderLine(r, o))
	}
	return lines
}

func (l landingPages) orderLine(r *http.Request, o store.Order) orderLine {
	state := orderStates[o.State]
	line := orderLine{
		Href: l.path + "/orders/" + decimal(o.ID), Number: o.Number, At: o.PlacedAt.Time(), Items: o.Lines, Total: o.Total,
		State: chip{state.Kind, locale.T(r.Context(), state.Text)},
	}
	if !l.isShop() {
		line.Client = o.ClientName
	}
	return line
}

func (l landingPages) orderView(r *http.Request, o ordering.OrderDetail) orderView {
	ctx := r.Context()
	v := orderView{orderLine: l.orderLine(r, o.Order), Path: l.path + "/orders"}
	add := func(key, value string, at time.Time) {
		if value != "" || !at.IsZero() {
			v.Facts = append(v.Facts, orderFact{locale.T(ctx, key), value, at})
		}
	}
	add("order.client", v.Client, time.Time{})
	if !l.isShop() {
		add("order.contact", o.ClientContact, time.Time{})
	}
	add("order.placed_at", "", o.PlacedAt.Time())
	add("order.placed_by", o.PlacedBy, time.Time{})
	if o.ConfirmedAt != 0 {
		add("order.confirmed_at", "", o.ConfirmedAt.Time())
		add("order.confirmed_by", o.ConfirmedBy, time.Time{})
	}
	for _, one := range o.Lines {
		v.Goods = append(v.Goods, orderGoods{one.Name, one.Spec, one.Unit, one.Quantity, one.Price, one.Quantity * one.Price})
	}
	if o.State == store.OrderNew && !l.isShop() {
		v.Token = l.formToken(r)
	}
	return v
}
