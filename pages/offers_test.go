package pages_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/backoffice"
	"portico/portal/onboarding"
	"portico/store"
)

const (
	offersAddress = "http://account.portico.test/offers"
	offerTo       = "13800000001" // a customer of 1001
)

// offer lets the administrator of company 1002 open an account for a phone.
func (s *site) offer(phone, name string) store.Member {
	s.t.Helper()
	in := backoffice.OpenAccountInput{Side: "shop", Type: 3, Name: name, ClientName: name, Phone: phone}
	opened, err := s.p.Backoffice.OpenAccount(s.t.Context(), access.Landing{Member: s.account("sur")}, in)
	if err != nil {
		s.t.Fatal(err)
	}
	return opened.Member
}

func TestAnOfferIsShownBesideThePersonsAccountsAndAcceptedWithOnePress(t *testing.T) {
	s := newSite(t, options{})
	m := s.offer(offerTo, "采购")
	b := s.browser()
	b.signIn("account.portico.test", offerTo)
	wantPage(t, b.get(offersAddress), http.StatusOK, "Mariscos del Sur")
	company, err := s.db.CompanyByID(t.Context(), 1002)
	if err == nil {
		company.Name = "金穗粮油" // nobody has checked the new name
		err = s.db.UpdateCompany(t.Context(), company)
	}
	if err != nil {
		t.Fatal(err)
	}
	const site = "http://account.portico.test"
	for _, address := range []string{site + "/company?all=1", site + "/accounts", offersAddress} {
		wantPage(t, b.get(address), http.StatusOK, "待您接受的账号", `action="/offers"`, `value="accept"`, `value="decline"`,
			`name="account_id" value="`+decimal(m.ID)+`"`, "1002 号企业", "名称未核实", "接受账号即表示同意")
	}
	form := formOf(t, text(t, b.get(offersAddress)), "/offers")
	refused := wantPage(t, b.post(offersAddress, "account_id", decimal(m.ID), "action", "accept"), http.StatusOK)
	if !strings.Contains(refused, `name="version"`) { // the agreement was not shown
		t.Error("the page does not ask for the agreement")
	}
	done := b.post(offersAddress, "account_id", decimal(m.ID), "action", "accept", "version", form.Get("version"),
		"width", "390")
	wantStatus(t, done, http.StatusSeeOther)
	want, to := "http://m.portico.test/shop?companyId=1002&auth_code_=", done.Header.Get("Location")
	if !strings.HasPrefix(to, want) {
		t.Errorf("it leads to %s", to)
	}
	wantPage(t, b.get(offersAddress), http.StatusOK, "没有待您接受的账号。")
	if after := s.memberOf(m); after.Invited {
		t.Errorf("%+v", after.Account)
	}
}

func TestALandingPageMentionsOffersToThePersonWhoSignedInByPhone(t *testing.T) {
	s := newSite(t, options{})
	s.offer(offerTo, "采购")
	mention := `<a href="http://account.portico.test/offers">有 1 个账号待您接受</a>`
	wantPage(t, s.within(offerTo).get(shop), http.StatusOK, mention)
	byName := s.browser()
	byName.post("http://account.portico.test/login/account", "login", "buyer1", "password", onboarding.DemoPassword)
	byName.enters("buyer1")
	if page := wantPage(t, byName.get(shop), http.StatusOK, "王芳"); strings.Contains(page, "/offers") {
		t.Error("an account's own password shows what is offered to its phone")
	}
}

func TestADeclinedOfferGoesAndItsCompanySeesIt(t *testing.T) {
	s := newSite(t, options{})
	m := s.offer(offerTo, "采购")
	b := s.browser()
	b.signIn("account.portico.test", offerTo)
	wantTo(t, b.post(offersAddress, "account_id", decimal(m.ID), "action", "decline"), "/offers?done=declined")
	page := wantPage(t, b.get(offersAddress+"?done=declined"), http.StatusOK, "已拒绝该账号", "没有待您接受的账号。")
	if strings.Contains(page, `value="accept"`) {
		t.Error("the offer is still there")
	}
	boss := s.browser()
	boss.signIn("account.portico.test", "13800000003")
	boss.enters("sur")
	const people = "http://store1002.portico.test/mgr/people/"
	person := wantPage(t, boss.get(people+decimal(m.ID)), http.StatusOK, "Rechazada")
	for _, action := range []string{"invite", "reset_password", "disable", "enable"} {
		if strings.Contains(person, `value="`+action+`"`) {
			t.Errorf("%s is offered for a declined account", action)
		}
	}
	wantPage(t, boss.post(people+"new", "side", "mgr", "type", "2", "name", "Otra", "phone", offerTo), http.StatusUnprocessableEntity, "rechazó una cuenta de su empresa", `value="Otra"`)
}

