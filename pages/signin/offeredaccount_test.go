package signin_test

import (
	"net/http"
	"testing"

	"portico/pages/pagestest"
)

// The list of accounts does not offer these buttons for an account that waits for its answer.
func TestEnteringOrRemovingAnOfferIsRefusedWithItsReason(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000003")
	offer := s.OfferAccount("13800000003", "李伟")
	const address = "http://account.portico.test/accounts"
	for _, action := range []string{"enter", "remove", ""} {
		r := b.Post(address, "action", action, "account_id", pagestest.Decimal(offer.ID))
		pagestest.WantPage(t, r, http.StatusUnprocessableEntity, "该账号正等待您接受")
	}
}
