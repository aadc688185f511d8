package entry_test

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"portico/locale"
	"portico/pages/pagestest"
)

// withNewAgreement returns the versions of the agreement with a newer one added.
func withNewAgreement(again bool) func(locale.Lang) []locale.AgreementText {
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
	s := pagestest.NewSite(t, pagestest.Options{Agreements: withNewAgreement(false)})
	for _, host := range []string{
		"portico.test", "account.portico.test", "store1002.portico.test", "m.portico.test", "mgr.portico.test",
		"unknown.test",
	} {
		b := s.Browser()
		newest := pagestest.WantPage(
			t,
			b.Get("http://"+host+"/agreement?lang=es"),
			http.StatusOK,
			"1 de febrero de 2027",
			"Plazo de conservación de los SMS.",
			`href="/agreement?version=2026-11-01"`,
		)
		if strings.Contains(newest, "Ver la versión vigente") {
			t.Error("the present version calls itself a former one")
		}
		former := pagestest.WantPage(
			t,
			b.Get("http://"+host+"/agreement?version=2026-11-01"),
			http.StatusOK,
			`<p class="lead">1 de noviembre de 2026</p>`,
			"Ver la versión vigente",
			`href="/agreement?version=2026-11-01&amp;lang=zh"`,
			`content="noindex"`,
		)
		if strings.Contains(former, "Usted aceptó") {
			t.Error("a stranger accepted something")
		}
		pagestest.WantStatus(t, b.Get("http://"+host+"/agreement?version=2027-02-01"), http.StatusOK)
		for _, unknown := range []string{"2020-01-01", "", "2026-11", "%00", "../zh"} {
			pagestest.WantStatus(t, b.Get("http://"+host+"/agreement?version="+unknown), http.StatusNotFound)
		}
	}
}

func TestRegistrationStoresTheAcceptedVersion(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Agreements: withNewAgreement(true)})
	const account, phone = "http://account.portico.test", "13911112222"
	b := s.Browser()
	b.Post(account+"/register", "phone", phone, "action", "send_code")
	r := b.Post(
		account+"/register",
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
	)
	pagestest.WantRedirect(t, r, "/register/init?done=created")
	pagestest.WantPage(t, b.Get(account+"/agreement"), http.StatusOK, "您已于 2026年10月1日 同意 2027年2月1日 的版本。")
	pagestest.WantRedirect(t, b.Get(account+"/agreement/accept"), "/company")
	if page := pagestest.Text(t, b.Get(account+"/agreement")); strings.Contains(page, "/agreement/accept") {
		t.Error("a person who accepted the newest version is asked again")
	}
}

func TestSignInAsksToAcceptARequiredNewVersion(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Agreements: withNewAgreement(true)})
	const account, accept = "http://account.portico.test", "http://account.portico.test/agreement/accept"
	pagestest.WantRedirect(t, s.Browser().Get(accept), "/login")
	b := s.Browser()
	pagestest.WantRedirect(t, b.SignIn("account.portico.test", "13800000002"), "/agreement/accept")
	page := pagestest.WantPage(t, b.Get(accept), http.StatusOK, "服务协议已更新", "2027年2月1日 · 新增短信保存期限。", "同意并继续",
		`href="/agreement"`)
	if n := strings.Count(
		page[strings.Index(page, `id="care"`):strings.Index(page, "</form>")], "<button",
	); n > 2 { // the hidden first button and the visible one
		t.Errorf("%d buttons", n)
	}
	pagestest.WantPage(t, b.Get(account+"/agreement"), http.StatusOK, "请同意现行版本后继续。", `href="/agreement/accept"`)

	pagestest.WantRedirect(t, b.Post(accept, "version", "2026-11-01"), "/agreement/accept")
	pagestest.WantStatus(
		t,
		b.Do(http.MethodPost, accept, map[string][]string{"version": {"2027-02-01"}}, "Sec-Fetch-Site", "cross-site"),
		http.StatusForbidden,
	)
	if kept, err := s.DB.Acceptances.OfPerson(t.Context(), 0); err != nil || len(kept) != 0 {
		t.Error(kept, err)
	}
	pagestest.WantPage(
		t,
		b.Post(accept, "lang", "es", "version", "2027-02-01"),
		http.StatusOK,
		"Actualizamos las condiciones del servicio",
		"Aceptar y continuar",
	)
	landed, at := b.Follow(b.Post(accept, "version", "2027-02-01"), accept)
	pagestest.WantStatus(t, landed, http.StatusOK)
	if at != "http://store1001.portico.test/mgr" {
		t.Error(at)
	}
	pagestest.WantPage(t, b.Get(account+"/agreement"), http.StatusOK,
		"Usted aceptó la versión del 1 de febrero de 2027")
	if next := s.Browser().
		SignIn("account.portico.test", "13800000002").
		Header.Get(
		"Location",
	); strings.Contains(next, "agreement") {
		t.Error("the next sign-in asks again:", next)
	}
	pagestest.WantStatus(t, b.Do(http.MethodPut, accept, nil), http.StatusMethodNotAllowed)
}

