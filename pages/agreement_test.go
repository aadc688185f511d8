package pages_test

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"portico/locale"
)

// amended returns the versions of the agreement with a newer one added.
func amended(again bool) func(locale.Lang) []locale.AgreementText {
	return func(l locale.Lang) []locale.AgreementText {
		newer := l.Agreement()
		newer.Version, newer.Again = "2027-02-01", again
		newer.Updated = map[locale.Lang]string{
			"zh": "2027年2月1日", "es": "1 de febrero de 2027", "en": "1 February 2027",
		}[l]
		newer.Changes = map[locale.Lang]string{
			"zh": "新增短信保存期限。", "es": "Plazo de conservación de los SMS.", "en": "How long messages are kept.",
		}[l]
		return append([]locale.AgreementText{newer}, l.Agreements()...)
	}
}

func TestEveryVersionOfTheAgreementStaysReadable(t *testing.T) {
	s := newSite(t, options{agreements: amended(false)})
	for _, host := range []string{
		"portico.test", "account.portico.test", "store1002.portico.test", "m.portico.test", "mgr.portico.test",
		"unknown.test",
	} {
		b := s.browser()
		newest := wantPage(
			t,
			b.get("http://"+host+"/agreement?lang=es"),
			http.StatusOK,
			"1 de febrero de 2027",
			"Plazo de conservación de los SMS.",
			`href="/agreement?version=2026-11-01"`,
		)
		if strings.Contains(newest, "Ver la versión vigente") {
			t.Error("the present version calls itself a former one")
		}
		former := wantPage(
			t,
			b.get("http://"+host+"/agreement?version=2026-11-01"),
			http.StatusOK,
			`<p class="lead">1 de noviembre de 2026</p>`,
			"Ver la versión vigente",
			`href="/agreement?version=2026-11-01&amp;lang=zh"`,
			`content="noindex"`,
		)
		if strings.Contains(former, "aceptó usted") {
			t.Error("a stranger accepted something")
		}
		wantStatus(t, b.get("http://"+host+"/agreement?version=2027-02-01"), http.StatusOK)
		for _, unknown := range []string{"2020-01-01", "", "2026-11", "%00", "../zh"} {
			wantStatus(t, b.get("http://"+host+"/agreement?version="+unknown), http.StatusNotFound)
		}
	}
}

func TestRegisteringStoresAndShowsTheAcceptedVersion(t *testing.T) {
	s := newSite(t, options{agreements: amended(true)})
	const account, phone = "http://account.portico.test", "13911112222"
	b := s.browser()
	b.post(account+"/register", "phone", phone, "action", "send_code")
	r := b.post(
		account+"/register",
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
	)
	wantTo(t, r, "/register/init?done=created")
	wantPage(t, b.get(account+"/agreement"), http.StatusOK, "您已于 2026年10月1日 同意 2027年2月1日 的版本。")
	wantTo(t, b.get(account+"/agreement/accept"), "/company")
	if page := text(t, b.get(account+"/agreement")); strings.Contains(page, "/agreement/accept") {
		t.Error("who accepted the newest is asked again")
	}
}

