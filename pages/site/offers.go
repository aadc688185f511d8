package site

import (
	"net/http"

	"portico/locale"
	"portico/pages/request"
	"portico/portal/access"
)

// AccountWithOffers returns the block about the account, with a link to the offers that its person has.
func (l *Site) AccountWithOffers(r *http.Request, here access.Landing, heading string) (AccountView, error) {
	v := accountViewOf(r, here, heading)
	waiting, err := l.portal.Accounts.OffersWaiting(r.Context(), here)
	if waiting > 0 {
		v.Offers, v.OffersHref = locale.T(r.Context(), "offers.waiting", "num", waiting),
			here.FromOrigin+request.OffersPath
	}
	return v, err
}
