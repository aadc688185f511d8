package pages_test

import (
	"net/http"
	"testing"
)

// The response is lost, and the form is sent again from the same page.
func TestTheSameRegistrationSentTwiceMakesOneCompany(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	const register, phone = "http://account.portico.test/register", "13900000777"
	b.post(register, "phone", phone, "action", "send_code")
	form := []string{
		"phone",
		phone,
		"code",
		s.lastCode(phone),
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
		list, err := s.db.ListCompanies(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	before := companies()
	first := b.post(register, form...)
	wantStatus(t, first, http.StatusSeeOther)
	wantTo(t, b.post(register, form...), first.Header.Get("Location"))
	if n := companies() - before; n != 1 {
		t.Errorf("%d companies", n)
	}
}