func TestSigningInAsksForARequiredNewVersion(t *testing.T) {
	s := newSite(t, options{agreements: amended(true)})
	const account, accept = "http://account.portico.test", "http://account.portico.test/agreement/accept"
	wantTo(t, s.browser().get(accept), "/login")
	b := s.browser()
	wantTo(t, b.signIn("account.portico.test", "13800000002"), "/agreement/accept")
	page := wantPage(t, b.get(accept), http.StatusOK, "服务协议已更新", "2027年2月1日 · 新增短信保存期限。", "同意并继续", `href="/agreement"`)
	if n := strings.Count(
		page[strings.Index(page, `id="care"`):strings.Index(page, "</form>")], "<button",
	); n > 2 { // the hidden first button and the visible one
		t.Errorf("%d buttons", n)
	}
	wantPage(t, b.get(account+"/agreement"), http.StatusOK, "请您确认现行版本。", `href="/agreement/accept"`)

	wantTo(t, b.post(accept, "version", "2026-11-01"), "/agreement/accept")
	wantStatus(
		t,
		b.do(http.MethodPost, accept, map[string][]string{"version": {"2027-02-01"}}, "Sec-Fetch-Site", "cross-site"),
		http.StatusForbidden,
	)
	if kept, err := s.db.Acceptances(t.Context(), 0); err != nil || len(kept) != 0 {
		t.Error(kept, err)
	}
	wantPage(
		t,
		b.post(accept, "lang", "es", "version", "2027-02-01"),
		http.StatusOK,
		"Hemos actualizado las condiciones del servicio",
		"Aceptar y continuar",
	)
	landed, at := b.follow(b.post(accept, "version", "2027-02-01"), accept)
	wantStatus(t, landed, http.StatusOK)
	if at != "http://store1001.portico.test/mgr" {
		t.Error(at)
	}
	wantPage(t, b.get(account+"/agreement"), http.StatusOK, "aceptó usted la versión del 1 de febrero de 2027")
	if next := s.browser().
		signIn("account.portico.test", "13800000002").
		Header.Get(
		"Location",
	); strings.Contains(next, "agreement") {
		t.Error("asked again at the next sign-in:", next)
	}
	wantStatus(t, b.do(http.MethodPut, accept, nil), http.StatusMethodNotAllowed)
}

func TestSigningInDoesNotAskForAnOptionalNewVersion(t *testing.T) {
	s := newSite(t, options{agreements: amended(false)})
	b := s.browser()
	if at := b.signIn("account.portico.test", "13800000002").Header.Get("Location"); strings.Contains(at, "agreement") {
		t.Error(at)
	}
	wantTo(t, b.get("http://account.portico.test/agreement/accept"), "/company")
}

func TestBlockedAccountsSeeWhyBeforeAnyAgreement(t *testing.T) {
	s := newSite(t, options{agreements: amended(true)})
	for _, phone := range []string{"13800000004", "13800000007", "13800000008", "13800000009"} {
		wantPage(
			t,
			s.browser().signIn("account.portico.test", phone),
			http.StatusUnprocessableEntity,
			`class="drawing"`,
			`href="tel:`,
		)
	}
	b := s.browser()
	wantTo(t, b.post("http://account.portico.test/login/account", "login", "nophone", "password", "Demo2026"), "/bind")
}

func TestAnAccountWithoutAPhoneIsAskedAndAcceptsForItself(t *testing.T) {
	s := newSite(t, options{agreements: amended(true)})
	const account, accept = "http://account.portico.test", "http://account.portico.test/agreement/accept"
	b := s.browser()
	signIn := func(b *browser) {
		t.Helper()
		wantTo(t, b.post(account+"/login/account", "login", "nophone", "password", "Demo2026"), "/bind")
	}
	signIn(b)
	wantTo(t, b.post(account+"/bind", "action", "skip"), "/agreement/accept")
	read := wantPage(t, b.get(account+"/agreement"), http.StatusOK, `href="/agreement/accept"`)
	found(
		t,
		read,
		`(<form class="back" method="post" action="/agreement/accept">`+
			`<input type="hidden" name="version" value="2027-02-01"> <input type="hidden" name="token" value="[^"]+">)`,
	)
	if former := text(t, b.get(account+"/agreement?version=2026-11-01")); strings.Contains(former, "<form") ||
		strings.Contains(text(t, s.browser().get(account+"/agreement")), "<form") {
		t.Error("a form where nothing is to be accepted")
	}
	wantPage(t, b.get(accept), http.StatusOK, "同意并继续")
	if landed, at := b.follow(b.post(accept, "version", "2027-02-01"), accept); landed.StatusCode != http.StatusOK ||
		at != "http://store1001.portico.test/home" {
		t.Error("who skipped binding is not let in:", landed.StatusCode, at)
	}
	if page := wantPage(t, b.get(account+"/agreement"), http.StatusOK, "同意 2027年2月1日 的版本"); strings.Contains(
		page, "/agreement/accept",
	) {
		t.Error("who accepted is asked")
	}
	again := s.browser()
	signIn(again)
	if landed, at := again.follow(
		again.post(account+"/bind", "action", "skip"), account+"/bind",
	); landed.StatusCode != http.StatusOK ||
		strings.Contains(at, "agreement") {
		t.Error(landed.StatusCode, at)
	}
}

