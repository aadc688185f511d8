package api

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/onboarding"
	"portico/portal/signin"
)

// All sessions that were opened with the old password end. Nothing else changes.
func TestResetByPhoneSetsPhonePassword(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		phone, subject := "13800000003", []string{"phone_", "138 0000 0003"}
		ticket, token := s.signIn(phone).Ticket, s.signIn(phone, "company_id_", "1002").token(t)
		pc := dataOf[loginData](t, s.call(apiRequest{
			method: post, path: "/v1/account/mixedLogin", kind: "PC", source: "PC",
			params: []string{"login_", phone, "password_", onboarding.DemoPassword, "company_id_", "1003"},
		})).token(t)
		byName, otherToken := s.signIn("li.shop").token(t), s.signIn("13800000001").token(t)
		sent := dataOf[resetCodeSent](t, s.get("", "/v1/account/resetCode", subject...))
		if sent.Phone != "138****0003" || sent.ResendAfter != 60 {
			t.Errorf("%+v", sent)
		}
		code := s.lastCode(phone)
		s.resetPassword(subject, code[:3]+" "+code[3:], newPassword).wantCode(t, "ok", "a space in the code")
		for what, token := range map[string]string{"ticket": ticket, "token": token, "by name": byName} {
			got := s.get(token, "/v1/account/getAccountList").wantCode(t, "login_required", what)
			if got.http != http.StatusUnauthorized {
				t.Errorf("%s: %d", what, got.http)
			}
		}
		s.call(apiRequest{method: get, path: "/v1/account/getAccountList", token: pc, kind: "PC", source: "PC"}).
			wantCode(t, "login_required")
		s.get(otherToken, "/v1/account/getAccountList").wantCode(t, "ok", "another person's token")
		s.wantSignIn(phone, onboarding.DemoPassword, "wrong_password")
		s.wantSignIn(phone, newPassword, "ok")
		s.wantSignIn("li.shop", onboarding.DemoPassword, "wrong_password") // the account's own password ended
		s.resetPassword(subject, code, secondPassword).wantCode(t, "code_expired", "used")
		s.wantSignIn(phone, newPassword, "ok")
		s.portal.Stop(t.Context())
		if messages := s.messagesTo(phone); messages[len(messages)-1].Notice != core.NoticePassword ||
			messages[len(messages)-1].Code != "" {
			t.Errorf("the phone got no notice: %+v", messages)
		}
	})
}

func TestResetKeepsAccountPasswordsOnRequest(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		phone := "13800000003"
		s.get("", "/v1/account/resetCode", "phone_", phone).wantCode(t, "ok")
		s.post("", "/v1/account/resetPhonePassword", "phone_", phone, "code_", s.lastCode(phone), "password_",
			newPassword,
			"confirm_password_", newPassword, "keep_passwords_", "1").wantCode(t, "ok")
		s.wantSignIn("li.shop", onboarding.DemoPassword, "ok")
		s.wantSignIn(phone, newPassword, "ok")
	})
}

func TestResetByNameSetsAccountPassword(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		subject := []string{"login_", " Buyer1 "}
		byName, byPhone := s.signIn("buyer1").token(t), s.signIn("13800000001")
		sent := dataOf[resetCodeSent](t, s.get("", "/v1/account/resetCode", subject...))
		if sent.Phone != "138****0001" {
			t.Errorf("%+v", sent)
		}
		code := s.lastCode("13800000001")
		s.resetPassword([]string{"phone_", "13800000001"}, code, newPassword).
			wantCode(t, "code_expired", "the code is for the account, not for the phone")
		s.resetPassword([]string{"login_", "nophone"}, code, newPassword).wantCode(t, "code_expired", "another account")
		s.resetPassword([]string{"login_", "nobody"}, code, newPassword).wantCode(t, "code_expired", "no account")
		s.resetPassword([]string{"login_", "a\u0007b"}, code, newPassword).wantCode(t, "validation_failed")
		s.resetPassword(subject, code, newPassword).wantCode(t, "ok")
		s.get(byName, "/v1/account/getAccountList").wantCode(t, "login_required")
		s.get(byPhone.token(t), "/v1/account/getAccountList").wantCode(t, "login_required",
			"the session belongs to the account")
		s.wantSignIn("buyer1", onboarding.DemoPassword, "wrong_password")
		s.wantSignIn("buyer1", newPassword, "ok")
		s.wantSignIn("13800000001", onboarding.DemoPassword, "ok")
	})
}

