package shop

import (
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"portico/locale"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/shop"
	"portico/store"
)

// ordersView is a list of a customer's own orders.
type ordersView struct {
	Heading string
	Path    string
	Orders  []site.OrderLine
	Older   string // the address of the next page, "" for none
	Later   bool   // this is not the newest page
	Home    string
}

// orderView is one order.
type orderView struct {
	site.OrderLine
	Path     string // the address of the list
	Facts    []orderFact
	Goods    []orderGoods
	Drawings []site.ProductDrawing
	Note     string
	Token    string   // "" when there is nothing to confirm
	Again    string   // the token of the customer's form that repeats the order, "" for the company
	Pay      *payView // nil except for the customer, when the company has set an account

	History site.HistoryView // for the company
	Next    site.NextView    // after the confirmation
}

// orderFact is one fact of an order: a text or a time.
type orderFact struct {
	Name, Value string
	Href        string // the page of the value, "" for none
	At          time.Time
}

type orderGoods struct {
	Name, Spec, Unit       string
	Quantity, Price, Total int64
	Photo, Drawing         string // see site.Tile
}

// ShowOrders answers GET /orders in the shop: a customer's own orders.
func (l *Pages) ShowOrders(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx := r.Context()
	before, _ := access.DecimalID(r.URL.Query().Get("before"))
	list, err := l.portal.Shop.OwnOrders(ctx, here, before)
	if err != nil {
		return err
	}
	path := l.path + "/orders"
	view := ordersView{Heading: locale.T(ctx, "shop.orders"), Path: path, Orders: l.site.OrderLines(r, list.Orders),
		Later: before > 0, Home: l.path}
	if list.Older > 0 {
		view.Older = path + "?before=" + web.Decimal(list.Older)
	}
	shell := l.site.Frame(r, here, path)
	shell.Toast = l.web.Flash(w, r, "ordered", "order.ordered")
	l.site.OfferNotices(r, &shell)
	return l.web.Render(w, r, http.StatusOK, shell, ordersPage(view))
}

// ShowOrder answers GET /orders/{id}: one order with its lines and the account to pay to.
func (l *Pages) ShowOrder(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx := r.Context()
	id, ok := l.orderID(r)
	if !ok {
		return access.NotFound
	}
	read := l.portal.Shop.CompanyOrder
	if l.site.IsShop() {
		read = l.portal.Shop.OwnOrder
	}
	order, err := read(ctx, here, id, string(locale.Of(ctx)))
	if err != nil {
		return err
	}
	view := l.orderView(r, order)
	if view.Pay, err = l.payTo(r, here); err != nil {
		return err
	}
	if err := l.addOffice(r, here, order.Order, &view); err != nil {
		return err
	}
	shell := l.site.Frame(r, here, l.path+"/orders")
	return l.web.Render(w, r, http.StatusOK, shell, orderPage(view))
}

// orderID reads the id of the order in the address.
func (l *Pages) orderID(r *http.Request) (int64, bool) {
	return access.DecimalID(chi.URLParam(r, "id"))
}

// addOffice adds what only the company sees of an order: its history, and the next order after the confirmation.
func (l *Pages) addOffice(r *http.Request, here access.Landing, o store.Order, view *orderView) error {
	if l.site.IsShop() {
		return nil
	}
	events, err := l.portal.Core.Access.HistoryOfOrder(r.Context(), here, o)
	if err != nil {
		return err
	}
	view.History = l.site.HistoryOf(r, here, "orders", o.ID, events)
	if access.May(here.Member, access.RightCustomers) {
		for i := range view.Facts {
			if view.Facts[i].Name == locale.T(r.Context(), "order.client") {
				view.Facts[i].Href = l.path + "/customers/" + web.Decimal(o.ClientID)
			}
		}
	}
	if o.State == store.OrderNew {
		return nil
	}
	id, waiting, err := l.portal.Shop.NextOrder(r.Context(), here)
	if id != 0 {
		view.Next.Href = l.path + "/orders/" + web.Decimal(id)
		view.Next.Label = locale.T(r.Context(), "order.next", "num", site.WaitingText(waiting))
	}
	return err
}

// SubmitConfirm answers POST /orders/{id} in the back office: it confirms the order.
func (l *Pages) SubmitConfirm(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, ok := l.orderID(r)
	if !ok {
		return access.NotFound
	}
	if r.PostForm.Get("action") != "confirm" {
		return access.BadRequest
	}
	if err := l.portal.Shop.ConfirmOrder(r.Context(), here, id); err != nil {
		return err
	}
	return web.SeeOther(w, l.path+"/orders/"+web.Decimal(id)+"?done=confirmed")
}

func (l *Pages) orderView(r *http.Request, o shop.OrderDetail) orderView {
	ctx := r.Context()
	v := orderView{OrderLine: l.site.OrderLine(r, o.Order), Path: l.path + "/orders"}
	add := func(key, value string, at time.Time) {
		if value != "" || !at.IsZero() {
			v.Facts = append(v.Facts, orderFact{Name: locale.T(ctx, key), Value: value, At: at})
		}
	}
	add("order.client", v.Client, time.Time{})
	if !l.site.IsShop() {
		add("order.contact", o.ClientContact, time.Time{})
	}
	add("order.placed_at", "", o.PlacedAt.Time())
	add("order.placed_by", o.PlacedBy, time.Time{})
	if o.ConfirmedAt != 0 {
		add("order.confirmed_at", "", o.ConfirmedAt.Time())
		add("order.confirmed_by", o.ConfirmedBy, time.Time{})
	}
	var drawn []string
	for _, one := range o.Lines {
		v.Goods = append(v.Goods, orderGoods{
			Name: one.Name, Spec: one.Spec, Unit: one.Unit, Quantity: one.Quantity, Price: one.Price,
			Total: one.Quantity * one.Price, Photo: access.ProductPicture(one.Picture), Drawing: one.Drawing,
		})
		drawn = append(drawn, one.Drawing)
	}
	v.Drawings = site.ProductDrawings(drawn)
	v.Note = o.Note
	if l.site.IsShop() {
		v.Again = l.web.FormToken(r)
	} else if o.State == store.OrderNew {
		v.Token = l.web.FormToken(r)
	}
	return v
}
