package pages_test

import (
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/portal/limits"
	"portico/portal/onboarding"
	"portico/portal/sessions"
	"portico/store"
)

const phoneOffice, phoneShop = "http://mgr.portico.test/home", "http://m.portico.test/shop"

// formOf reads the hidden fields and typed values of the form with an action from a page.
func formOf(t testing.TB, page, action string) url.Values {
	t.Helper()
	_, form, ok := strings.Cut(page, `action="`+action+`"`)
	if !ok {
		t.Fatalf("no form to %s in\n%s", action, page)
	}
	form, _, _ = strings.Cut(form, "</form>")
	fields := url.Values{}
	for _, input := range regexp.MustCompile(`<input[^>]*>`).FindAllString(form, -1) {
		name := regexp.MustCompile(` name="([^"]*)"`).FindStringSubmatch(input)
		value := regexp.MustCompile(` value="([^"]*)"`).FindStringSubmatch(input)
		if name == nil || strings.Contains(input, "checkbox") && !strings.Contains(input, " checked") || strings.Contains(input, "radio") && !strings.Contains(input, " checked") {
			continue
		}
		if value == nil {
			value = []string{"", ""}
		}
		fields.Set(name[1], html.UnescapeString(value[1]))
	}
	return fields
}

func (b *browser) sendForm(address string, fields url.Values) *http.Response {
	return b.do(http.MethodPost, address, fields)
}

// enters enters an account of the person who is signed in at the account site.
func (b *browser) enters(login string) string {
	b.t.Helper()
	m, err := b.db.MembersByLogin(b.t.Context(), login)
	if err != nil || len(m) != 1 {
		b.t.Fatalf("%s: %d accounts, %v", login, len(m), err)
	}
	answer, at := b.follow(b.post(account+"/accounts", "action", "enter", "account_id", strconv.FormatInt(m[0].ID, 10)), account+"/accounts")
	wantStatus(b.t, answer, http.StatusOK)
	return at
}

// onPhone signs a person in on a phone and enters one of their accounts.
func (s *site) onPhone(who, login string) *browser {
	b := s.browser()
	b.agent = phoneAgent
	b.signIn("account.portico.test", who)
	b.enters(login)
	return b
}

// withTwoOffices signs in a person on a phone who is an administrator of two companies, 1002 and 1001.
func (s *site) withTwoOffices() *browser {
	s.t.Helper()
	li, err := s.db.MembersByLogin(s.t.Context(), "li.manager")
	if err != nil || len(li) != 1 {
		s.t.Fatal(len(li), err)
	}
	boss := li[0].Account
	boss.ID, boss.Type, boss.Login = 0, store.TypeAdministrator, "li.boss"
	if _, err := s.db.AddAccount(s.t.Context(), boss); err != nil {
		s.t.Fatal(err)
	}
	return s.onPhone("13800000003", "li.boss")
}

func TestAFormOfOneCompanyIsNotWrittenIntoAnother(t *testing.T) {
	s := newSite(t, options{})
	b := s.withTwoOffices()
	bank := formOf(t, wantPage(t, b.get(phoneOffice+"/settings/bank"), http.StatusOK), "/home/settings/bank")
	bank.Set("bank_holder", "金穗粮油有限公司")
	bank.Set("bank_name", "农业银行")
	bank.Set("bank_card", "6228 4800 0000 0001")
	b.enters("sur") // in another tab
	before := s.rows("kept_forms")
	answer := b.sendForm(phoneOffice+"/settings/bank", bank)
	page := wantPage(t, answer, http.StatusConflict, "Mariscos del Sur · ", "(sur)", "金穗粮油 · ", "(li.boss)")
	if after := s.rows("kept_forms"); after != before {
		t.Errorf("something was written:\n%s\n%s", before, after)
	}
	back := formOf(t, page, "/home")
	back.Set("action", "enter_another")
	filled, at := b.follow(b.sendForm(phoneOffice, back), phoneOffice)
	shown := wantPage(t, filled, http.StatusOK, "农业银行", "金穗粮油有限公司", "金穗粮油")
	if !strings.HasPrefix(at, phoneOffice+"/settings/bank?kept=") {
		t.Errorf("arrived at %s", at)
	}
	if after := s.rows("kept_forms"); strings.Contains(after, "company_bank_accounts=1") {
		t.Error("the form was sent by itself")
	}
	wantTo(t, b.sendForm(phoneOffice+"/settings/bank", formOf(t, shown, "/home/settings/bank")), "/home/settings/bank?done=saved")
}

