package site

import (
	"net/http"

	"portico/locale"
	"portico/pages/web"
	"portico/portal/office"
	"portico/store"
)

// personStates has the chip of each state of an account.
var personStates = map[office.PersonState]web.Chip{
	office.PersonActive:        {Kind: "ok", Text: "people.state_active"},
	office.PersonInvited:       {Kind: "", Text: "people.state_invited"},
	office.PersonDeclined:      {Kind: "", Text: "people.state_declined"},
	office.PersonFirstPassword: {Kind: "warn", Text: "people.state_first_password"},
	office.PersonUnderReview:   {Kind: "warn", Text: "people.state_under_review"},
	office.PersonDisabled:      {Kind: "bad", Text: "people.state_disabled"},
}

// PersonChip returns the chip of an account's state.
func PersonChip(r *http.Request, m store.Member) web.Chip {
	state := personStates[office.PersonStateOf(m)]
	return web.Chip{Kind: state.Kind, Text: locale.T(r.Context(), state.Text)}
}

// ProductChip says whether a product is in the shop.
func ProductChip(r *http.Request, p store.Product) web.Chip {
	switch {
	case p.State == "off":
		return web.Chip{Kind: "", Text: locale.T(r.Context(), "product.off")}
	case p.Stock == 0:
		return web.Chip{Kind: "warn", Text: locale.T(r.Context(), "shop.sold_out")}
	}
	return web.Chip{Kind: "ok", Text: locale.T(r.Context(), "product.on")}
}
