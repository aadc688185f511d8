package web_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/pages/pagestest"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/picturetest"
)

// withNewPassword returns fields of a form with a new password added.
func withNewPassword(pairs ...string) []string {
	return append(pairs, "password", "Blauwal77", "confirm_password", "Blauwal77")
}

func TestSamePasswordChangeTwiceSucceedsTwice(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000003")
	b.WantSameRedirectTwice("/accounts?done=password", pagestest.AccountSite+"/password",
		withNewPassword("old_password", onboarding.DemoPassword)...)
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/accounts?done=password"), http.StatusOK, "密码已修改")
	other := b.Post(pagestest.AccountSite+"/password", "old_password", onboarding.DemoPassword, "password", "Blauwal88",
		"confirm_password", "Blauwal88")
	pagestest.WantPage(t, other, http.StatusUnprocessableEntity)
	if n := pagestest.CountNotices(s, "13800000003"); n != 1 {
		t.Errorf("%d notices were sent, want 1", n)
	}
}

func TestSamePasswordResetTwiceSucceedsTwice(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	b := s.Browser()
	b.Post(pagestest.AccountSite+"/forget/phone", "phone", "13800000001", "action", "send_code")
	form := withNewPassword("phone", "138 0000 0001", "code", s.LastCode("13800000001"))
	b.WantSameRedirectTwice("/login?done=reset", pagestest.AccountSite+"/forget/phone", form...)
	pagestest.WantPage(t, s.Browser().Post(pagestest.AccountSite+"/forget/phone", form...),
		http.StatusUnprocessableEntity)
	if n := pagestest.CountNotices(s, "13800000001"); n != 1 {
		t.Errorf("%d notices were sent, want 1", n)
	}
	named := s.Browser()
	pagestest.WantRedirect(t, named.Post(pagestest.AccountSite+"/forget/account", "login", "li.manager"),
		"/forget/account?step=2")
	byName := withNewPassword("login", "li.manager", "code", s.LastCode("13800000003"))
	named.WantSameRedirectTwice("/login/account?done=reset", pagestest.AccountSite+"/forget/account", byName...)
}

func TestConcurrentEqualPasswordResetsSucceed(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	b := s.Browser()
	b.Post(pagestest.AccountSite+"/forget/phone", "phone", "13800000001", "action", "send_code")
	form := withNewPassword("phone", "13800000001", "code", s.LastCode("13800000001"))
	var all sync.WaitGroup
	for range 2 {
		twin := s.Browser()
		twin.Jar["account.portico.test"] = map[string]*http.Cookie{}
		for name, cookie := range b.Jar["account.portico.test"] {
			twin.Jar["account.portico.test"][name] = cookie
		}
		all.Go(func() {
			if r := twin.Post(pagestest.AccountSite+"/forget/phone",
				form...); r.Header.Get("Location") != "/login?done=reset" {
				t.Errorf("%d to %q", r.StatusCode, r.Header.Get("Location"))
			}
		})
	}
	all.Wait()
}

func TestSamePhoneBoundTwiceSucceedsTwice(t *testing.T) {
	for name, steps := range map[string]func(b *pagestest.Browser, phone string){
		"in two steps": func(b *pagestest.Browser, phone string) {
			b.WantSameRedirectTwice("/bind?step=2", pagestest.AccountSite+"/bind", "phone", phone, "code",
				b.LastCode(phone))
			b.WantSameRedirectTwice("/accounts?done=bound", pagestest.AccountSite+"/bind",
				withNewPassword("new", "1")...)
		},
		"all at once": func(b *pagestest.Browser, phone string) {
			form := withNewPassword("phone", phone, "code", b.LastCode(phone))
			b.WantSameRedirectTwice("/accounts?done=bound", pagestest.AccountSite+"/bind", form...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			const phone = "13711112222"
			s := pagestest.NewSite(t, pagestest.Options{Limits: true})
			b := s.Browser()
			b.Post(pagestest.AccountSite+"/login/account", "login", "nophone", "password", onboarding.DemoPassword)
			pagestest.WantPage(t, b.Post(pagestest.AccountSite+"/bind", "phone", phone, "code", "", "action",
				"send_code"),
				http.StatusOK)
			steps(b, phone)
			pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/accounts?all=1&done=bound"), http.StatusOK, "手机已绑定")
			other := b.Post(pagestest.AccountSite+"/bind", "new", "1", "password", "Blauwal88", "confirm_password",
				"Blauwal88")
			if strings.Contains(other.Header.Get("Location"), "done=bound") {
				t.Error("the same form with another password succeeds")
			}
			if n := pagestest.CountNotices(s, phone); n != 1 {
				t.Errorf("%d notices were sent, want 1", n)
			}
		})
	}
}

func TestSamePhoneUnboundTwiceSucceedsTwice(t *testing.T) {
	for login, to := range map[string]string{
		"li.lights": "/accounts?all=1&done=unbound", "buyer1": "/login/account?done=unbound",
	} {
		s := pagestest.NewSite(t, pagestest.Options{Limits: true})
		b, m := s.Browser(), s.Account(login)
		id, phone := strconv.FormatInt(m.ID, 10), m.Phone
		b.SignIn("account.portico.test", phone)
		b.Post(pagestest.AccountSite+"/unbind", "account_id", id, "action", "send_code")
		form := []string{"account_id", id, "code", s.LastCode(phone)}
		b.WantSameRedirectTwice(to, pagestest.AccountSite+"/unbind", form...)
		pagestest.WantPage(t, b.Get("http://account.portico.test"+to), http.StatusOK)
		stranger := s.Browser()
		pagestest.WantRedirect(t, stranger.Post(pagestest.AccountSite+"/unbind", form...), "/login")
		b.Clock = b.Clock.Add(core.RepeatWindow)
		if r := b.Post(pagestest.AccountSite+"/unbind", form...); strings.Contains(r.Header.Get("Location"),
			"done=unbound") {
			t.Errorf("later it leads to %s", r.Header.Get("Location"))
		}
		if n := pagestest.CountNotices(s, phone); n != 1 {
			t.Errorf("%d notices were sent, want 1", n)
		}
	}
}