func TestAFormOfOnePersonIsNotSentInTheNameOfAnother(t *testing.T) {
	s := newSite(t, options{})
	b := s.onPhone("13800000001", "buyer1")
	order := formOf(t, wantPage(t, b.get(phoneShop), http.StatusOK), "/shop/orders")
	order.Set("quantity", "7391")
	signOut := formOf(t, wantPage(t, b.get(phoneShop), http.StatusOK), "/logout")
	b.signIn("account.portico.test", "13800000003") // in another tab
	asked := b.enters("li.shop")
	if strings.Contains(asked, "asked") {
		page := formOf(t, wantPage(t, b.get(asked), http.StatusOK), "/shop")
		page.Set("action", "replace")
		b.sendForm(phoneShop, page)
	}
	before := s.rows("kept_forms")
	page := wantPage(t, b.sendForm(phoneShop+"/orders", order), http.StatusConflict, "li.shop", "buyer1")
	if strings.Contains(page, "7391") {
		t.Error("the other person's text is shown")
	}
	wantStatus(t, b.sendForm("http://m.portico.test/logout", signOut), http.StatusConflict)
	if after := s.rows("kept_forms"); after != before {
		t.Errorf("something was written:\n%s\n%s", before, after)
	}
	kept := html.UnescapeString(found(t, page, `href="(http://account[^"]*return=[^"]*)"`))
	b.get(kept)
	answer, _ := b.follow(b.signIn("account.portico.test", "13800000003"), account+"/login")
	if answer.StatusCode == http.StatusOK && strings.Contains(text(t, answer), `value="7391"`) {
		t.Error("another person sees the kept form")
	}
	b = s.browser()
	b.agent = phoneAgent
	b.get(kept)
	answer, at := b.follow(b.signIn("account.portico.test", "13800000001"), account+"/login")
	wantPage(t, answer, http.StatusOK, `value="7391"`)
	if !strings.HasPrefix(at, phoneShop+"?kept=") {
		t.Errorf("arrived at %s", at)
	}
}

func TestAPasswordFormOfOnePersonIsNotSentAsAnother(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.signIn("account.portico.test", "13800000003")
	form := formOf(t, wantPage(t, b.get(account+"/password"), http.StatusOK), "/password")
	b.signIn("account.portico.test", "13800000002")
	form.Set("old_password", onboarding.DemoPassword)
	form.Set("password", "Canary2027x")
	form.Set("confirm_password", "Canary2027x")
	wantStatus(t, b.sendForm(account+"/password", form), http.StatusConflict)
	wantTo(t, s.browser().signIn("account.portico.test", "13800000003"), "/company")
	dump, err := s.db.Dump(t.Context())
	if err != nil || strings.Contains(dump, "Canary2027x") || strings.Contains(s.log.String(), "Canary2027x") {
		t.Errorf("the password was stored (%v)", err)
	}
}