func TestResetLiftsSignInLimit(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		for range signin.FreeFailures + 1 {
			s.wantSignIn("13800000001", "Wrong2026", "wrong_password")
		}
		s.wantSignIn("13800000001", onboarding.DemoPassword, "too_many_attempts")
		s.get("", "/v1/account/resetCode", "phone_", "13800000001").wantCode(t, "ok")
		s.resetPassword([]string{"phone_", "13800000001"}, s.lastCode("13800000001"), newPassword).wantCode(t, "ok")
		s.wantSignIn("13800000001", newPassword, "ok")
	})
}

func TestResetRefusesPhoneTogetherWithName(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		both := []string{"phone_", "13800000001", "login_", "buyer1"}
		s.get("", "/v1/account/resetCode", both...).wantCode(t, "wrong_parameters")
		s.resetPassword(both, "123456", newPassword).wantCode(t, "wrong_parameters")
		for _, got := range []apiResponse{s.get("", "/v1/account/resetCode"),
			s.resetPassword(nil, "123456", newPassword)} {
			if d := got.wantCode(t, "validation_failed", "neither").refusalDetail(t); d.Fields["phone_"] == "" {
				t.Errorf("%s", got.body)
			}
		}
		if len(s.messages) != 0 {
			t.Errorf("sent %v", s.messages)
		}
	})
}

func TestWrongExpiredOrOverusedResetCodeIsRefused(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		phone, subject := "13800000001", []string{"phone_", "13800000001"}
		requestCode := func() string {
			t.Helper()
			s.get("", "/v1/account/resetCode", subject...).wantCode(t, "ok")
			return s.lastCode(phone)
		}
		for code, problem := range map[string]string{
			"": "Enter the code.", "12345": "Enter the 6-digit code.", "12345x": "Enter the 6-digit code.",
			strings.Repeat("1", 400): "Enter the 6-digit code.",
		} {
			if d := s.resetPassword(subject, code, newPassword).
				wantCode(t, "validation_failed", code).
				refusalDetail(t); d.Fields["code_"] != problem {
				t.Errorf("%q: %+v", code, d)
			}
		}
		s.resetPassword(subject, "123456", newPassword).wantCode(t, "code_expired", "none was sent")

		code := requestCode()
		for range core.CodeTries {
			s.resetPassword(subject, differentCode(code), newPassword).wantCode(t, "code_wrong")
		}
		s.resetPassword(subject, code, newPassword).wantCode(t, "code_expired", "tried too often")

		s.advance(61 * time.Second)
		old := requestCode()
		s.advance(61 * time.Second)
		for code = requestCode(); code == old; code = requestCode() { // one in a million
			s.advance(61 * time.Second)
		}
		s.resetPassword(subject, old, newPassword).wantCode(t, "code_wrong", "a newer one was sent")

		s.advance(core.CodeLife)
		s.resetPassword(subject, code, newPassword).wantCode(t, "code_expired", "after five minutes")
		code = requestCode()
		s.advance(core.CodeLife - time.Second)
		s.wantSignIn(phone, onboarding.DemoPassword, "ok")
		s.resetPassword(subject, code, newPassword).wantCode(t, "ok", "within five minutes")
	})
}