func TestSignInDoesNotAskToAcceptAnOptionalNewVersion(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Agreements: withNewAgreement(false)})
	b := s.Browser()
	if at := b.SignIn("account.portico.test", "13800000002").Header.Get("Location"); strings.Contains(at, "agreement") {
		t.Error(at)
	}
	pagestest.WantRedirect(t, b.Get("http://account.portico.test/agreement/accept"), "/company")
}

func TestBlockedAccountsSeeWhyBeforeAnyAgreement(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Agreements: withNewAgreement(true)})
	for _, phone := range []string{"13800000004", "13800000007", "13800000008", "13800000009"} {
		pagestest.WantPage(
			t,
			s.Browser().SignIn("account.portico.test", phone),
			http.StatusUnprocessableEntity,
			`class="front mark-owner"`,
			`href="tel:`,
		)
	}
	b := s.Browser()
	pagestest.WantRedirect(t, b.Post("http://account.portico.test/login/account", "login", "nophone", "password",
		"Demo2026"),
		"/bind")
}

func TestAccountWithoutAPhoneAcceptsForItself(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Agreements: withNewAgreement(true)})
	const account, accept = "http://account.portico.test", "http://account.portico.test/agreement/accept"
	b := s.Browser()
	signIn := func(b *pagestest.Browser) {
		t.Helper()
		pagestest.WantRedirect(t, b.Post(account+"/login/account", "login", "nophone", "password", "Demo2026"), "/bind")
	}
	signIn(b)
	pagestest.WantRedirect(t, b.Post(account+"/bind", "action", "skip"), "/agreement/accept")
	read := pagestest.WantPage(t, b.Get(account+"/agreement"), http.StatusOK, `href="/agreement/accept"`)
	pagestest.FindIn(
		t,
		read,
		`(<form class="back" method="post" action="/agreement/accept">`+
			`<input type="hidden" name="version" value="2027-02-01"> <input type="hidden" name="token" value="[^"]+">)`,
	)
	if former := pagestest.Text(t, b.Get(account+"/agreement?version=2026-11-01")); strings.Contains(former, "<form") ||
		strings.Contains(pagestest.Text(t, s.Browser().Get(account+"/agreement")), "<form") {
		t.Error("a form where nothing is to be accepted")
	}
	pagestest.WantPage(t, b.Get(accept), http.StatusOK, "同意并继续")
	if landed, at := b.Follow(b.Post(accept, "version", "2027-02-01"), accept); landed.StatusCode != http.StatusOK ||
		at != "http://store1001.portico.test/home" {
		t.Error("who skipped binding is not let in:", landed.StatusCode, at)
	}
	if page := pagestest.WantPage(t, b.Get(account+"/agreement"), http.StatusOK, "同意 2027年2月1日 的版本"); strings.Contains(
		page, "/agreement/accept",
	) {
		t.Error("a person who accepted is asked")
	}
	again := s.Browser()
	signIn(again)
	if landed, at := again.Follow(
		again.Post(account+"/bind", "action", "skip"), account+"/bind",
	); landed.StatusCode != http.StatusOK ||
		strings.Contains(at, "agreement") {
		t.Error(landed.StatusCode, at)
	}
}

