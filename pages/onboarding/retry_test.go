package onboarding_test

import (
	"net/http"
	"testing"

	"portico/pages/pagestest"
	"portico/store"
)

// The response is lost, and the form is sent again from the same page.
func TestSameRegistrationTwiceMakesOneCompany(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	const register, phone = "http://account.portico.test/register", "13900000777"
	b.Post(register, "phone", phone, "action", "send_code")
	form := []string{
		"phone",
		phone,
		"code",
		s.LastCode(phone),
		"password",
		"Blauwal77",
		"name",
		"周洁",
		"company_name",
		"新丰商行",
		"agree",
		"1",
	}
	companies := func() int {
		list, err := s.DB.Companies.Find(t.Context(), store.CompanyQuery{Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	before := companies()
	first := b.Post(register, form...)
	pagestest.WantStatus(t, first, http.StatusSeeOther)
	pagestest.WantRedirect(t, b.Post(register, form...), first.Header.Get("Location"))
	if n := companies() - before; n != 1 {
		t.Errorf("%d companies", n)
	}
}
