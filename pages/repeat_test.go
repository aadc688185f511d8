package pages_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal/application"
	"portico/portal/onboarding"
	"portico/portal/picturetest"
	"portico/portal/replay"
)

// sentTwice sends a form, and then the same form again, as after a lost response. Both must redirect to the same page,
// and the second one must not set the session's cookie.
func (b *browser) sentTwice(to, address string, pairs ...string) {
	b.t.Helper()
	wantTo(b.t, b.post(address, pairs...), to)
	r := b.post(address, pairs...)
	wantTo(b.t, r, to)
	for _, cookie := range r.Cookies() {
		if cookie.Name == "portico_session" {
			b.t.Errorf("the cookie of the session is set again: %q", cookie.Value)
		}
	}
}

// withPassword are the fields of a form with a new password.
func withPassword(pairs ...string) []string {
	return append(pairs, "password", "Blauwal77", "confirm_password", "Blauwal77")
}

// told counts the notices to a phone.
func (s *site) told(phone string) (n int) {
	s.p.Stop(s.t.Context())
	for _, m := range s.messages {
		if m.Phone == phone && m.Notice != "" {
			n++
		}
	}
	return n
}

func TestChangingAPasswordTwiceSucceedsTwice(t *testing.T) {
	s := newSite(t, options{limits: true})
	b := s.browser()
	b.signIn("account.portico.test", "13800000003")
	b.sentTwice("/accounts?done=password", account+"/password", withPassword("old_password", onboarding.DemoPassword)...)
	wantPage(t, b.get(account+"/accounts?done=password"), http.StatusOK, "密码已修改")
	other := b.post(account+"/password", "old_password", onboarding.DemoPassword, "password", "Blauwal88", "confirm_password", "Blauwal88")
	wantPage(t, other, http.StatusUnprocessableEntity)
	if n := s.told("13800000003"); n != 1 {
		t.Errorf("told %d times", n)
	}
}

func TestResettingAPasswordTwiceSucceedsTwice(t *testing.T) {
	s := newSite(t, options{limits: true})
	b := s.browser()
	b.post(account+"/forget/phone", "phone", "13800000001", "action", "send_code")
	form := withPassword("phone", "138 0000 0001", "code", s.lastCode("13800000001"))
	b.sentTwice("/login?done=reset", account+"/forget/phone", form...)
	wantPage(t, s.browser().post(account+"/forget/phone", form...), http.StatusUnprocessableEntity)
	if n := s.told("13800000001"); n != 1 {
		t.Errorf("told %d times", n)
	}
	named := s.browser()
	wantTo(t, named.post(account+"/forget/account", "login", "li.manager"), "/forget/account?step=2")
	byName := withPassword("login", "li.manager", "code", s.lastCode("13800000003"))
	named.sentTwice("/login/account?done=reset", account+"/forget/account", byName...)
}

func TestResettingAPasswordTwiceAtOnceSucceedsTwice(t *testing.T) {
	s := newSite(t, options{limits: true})
	b := s.browser()
	b.post(account+"/forget/phone", "phone", "13800000001", "action", "send_code")
	form := withPassword("phone", "13800000001", "code", s.lastCode("13800000001"))
	var all sync.WaitGroup
	for range 2 {
		twin := s.browser()
		twin.jar["account.portico.test"] = map[string]*http.Cookie{}
		for name, cookie := range b.jar["account.portico.test"] {
			twin.jar["account.portico.test"][name] = cookie
		}
		all.Go(func() {
			if r := twin.post(account+"/forget/phone", form...); r.Header.Get("Location") != "/login?done=reset" {
				t.Errorf("%d to %q", r.StatusCode, r.Header.Get("Location"))
			}
		})
	}
	all.Wait()
}

func TestBindingAPhoneTwiceSucceedsTwice(t *testing.T) {
	for name, steps := range map[string]func(b *browser, phone string){
		"in two steps": func(b *browser, phone string) {
			b.sentTwice("/bind?step=2", account+"/bind", "phone", phone, "code", b.lastCode(phone))
			b.sentTwice("/accounts?done=bound", account+"/bind", withPassword("new", "1")...)
		},
		"all at once": func(b *browser, phone string) {
			form := withPassword("phone", phone, "code", b.lastCode(phone))
			b.sentTwice("/accounts?done=bound", account+"/bind", form...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			const phone = "13711112222"
			s := newSite(t, options{limits: true})
			b := s.browser()
			b.post(account+"/login/account", "login", "nophone", "password", onboarding.DemoPassword)
			wantPage(t, b.post(account+"/bind", "phone", phone, "code", "", "action", "send_code"), http.StatusOK)
			steps(b, phone)
			wantPage(t, b.get(account+"/accounts?all=1&done=bound"), http.StatusOK, "手机已绑定")
			other := b.post(account+"/bind", "new", "1", "password", "Blauwal88", "confirm_password", "Blauwal88")
			if strings.Contains(other.Header.Get("Location"), "done=bound") {
				t.Error("the same form with another password succeeds")
			}
			if n := s.told(phone); n != 1 {
				t.Errorf("told %d times", n)
			}
		})
	}
}