func TestAFormSentAfterItsSessionEndedIsRestoredAfterSigningIn(t *testing.T) {
	s := newSite(t, options{})
	b := s.onPhone("13800000002", "jinsui")
	form := formOf(t, wantPage(t, b.get(phoneOffice+"/people/new"), http.StatusOK), "/home/people/new")
	form.Set("name", "陈静")
	form.Set("login", "chen.jing")
	s.clock = s.clock.Add(sessions.ManagerIdle + sessions.AccountIdle)
	before := s.rows("kept_forms", "sessions", "session_slots")
	ended := b.sendForm(phoneOffice+"/people/new", form)
	to := ended.Header.Get("Location")
	if ended.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, account+"/login?done=form_kept&return=%2Fhome%2Fpeople%2Fnew%3Fkept%3D") {
		t.Fatalf("%d to %s", ended.StatusCode, to)
	}
	wantPage(t, b.get(to), http.StatusOK, "您填写的内容已为您保留")
	if after := s.rows("kept_forms", "sessions", "session_slots"); after != before {
		t.Errorf("something was written:\n%s\n%s", before, after)
	}
	answer, at := b.follow(b.signIn("account.portico.test", "13800000002"), account+"/login")
	page := wantPage(t, answer, http.StatusOK, `value="陈静"`, `value="chen.jing"`, "尚未提交")
	if !strings.HasPrefix(at, phoneOffice+"/people/new?kept=") {
		t.Errorf("arrived at %s", at)
	}
	if members, err := s.db.MembersByLogin(t.Context(), "chen.jing"); err != nil || len(members) != 0 {
		t.Errorf("the form was sent by itself: %d, %v", len(members), err)
	}
	wantStatus(t, b.sendForm(phoneOffice+"/people/new", formOf(t, page, "/home/people/new")), http.StatusOK)

	stranger := s.onPhone("13800000003", "li.manager")
	if strings.Contains(text(t, stranger.get(at)), "chen.jing") {
		t.Error("another person sees the kept form")
	}
	s.clock = s.clock.Add(limits.FormKept + time.Second)
	if err := s.p.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if rows := s.rows(); !strings.Contains(rows, " kept_forms=0 ") {
		t.Error("kept forms are never deleted:", rows)
	}
}

func TestSigningInLeadsBackToTheLandingSitesPage(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.agent = phoneAgent
	for wanted, arrived := range map[string]string{
		"/home/settings/bank":     phoneOffice + "/settings/bank",
		"/home/nonsense":          phoneOffice,
		"//evil.test/home":        phoneOffice,
		"https://evil.test/home":  phoneOffice,
		"/home/../../login":       phoneOffice,
		"/home\\evil":             phoneOffice,
		"/shop/orders":            phoneOffice,
		"/home?auth_code_=x&q=ab": phoneOffice + "?q=ab",
	} {
		b.get(account + "/login?" + url.Values{"return": {wanted}}.Encode())
		answer, at := b.follow(b.signIn("account.portico.test", "13800000002"), account+"/login")
		wantStatus(t, answer, http.StatusOK)
		if at != arrived {
			t.Errorf("%s: arrived at %s, want %s", wanted, at, arrived)
		}
		delete(b.jar["account.portico.test"], "portico_return")
	}
	answer, at := b.follow(b.get(phoneOffice+"?return=%2Fhome%2Fcustomers"), phoneOffice)
	wantStatus(t, answer, http.StatusOK)
	if at != phoneOffice+"/customers" {
		t.Errorf("signed in already: arrived at %s", at)
	}
}

func TestALandingIsRepeatedAfterALostResponseAndNobodyIsSignedOut(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.agent = phoneAgent
	to := b.signIn("account.portico.test", "13800000001").Header.Get("Location")
	lost := s.browser()
	lost.agent = phoneAgent
	wantTo(t, lost.get(to), "/shop") // the response is lost: b gets no cookie from it
	wantTo(t, b.get(to), "/shop")
	wantPage(t, b.get(phoneShop), http.StatusOK, "buyer1")
	s.clock = s.clock.Add(time.Second)
	wantTo(t, b.get(to), "/jumperror") // the session has arrived: a second use is somebody else's
}

func TestAHeadRequestDoesNotUseACodeUp(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	to := b.signIn("account.portico.test", "13800000001").Header.Get("Location")
	for _, agent := range []string{"WhatsApp/2.23", "TelegramBot (like TwitterBot)"} {
		preview := s.browser()
		preview.agent = agent
		preview.do(http.MethodHead, to, nil)
	}
	answer, _ := b.follow(b.get(to), to)
	wantPage(t, answer, http.StatusOK, "buyer1")
}

