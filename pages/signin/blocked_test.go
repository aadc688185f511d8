package signin_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/pages/pagestest"
	"portico/portal/onboarding"
	"portico/store"
)

// The company's trial ends while a page of it is open, and is extended later.
func TestBlockedPageLeadsOnAfterTheCompanyIsExtended(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	block := func(change func(*store.Company)) {
		t.Helper()
		c, err := s.DB.Companies.ByID(t.Context(), 1001)
		if err == nil {
			change(&c)
			err = s.DB.Companies.Update(t.Context(), c)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.Clock = s.Clock.Add(time.Minute) // the cached company expires
	}
	past := store.At(s.Clock.Add(-time.Hour))
	for name, c := range map[string]struct {
		change func(*store.Company)
		words  string
	}{
		"trial":    {func(c *store.Company) { c.Standing, c.EndsAt = store.Trial, past }, "企业使用期限延长或续期后，您重新登录即可继续"},
		"expired":  {func(c *store.Company) { c.Standing, c.EndsAt = store.Formal, past }, "企业使用期限延长或续期后，您重新登录即可继续"},
		"disabled": {func(c *store.Company) { c.Disabled = true }, "企业恢复使用后，您重新登录即可继续"},
	} {
		before := s.Account("jinsui").Company
		b := s.SignInByPhone("13800000002")
		block(c.change)
		sent := b.Post(pagestest.Settings+"/bank", "bank_holder", "金穗", "bank_name", "示例银行", "bank_card",
			"6222000000000001")
		page := pagestest.WantPage(t, sent, http.StatusUnprocessableEntity, c.words, `href="/login"`)
		if strings.Contains(page, "bank_card") || len(s.AuditEvents("bank_account_set")) != 0 {
			t.Errorf("%s: something was written", name)
		}
		block(func(c *store.Company) { c.Standing, c.EndsAt, c.Disabled = before.Standing, before.EndsAt, false })
		pagestest.WantStatus(t, s.SignInByPhone("13800000002").Get(pagestest.Settings+"/bank"), http.StatusOK)
	}
	c, err := s.DB.Companies.ByID(t.Context(), 1001)
	if err != nil {
		t.Fatal(err)
	}
	b := s.Browser()
	b.Agent = pagestest.PhoneAgent
	landed, _ := b.Follow(b.SignIn("account.portico.test", "13800000001"), "http://account.portico.test/login")
	pagestest.WantStatus(t, landed, http.StatusOK)
	block(func(c *store.Company) { c.Standing, c.EndsAt = store.Trial, past })
	pagestest.WantPage(t, b.Get("http://m.portico.test/shop"), http.StatusUnprocessableEntity,
		`href="http://account.portico.test/login"`, "企业使用期限延长或续期后，您重新登录即可继续")
	block(func(current *store.Company) { *current = c })
	setAccountState(s, "buyer1", store.AccountDisabled)
	signIn := s.Browser().SignIn("account.portico.test", "13800000001")
	if page := pagestest.WantPage(t, signIn, http.StatusUnprocessableEntity); strings.Contains(page, "重新登录即可继续") {
		t.Error("the page of a disabled account says that the company can be extended")
	}
}

func TestSessionOfADisabledCompanyCanOnlySignOut(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	b := s.Browser()
	b.Post(pagestest.AccountSite+"/login/account", "login", "northwind", "password", onboarding.DemoPassword)
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/password"), http.StatusOK, `name="old_password"`)
	if err := s.Portal.Operator.DisableCompany(t.Context(), 1003); err != nil {
		t.Fatal(err)
	}
	s.Clock = s.Clock.Add(time.Minute)
	for path, form := range map[string][]string{
		"/bind": {"phone", "13911112222", "code", "", "action", "send_code"},
		"/password": {
			"old_password", onboarding.DemoPassword, "password", "Blauwal77", "confirm_password", "Blauwal77",
		},
		"/unbind": {"code", "123456"},
		"/phone":  {"phone", "13911112222", "code", "123456", "password", onboarding.DemoPassword},
	} {
		pagestest.WantPage(t, b.Get(pagestest.AccountSite+path), http.StatusUnprocessableEntity, "Northwind Lighting",
			"tel:")
		pagestest.WantPage(t, b.Post(pagestest.AccountSite+path, form...), http.StatusUnprocessableEntity,
			"Northwind Lighting", "tel:")
	}
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/login"), http.StatusOK, `name="password"`)
	pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/logout"), "/login?done=signed_out")
	pagestest.WantRedirect(t, b.Get(pagestest.AccountSite+"/password"), "/login")
}

// setAccountState enables or disables an account of company 1001. It fails the test when the database fails.
func setAccountState(s *pagestest.Site, login string, state store.AccountState) {
	s.T.Helper()
	if err := s.DB.Accounts.SetState(s.T.Context(), 1001, s.Account(login).ID, state); err != nil {
		s.T.Fatal(err)
	}
}