func TestNoAccountIsEnteredWhileAnAgreementIsDue(t *testing.T) {
	s := newSite(t, options{agreements: amended(true)})
	const account, accept = "http://account.portico.test", "/agreement/accept"
	for _, phone := range []string{"13800000002", "13800000003"} {
		b := s.browser()
		wantTo(t, b.signIn("account.portico.test", phone), accept)
		person, err := s.db.PhoneByNumber(t.Context(), phone)
		if err != nil {
			t.Fatal(err)
		}
		members, err := s.db.MembersByPhone(t.Context(), person.ID)
		if err != nil || len(members) == 0 {
			t.Fatal(err, members)
		}
		for _, m := range members {
			wantTo(t, b.post(account+"/accounts", "account_id", decimal(m.ID)), accept)
			wantTo(t, b.post(account+"/company", "company_id", decimal(m.CompanyID)), accept)
		}
		wantTo(t, b.post(account+"/company", "action", "continue"), accept)
		wantTo(t, b.post(account+"/company", "company_id", "1001"), accept)
		wantTo(t, b.post(account+"/enter", "side", "mgr"), accept)
		wantStatus(t, b.post(account+accept, "version", "2027-02-01"), http.StatusSeeOther)
		if at := b.post(account+"/accounts", "account_id", decimal(members[0].ID)).Header.Get(
			"Location",
		); !strings.Contains(at, "auth_code_=") {
			t.Error("who accepted does not get in:", at)
		}
	}
}

func TestAPersonWhoDoesNotAcceptMaySignOut(t *testing.T) {
	s := newSite(t, options{agreements: amended(true)})
	const account, accept = "http://account.portico.test", "http://account.portico.test/agreement/accept"
	b := s.browser()
	wantTo(t, b.signIn("account.portico.test", "13800000002"), "/agreement/accept")
	token := found(
		t,
		wantPage(t, b.get(accept), http.StatusOK, `action="/logout"`, "退出登录"),
		`action="/logout"><input type="hidden" name="token" value="([^"]+)"`,
	)
	wantTo(t, b.post(account+"/logout", "token", token), "/login?done=signed_out")
	wantTo(t, b.get(accept), "/login")
}

func TestAcceptingCountsForTheSessionThatWasAsked(t *testing.T) {
	s := newSite(t, options{agreements: amended(true)})
	const accept = "http://account.portico.test/agreement/accept"
	b := s.browser()
	token := func() string {
		return found(t, wantPage(t, b.get(accept), http.StatusOK), `name="token" value="([^"]+)"`)
	}
	wantTo(t, b.signIn("account.portico.test", "13800000002"), "/agreement/accept")
	first := token()
	wantTo(t, b.signIn("account.portico.test", "13800000003"), "/agreement/accept")
	wantStatus(t, b.post(accept, "version", "2027-02-01", "token", first), http.StatusConflict)
	if rows := s.rows(); !strings.Contains(rows, " acceptances=0 ") {
		t.Error("a person accepted what another person was shown:", rows)
	}
	second := token()
	for range 2 { // pressed twice, or in two tabs
		if at := b.post(accept, "version", "2027-02-01", "token", second).Header.Get("Location"); strings.Contains(
			at, "agreement",
		) {
			t.Error(at)
		}
	}
	if rows := s.rows(); !strings.Contains(rows, " acceptances=1 ") {
		t.Error(rows)
	}
}

func TestAcceptingAnOldVersionDoesNotAcceptTheCurrentOne(t *testing.T) {
	s := newSite(t, options{agreements: amended(false)})
	const account, phone = "http://account.portico.test", "13911112222"
	b := s.browser()
	wantPage(t, b.get(account+"/register"), http.StatusOK, `name="version" value="2027-02-01"`)
	wantPage(t, b.get(account+"/experience"), http.StatusOK, `name="version" value="2027-02-01"`)
	b.post(account+"/register", "phone", phone, "action", "send_code")
	send := func(version string) *http.Response {
		return b.post(
			account+"/register",
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
			"version",
			version,
		)
	}
	before := s.rows()
	for _, version := range []string{"2026-11-01", "2099-01-01", ""} {
		page := wantPage(
			t,
			send(version),
			http.StatusUnprocessableEntity,
			"请先阅读并同意服务协议",
			`value="新丰商行"`,
			`name="version" value="2027-02-01"`,
		)
		if box := found(t, page, `<input type="checkbox" id="agree"([^>]*)>`); strings.Contains(box, " checked") {
			t.Error("the box is ticked for what was not shown")
		}
	}
	if after := s.rows(); after != before {
		t.Errorf("%s became %s", before, after)
	}
	wantTo(t, send("2027-02-01"), "/register/init?done=created")
	wantPage(
		t,
		b.post(account+"/experience", "industry", "118", "agree", "1", "version", "2026-11-01"),
		http.StatusUnprocessableEntity,
		"请先阅读并同意服务协议",
	)
}