func TestChoosingASideEntersTheCompanyOfThePage(t *testing.T) {
	s := newSite(t, options{})
	m, err := s.db.MembersByLogin(t.Context(), "sur")
	if err != nil || len(m) != 1 {
		t.Fatal(len(m), err)
	}
	if err := s.db.AddClient(t.Context(), store.Client{ID: 90001, CompanyID: 1002, Name: "Tienda", State: store.ClientPartner}); err != nil {
		t.Fatal(err)
	}
	customer := store.Account{CompanyID: 1002, Side: store.Shop, Type: store.TypeShop, Login: "sur.shop", PhoneID: m[0].PhoneID, ClientID: 90001, State: store.AccountActive}
	if _, err := s.db.AddAccount(t.Context(), customer); err != nil {
		t.Fatal(err)
	}
	b := s.browser()
	b.signIn("account.portico.test", "13800000003")
	wantTo(t, b.post(account+"/company", "company_id", "1001"), "/enter")
	first := formOf(t, wantPage(t, b.get(account+"/enter"), http.StatusOK, "金穗粮油"), "/enter")
	wantTo(t, b.post(account+"/company", "company_id", "1002"), "/enter") // in another tab
	wantPage(t, b.get(account+"/enter"), http.StatusOK, "Mariscos del Sur")
	wantPage(t, b.get(account+"/enter?company=1001"), http.StatusOK, "金穗粮油")
	first.Set("side", "mgr")
	if to := b.sendForm(account+"/enter", first).Header.Get("Location"); !strings.HasPrefix(to, "http://store1001.portico.test/mgr?") {
		t.Errorf("the page of 1001 led to %s", to)
	}
	if to := b.post(account+"/enter", "side", "mgr").Header.Get("Location"); !strings.HasPrefix(to, "http://store1002.portico.test/mgr?") {
		t.Errorf("without a company of the page: %s", to)
	}
	wantTo(t, b.post(account+"/enter", "side", "mgr", "company_id", "1004"), "/company")
}

func TestACodeIsAcceptedWhenTheResponseToItsRequestWasLost(t *testing.T) {
	for path, more := range map[string]url.Values{
		"/login/code": nil,
		"/register":   {"name": {"周明"}, "company_name": {"周记粮行"}, "password": {"Canary2027x"}, "agree": {"1"}},
	} {
		s := newSite(t, options{})
		b, phone := s.browser(), "13800000001"
		if more != nil {
			phone = "13912345678"
		}
		form := formOf(t, wantPage(t, b.get(account+path), http.StatusOK), path)
		form.Set("phone", phone)
		for name, values := range more {
			form[name] = values
		}
		ask := url.Values{"action": {"send_code"}}
		for name, values := range form {
			ask[name] = values
		}
		lost := *b
		lost.jar = map[string]map[string]*http.Cookie{"account.portico.test": maps.Clone(b.jar["account.portico.test"])}
		wantStatus(t, lost.sendForm(account+path, ask), http.StatusOK)
		form.Set("code", s.lastCode(phone))
		if answer := b.sendForm(account+path, form); answer.StatusCode != http.StatusSeeOther {
			t.Errorf("%s: %d\n%s", path, answer.StatusCode, text(t, answer))
		}
	}
}

func TestAPageSaysThatTheBrowserBlocksCookies(t *testing.T) {
	s := newSite(t, options{})
	for _, at := range []string{account + "/company", "http://store1001.portico.test/home", phoneShop, account + "/accounts"} {
		wantPage(t, s.browser().get(at, "Sec-Fetch-Site", "same-site"), http.StatusForbidden, "阻止了 Cookie")
		if r := s.browser().get(at, "Sec-Fetch-Site", "none"); r.StatusCode != http.StatusSeeOther {
			t.Errorf("%s, a first visit: %d", at, r.StatusCode)
		}
		r := s.browser().get(at, "Sec-Fetch-Site", "same-site", "Referer", "http://www.portico.test/")
		if r.StatusCode != http.StatusSeeOther {
			t.Errorf("%s, a first visit from a sibling site: %d", at, r.StatusCode)
		}
		b := s.browser()
		b.get(account + "/login")
		if r := b.get(account+"/company", "Sec-Fetch-Site", "same-origin"); r.StatusCode != http.StatusSeeOther {
			t.Errorf("%s, with another cookie: %d", at, r.StatusCode)
		}
	}
	wantPage(t, s.browser().post(account+"/login/code", "phone", "13800000001", "code", "123456"), http.StatusUnprocessableEntity, "请允许本网站使用 Cookie")
}
