package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/portal/accounts"
	"portico/portal/onboarding"
	"portico/store"
)

// invite opens an account of company 1001 for a phone and returns the invitation link.
func (s *site) invite(phone string) string {
	s.t.Helper()
	must := func(err error) {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
	}
	ctx := s.t.Context()
	_, err := s.db.AddPhone(ctx, store.Phone{Phone: phone, CreatedAt: 1})
	must(err)
	person, err := s.db.PhoneByNumber(ctx, phone)
	must(err)
	client, err := s.db.NewClient(
		ctx, store.Client{CompanyID: 1001, Name: "桥头粮店", State: store.ClientPartner, CreatedAt: 1},
	)
	must(err)
	account, err := s.db.AddAccount(ctx, store.Account{
		CompanyID: 1001,
		Side:      store.Shop,
		Type:      store.TypeShop,
		Login:     "bridge",
		PhoneID:   person.ID,
		ClientID:  client,
		State:     store.AccountActive,
		Invited:   true,
		CreatedAt: store.At(s.clock),
	})
	must(err)
	token, err := s.p.Onboarding.Invite(ctx, 1001, account)
	must(err)
	return "http://account.portico.test/register/complete?invite=" + url.QueryEscape(token)
}

func TestAnInvitationLinkCarriesCompanyAndPhone(t *testing.T) {
	const invited, another = "13900000777", "13900000778"
	s := newSite(t, options{})
	b := s.browser()
	link := s.invite(invited)
	page := wantPage(t, b.get(link), http.StatusOK, "金穗粮油", "139****0777")
	if strings.Contains(page, "139 0000 0777") || strings.Contains(page, invited) {
		t.Error("the link tells the whole number")
	}
	token := found(t, page, `name="invite" value="([^"]+)"`)
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
	const path, phoneIsOther = "http://account.portico.test/register/complete", "邀请的是另一个手机号"
	wantPage(
		t, b.post(path, form(another, "action", "send_code")...), http.StatusUnprocessableEntity, phoneIsOther, `value="陆遥"`,
	)
	if len(s.messages) != 0 {
		t.Errorf("%+v", s.messages)
	}
	wantPage(t, b.post(path, form(invited, "action", "send_code")...), http.StatusOK, "60 秒后重发")
	code := s.messages[len(s.messages)-1].Code
	wantPage(t, b.post(path, form(another, "code", code)...), http.StatusUnprocessableEntity, phoneIsOther)
	done := b.post(path, form(invited, "code", code, "width", "390")...)
	if to := done.Header.Get("Location"); done.StatusCode != http.StatusSeeOther ||
		!strings.HasPrefix(to, "http://m.portico.test/shop?companyId=1001&auth_code_=") {
		t.Errorf("%d to %s", done.StatusCode, to)
	}
	if m, err := s.db.MembersByLogin(t.Context(), "bridge"); err != nil || m[0].Invited || m[0].Name != "陆遥" {
		t.Errorf("%+v %v", m, err)
	}
	used := wantPage(t, s.browser().get(link), http.StatusNotFound, "此账号已开通", `href="/login"`)
	if strings.Contains(used, "0777") {
		t.Error("a used link tells whose it was")
	}
	again := b.post(path, form(invited, "code", code, "width", "390")...) // the response was lost
	if to := again.Header.Get("Location"); again.StatusCode != http.StatusSeeOther ||
		!strings.HasPrefix(to, "http://m.portico.test/shop?companyId=1001&auth_code_=") {
		t.Errorf("%d to %s", again.StatusCode, to)
	}
}

func TestAPhoneWithAPasswordIsAskedForItAndNoLinkRevealsIt(t *testing.T) {
	for name, own := range map[string]bool{"the holder knows the password": true, "the holder sets a new one": false} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, options{})
			const registered, path = "13800000001", "http://account.portico.test/register/complete"
			b := s.browser()
			page := wantPage(t, b.get(s.invite(registered)), http.StatusOK, `name="password"`,
				`name="confirm_password"`)
			invite := found(t, page, `name="invite" value="([^"]+)"`)
			form := []string{"invite", invite, "phone", registered, "name", "陆遥"}
			wantPage(t, b.post(path, append(form, "action", "send_code")...), http.StatusOK, `name="confirm_password"`)
			code := s.messages[len(s.messages)-1].Code
			wrong := "000000"
			if code == wrong {
				wrong = "000001"
			}
			typed := []string{"password", "Muelle.norte4", "confirm_password", "Muelle.norte4"}
			wantPage(t, b.post(path, append(append(form, "code", wrong), typed...)...), http.StatusUnprocessableEntity,
				`name="confirm_password"`)
			form = append(form, "code", code)
			for _, sent := range [][]string{append(form, typed...), append(form, "password", "Muelle.norte4")} {
				asked := wantPage(t, b.post(path, sent...), http.StatusUnprocessableEntity, `value="陆遥"`,
					`value="`+code+`"`, `name="password"`, `value="new_password"`)
				if strings.Contains(asked, `name="confirm_password"`) {
					t.Error("a new password is asked for")
				}
			}
			password := onboarding.DemoPassword
			if own {
				wantStatus(t, b.post(path, append(form, "password", password)...), http.StatusSeeOther)
			} else {
				password = "Muelle.norte4"
				wantPage(t, b.post(path, append(form, "action", "new_password", "password", "")...), http.StatusOK,
					`name="new" value="1"`, `name="confirm_password"`, `value="`+code+`"`)
				wantStatus(t, b.post(path, append(append(form, "new", "1"), typed...)...), http.StatusSeeOther)
			}
			signedIn := s.browser().post("http://account.portico.test/login", "phone", registered, "password", password)
			wantStatus(t, signedIn, http.StatusSeeOther)
		})
	}
}

func TestAnInvalidInvitationLinkIsRefused(t *testing.T) {
	s := newSite(t, options{})
	link := s.invite("13900000777")
	for _, bad := range []string{
		link + "x", "http://account.portico.test/register/complete?invite=x",
		"http://account.portico.test/register/complete",
	} {
		wantPage(t, s.browser().get(bad), http.StatusNotFound, "邀请链接无效或已过期")
	}
	s.clock = s.clock.Add(accounts.InvitationLife + time.Second)
	wantPage(t, s.browser().get(link), http.StatusNotFound, "邀请链接无效或已过期")
}