func TestCodeTriesPerPhoneAreLimitedPerDay(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		subject := []string{"phone_", "13800000001"}
		tries := 0
		for tries < core.CodeTriesADay {
			s.get("", "/v1/account/resetCode", subject...).wantCode(t, "ok")
			for range core.CodeTries {
				s.resetPassword(subject, differentCode(s.lastCode("13800000001")), newPassword).
					wantCode(t, "code_wrong", tries)
				tries++
			}
			s.advance(61 * time.Second)
		}
		s.get("", "/v1/account/resetCode", subject...).wantCode(t, "ok")
		got := s.resetPassword(subject, s.lastCode("13800000001"), newPassword).wantCode(t, "too_many_attempts")
		if got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			t.Errorf("%d %v", got.http, got.header)
		}
		s.wantSignIn("13800000001", onboarding.DemoPassword, "ok") // the password can still be used
		s.advance(24 * time.Hour)
		s.get("", "/v1/account/resetCode", subject...).wantCode(t, "ok")
		s.resetPassword(subject, s.lastCode("13800000001"), newPassword).wantCode(t, "ok", "the next day")
	})
}

func TestParallelResetsWithOneCodeSucceedOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		subject := []string{"phone_", "13800000001"}
		s.get("", "/v1/account/resetCode", subject...).wantCode(t, "ok")
		code := s.lastCode("13800000001")
		var group sync.WaitGroup
		var ok atomic.Int64
		for i := range core.CodeTries {
			group.Go(func() {
				got := s.resetPassword(subject, code, fmt.Sprintf("kettle.rain%d", i))
				if got.Code == "ok" {
					ok.Add(1)
				} else {
					got.wantCode(t, "code_expired")
				}
			})
		}
		group.Wait()
		if ok.Load() != 1 {
			t.Errorf("%d succeeded", ok.Load())
		}
	})
}

// A code is bound to its phone, its purpose, and the program or browser that requested it.
func TestCodeIsValidOnlyForItsPhonePurposeAndRequester(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		phone, subject := "13800000001", []string{"phone_", "13800000001"}
		place, err := s.portal.Access.Locate(t.Context(), access.LocateInput{Host: "account.portico.test"})
		noError(t, err)
		browser := core.NewFlow()
		ctx := access.WithCaller(t.Context(), access.Caller{Address: "198.51.100.7"})
		page := func(purpose access.Purpose) string {
			t.Helper()
			_, err := s.portal.AskCode(
				ctx, core.AskCodeInput{Purpose: purpose, Phone: phone, Flow: browser, Place: place},
			)
			noError(t, err)
			return s.lastCode(phone)
		}
		byCode := func(code string) error {
			_, err := s.portal.Signin.LoginByCode(
				ctx,
				signin.CodeLoginInput{Phone: phone, Code: code, Flow: browser, Browser: access.Browser{Place: place}},
			)
			return err
		}

		s.get("", "/v1/account/resetCode", subject...).wantCode(t, "ok")
		code := s.lastCode(phone)
		if err := byCode(code); !errors.Is(err, access.CodeExpired) {
			t.Errorf("a page signs in with a code of the API: %v", err)
		}
		if err := s.portal.Credentials.ResetPassword(
			ctx,
			credentials.ResetInput{
				Phone:    phone,
				Code:     code,
				Password: newPassword,
				Confirm:  newPassword,
				Flow:     browser,
				Place:    place,
			},
		); !errors.Is(err, access.CodeExpired) {
			t.Errorf("a page resets with a code of the API: %v", err)
		}
		s.call(apiRequest{
			method: post, path: "/v1/account/resetPhonePassword", kind: "PC", source: "PC",
			params: append(subject, "code_", code, "password_", newPassword, "confirm_password_", newPassword),
		}).
			wantCode(t, "code_expired", "another kind of program")
		s.resetPassword([]string{"phone_", "13800000002"}, code, newPassword).wantCode(t, "code_expired",
			"another phone")
		s.resetPassword([]string{"login_", "buyer1"}, code, newPassword).wantCode(t, "code_expired",
			"the account in place of the phone")
		s.resetPassword(subject, code, newPassword).wantCode(t, "ok", "the program that requested the code")

		s.advance(61 * time.Second)
		s.resetPassword(subject, page(core.ForReset), secondPassword).wantCode(t, "code_expired",
			"requested on a page")
		s.resetPassword(subject, page(core.ForLogin), secondPassword).wantCode(t, "code_expired",
			"for signing in")
		if err := byCode(s.lastCode(phone)); err != nil {
			t.Errorf("the page that requested the code: %v", err)
		}

		s.advance(time.Hour)
		bind, unbind := s.signIn("nophone").token(t), s.wantSignIn(phone, newPassword, "ok").token(t)
		s.openAccount(phone)
		for _, path := range []string{
			"/v1/base/experience/experienceCode", "/v1/account/shopRegisterCode",
			"/v1/shopRegister/noAuth/registerCode",
		} {
			s.get("", path, "phone_", phone, "company_id_", "1001").wantCode(t, "ok", path)
			s.resetPassword(subject, s.lastCode(phone), secondPassword).wantCode(t, "code_expired", path)
			s.post(bind, "/v1/account/bindPhone", "phone_", phone, "code_", s.lastCode(phone), "password_",
				newPassword).
				wantCode(t, "code_expired", path)
			s.post(unbind, "/v1/account/unbindPhone", "code_", s.lastCode(phone), "password_", newPassword).
				wantCode(t, "code_expired", path)
		}
		s.get(bind, "/v1/account/bindPhoneCode", "phone_", phone).wantCode(t, "ok")
		s.resetPassword(subject, s.lastCode(phone), secondPassword).wantCode(t, "code_expired", "for binding")
		s.post(unbind, "/v1/account/unbindPhone", "code_", s.lastCode(phone), "password_", newPassword).
			wantCode(t, "code_expired", "for binding")
		s.get(unbind, "/v1/account/unbindPhoneCode").wantCode(t, "ok")
		s.post(bind, "/v1/account/bindPhone", "phone_", phone, "code_", s.lastCode(phone), "password_", newPassword).
			wantCode(t, "code_wrong", "for unbinding")
		s.wantSignIn(phone, newPassword, "ok")
	})
}

