package web_test

import (
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"portico/pages/pagestest"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/store"
	"portico/store/storetest"
)

func TestFormOfOneCompanyDoesNotChangeAnother(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := administratorOfTwoCompanies(s)
	bank := pagestest.FormFields(t, pagestest.WantPage(t, b.Get(pagestest.OfficeOnPhone+"/settings/bank"),
		http.StatusOK),
		"/home/settings/bank")
	bank.Set("bank_holder", "金穗粮油有限公司")
	bank.Set("bank_name", "农业银行")
	bank.Set("bank_card", "6228 4800 0000 0001")
	b.EnterAccount("sur") // in another tab
	before := s.RowCounts("kept_forms")
	answer := b.SendForm(pagestest.OfficeOnPhone+"/settings/bank", bank)
	page := pagestest.WantPage(t, answer, http.StatusConflict, "Mariscos del Sur · ", "(sur)", "金穗粮油 · ", "(li.boss)")
	if after := s.RowCounts("kept_forms"); after != before {
		t.Errorf("something was written:\n%s\n%s", before, after)
	}
	back := pagestest.FormFields(t, page, "/home")
	back.Set("action", "enter_another")
	filled, at := b.Follow(b.SendForm(pagestest.OfficeOnPhone, back), pagestest.OfficeOnPhone)
	shown := pagestest.WantPage(t, filled, http.StatusOK, "农业银行", "金穗粮油有限公司", "金穗粮油")
	if !strings.HasPrefix(at, pagestest.OfficeOnPhone+"/settings/bank?kept=") {
		t.Errorf("arrived at %s", at)
	}
	if after := s.RowCounts("kept_forms"); strings.Contains(after, "company_bank_accounts=1") {
		t.Error("the form was sent by itself")
	}
	pagestest.WantRedirect(t, b.SendForm(pagestest.OfficeOnPhone+"/settings/bank",
		pagestest.FormFields(t, shown, "/home/settings/bank")), "/home/settings/bank?done=saved")
}

func TestFormOfOnePersonIsNotSentAsAnother(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInOnPhone("13800000001", "buyer1")
	order := pagestest.FormFields(t, pagestest.WantPage(t, b.Get(pagestest.ShopOnPhone), http.StatusOK),
		"/shop/products")
	for name := range order {
		if strings.HasPrefix(name, "quantity_") {
			order.Set(name, "7391")
		}
	}
	signOut := pagestest.FormFields(t, pagestest.WantPage(t, b.Get(pagestest.ShopOnPhone), http.StatusOK), "/logout")
	b.SignIn("account.portico.test", "13800000003") // in another tab
	asked := b.EnterAccount("li.shop")
	if strings.Contains(asked, "asked") {
		page := pagestest.FormFields(t, pagestest.WantPage(t, b.Get(asked), http.StatusOK), "/shop")
		page.Set("action", "replace")
		b.SendForm(pagestest.ShopOnPhone, page)
	}
	before := s.RowCounts("kept_forms")
	page := pagestest.WantPage(t, b.SendForm(pagestest.ShopOnPhone+"/products", order), http.StatusConflict, "li.shop",
		"buyer1")
	if regexp.MustCompile(`\b7391\b`).MatchString(page) { // not within a token
		t.Error("the other person's text is shown")
	}
	pagestest.WantStatus(t, b.SendForm("http://m.portico.test/logout", signOut), http.StatusConflict)
	if after := s.RowCounts("kept_forms"); after != before {
		t.Errorf("something was written:\n%s\n%s", before, after)
	}
	kept := html.UnescapeString(pagestest.FindIn(t, page, `href="(http://account[^"]*return=[^"]*)"`))
	b.Get(kept)
	answer, _ := b.Follow(b.SignIn("account.portico.test", "13800000003"), pagestest.AccountSite+"/login")
	if answer.StatusCode == http.StatusOK && strings.Contains(pagestest.Text(t, answer), `value="7391"`) {
		t.Error("another person sees the kept form")
	}
	b = s.Browser()
	b.Agent = pagestest.PhoneAgent
	b.Get(kept)
	answer, at := b.Follow(b.SignIn("account.portico.test", "13800000001"), pagestest.AccountSite+"/login")
	pagestest.WantPage(t, answer, http.StatusOK, `value="7391"`)
	if !strings.HasPrefix(at, pagestest.ShopOnPhone+"?kept=") {
		t.Errorf("arrived at %s", at)
	}
}

