package signin_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/store"
)

// A company has one card with the places that one can enter there, in the company's colours.
func TestEachCompanyHasOneCard(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000003")
	for _, path := range []string{"/company?all=1", "/accounts?all=1", "/accounts?all=1&manage=1"} {
		page := pagestest.WantPage(t, b.Get(pagestest.AccountSite+path), http.StatusOK)
		cards := strings.Split(page, `<div class="plot mark-`)[1:]
		if len(cards) != 3 {
			t.Fatalf("%s: %d cards, want one for each of 3 companies", path, len(cards))
		}
		for _, card := range cards {
			mark := "mark-" + pagestest.FindIn(t, card, `^(\d+)`)
			if !strings.Contains(page, "."+mark+"{--mark:") {
				t.Errorf("%s: %s has no colours", path, mark)
			}
			if strings.Count(card, `class="front`) != 1 {
				t.Errorf("%s: %s has no picture", path, mark)
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

// What cannot be entered stays in its company's card and opens to the reason. The company's picture is grey once
// nothing there can be entered.
func TestBlockedPlacesStayWithTheirCompany(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000003")
	list := func() (page, jinsui string) {
		t.Helper()
		page = pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/company?all=1"), http.StatusOK)
		for _, card := range strings.Split(page, "<li")[1:] {
			if strings.Contains(card, `class="plot mark-1001"`) {
				return page, card
			}
		}
		t.Fatal("the company has no card")
		return "", ""
	}
	setAccountState(s, "li.shop", store.AccountDisabled)
	page, jinsui := list()
	if n := strings.Count(page, "<details class=\"blocked\">"); n != 1 {
		t.Errorf("%d blocked places, want the shop of one company", n)
	}
	if strings.Contains(jinsui, `class="shut"`) {
		t.Error("the company is grey although its back office can be entered")
	}
	setAccountState(s, "li.manager", store.AccountDisabled)
	page, jinsui = list()
	if n := strings.Count(page, "<details class=\"blocked\">"); n != 2 {
		t.Errorf("%d blocked places, want both of one company", n)
	}
	if !strings.Contains(jinsui, `class="shut"`) {
		t.Error("the company is not grey although nothing there can be entered")
	}
	if strings.LastIndex(page, `class="choice"`) > strings.Index(page, `class="shut"`) {
		t.Error("what cannot be entered stands before what can")
	}
}

// In the list of accounts, too, what cannot be entered comes last: a company's accounts, and a company without others.
func TestBlockedAccountsComeLast(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000003")
	list := func() []string {
		t.Helper()
		page := pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/accounts?all=1"), http.StatusOK)
		return strings.Split(page, `<div class="plot mark-`)[1:]
	}
	setAccountState(s, "li.manager", store.AccountDisabled)
	first := list()[0]
	open, blocked := strings.Index(first, "li.shop"), strings.Index(first, "li.manager")
	if !strings.HasPrefix(first, "1001") || open < 0 || blocked < open {
		t.Errorf("the blocked account comes before the other:\n%s", first)
	}
	setAccountState(s, "li.shop", store.AccountDisabled)
	if cards := list(); !strings.HasPrefix(cards[len(cards)-1], "1001") {
		t.Error("the company without an open account is not the last")
	}
}