// In strict mode the answers for known and unknown phones are the same.
func TestStrictPrivacyAnswersAlikeForKnownAndUnknownPhones(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		wantAlike := func(what string, known, unknown apiResponse) {
			t.Helper()
			plain := func(got apiResponse) string { return strings.Replace(string(got.body), got.RequestID, "", 1) }
			if known.http != unknown.http ||
				plain(known) != strings.Replace(plain(unknown), "139****5678", "138****0001", 1) {
				t.Errorf("%s:\n%s\n%s", what, known.body, unknown.body)
			}
		}
		known, unknown := []string{"phone_", "13800000001"}, []string{"phone_", unregisteredPhone}
		for range 2 { // the second time is too soon
			wantAlike(
				"registCode", s.get("", "/v1/account/registCode", known...),
				s.get("", "/v1/account/registCode", unknown...),
			)
			wantAlike(
				"resetCode", s.get("", "/v1/account/resetCode", known...),
				s.get("", "/v1/account/resetCode", unknown...),
			)
			wantAlike(
				"by name", s.get("", "/v1/account/resetCode", "login_", "jinsui"),
				s.get("", "/v1/account/resetCode", "login_", "nobody"),
			)
		}
		for range core.CodeTries + 1 {
			wantAlike("resetPhonePassword", s.resetPassword(known, "00000x", newPassword),
				s.resetPassword(unknown, "00000x", newPassword))
		}
		wantAlike(
			"a password that the rule refuses", s.resetPassword(known, "000000", "123456"),
			s.resetPassword(unknown, "000000", "123456"),
		)
		s.portal.Stop(t.Context()) // waits for the messages, which are sent in the background
		i := slices.IndexFunc(
			s.messagesTo("13800000001"),
			func(m core.Message) bool { return m.Purpose == core.ForReset },
		)
		if i < 0 {
			t.Fatal("no code was sent")
		}
		right := s.messagesTo("13800000001")[i].Code
		wantAlike(
			"a wrong code", s.resetPassword(known, differentCode(right), newPassword).wantCode(t, "code_wrong"),
			s.resetPassword(unknown, differentCode(right), newPassword),
		)
		s.resetPassword(known, right, newPassword).wantCode(t, "ok")
		if sent := s.messagesTo(unregisteredPhone); len(sent) != 1 || sent[0].Purpose != core.ForRegister {
			t.Errorf("sent to an unregistered phone: %+v", sent)
		}
	}, func(o *portal.Options) { o.Strict = true })
}
