package site

import (
	"net/http"
	"time"

	"portico/locale"
	"portico/pages/web"
	"portico/store"
)

// OrderLine is an order in a list.
type OrderLine struct {
	Href   string
	Number int64
	Client string // "" in a list of one customer's orders
	At     time.Time
	Items  int
	Total  int64
	State  web.Chip
	Sample bool
}

// orderStates has the chip of each state of an order.
var orderStates = map[store.OrderState]web.Chip{store.OrderNew: {Kind: "warn", Text: "order.new"},
	store.OrderConfirmed: {Kind: "ok", Text: "order.confirmed"}}

// OrderLines returns the rows of a list of orders.
func (l *Site) OrderLines(r *http.Request, orders []store.Order) []OrderLine {
	var lines []OrderLine
	for _, o := range orders {
		lines = append(lines, l.OrderLine(r, o))
	}
	return lines
}

// OrderLine returns the row of an order.
func (l *Site) OrderLine(r *http.Request, o store.Order) OrderLine {
	state := orderStates[o.State]
	line := OrderLine{
		Href: l.path + "/orders/" + web.Decimal(o.ID), Number: o.Number, At: o.PlacedAt.Time(), Items: o.Lines,
		Total: o.Total,
		State: web.Chip{Kind: state.Kind, Text: locale.T(r.Context(), state.Text)}, Sample: o.Sample != "",
	}
	if !l.IsShop() {
		line.Client = o.ClientName
	}
	return line
}
