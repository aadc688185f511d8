package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/locale"
)

// amended are the versions of the agreement with a newer one before them.
func amended(again bool) func(locale.Lang) []locale.AgreementText {
	return func(l locale.Lang) []locale.AgreementText {
		newer := l.Agreement()
		newer.Version, newer.Again = "2027-02-01", again
		newer.Updated = map[locale.Lang]string{"zh": "2027年2月1日", "es": "1 de febrero de 2027", "en": "1 February 2027"}[l]
		newer.Changes = map[locale.Lang]string{"zh": "新增短信保存期限。", "es": "Plazo de conservación de los SMS.", "en": "How long messages are kept."}[l]
		return append([]locale.AgreementText{newer}, l.Agreements()...)
	}
}

func TestEveryVersionOfTheAgreementStaysReadable(t *testing.T) {
	s := newSite(t, options{agreements: amended(false)})
	for _, host := range []string{"portico.test", "account.portico.test", "store1002.portico.test", "m.portico.test", "mgr.portico.test", "unknown.test"} {
		b := s.browser()
		newest := wantPage(t, b.get("http://"+host+"/agreement?lang=es"), http.StatusOK, "1 de febrero de 2027", "Plazo de conservación de los SMS.", `href="/agreement?version=2026-11-01"`)
		if strings.Contains(newest, "Ver la versión vigente") {
			t.Error("the present version calls itself a former one")
		}
		former := wantPage(t, b.get("http://"+host+"/agreement?version=2026-11-01"), http.StatusOK,
			`<p class="lead">1 de noviembre de 2026</p>`, "Ver la versión vigente", `href="/agreement?version=2026-11-01&amp;lang=zh"`, `content="noindex"`)
		if strings.Contains(former, "aceptó usted") {
			t.Error("a stranger accepted something")
		}
		wantStatus(t, b.get("http://"+host+"/agreement?version=2027-02-01"), http.StatusOK)
		for _, unknown := range []string{"2020-01-01", "", "2026-11", "%00", "../zh"} {
			wantStatus(t, b.get("http://"+host+"/agreement?version="+unknown), http.StatusNotFound)
		}
	}
}

func TestRegisteringKeepsWhichVersionWasAcceptedAndShowsIt(t *testing.T) {
	s := newSite(t, options{agreements: amended(true)})
	const account, phone = "http://account.portico.test", "13911112222"
	b := s.browser()
	b.post(account+"/register", "phone", phone, "action", "send_code")
	r := b.post(account+"/register", "phone", phone, "code", s.lastCode(phone), "password", "Blauwal77", "name", "周洁", "company_name", "新丰商行", "agree", "1")
	wantTo(t, r, "/register/init?done=created")
	wantPage(t, b.get(account+"/agreement"), http.StatusOK, "您已于 2026年10月1日 同意 2027年2月1日 的版本。")
	wantTo(t, b.get(account+"/agreement/accept"), "/company")
	if page := text(t, b.get(account+"/agreement")); strings.Contains(page, "/agreement/accept") {
		t.Error("who accepted the newest is asked again")
	}
}

func TestANewVersionIsAStepOfSigningInWhereItDemandsIt(t *testing.T) {
	s := newSite(t, options{agreements: amended(true)})
	const account, accept = "http://account.portico.test", "http://account.portico.test/agreement/accept"
	wantTo(t, s.browser().get(accept), "/login")
	b := s.browser()
	wantTo(t, b.signIn("account.portico.test", "13800000002"), "/agreement/accept")
	page := wantPage(t, b.get(accept), http.StatusOK, "服务协议已更新", "2027年2月1日 · 新增短信保存期限。", "同意并继续", `href="/agreement"`)
	if n := strings.Count(page[strings.Index(page, `id="care"`):strings.Index(page, "</form>")], "<button"); n > 2 { // the hidden first one, and the one
		t.Errorf("%d buttons", n)
	}
	wantPage(t, b.get(account+"/agreement"), http.StatusOK, "现行版本需要您重新确认", `href="/agreement/accept"`)

	wantTo(t, b.post(accept, "version", "2026-11-01"), "/agreement/accept")
	wantStatus(t, b.do(http.MethodPost, accept, map[string][]string{"version": {"2027-02-01"}}, "Sec-Fetch-Site", "cross-site"), http.StatusForbidden)
	if kept, err := s.db.Acceptances(t.Context(), 0); err != nil || len(kept) != 0 {
		t.Error(kept, err)
	}
	wantPage(t, b.post(accept, "lang", "es", "version", "2027-02-01"), http.StatusOK, "Hemos actualizado las condiciones del servicio", "Aceptar y continuar")
	landed, at := b.follow(b.post(accept, "version", "2027-02-01"), accept)
	wantStatus(t, landed, http.StatusOK)
	if at != "http://store1001.portico.test/mgr" {
		t.Error(at)
	}
	wantPage(t, b.get(account+"/agreement"), http.StatusOK, "aceptó usted la versión del 1 de febrero de 2027")
	if next := s.browser().signIn("account.portico.test", "13800000002").Header.Get("Location"); strings.Contains(next, "agreement") {
		t.Error("asked again at the next sign-in:", next)
	}
	wantStatus(t, b.do(http.MethodPut, accept, nil), http.StatusMethodNotAllowed)
}

func TestNobodyIsAskedForAVersionThatDoesNotDemandIt(t *testing.T) {
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
		wantPage(t, s.browser().signIn("account.portico.test", phone), http.StatusUnprocessableEntity, `class="drawing"`, `href="tel:`)
	}
	b := s.browser()
	wantTo(t, b.post("http://account.portico.test/login/account", "login", "nophone", "password", "Demo2026"), "/bind")
}