func TestPasswordFormOfOnePersonIsNotSentAsAnother(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000003")
	form := pagestest.FormFields(t, pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/password"), http.StatusOK),
		"/password")
	b.SignIn("account.portico.test", "13800000002")
	form.Set("old_password", onboarding.DemoPassword)
	form.Set("password", "Canary2027x")
	form.Set("confirm_password", "Canary2027x")
	pagestest.WantStatus(t, b.SendForm(pagestest.AccountSite+"/password", form), http.StatusConflict)
	pagestest.WantRedirect(t, s.Browser().SignIn("account.portico.test", "13800000003"), "/company")
	dump, err := storetest.Dump(t.Context(), s.DB)
	if err != nil || strings.Contains(dump, "Canary2027x") || strings.Contains(s.Log.String(), "Canary2027x") {
		t.Errorf("the password was stored (%v)", err)
	}
}

func TestFormIsRestoredAfterSigningInAgain(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInOnPhone("13800000002", "jinsui")
	form := pagestest.FormFields(t, pagestest.WantPage(t, b.Get(pagestest.OfficeOnPhone+"/people/new"), http.StatusOK),
		"/home/people/new")
	form.Set("name", "陈静")
	form.Set("login", "chen.jing")
	s.Clock = s.Clock.Add(core.ManagerIdle + core.AccountIdle)
	before := s.RowCounts("kept_forms", "sessions", "session_slots")
	ended := b.SendForm(pagestest.OfficeOnPhone+"/people/new", form)
	to := ended.Header.Get("Location")
	if ended.StatusCode != http.StatusSeeOther ||
		!strings.HasPrefix(to, pagestest.AccountSite+"/login?done=form_kept&return=%2Fhome%2Fpeople%2Fnew%3Fkept%3D") {
		t.Fatalf("%d to %s", ended.StatusCode, to)
	}
	pagestest.WantPage(t, b.Get(to), http.StatusOK, "您填写的内容已为您保留")
	if after := s.RowCounts("kept_forms", "sessions", "session_slots"); after != before {
		t.Errorf("something was written:\n%s\n%s", before, after)
	}
	answer, at := b.Follow(b.SignIn("account.portico.test", "13800000002"), pagestest.AccountSite+"/login")
	page := pagestest.WantPage(t, answer, http.StatusOK, `value="陈静"`, `value="chen.jing"`, "尚未提交")
	if !strings.HasPrefix(at, pagestest.OfficeOnPhone+"/people/new?kept=") {
		t.Errorf("arrived at %s", at)
	}
	if members, err := s.DB.Accounts.ByLogin(t.Context(), "chen.jing"); err != nil || len(members) != 0 {
		t.Errorf("the form was sent by itself: %d, %v", len(members), err)
	}
	pagestest.WantStatus(t, b.SendForm(pagestest.OfficeOnPhone+"/people/new",
		pagestest.FormFields(t, page, "/home/people/new")), http.StatusOK)

	stranger := s.SignInOnPhone("13800000003", "li.manager")
	if strings.Contains(pagestest.Text(t, stranger.Get(at)), "chen.jing") {
		t.Error("another person sees the kept form")
	}
	s.Clock = s.Clock.Add(core.FormKept + time.Second)
	if err := s.Portal.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if rows := s.RowCounts(); !strings.Contains(rows, " kept_forms=0 ") {
		t.Error("kept forms are never deleted:", rows)
	}
}

func TestSignInReturnsToThePageOfTheLandingSite(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.Agent = pagestest.PhoneAgent
	for wanted, arrived := range map[string]string{
		"/home/settings/bank":     pagestest.OfficeOnPhone + "/settings/bank",
		"/home/nonsense":          pagestest.OfficeOnPhone,
		"//evil.test/home":        pagestest.OfficeOnPhone,
		"https://evil.test/home":  pagestest.OfficeOnPhone,
		"/home/../../login":       pagestest.OfficeOnPhone,
		"/home\\evil":             pagestest.OfficeOnPhone,
		"/shop/orders":            pagestest.OfficeOnPhone,
		"/home?auth_code_=x&q=ab": pagestest.OfficeOnPhone + "?q=ab",
	} {
		b.Get(pagestest.AccountSite + "/login?" + url.Values{"return": {wanted}}.Encode())
		answer, at := b.Follow(b.SignIn("account.portico.test", "13800000002"), pagestest.AccountSite+"/login")
		pagestest.WantStatus(t, answer, http.StatusOK)
		if at != arrived {
			t.Errorf("%s: arrived at %s, want %s", wanted, at, arrived)
		}
		delete(b.Jar["account.portico.test"], "portico_return")
	}
	answer, at := b.Follow(b.Get(pagestest.OfficeOnPhone+"?return=%2Fhome%2Fcustomers"), pagestest.OfficeOnPhone)
	pagestest.WantStatus(t, answer, http.StatusOK)
	if at != pagestest.OfficeOnPhone+"/customers" {
		t.Errorf("signed in already: arrived at %s", at)
	}
}