func TestUnbindingAPhoneTwiceSucceedsTwice(t *testing.T) {
	for login, to := range map[string]string{
		"li.lights": "/accounts?all=1&done=unbound", "buyer1": "/login/account?done=unbound",
	} {
		s := newSite(t, options{limits: true})
		b, m := s.browser(), s.account(login)
		id, phone := strconv.FormatInt(m.ID, 10), m.Phone
		b.signIn("account.portico.test", phone)
		b.post(account+"/unbind", "account_id", id, "action", "send_code")
		form := []string{"account_id", id, "code", s.lastCode(phone)}
		b.sentTwice(to, account+"/unbind", form...)
		wantPage(t, b.get("http://account.portico.test"+to), http.StatusOK)
		stranger := s.browser()
		wantTo(t, stranger.post(account+"/unbind", form...), "/login")
		b.clock = b.clock.Add(replay.RepeatWindow)
		if r := b.post(account+"/unbind", form...); strings.Contains(r.Header.Get("Location"), "done=unbound") {
			t.Errorf("later it leads to %s", r.Header.Get("Location"))
		}
		if n := s.told(phone); n != 1 {
			t.Errorf("told %d times", n)
		}
	}
}

func TestSendingAnApplicantsCodeTwiceSucceedsTwice(t *testing.T) {
	s := newSite(t, options{limits: true})
	b := s.browser()
	b.post(applyAt, "phone", applicant, "action", "send_code")
	form := []string{"phone", applicant, "code", s.lastCode(applicant)}
	wantTo(t, b.post(applyAt, form...), "/register/more")
	delete(b.jar[storeHost], "portico_applicant") // its response was lost
	wantTo(t, b.post(applyAt, form...), "/register/more")
	first := b.post(applyAt, details()...)
	wantTo(t, b.post(applyAt, details()...), first.Header.Get("Location"))
	if len(s.messages) != 1 {
		t.Errorf("%d messages", len(s.messages))
	}
}

func TestALookPublishedAgainIsSaved(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000002")
	seen := fieldOf(t, text(t, b.get(lookPath)), "seen")
	icon := map[string][]byte{"icon": picturetest.PNG(64, 64)}
	for range 3 {
		r := b.sendLook(icon, "name", "金穗", "theme", "#204060", "seen", seen, "action", "save")
		wantTo(t, r, "/mgr/settings/appearance?done=saved")
	}
	events, err := s.db.AuditEvents(t.Context(), 1001, 50)
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
	wantPage(t, b.sendLook(nil, "name", "银穗", "seen", seen, "action", "save"), http.StatusUnprocessableEntity)
}

func TestAPictureSentAgainWithItsTokenIsTheSameFile(t *testing.T) {
	s := newSite(t, options{})
	b, _ := s.applicant(sender)
	token := s.token(sender)
	picture := picturetest.PNG(40, 30)
	first := answer(t, b.sendFile(uploadPage, token, "a.png", picture))
	again := answer(t, b.sendFile(uploadPage, token, "a.png", picture))
	if first.Key == "" || again.Key != first.Key || again.Message != "" {
		t.Errorf("%+v, then %+v", first, again)
	}
	r := b.sendFile(uploadPage, token, "b.png", picturetest.PNG(41, 30))
	wantStatus(t, r, http.StatusForbidden)
	var refused struct{ Token, Message string }
	if err := json.NewDecoder(r.Body).Decode(&refused); err != nil || refused.Token == "" || refused.Message == "" {
		t.Fatalf("%+v, %v", refused, err)
	}
	other := answer(t, b.sendFile(uploadPage, refused.Token, "b.png", picturetest.PNG(41, 30)))
	if other.Key == "" || other.Key == first.Key {
		t.Errorf("with the new token: %+v", other)
	}
	stranger := s.browser()
	r = stranger.sendFile(uploadPage, token, "a.png", picture)
	wantStatus(t, r, http.StatusForbidden)
	if body := text(t, r); strings.Contains(body, `"token"`) || strings.Contains(body, first.Key) {
		t.Errorf("another browser gets %s", body)
	}
	s.clock = s.clock.Add(replay.RepeatWindow)
	wantStatus(t, b.sendFile(uploadPage, token, "a.png", picture), http.StatusForbidden)
}

func TestAnExpiredUploadTokenIsReplaced(t *testing.T) {
	s := newSite(t, options{})
	b, _ := s.applicant(sender)
	token := s.token(sender)
	s.clock = s.clock.Add(application.UploadLife + time.Second)
	r := b.sendFile(uploadPage, token, "a.png", picturetest.PNG(40, 30))
	wantStatus(t, r, http.StatusForbidden)
	var refused struct{ Token string }
	if err := json.NewDecoder(r.Body).Decode(&refused); err != nil || refused.Token == "" {
		t.Fatalf("%+v, %v", refused, err)
	}
	if sent := answer(t, b.sendFile(uploadPage, refused.Token, "a.png", picturetest.PNG(40, 30))); sent.Key == "" {
		t.Errorf("%+v", sent)
	}
	broken := b.sendFile(uploadPage, s.token(sender), "a.png", bytes.Repeat([]byte("x"), 100))
	body := text(t, broken)
	if broken.StatusCode != http.StatusUnsupportedMediaType || !strings.Contains(body, `"token"`) {
		t.Errorf("%d %s", broken.StatusCode, body)
	}
}
