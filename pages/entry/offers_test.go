package entry_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/pages/pagestest"
	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/store"
)

const (
	OffersAddress = "http://account.portico.test/offers"
	OfferTo       = "13800000001" // a customer of 1001
)

func TestOfferIsShownBesideAccountsAndAcceptedByOneButton(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	m := s.OfferAccount(OfferTo, "采购")
	b := s.Browser()
	b.SignIn("account.portico.test", OfferTo)
	pagestest.WantPage(t, b.Get(OffersAddress), http.StatusOK, "Mariscos del Sur")
	company, err := s.DB.Companies.ByID(t.Context(), 1002)
	if err == nil {
		company.Name = "金穗粮油" // the platform has not confirmed the new name
		err = s.DB.Companies.Update(t.Context(), company)
	}
	if err != nil {
		t.Fatal(err)
	}
	const site = "http://account.portico.test"
	for _, address := range []string{site + "/company?all=1", site + "/accounts", OffersAddress} {
		pagestest.WantPage(t, b.Get(address), http.StatusOK, "待您接受的账号", `action="/offers"`, `value="accept"`,
			`value="decline"`,
			`name="account_id" value="`+pagestest.Decimal(m.ID)+`"`, "1002 号企业", "名称未核实", "接受账号即表示同意")
	}
	form := pagestest.FormFields(t, pagestest.Text(t, b.Get(OffersAddress)), "/offers")
	refused := pagestest.WantPage(t, b.Post(OffersAddress, "account_id", pagestest.Decimal(m.ID), "action", "accept"),
		http.StatusOK)
	if !strings.Contains(refused, `name="version"`) { // the agreement was not shown
		t.Error("the page does not ask for the agreement")
	}
	done := b.Post(OffersAddress, "account_id", pagestest.Decimal(m.ID), "action", "accept", "version",
		form.Get("version"),
		"width", "390")
	pagestest.WantStatus(t, done, http.StatusSeeOther)
	want, to := "http://m.portico.test/shop?companyId=1002&auth_code_=", done.Header.Get("Location")
	if !strings.HasPrefix(to, want) {
		t.Errorf("it leads to %s", to)
	}
	pagestest.WantPage(t, b.Get(OffersAddress), http.StatusOK, "没有待您接受的账号。")
	if after := readAgain(s, m); after.Invited {
		t.Errorf("%+v", after.Account)
	}
}

func TestLandingPageMentionsOffersAfterASignInByPhone(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	s.OfferAccount(OfferTo, "采购")
	mention := `<a href="http://account.portico.test/offers">有 1 个账号待您接受</a>`
	pagestest.WantPage(t, s.SignInByPhone(OfferTo).Get(pagestest.Shop), http.StatusOK, mention)
	byName := s.Browser()
	byName.Post("http://account.portico.test/login/account", "login", "buyer1", "password", onboarding.DemoPassword)
	byName.EnterAccount("buyer1")
	if page := pagestest.WantPage(t, byName.Get(pagestest.Shop), http.StatusOK, "王芳"); strings.Contains(page,
		"/offers") {
		t.Error("an account's own password shows what is offered to its phone")
	}
}

func TestDeclinedOfferDisappearsAndItsCompanySeesThat(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	m := s.OfferAccount(OfferTo, "采购")
	b := s.Browser()
	b.SignIn("account.portico.test", OfferTo)
	pagestest.WantRedirect(t, b.Post(OffersAddress, "account_id", pagestest.Decimal(m.ID), "action", "decline"),
		"/offers?done=declined")
	page := pagestest.WantPage(t, b.Get(OffersAddress+"?done=declined"), http.StatusOK, "已拒绝该账号", "没有待您接受的账号。")
	if strings.Contains(page, `value="accept"`) {
		t.Error("the offer is still there")
	}
	boss := s.Browser()
	boss.SignIn("account.portico.test", "13800000003")
	boss.EnterAccount("sur")
	const people = "http://store1002.portico.test/mgr/people/"
	person := pagestest.WantPage(t, boss.Get(people+pagestest.Decimal(m.ID)), http.StatusOK, "Rechazada")
	for _, action := range []string{"invite", "reset_password", "disable", "enable"} {
		if strings.Contains(person, `value="`+action+`"`) {
			t.Errorf("%s is offered for a declined account", action)
		}
	}
	pagestest.WantPage(t, boss.Post(people+"new", "side", "mgr", "type", "2", "name", "Otra", "phone", OfferTo),
		http.StatusUnprocessableEntity, "rechazó una cuenta de su empresa", `value="Otra"`)
}