func TestAuthCodeWorksAgainAfterALostResponse(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.Agent = pagestest.PhoneAgent
	to := b.SignIn("account.portico.test", "13800000001").Header.Get("Location")
	lost := s.Browser()
	lost.Agent = pagestest.PhoneAgent
	pagestest.WantRedirect(t, lost.Get(to), "/shop") // b does not get the cookies of this response
	pagestest.WantRedirect(t, b.Get(to), "/shop")
	pagestest.WantPage(t, b.Get(pagestest.ShopOnPhone), http.StatusOK, "buyer1")
	s.Clock = s.Clock.Add(time.Second)
	// the browser has used its session, so another use of the code ends it
	pagestest.WantRedirect(t, b.Get(to), "/jumperror")
}

func TestHeadRequestDoesNotSpendAnAuthCode(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	to := b.SignIn("account.portico.test", "13800000001").Header.Get("Location")
	for _, agent := range []string{"WhatsApp/2.23", "TelegramBot (like TwitterBot)"} {
		preview := s.Browser()
		preview.Agent = agent
		preview.Do(http.MethodHead, to, nil)
	}
	answer, _ := b.Follow(b.Get(to), to)
	pagestest.WantPage(t, answer, http.StatusOK, "buyer1")
}

func TestSideSwitchStaysInTheCompanyOfThePage(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	m, err := s.DB.Accounts.ByLogin(t.Context(), "sur")
	if err != nil || len(m) != 1 {
		t.Fatal(len(m), err)
	}
	if err := s.DB.Clients.AddWithID(t.Context(), store.Client{ID: 90001, CompanyID: 1002, Name: "Tienda",
		State: store.ClientPartner}); err != nil {
		t.Fatal(err)
	}
	customer := store.Account{CompanyID: 1002, Side: store.Shop, Type: store.TypeShop, Login: "sur.shop",
		PersonID: m[0].PersonID, ClientID: 90001, State: store.AccountActive}
	if _, err := s.DB.Accounts.Add(t.Context(), customer); err != nil {
		t.Fatal(err)
	}
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000003")
	pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/company", "company_id", "1001"), "/enter")
	first := pagestest.FormFields(t, pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/enter"), http.StatusOK,
		"金穗粮油"),
		"/enter")
	// in another tab
	pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/company", "company_id", "1002"), "/enter")
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/enter"), http.StatusOK, "Mariscos del Sur")
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/enter?company=1001"), http.StatusOK, "金穗粮油")
	if to := b.Post(pagestest.AccountSite+"/enter", "side", "mgr").Header.Get("Location"); !strings.HasPrefix(to,
		"http://store1002.portico.test/mgr?") {
		t.Errorf("without a company of the page: %s", to)
	}
	first.Set("side", "mgr")
	if to := b.SendForm(pagestest.AccountSite+"/enter", first).Header.Get("Location"); !strings.HasPrefix(to,
		"http://store1001.portico.test/mgr?") {
		t.Errorf("the page of 1001 led to %s", to)
	}
	pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/enter", "side", "mgr", "company_id", "1004"), "/company")
}

func TestVerificationCodeWorksWhenTheResponseWithItsCookieWasLost(t *testing.T) {
	for path, more := range map[string]url.Values{
		"/login/code": nil,
		"/register":   {"name": {"周明"}, "company_name": {"周记粮行"}, "password": {"Canary2027x"}, "agree": {"1"}},
	} {
		s := pagestest.NewSite(t, pagestest.Options{})
		b, phone := s.Browser(), "13800000001"
		if more != nil {
			phone = "13912345678"
		}
		form := pagestest.FormFields(t, pagestest.WantPage(t, b.Get(pagestest.AccountSite+path), http.StatusOK), path)
		form.Set("phone", phone)
		for name, values := range more {
			form[name] = values
		}
		ask := url.Values{"action": {"send_code"}}
		for name, values := range form {
			ask[name] = values
		}
		lost := *b
		lost.Jar = map[string]map[string]*http.Cookie{"account.portico.test": maps.Clone(b.Jar["account.portico.test"])}
		pagestest.WantStatus(t, lost.SendForm(pagestest.AccountSite+path, ask), http.StatusOK)
		form.Set("code", s.LastCode(phone))
		if answer := b.SendForm(pagestest.AccountSite+path, form); answer.StatusCode != http.StatusSeeOther {
			t.Errorf("%s: %d\n%s", path, answer.StatusCode, pagestest.Text(t, answer))
		}
	}
}

