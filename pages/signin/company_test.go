package signin_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
)

// A company has one card with the places that one can enter there, in the company's colours.
func TestEachCompanyHasOneCard(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000003")
	for path, drawn := range map[string]bool{"/company?all=1": true, "/accounts?all=1": false} {
		page := pagestest.WantPage(t, b.Get(pagestest.AccountSite+path), http.StatusOK)
		cards := strings.Split(page, `<div class="whose`)[1:]
		if len(cards) != 3 {
			t.Fatalf("%s: %d cards, want one for each of 3 companies", path, len(cards))
		}
		for _, card := range cards {
			mark := pagestest.FindIn(t, card, `(mark-\d+)`)
			if !strings.Contains(page, "."+mark+"{--mark:") {
				t.Errorf("%s: %s has no colours", path, mark)
			}
			if strings.Contains(card, `class="front`) != drawn {
				t.Errorf("%s: the shop of %s is drawn: %v, want %v", path, mark, !drawn, drawn)
			}
			places := strings.Count(card, `class="choice"`)
			want := 1
			if strings.HasPrefix(mark, "mark-1001") {
				want = 2 // its shop and its back office
			}
			if places != want {
				t.Errorf("%s: %s has %d places, want %d", path, mark, places, want)
			}
		}
	}
}
