package web_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/access"
	"portico/portal/onboarding"
)

const inWeCom = pagestest.InWeChat + " wxwork/4.1.22"

// mirroredAccounts is what a page writes to accountList and WechatproCode of the local storage. Raw is the whole JSON.
type mirroredAccounts struct {
	Raw  string
	List []struct {
		CompanyID int64 `json:"company_id_"`
	} `json:"accountList"`
	WeComCode any `json:"WechatproCode"`
}

// accountsInMirror returns the accounts that a page writes to the local storage. It fails the test when there are none.
func accountsInMirror(t *testing.T, page string) (m mirroredAccounts) {
	t.Helper()
	m.Raw = html.UnescapeString(pagestest.FindIn(t, page, `data-mirror="([^"]+)"`))
	if err := json.Unmarshal([]byte(m.Raw), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestLandingPageMirrorsTheAccountsOfThePerson(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for _, phone := range []string{"13800000001", "13800000002"} {
		page, at := s.BrowserWithAgent(pagestest.AndroidApp).SignInAndFollow(phone)
		m := accountsInMirror(t, page)
		if len(m.List) != 1 || m.List[0].CompanyID != 1001 {
			t.Errorf("%s at %s: %s", phone, at, m.Raw)
		}
		if strings.Contains(m.Raw, phone) || strings.Contains(m.Raw, "token") ||
			!strings.Contains(m.Raw, access.MaskPhone(phone)) {
			t.Errorf("%s keeps %s", phone, m.Raw)
		}
		if m.WeComCode != nil {
			t.Errorf("%s did not sign in by WeCom: %v", phone, m.WeComCode)
		}
	}
}

func TestSideMirrorsEveryAccountOfItsSignIn(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	pagestest.WantStatus(t, b.SignIn("account.portico.test", "13800000003"), http.StatusSeeOther)
	accounts := pagestest.Text(t, b.Get(pagestest.AccountSite+"/accounts?all=1"))
	listed := accountsInMirror(t, accounts)
	r, at := b.Follow(b.Post(pagestest.AccountSite+"/accounts", "account_id",
		pagestest.FindIn(t, accounts, `name="account_id" value="(\d+)"`)), pagestest.AccountSite)
	here := accountsInMirror(t, pagestest.WantPage(t, r, http.StatusOK))
	if len(here.List) != 3 || len(listed.List) != 3 {
		t.Errorf("at %s: %s, listed: %s", at, here.Raw, listed.Raw)
	}

	named := s.Browser() // a sign-in by account name has one account
	pagestest.WantRedirect(t, named.Post(pagestest.AccountSite+"/login/account", "login", "nophone", "password",
		onboarding.DemoPassword), "/bind")
	r, at = named.Follow(named.Post(pagestest.AccountSite+"/bind", "action", "skip"), pagestest.AccountSite)
	if m := accountsInMirror(t, pagestest.WantPage(t, r, http.StatusOK)); len(m.List) != 1 ||
		strings.Count(m.Raw, `"login_"`) != 2 {
		t.Errorf("at %s: %s", at, m.Raw)
	}
}

func TestWeComSignInIsMirroredWithoutItsCode(t *testing.T) {
	s := pagestest.NewChatSite(t)
	b := s.BrowserWithAgent(inWeCom)
	signInByWeCom := func() *http.Response {
		to, err := b.Get(pagestest.ChatSite + "/wechatpro").Location()
		if err != nil {
			t.Fatal(err)
		}
		return b.Get(pagestest.ChatSite + "/wechatpro?" + url.Values{"code": {"lan-canary"},
			"state": {to.Query().Get("state")}}.Encode())
	}
	pagestest.WantRedirect(t, signInByWeCom(), "/wechat/link")
	pagestest.WantRedirect(t, b.Post(pagestest.ChatSite+"/wechat/link", "phone", "13800000001", "password",
		onboarding.DemoPassword),
		"/wechat/confirm")
	form := pagestest.HiddenFields(pagestest.Text(t, b.Get(pagestest.ChatSite+"/wechat/confirm")))
	form.Set("action", "link")
	pagestest.WantStatus(t, b.Do(http.MethodPost, pagestest.ChatSite+"/wechat/confirm", form), http.StatusSeeOther)
	pagestest.WantStatus(t, b.Post(pagestest.ChatSite+"/logout"), http.StatusSeeOther)

	r, at := b.Follow(signInByWeCom(), pagestest.ChatSite)
	page := pagestest.WantPage(t, r, http.StatusOK)
	if strings.Contains(page, `http-equiv="refresh"`) { // an intermediate page
		r, at = b.Follow(b.Get(html.UnescapeString(pagestest.FindIn(t, page, `content="0;url=([^"]+)"`)), "Referer",
			pagestest.ChatSite+"/"),
			pagestest.ChatSite)
		page = pagestest.WantPage(t, r, http.StatusOK)
	}
	if m := accountsInMirror(t, page); m.WeComCode != "exchanged" || strings.Contains(m.Raw, "canary") {
		t.Errorf("at %s: %s", at, m.Raw)
	}
	pagestest.WantStatus(t, b.Post(pagestest.ChatSite+"/logout"), http.StatusSeeOther)
	if page := pagestest.Text(t, b.Get(pagestest.ChatSite+"/login?done=signed_out")); !strings.Contains(page,
		"data-mirror-clear") {
		t.Error("signing out leaves the key")
	}
}