// Old engines do not say where a request comes from, so the person would end at the sign-in page without a word.
func TestAnOldEngineThatBlocksCookiesIsToldAfterSigningIn(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for _, phone := range []string{"13800000001", "13800000003"} { // into the shop, and to a list
		for _, blocks := range []bool{true, false} {
			b := s.Browser()
			b.OldWebView = true
			page := pagestest.AccountSite + "/login"
			pagestest.WantStatus(t, b.Get(page), http.StatusOK)
			forget := func() {
				if blocks {
					b.Jar = map[string]map[string]*http.Cookie{}
				}
			}
			forget()
			r := b.Do(http.MethodPost, page, url.Values{"phone": {phone}, "password": {"Demo2026"}}, "Referer", page)
			host := "http://account.portico.test"
			at, landed := "", false
			for hops := 0; r.StatusCode == http.StatusSeeOther && hops < 8; hops++ {
				forget()
				to, referrer := r.Header.Get("Location"), page
				if !strings.HasPrefix(to, "http") {
					to = host + to
				}
				if at, _ := url.Parse(to); at.Host != "account.portico.test" { // a redirect to another host sends none
					host, referrer = at.Scheme+"://"+at.Host, ""
				}
				r, at = b.Get(to, "Referer", referrer), to
				landed = landed || strings.Contains(to, "landed=1")
			}
			want := map[bool]int{true: http.StatusForbidden, false: http.StatusOK}[blocks]
			if text := pagestest.Text(t, r); r.StatusCode != want || blocks != strings.Contains(text, "阻止了 Cookie") {
				t.Errorf("%s, blocks cookies %v: %d", phone, blocks, r.StatusCode)
			}
			if !blocks && strings.Contains(at, "landed") {
				t.Errorf("%s: the mark stays in %s", phone, at)
			}
			if phone == "13800000001" && !landed {
				t.Errorf("%s, blocks cookies %v: no address is marked", phone, blocks)
			}
		}
	}
}

func TestPageSaysThatTheBrowserBlocksCookies(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for _, at := range []string{pagestest.AccountSite + "/company", "http://store1001.portico.test/home",
		pagestest.ShopOnPhone, pagestest.AccountSite + "/accounts"} {
		pagestest.WantPage(t, s.Browser().Get(at, "Sec-Fetch-Site", "same-site"), http.StatusForbidden, "阻止了 Cookie")
		if r := s.Browser().Get(at, "Sec-Fetch-Site", "none"); r.StatusCode != http.StatusSeeOther {
			t.Errorf("%s, a first visit: %d", at, r.StatusCode)
		}
		r := s.Browser().Get(at, "Sec-Fetch-Site", "same-site", "Referer", "http://www.portico.test/")
		if r.StatusCode != http.StatusSeeOther {
			t.Errorf("%s, a first visit from a sibling site: %d", at, r.StatusCode)
		}
		b := s.Browser()
		b.Get(pagestest.AccountSite + "/login")
		if r := b.Get(pagestest.AccountSite+"/company", "Sec-Fetch-Site",
			"same-origin"); r.StatusCode != http.StatusSeeOther {
			t.Errorf("%s, with another cookie: %d", at, r.StatusCode)
		}
	}
	pagestest.WantPage(t, s.Browser().Post(pagestest.AccountSite+"/login/code", "phone", "13800000001", "code",
		"123456"),
		http.StatusUnprocessableEntity, "请允许本网站使用 Cookie")
}

// administratorOfTwoCompanies returns a browser on a phone in which a person signed in who is an administrator of the
// companies 1002 and 1001. It fails the test when that is refused.
func administratorOfTwoCompanies(s *pagestest.Site) *pagestest.Browser {
	s.T.Helper()
	li, err := s.DB.Accounts.ByLogin(s.T.Context(), "li.manager")
	if err != nil || len(li) != 1 {
		s.T.Fatal(len(li), err)
	}
	boss := li[0].Account
	boss.ID, boss.Type, boss.Login = 0, store.TypeAdministrator, "li.boss"
	if _, err := s.DB.Accounts.Add(s.T.Context(), boss); err != nil {
		s.T.Fatal(err)
	}
	return s.SignInOnPhone("13800000003", "li.boss")
}
