package pages_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/onboarding"
)

const inWorkChat = inWeChat + " wxwork/4.1.22"

// mirroredAccounts is what a page mirrors of accountList and WechatproCode.
type mirroredAccounts struct {
	Raw  string
	List []struct {
		CompanyID int64 `json:"company_id_"`
	} `json:"accountList"`
	WorkChat any `json:"WechatproCode"`
}

// mirrorOf reads the accounts that a page hands to the local storage.
func mirrorOf(t *testing.T, page string) (m mirroredAccounts) {
	t.Helper()
	m.Raw = html.UnescapeString(found(t, page, `data-mirror="([^"]+)"`))
	if err := json.Unmarshal([]byte(m.Raw), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTheLandingPageMirrorsTheAccountsOfThePerson(t *testing.T) {
	s := newSite(t, options{})
	for _, phone := range []string{"13800000001", "13800000002"} {
		page, at := s.inApp(androidApp).arrive(phone)
		m := mirrorOf(t, page)
		if len(m.List) != 1 || m.List[0].CompanyID != 1001 {
			t.Errorf("%s at %s: %s", phone, at, m.Raw)
		}
		if strings.Contains(m.Raw, phone) || strings.Contains(m.Raw, "token") ||
			!strings.Contains(m.Raw, access.MaskPhone(phone)) {
			t.Errorf("%s keeps %s", phone, m.Raw)
		}
		if m.WorkChat != nil {
			t.Errorf("%s did not come by work-chat: %v", phone, m.WorkChat)
		}
	}
}

func TestASideMirrorsEveryAccountOfTheSignInThatEnteredIt(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	wantStatus(t, b.signIn("account.portico.test", "13800000003"), http.StatusSeeOther)
	accounts := text(t, b.get(accountSite+"/accounts?all=1"))
	listed := mirrorOf(t, accounts)
	r, at := b.follow(b.post(accountSite+"/accounts", "account_id",
		found(t, accounts, `name="account_id" value="(\d+)"`)), accountSite)
	here := mirrorOf(t, wantPage(t, r, http.StatusOK))
	if len(here.List) != 3 || len(listed.List) != 3 {
		t.Errorf("at %s: %s, listed: %s", at, here.Raw, listed.Raw)
	}

	named := s.browser() // a sign-in by name covers one account
	wantTo(t, named.post(accountSite+"/login/account", "login", "nophone", "password", onboarding.DemoPassword), "/bind")
	r, at = named.follow(named.post(accountSite+"/bind", "action", "skip"), accountSite)
	if m := mirrorOf(t, wantPage(t, r, http.StatusOK)); len(m.List) != 1 || strings.Count(m.Raw, `"login_"`) != 2 {
		t.Errorf("at %s: %s", at, m.Raw)
	}
}

func TestASignInByWorkChatIsMirroredWithoutItsCode(t *testing.T) {
	s := newChatSite(t)
	b := s.inApp(inWorkChat)
	comes := func() *http.Response {
		to, err := b.get(chatHost + "/wechatpro").Location()
		if err != nil {
			t.Fatal(err)
		}
		return b.get(chatHost + "/wechatpro?" + url.Values{"code": {"lan-canary"},
			"state": {to.Query().Get("state")}}.Encode())
	}
	wantRedirect(t, comes(), "/wechat/link")
	wantRedirect(t, b.post(chatHost+"/wechat/link", "phone", "13800000001", "password", onboarding.DemoPassword),
		"/wechat/confirm")
	form := hiddenFields(text(t, b.get(chatHost+"/wechat/confirm")))
	form.Set("action", "link")
	wantStatus(t, b.do(http.MethodPost, chatHost+"/wechat/confirm", form), http.StatusSeeOther)
	wantStatus(t, b.post(chatHost+"/logout"), http.StatusSeeOther)

	r, at := b.follow(comes(), chatHost)
	page := wantPage(t, r, http.StatusOK)
	if strings.Contains(page, `http-equiv="refresh"`) { // a page between the sites
		r, at = b.follow(b.get(html.UnescapeString(found(t, page, `content="0;url=([^"]+)"`)), "Referer", chatHost+"/"),
			chatHost)
		page = wantPage(t, r, http.StatusOK)
	}
	if m := mirrorOf(t, page); m.WorkChat != "exchanged" || strings.Contains(m.Raw, "canary") {
		t.Errorf("at %s: %s", at, m.Raw)
	}
	wantStatus(t, b.post(chatHost+"/logout"), http.StatusSeeOther)
	if page := text(t, b.get(chatHost+"/login?done=signed_out")); !strings.Contains(page, "data-mirror-clear") {
		t.Error("signing out leaves the key")
	}
}