func TestNoAccountIsEnteredWhileAnAgreementIsDue(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Agreements: withNewAgreement(true)})
	const account, accept = "http://account.portico.test", "/agreement/accept"
	for _, phone := range []string{"13800000002", "13800000003"} {
		b := s.Browser()
		pagestest.WantRedirect(t, b.SignIn("account.portico.test", phone), accept)
		person, err := s.DB.Persons.ByNumber(t.Context(), phone)
		if err != nil {
			t.Fatal(err)
		}
		members, err := s.DB.Accounts.ByPerson(t.Context(), person.ID)
		if err != nil || len(members) == 0 {
			t.Fatal(err, members)
		}
		for _, m := range members {
			pagestest.WantRedirect(t, b.Post(account+"/accounts", "account_id", pagestest.Decimal(m.ID)), accept)
			pagestest.WantRedirect(t, b.Post(account+"/company", "company_id", pagestest.Decimal(m.CompanyID)), accept)
		}
		pagestest.WantRedirect(t, b.Post(account+"/company", "action", "continue"), accept)
		pagestest.WantRedirect(t, b.Post(account+"/company", "company_id", "1001"), accept)
		pagestest.WantRedirect(t, b.Post(account+"/enter", "side", "mgr"), accept)
		pagestest.WantStatus(t, b.Post(account+accept, "version", "2027-02-01"), http.StatusSeeOther)
		if at := b.Post(account+"/accounts", "account_id", pagestest.Decimal(members[0].ID)).Header.Get(
			"Location",
		); !strings.Contains(at, "auth_code_=") {
			t.Error("who accepted does not get in:", at)
		}
	}
}

func TestPersonWhoDoesNotAcceptCanSignOut(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Agreements: withNewAgreement(true)})
	const account, accept = "http://account.portico.test", "http://account.portico.test/agreement/accept"
	b := s.Browser()
	pagestest.WantRedirect(t, b.SignIn("account.portico.test", "13800000002"), "/agreement/accept")
	token := pagestest.FindIn(
		t,
		pagestest.WantPage(t, b.Get(accept), http.StatusOK, `action="/logout"`, "退出登录"),
		`action="/logout"><input type="hidden" name="token" value="([^"]+)"`,
	)
	pagestest.WantRedirect(t, b.Post(account+"/logout", "token", token), "/login?done=signed_out")
	pagestest.WantRedirect(t, b.Get(accept), "/login")
}

func TestAcceptanceCountsOnlyForTheSessionThatSawTheAgreement(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Agreements: withNewAgreement(true)})
	const accept = "http://account.portico.test/agreement/accept"
	b := s.Browser()
	token := func() string {
		return pagestest.FindIn(t, pagestest.WantPage(t, b.Get(accept), http.StatusOK), `name="token" value="([^"]+)"`)
	}
	pagestest.WantRedirect(t, b.SignIn("account.portico.test", "13800000002"), "/agreement/accept")
	first := token()
	pagestest.WantRedirect(t, b.SignIn("account.portico.test", "13800000003"), "/agreement/accept")
	pagestest.WantStatus(t, b.Post(accept, "version", "2027-02-01", "token", first), http.StatusConflict)
	if rows := s.RowCounts(); !strings.Contains(rows, " acceptances=0 ") {
		t.Error("a person accepted what another person was shown:", rows)
	}
	second := token()
	for range 2 { // sent twice, or from two tabs
		if at := b.Post(accept, "version", "2027-02-01", "token", second).Header.Get("Location"); strings.Contains(
			at, "agreement",
		) {
			t.Error(at)
		}
	}
	if rows := s.RowCounts(); !strings.Contains(rows, " acceptances=1 ") {
		t.Error(rows)
	}
}

