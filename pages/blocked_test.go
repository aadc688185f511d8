package pages_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/portal/onboarding"
	"portico/store"
)

// A company's time ends while a page of it is open, and is extended.
func TestTheBlockedPageSaysHowToContinueOnceTheCompanyIsExtended(t *testing.T) {
	s := newSite(t, options{})
	block := func(change func(*store.Company)) {
		t.Helper()
		c, err := s.db.CompanyByID(t.Context(), 1001)
		if err == nil {
			change(&c)
			err = s.db.UpdateCompany(t.Context(), c)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.clock = s.clock.Add(time.Minute) // the cached company expires
	}
	past := store.At(s.clock.Add(-time.Hour))
	for name, c := range map[string]struct {
		change func(*store.Company)
		words  string
	}{
		"trial":    {func(c *store.Company) { c.Standing, c.EndsAt = store.Trial, past }, "企业使用期限延长或续期后，您重新登录即可继续"},
		"expired":  {func(c *store.Company) { c.Standing, c.EndsAt = store.Formal, past }, "企业使用期限延长或续期后，您重新登录即可继续"},
		"disabled": {func(c *store.Company) { c.Disabled = true }, "企业恢复使用后，您重新登录即可继续"},
	} {
		before := s.account("jinsui").Company
		b := s.within("13800000002")
		block(c.change)
		sent := b.post(settings+"/bank", "bank_holder", "金穗", "bank_name", "示例银行", "bank_card", "6222000000000001")
		page := wantPage(t, sent, http.StatusUnprocessableEntity, `<a href="/login">`+c.words)
		if strings.Contains(page, "bank_card") || len(s.events("bank_account_set")) != 0 {
			t.Errorf("%s: something was written", name)
		}
		block(func(c *store.Company) { c.Standing, c.EndsAt, c.Disabled = before.Standing, before.EndsAt, false })
		wantStatus(t, s.within("13800000002").get(settings+"/bank"), http.StatusOK)
	}
	c, err := s.db.CompanyByID(t.Context(), 1001)
	if err != nil {
		t.Fatal(err)
	}
	b := s.browser()
	b.agent = phoneAgent
	landed, _ := b.follow(b.signIn("account.portico.test", "13800000001"), "http://account.portico.test/login")
	wantStatus(t, landed, http.StatusOK)
	block(func(c *store.Company) { c.Standing, c.EndsAt = store.Trial, past })
	wantPage(t, b.get("http://m.portico.test/shop"), http.StatusUnprocessableEntity,
		`<a href="http://account.portico.test/login">企业使用期限延长或续期后，您重新登录即可继续`)
	block(func(now *store.Company) { *now = c })
	s.setAccountState("buyer1", store.AccountDisabled)
	signIn := s.browser().signIn("account.portico.test", "13800000001")
	if page := wantPage(t, signIn, http.StatusUnprocessableEntity); strings.Contains(page, "重新登录即可继续") {
		t.Error("the page of a disabled account says that the company can be extended")
	}
}

// setAccountState enables or disables an account of 1001.
func (s *site) setAccountState(login string, state store.AccountState) {
	s.t.Helper()
	if err := s.db.SetAccountState(s.t.Context(), 1001, s.account(login).ID, state); err != nil {
		s.t.Fatal(err)
	}
}

func TestASignInByNameOfADisabledCompanyChangesNothingAndCanSignOut(t *testing.T) {
	s := newSite(t, options{limits: true})
	b := s.browser()
	b.post(account+"/login/account", "login", "northwind", "password", onboarding.DemoPassword)
	wantPage(t, b.get(account+"/password"), http.StatusOK, `name="old_password"`)
	if err := s.p.Operator.DisableCompany(t.Context(), 1003); err != nil {
		t.Fatal(err)
	}
	s.clock = s.clock.Add(time.Minute)
	for path, form := range map[string][]string{
		"/bind": {"phone", "13911112222", "code", "", "action", "send_code"},
		"/password": {
			"old_password", onboarding.DemoPassword, "password", "Blauwal77", "confirm_password", "Blauwal77",
		},
		"/unbind": {"code", "123456"},
		"/phone":  {"phone", "13911112222", "code", "123456", "password", onboarding.DemoPassword},
	} {
		wantPage(t, b.get(account+path), http.StatusUnprocessableEntity, "Northwind Lighting", "tel:")
		wantPage(t, b.post(account+path, form...), http.StatusUnprocessableEntity, "Northwind Lighting", "tel:")
	}
	wantPage(t, b.get(account+"/login"), http.StatusOK, `name="password"`)
	wantTo(t, b.post(account+"/logout"), "/login?done=signed_out")
	wantTo(t, b.get(account+"/password"), "/login")
}