func TestAPersonWithOffersAloneSeesThemAfterSigningIn(t *testing.T) {
	s := newSite(t, options{})
	const registered = "13800000011"
	m := s.offer(registered, "采购")
	b := s.browser()
	login := []string{"phone", registered, "password", onboarding.DemoPassword, "remember", "1"}
	wantTo(t, b.post("http://account.portico.test/login", login...), "/company")
	page := wantPage(t, b.get("http://account.portico.test/company"), http.StatusOK, `<h1 id="offers">`,
		`value="accept"`)
	if strings.Contains(page, "这台设备上没有可以进入的账号") {
		t.Error("the page says that there is nothing")
	}
	s.clock = s.clock.Add(accounts.InvitationLife + time.Second)
	wantPage(t, b.post(offersAddress, "account_id", decimal(m.ID), "action", "accept", "version",
		formOf(t, page, "/offers").Get("version")), http.StatusUnprocessableEntity, "该邀请已过期")
}

func TestOffersAreAnsweredFromAPageOfThisSiteAlone(t *testing.T) {
	s := newSite(t, options{})
	m := s.offer(offerTo, "采购")
	b := s.browser()
	b.signIn("account.portico.test", offerTo)
	for _, action := range []string{"accept", "decline"} {
		pairs := map[string][]string{"account_id": {decimal(m.ID)}, "action": {action}}
		wantStatus(t, b.do(http.MethodPost, offersAddress, pairs, "Sec-Fetch-Site", "cross-site"), http.StatusForbidden)
		wantStatus(t, b.do(http.MethodPost, offersAddress, pairs, "Sec-Fetch-Site", ""), http.StatusForbidden)
	}
	wantStatus(t, b.post(offersAddress, "account_id", decimal(m.ID)), http.StatusBadRequest)
	stranger := s.browser().post(offersAddress, "account_id", decimal(m.ID), "action", "decline")
	wantStatus(t, stranger, http.StatusSeeOther)
	if after := s.memberOf(m); !after.Invited || after.DeclinedAt != 0 {
		t.Errorf("%+v", after.Account)
	}
}

// memberOf reads an account again.
func (s *site) memberOf(m store.Member) store.Member {
	s.t.Helper()
	after, err := s.db.MemberByID(s.t.Context(), m.CompanyID, m.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return after
}

// Every form of the account site is sent with the offered account, its company and its login in all fields that could
// name them.
func TestNoFormTakesAnOfferedAccount(t *testing.T) {
	source, err := os.ReadFile("pages.go")
	if err != nil {
		t.Fatal(err)
	}
	routes := regexp.MustCompile(`(?:form|typedForm|uploadForm|Post)\((?:r, )?"(/[^"]*)"`).FindAllStringSubmatch(
		string(source), -1)
	if len(routes) < 30 {
		t.Fatalf("only %d routes were found", len(routes))
	}
	actions := []string{"", "enter", "remove", "continue", "switch", "disable", "enable", "reset_password"}
	s := newSite(t, options{})
	m := s.offer(offerTo, "采购")
	id, tried := decimal(m.ID), 0
	for _, host := range []string{"account", "store1002"} {
		for _, route := range routes {
			path := strings.NewReplacer("{id}", id, "{name}", id).Replace(route[1])
			for _, action := range actions {
				b := s.browser()
				wantStatus(t, b.signIn(host+".portico.test", offerTo), http.StatusSeeOther)
				answer := b.post("http://"+host+".portico.test"+path, "action", action, "account_id", id, "id", id,
					"company_id", "1002", "company", "1002", "default", "1", "login", m.Login, "phone", offerTo,
					"password", onboarding.DemoPassword, "code", "000000", "side", "shop", "role", "shop", "width", "390")
				tried++
				to := answer.Header.Get("Location")
				if strings.Contains(to, "1002&auth") || strings.Contains(to, "1002.") {
					t.Errorf("POST %s %s with action %q leads to %s", host, path, action, to)
				}
				if after := s.memberOf(m); after.Account != m.Account {
					t.Fatalf("POST %s %s with action %q changes it: %+v", host, path, action, after.Account)
				}
			}
		}
	}
	person, err := s.db.PhoneByNumber(t.Context(), offerTo)
	if err != nil || person.DefaultCompanyID != 0 {
		t.Errorf("the default company is %d, %v", person.DefaultCompanyID, err)
	}
	t.Logf("%d forms were sent", tried)
}