func TestAcceptingAnOldVersionDoesNotAcceptTheCurrentOne(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Agreements: withNewAgreement(false)})
	const account, phone = "http://account.portico.test", "13911112222"
	b := s.Browser()
	pagestest.WantPage(t, b.Get(account+"/register"), http.StatusOK, `name="version" value="2027-02-01"`)
	pagestest.WantPage(t, b.Get(account+"/experience"), http.StatusOK, `name="version" value="2027-02-01"`)
	b.Post(account+"/register", "phone", phone, "action", "send_code")
	send := func(version string) *http.Response {
		return b.Post(
			account+"/register",
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
			"version",
			version,
		)
	}
	before := s.RowCounts()
	for _, version := range []string{"2026-11-01", "2099-01-01", ""} {
		page := pagestest.WantPage(
			t,
			send(version),
			http.StatusUnprocessableEntity,
			"请先阅读并同意服务协议",
			`value="新丰商行"`,
			`name="version" value="2027-02-01"`,
		)
		if box := pagestest.FindIn(t, page, `<input type="checkbox" id="agree"([^>]*)>`); strings.Contains(box,
			" checked") {
			t.Error("the box is ticked for what was not shown")
		}
	}
	if after := s.RowCounts(); after != before {
		t.Errorf("%s became %s", before, after)
	}
	pagestest.WantRedirect(t, send("2027-02-01"), "/register/init?done=created")
	pagestest.WantPage(
		t,
		b.Post(account+"/experience", "industry", "118", "agree", "1", "version", "2026-11-01"),
		http.StatusUnprocessableEntity,
		"请先阅读并同意服务协议",
	)
}

func TestAgreementPageShowsTheWholeText(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	for _, l := range locale.Langs {
		page := html.UnescapeString(pagestest.Text(t, b.Get("http://account.portico.test/agreement?lang="+string(l))))
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

func TestAgreementPageReportsItsViewAlways(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Agreements: withNewAgreement(true),
		Counters: []string{"count.example.com"}})
	c, err := s.DB.Companies.ByID(t.Context(), 1001)
	if err != nil {
		t.Fatal(err)
	}
	c.ViewCountURL, c.UpdatedAt = "https://count.example.com/p", c.UpdatedAt+1
	if err := s.DB.Companies.Update(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	const page = "http://store1001.portico.test/agreement"
	b := s.Browser()
	pagestest.WantPage(t, b.Get(page), http.StatusOK, "count.example.com/p/1001/agreement")
	pagestest.WantRedirect(t, b.SignIn("store1001.portico.test", "13800000002"), "/agreement/accept")
	pagestest.WantPage(t, b.Get(page), http.StatusOK, `class="back" method="post"`,
		"count.example.com/p/1001/agreement")
	pagestest.WantStatus(t, b.Post(page+"/accept", "version", "2027-02-01"), http.StatusSeeOther)
	pagestest.WantPage(t, b.Get(page), http.StatusOK, "count.example.com/p/1001/agreement")
}

func TestFirstPasswordIsReplacedBeforeTheAgreement(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Agreements: withNewAgreement(true)})
	const account = "http://account.portico.test"
	members, err := s.DB.Accounts.ByLogin(t.Context(), "nophone")
	if err != nil || len(members) != 1 {
		t.Fatal(err, members)
	}
	given, err := s.Portal.Backoffice.GiveFirstPassword(t.Context(), pagestest.AdministratorLanding(s, "13800000002"),
		members[0].ID, "")
	if err != nil {
		t.Fatal(err)
	}
	b := s.Browser()
	pagestest.WantRedirect(t, b.Post(account+"/login/account", "login", "nophone", "password", given.Password),
		"/password")
	if page := pagestest.WantPage(t, b.Get(account+"/agreement"), http.StatusOK); strings.Contains(page,
		"/agreement/accept") {
		t.Error("the agreement is asked for before the first password is replaced")
	}
	for _, r := range []*http.Response{
		b.Get(account + "/agreement/accept"), b.Post(account+"/agreement/accept", "version", "2027-02-01"),
		b.Post(account+"/accounts", "account_id", pagestest.Decimal(members[0].ID)),
	} {
		if landed, at := b.Follow(r, account+"/agreement/accept"); landed.StatusCode != http.StatusOK ||
			at != account+"/password" {
			t.Error(landed.StatusCode, at)
		}
	}
	if rows := s.RowCounts(); !strings.Contains(rows, " account_acceptances=0 ") {
		t.Error("accepted with an administrator's password:", rows)
	}
	pagestest.WantRedirect(
		t,
		b.Post(
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
	pagestest.WantRedirect(t, b.Post(account+"/bind", "action", "skip"), "/agreement/accept")
}