func TestApplicantCodeSentTwiceSucceedsTwice(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	b := s.Browser()
	b.Post(pagestest.ApplyAddress, "phone", pagestest.Applicant, "action", "send_code")
	form := []string{"phone", pagestest.Applicant, "code", s.LastCode(pagestest.Applicant)}
	pagestest.WantRedirect(t, b.Post(pagestest.ApplyAddress, form...), "/register/more")
	delete(b.Jar[pagestest.StoreHost], "portico_applicant") // the response was lost
	pagestest.WantRedirect(t, b.Post(pagestest.ApplyAddress, form...), "/register/more")
	first := b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields()...)
	pagestest.WantRedirect(t, b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields()...),
		first.Header.Get("Location"))
	if len(s.Messages) != 1 {
		t.Errorf("%d messages", len(s.Messages))
	}
}

func TestSameLookPublishedTwiceSucceedsTwice(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	seen := pagestest.FieldValue(t, pagestest.Text(t, b.Get(pagestest.LookPath)), "seen")
	icon := map[string][]byte{"icon": picturetest.PNG(64, 64)}
	for range 3 {
		r := b.SendLook(icon, "name", "金穗", "theme", "#204060", "seen", seen, "action", "save")
		pagestest.WantRedirect(t, r, "/mgr/settings/appearance?done=saved")
	}
	events, err := s.DB.Audit.Events(t.Context(), 1001, 50)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range events {
		if e.Kind == "appearance_set" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d events", n)
	}
	pagestest.WantPage(t, b.SendLook(nil, "name", "银穗", "seen", seen, "action", "save"), http.StatusUnprocessableEntity)
}

func TestSamePictureUploadedTwiceIsOneFile(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b, _ := s.ProvenApplicant(pagestest.Sender)
	token := s.UploadToken(pagestest.Sender)
	picture := picturetest.PNG(40, 30)
	first := pagestest.DecodeUpload(t, b.SendFile(pagestest.UploadPage, token, "a.png", picture))
	again := pagestest.DecodeUpload(t, b.SendFile(pagestest.UploadPage, token, "a.png", picture))
	if first.Key == "" || again.Key != first.Key || again.Message != "" {
		t.Errorf("%+v, then %+v", first, again)
	}
	r := b.SendFile(pagestest.UploadPage, token, "b.png", picturetest.PNG(41, 30))
	pagestest.WantStatus(t, r, http.StatusForbidden)
	var refused struct{ Token, Message string }
	if err := json.NewDecoder(r.Body).Decode(&refused); err != nil || refused.Token == "" || refused.Message == "" {
		t.Fatalf("%+v, %v", refused, err)
	}
	other := pagestest.DecodeUpload(t, b.SendFile(pagestest.UploadPage, refused.Token, "b.png",
		picturetest.PNG(41, 30)))
	if other.Key == "" || other.Key == first.Key {
		t.Errorf("with the new token: %+v", other)
	}
	stranger := s.Browser()
	r = stranger.SendFile(pagestest.UploadPage, token, "a.png", picture)
	pagestest.WantStatus(t, r, http.StatusForbidden)
	if body := pagestest.Text(t, r); strings.Contains(body, `"token"`) || strings.Contains(body, first.Key) {
		t.Errorf("another browser gets %s", body)
	}
	s.Clock = s.Clock.Add(core.RepeatWindow)
	pagestest.WantStatus(t, b.SendFile(pagestest.UploadPage, token, "a.png", picture), http.StatusForbidden)
}

func TestExpiredUploadTokenIsReplaced(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b, _ := s.ProvenApplicant(pagestest.Sender)
	token := s.UploadToken(pagestest.Sender)
	s.Clock = s.Clock.Add(application.UploadLife + time.Second)
	r := b.SendFile(pagestest.UploadPage, token, "a.png", picturetest.PNG(40, 30))
	pagestest.WantStatus(t, r, http.StatusForbidden)
	var refused struct{ Token string }
	if err := json.NewDecoder(r.Body).Decode(&refused); err != nil || refused.Token == "" {
		t.Fatalf("%+v, %v", refused, err)
	}
	if sent := pagestest.DecodeUpload(t, b.SendFile(pagestest.UploadPage, refused.Token, "a.png",
		picturetest.PNG(40, 30))); sent.Key == "" {
		t.Errorf("%+v", sent)
	}
	broken := b.SendFile(pagestest.UploadPage, s.UploadToken(pagestest.Sender), "a.png", bytes.Repeat([]byte("x"), 100))
	body := pagestest.Text(t, broken)
	if broken.StatusCode != http.StatusUnsupportedMediaType || !strings.Contains(body, `"token"`) {
		t.Errorf("%d %s", broken.StatusCode, body)
	}
}