func TestPersonWithOnlyOffersSeesThemAfterSigningIn(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	const registered = "13800000011"
	m := s.OfferAccount(registered, "采购")
	b := s.Browser()
	login := []string{"phone", registered, "password", onboarding.DemoPassword, "remember", "1"}
	pagestest.WantRedirect(t, b.Post("http://account.portico.test/login", login...), "/company")
	page := pagestest.WantPage(t, b.Get("http://account.portico.test/company"), http.StatusOK, `<h1 id="offers">`,
		`value="accept"`)
	if strings.Contains(page, "这台设备上没有可以进入的账号") {
		t.Error("the page says that there is nothing")
	}
	s.Clock = s.Clock.Add(signin.InvitationLife + time.Second)
	pagestest.WantPage(t, b.Post(OffersAddress, "account_id", pagestest.Decimal(m.ID), "action", "accept", "version",
		pagestest.FormFields(t, page, "/offers").Get("version")), http.StatusUnprocessableEntity, "该邀请已过期")
}

func TestOfferIsAnsweredOnlyFromThisSite(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	m := s.OfferAccount(OfferTo, "采购")
	b := s.Browser()
	b.SignIn("account.portico.test", OfferTo)
	for _, action := range []string{"accept", "decline"} {
		pairs := map[string][]string{"account_id": {pagestest.Decimal(m.ID)}, "action": {action}}
		pagestest.WantStatus(t, b.Do(http.MethodPost, OffersAddress, pairs, "Sec-Fetch-Site", "cross-site"),
			http.StatusForbidden)
		pagestest.WantStatus(t, b.Do(http.MethodPost, OffersAddress, pairs, "Sec-Fetch-Site", ""), http.StatusForbidden)
	}
	pagestest.WantStatus(t, b.Post(OffersAddress, "account_id", pagestest.Decimal(m.ID)), http.StatusBadRequest)
	stranger := s.Browser().Post(OffersAddress, "account_id", pagestest.Decimal(m.ID), "action", "decline")
	pagestest.WantStatus(t, stranger, http.StatusSeeOther)
	if after := readAgain(s, m); !after.Invited || after.DeclinedAt != 0 {
		t.Errorf("%+v", after.Account)
	}
}

// The test sends every form of the account site with the offered account, its company and its login in all fields that
// could contain them.
func TestFormsRefuseAnOfferedAccount(t *testing.T) {
	var routes []string
	for _, route := range testscope.Routes() {
		if route.Site == "account" && route.Does {
			routes = append(routes, route.Path)
		}
	}
	if len(routes) < 30 {
		t.Fatalf("only %d routes were found", len(routes))
	}
	actions := []string{"", "enter", "remove", "continue", "switch", "disable", "enable", "reset_password"}
	s := pagestest.NewSite(t, pagestest.Options{})
	m := s.OfferAccount(OfferTo, "采购")
	id, tried := pagestest.Decimal(m.ID), 0
	for _, host := range []string{"account", "store1002"} {
		for _, route := range routes {
			path := strings.NewReplacer("{id}", id, "{name}", id).Replace(route)
			for _, action := range actions {
				b := s.Browser()
				pagestest.WantStatus(t, b.SignIn(host+".portico.test", OfferTo), http.StatusSeeOther)
				answer := b.Post("http://"+host+".portico.test"+path, "action", action, "account_id", id, "id", id,
					"company_id", "1002", "company", "1002", "default", "1", "login", m.Login, "phone", OfferTo,
					"password", onboarding.DemoPassword, "code", "000000", "side", "shop", "role", "shop", "width",
					"390")
				tried++
				to := answer.Header.Get("Location")
				if strings.Contains(to, "1002&auth") || strings.Contains(to, "1002.") {
					t.Errorf("POST %s %s with action %q leads to %s", host, path, action, to)
				}
				if after := readAgain(s, m); after.Account != m.Account {
					t.Fatalf("POST %s %s with action %q changes it: %+v", host, path, action, after.Account)
				}
			}
		}
	}
	person, err := s.DB.Persons.ByNumber(t.Context(), OfferTo)
	if err != nil || person.DefaultCompanyID != 0 {
		t.Errorf("the default company is %d, %v", person.DefaultCompanyID, err)
	}
	t.Logf("%d forms were sent", tried)
}

// readAgain returns an account as it is stored now. It fails the test when there is no such account.
func readAgain(s *pagestest.Site, m store.Member) store.Member {
	s.T.Helper()
	after, err := s.DB.Accounts.ByID(s.T.Context(), m.CompanyID, m.ID)
	if err != nil {
		s.T.Fatal(err)
	}
	return after
}
