package shop

import (
	"net/http"

	"portico/components"
	"portico/portal/access"
)

// payView is the bank account that a customer pays to.
type payView struct {
	Holder, Bank, Card string // Card in groups of four digits
}

// payTo returns the bank account that a customer of the shop pays to; nil in the back office or when the company has
// set none.
func (l *Pages) payTo(r *http.Request, here access.Landing) (*payView, error) {
	if !l.site.IsShop() {
		return nil, nil
	}
	account, err := l.portal.Backoffice.PayTo(r.Context(), here)
	if err != nil || account.Card == "" {
		return nil, err
	}
	return &payView{account.Holder, account.Bank, components.GroupCard(account.Card)}, nil
}