func TestThePageShowsEveryWordOfTheAgreement(t *testing.T) {
	b := newSite(t, options{}).browser()
	for _, l := range locale.Langs {
		page := html.UnescapeString(text(t, b.get("http://account.portico.test/agreement?lang="+string(l))))
		a := l.Agreement()
		lines := []string{a.Title, a.Updated, a.Changes, a.Intro}
		for _, section := range a.Sections {
			lines = append(append(lines, section.Title), section.Paragraphs...)
		}
		for _, line := range lines {
			if !strings.Contains(page, ">"+line+"<") {
				t.Errorf("%s: %s", l, line)
			}
		}
	}
}

func TestTheAgreementReportsItsViewWhetherOrNotItIsDue(t *testing.T) {
	s := newSite(t, options{agreements: amended(true), counters: []string{"count.example.com"}})
	c, err := s.db.CompanyByID(t.Context(), 1001)
	if err != nil {
		t.Fatal(err)
	}
	c.ViewCountURL, c.UpdatedAt = "https://count.example.com/p", c.UpdatedAt+1
	if err := s.db.UpdateCompany(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	const page = "http://store1001.portico.test/agreement"
	b := s.browser()
	wantPage(t, b.get(page), http.StatusOK, "count.example.com/p/1001/agreement")
	wantTo(t, b.signIn("store1001.portico.test", "13800000002"), "/agreement/accept")
	wantPage(t, b.get(page), http.StatusOK, `class="back" method="post"`, "count.example.com/p/1001/agreement")
	wantStatus(t, b.post(page+"/accept", "version", "2027-02-01"), http.StatusSeeOther)
	wantPage(t, b.get(page), http.StatusOK, "count.example.com/p/1001/agreement")
}

func TestAFirstPasswordComesBeforeTheAgreementWithoutALoop(t *testing.T) {
	s := newSite(t, options{agreements: amended(true)})
	const account = "http://account.portico.test"
	members, err := s.db.MembersByLogin(t.Context(), "nophone")
	if err != nil || len(members) != 1 {
		t.Fatal(err, members)
	}
	given, err := s.p.Backoffice.GiveFirstPassword(t.Context(), s.administrator("13800000002"), members[0].ID, "")
	if err != nil {
		t.Fatal(err)
	}
	b := s.browser()
	wantTo(t, b.post(account+"/login/account", "login", "nophone", "password", given.Password), "/password")
	if page := wantPage(t, b.get(account+"/agreement"), http.StatusOK); strings.Contains(page, "/agreement/accept") {
		t.Error("asked before the password is one's own")
	}
	for _, r := range []*http.Response{
		b.get(account + "/agreement/accept"), b.post(account+"/agreement/accept", "version", "2027-02-01"),
		b.post(account+"/accounts", "account_id", decimal(members[0].ID)),
	} {
		if landed, at := b.follow(r, account+"/agreement/accept"); landed.StatusCode != http.StatusOK ||
			at != account+"/password" {
			t.Error(landed.StatusCode, at)
		}
	}
	if rows := s.rows(); !strings.Contains(rows, " account_acceptances=0 ") {
		t.Error("accepted with an administrator's password:", rows)
	}
	wantTo(
		t,
		b.post(
			account+"/password",
			"old_password",
			given.Password,
			"password",
			"Zeegras55",
			"confirm_password",
			"Zeegras55",
		),
		"/bind",
	)
	wantTo(t, b.post(account+"/bind", "action", "skip"), "/agreement/accept")
}
