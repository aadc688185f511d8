package onboarding_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/locale"
	"portico/pages/pagestest"
	"portico/portal/onboarding"
	"portico/portal/signin"
)

func TestInvitationLinkShowsCompanyAndPhone(t *testing.T) {
	const invited, another = "13900000777", "13900000778"
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	link := s.Invite(invited)
	page := pagestest.WantPage(t, b.Get(link), http.StatusOK, "金穗粮油", "139****0777")
	if strings.Contains(page, "139 0000 0777") || strings.Contains(page, invited) {
		t.Error("the page shows the whole number")
	}
	token := pagestest.FindIn(t, page, `name="invite" value="([^"]+)"`)
	form := func(phone string, more ...string) []string {
		return append(
			[]string{
				"invite",
				token,
				"phone",
				phone,
				"name",
				"陆遥",
				"password",
				"Muelle.norte4",
				"confirm_password",
				"Muelle.norte4",
			},
			more...)
	}
	const path, phoneIsOther = "http://account.portico.test/register/complete", "此手机号与受邀手机号不一致"
	pagestest.WantPage(
		t, b.Post(path, form(another, "action", "send_code")...), http.StatusUnprocessableEntity, phoneIsOther,
		`value="陆遥"`,
	)
	if len(s.Messages) != 0 {
		t.Errorf("%+v", s.Messages)
	}
	pagestest.WantPage(t, b.Post(path, form(invited, "action", "send_code")...), http.StatusOK, "60 秒后重发")
	code := s.Messages[len(s.Messages)-1].Code
	pagestest.WantPage(t, b.Post(path, form(another, "code", code)...), http.StatusUnprocessableEntity, phoneIsOther)
	done := b.Post(path, form(invited, "code", code, "width", "390")...)
	if to := done.Header.Get("Location"); done.StatusCode != http.StatusSeeOther ||
		!strings.HasPrefix(to, "http://m.portico.test/shop?companyId=1001&auth_code_=") {
		t.Errorf("%d to %s", done.StatusCode, to)
	}
	if m, err := s.DB.Accounts.ByLogin(t.Context(), "bridge"); err != nil || m[0].Invited || m[0].Name != "陆遥" {
		t.Errorf("%+v %v", m, err)
	}
	used := pagestest.WantPage(t, s.Browser().Get(link), http.StatusNotFound, "此账号已开通", `href="/login"`)
	if strings.Contains(used, "0777") {
		t.Error("a used link tells whose it was")
	}
	again := b.Post(path, form(invited, "code", code, "width", "390")...) // the response was lost
	if to := again.Header.Get("Location"); again.StatusCode != http.StatusSeeOther ||
		!strings.HasPrefix(to, "http://m.portico.test/shop?companyId=1001&auth_code_=") {
		t.Errorf("%d to %s", again.StatusCode, to)
	}
}

func TestInvitationOfAPhoneWithAPasswordAsksForThePassword(t *testing.T) {
	for name, own := range map[string]bool{"the holder knows the password": true, "the holder sets a new one": false} {
		t.Run(name, func(t *testing.T) {
			s := pagestest.NewSite(t, pagestest.Options{})
			const registered, path = "13800000001", "http://account.portico.test/register/complete"
			b := s.Browser()
			page := pagestest.WantPage(t, b.Get(s.Invite(registered)), http.StatusOK, `name="password"`,
				`name="confirm_password"`)
			invite := pagestest.FindIn(t, page, `name="invite" value="([^"]+)"`)
			form := []string{"invite", invite, "phone", registered, "name", "陆遥"}
			pagestest.WantPage(t, b.Post(path, append(form, "action", "send_code")...), http.StatusOK,
				`name="confirm_password"`)
			code := s.Messages[len(s.Messages)-1].Code
			wrong := "000000"
			if code == wrong {
				wrong = "000001"
			}
			typed := []string{"password", "Muelle.norte4", "confirm_password", "Muelle.norte4"}
			pagestest.WantPage(t, b.Post(path, append(append(form, "code", wrong), typed...)...),
				http.StatusUnprocessableEntity,
				`name="confirm_password"`)
			form = append(form, "code", code)
			for _, sent := range [][]string{append(form, typed...), append(form, "password", "Muelle.norte4")} {
				asked := pagestest.WantPage(t, b.Post(path, sent...), http.StatusUnprocessableEntity, `value="陆遥"`,
					`value="`+code+`"`, `name="password"`, `value="new_password"`)
				if strings.Contains(asked, `name="confirm_password"`) {
					t.Error("the form has fields for a new password")
				}
			}
			password := onboarding.DemoPassword
			if own {
				pagestest.WantStatus(t, b.Post(path, append(form, "password", password)...), http.StatusSeeOther)
			} else {
				password = "Muelle.norte4"
				pagestest.WantPage(t, b.Post(path, append(form, "action", "new_password", "password", "")...),
					http.StatusOK,
					`name="new" value="1"`, `name="confirm_password"`, `value="`+code+`"`)
				pagestest.WantStatus(t, b.Post(path, append(append(form, "new", "1"), typed...)...),
					http.StatusSeeOther)
			}
			signedIn := s.Browser().Post("http://account.portico.test/login", "phone", registered, "password", password)
			pagestest.WantStatus(t, signedIn, http.StatusSeeOther)
		})
	}
}

func TestInvalidInvitationLinkIsRefused(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	link := s.Invite("13900000777")
	for _, bad := range []string{
		link + "x", "http://account.portico.test/register/complete?invite=x",
	} {
		pagestest.WantPage(t, s.Browser().Get(bad), http.StatusNotFound, "邀请链接无效或已过期")
	}
	s.Clock = s.Clock.Add(signin.InvitationLife + time.Second)
	pagestest.WantPage(t, s.Browser().Get(link), http.StatusNotFound, "邀请链接无效或已过期")
}

// The account site belongs to no company, so only the link says which account is meant.
func TestAccountSiteSaysHowAnAccountIsSetUpWithoutALink(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	const path = pagestest.AccountSite + "/register/complete?lang=en"
	english := locale.Lang("en")
	pagestest.WantPage(t, b.Get(path), http.StatusOK, english.T("complete.heading"), english.T("complete.by_link"),
		`href="/register/more"`, `href="/login"`)
	pagestest.WantPage(t, b.Get(path+"&invite=made-up"), http.StatusNotFound, english.T("complete.no_link"))
	pagestest.WantPage(t, b.Post(path, "phone", "13900000777"), http.StatusNotFound, english.T("complete.no_link"))
}
