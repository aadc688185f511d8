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
	"portico/portal/credentials"
	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/portal/verification"
)

// Everything that the old password opened ends, and nothing else changes.
func TestAResetByPhoneSetsThePhonesPassword(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		phone, who := "13800000003", []string{"phone_", "138 0000 0003"}
		ticket, token := s.signIn(phone).Ticket, s.signIn(phone, "company_id_", "1002").token(t)
		pc := dataOf[answeredLogin](t, s.call(asked{
			method: post, path: "/v1/account/mixedLogin", kind: "PC", source: "PC",
			params: []string{"login_", phone, "password_", onboarding.DemoPassword, "company_id_", "1003"},
		})).token(t)
		byName, stranger := s.signIn("li.shop").token(t), s.signIn("13800000001").token(t)
		sent := dataOf[resetCodeSent](t, s.get("", "/v1/account/resetCode", who...))
		if sent.Phone != "138****0003" || sent.ResendAfter != 60 {
			t.Errorf("%+v", sent)
		}
		code := s.code(phone)
		s.reset(who, code[:3]+" "+code[3:], fresh).want(t, "ok", "a space in the code")
		for what, token := range map[string]string{"ticket": ticket, "token": token, "by name": byName} {
			got := s.get(token, "/v1/account/getAccountList").want(t, "login_required", what)
			if got.http != http.StatusUnauthorized {
				t.Errorf("%s: %d", what, got.http)
			}
		}
		s.call(asked{method: get, path: "/v1/account/getAccountList", token: pc, kind: "PC", source: "PC"}).
			want(t, "login_required")
		s.get(stranger, "/v1/account/getAccountList").want(t, "ok", "somebody else's token")
		s.signsIn(phone, onboarding.DemoPassword, "wrong_password")
		s.signsIn(phone, fresh, "ok")
		s.signsIn("li.shop", onboarding.DemoPassword, "wrong_password") // the account's own password ended
		s.reset(who, code, fresher).want(t, "code_expired", "used")
		s.signsIn(phone, fresh, "ok")
		s.portal.Stop(t.Context())
		if all := s.sent(phone); all[len(all)-1].Notice != verification.NoticePassword || all[len(all)-1].Code != "" {
			t.Errorf("the phone was not told: %+v", all)
		}
	})
}

func TestAResetKeepsTheAccountsOwnPasswordsWhenItIsAskedTo(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		phone := "13800000003"
		s.get("", "/v1/account/resetCode", "phone_", phone).want(t, "ok")
		s.post("", "/v1/account/resetPhonePassword", "phone_", phone, "code_", s.code(phone), "password_", fresh,
			"confirm_password_", fresh, "keep_passwords_", "1").want(t, "ok")
		s.signsIn("li.shop", onboarding.DemoPassword, "ok")
		s.signsIn(phone, fresh, "ok")
	})
}

func TestAResetByNameSetsTheAccountsPassword(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		who := []string{"login_", " Buyer1 "}
		byName, byPhone := s.signIn("buyer1").token(t), s.signIn("13800000001")
		sent := dataOf[resetCodeSent](t, s.get("", "/v1/account/resetCode", who...))
		if sent.Phone != "138****0001" {
			t.Errorf("%+v", sent)
		}
		code := s.code("13800000001")
		s.reset([]string{"phone_", "13800000001"}, code, fresh).
			want(t, "code_expired", "it is the account's, not the phone's")
		s.reset([]string{"login_", "nophone"}, code, fresh).want(t, "code_expired", "another account")
		s.reset([]string{"login_", "nobody"}, code, fresh).want(t, "code_expired", "no account")
		s.reset([]string{"login_", "a\u202eb"}, code, fresh).want(t, "validation_failed")
		s.reset(who, code, fresh).want(t, "ok")
		s.get(byName, "/v1/account/getAccountList").want(t, "login_required")
		s.get(byPhone.token(t), "/v1/account/getAccountList").want(t, "login_required", "acts as the account")
		s.signsIn("buyer1", onboarding.DemoPassword, "wrong_password")
		s.signsIn("buyer1", fresh, "ok")
		s.signsIn("13800000001", onboarding.DemoPassword, "ok")
	})
}

func TestAResetOpensAShutSignIn(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		for range signin.FreeFailures + 1 {
			s.signsIn("13800000001", "Wrong2026", "wrong_password")
		}
		s.signsIn("13800000001", onboarding.DemoPassword, "too_many_attempts")
		s.get("", "/v1/account/resetCode", "phone_", "13800000001").want(t, "ok")
		s.reset([]string{"phone_", "13800000001"}, s.code("13800000001"), fresh).want(t, "ok")
		s.signsIn("13800000001", fresh, "ok")
	})
}

func TestAPhoneOrANameAndNotBoth(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		both := []string{"phone_", "13800000001", "login_", "buyer1"}
		s.get("", "/v1/account/resetCode", both...).want(t, "wrong_parameters")
		s.reset(both, "123456", fresh).want(t, "wrong_parameters")
		for _, got := range []answered{s.get("", "/v1/account/resetCode"), s.reset(nil, "123456", fresh)} {
			if d := got.want(t, "validation_failed", "neither").detail(t); d.Fields["phone_"] == "" {
				t.Errorf("%s", got.body)
			}
		}
		if len(s.messages) != 0 {
			t.Errorf("sent %v", s.messages)
		}
	})
}

func TestAWrongOldOrTiredCodeOpensNothing(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		phone, who := "13800000001", []string{"phone_", "13800000001"}
		ask := func() string {
			t.Helper()
			s.get("", "/v1/account/resetCode", who...).want(t, "ok")
			return s.code(phone)
		}
		for code, problem := range map[string]string{
			"": "Enter the code.", "12345": "A code has 6 digits.", "12345x": "A code has 6 digits.",
			strings.Repeat("1", 400): "A code has 6 digits.",
		} {
			if d := s.reset(who, code, fresh).
				want(t, "validation_failed", code).
				detail(t); d.Fields["code_"] != problem {
				t.Errorf("%q: %+v", code, d)
			}
		}
		s.reset(who, "123456", fresh).want(t, "code_expired", "none was sent")

		code := ask()
		for range verification.CodeTries {
			s.reset(who, other(code), fresh).want(t, "code_wrong")
		}
		s.reset(who, code, fresh).want(t, "code_expired", "tried too often")

		s.advance(61 * time.Second)
		old := ask()
		s.advance(61 * time.Second)
		for code = ask(); code == old; code = ask() { // one in a million
			s.advance(61 * time.Second)
		}
		s.reset(who, old, fresh).want(t, "code_wrong", "a newer one was sent")

		s.advance(verification.CodeLife)
		s.reset(who, code, fresh).want(t, "code_expired", "after five minutes")
		code = ask()
		s.advance(verification.CodeLife - time.Second)
		s.signsIn(phone, onboarding.DemoPassword, "ok")
		s.reset(who, code, fresh).want(t, "ok", "within five minutes")
	})
}

func TestAPhonesCodesAreTriedTwentyTimesADay(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		who := []string{"phone_", "13800000001"}
		tries := 0
		for tries < verification.CodeTriesADay {
			s.get("", "/v1/account/resetCode", who...).want(t, "ok")
			for range verification.CodeTries {
				s.reset(who, other(s.code("13800000001")), fresh).want(t, "code_wrong", tries)
				tries++
			}
			s.advance(61 * time.Second)
		}
		s.get("", "/v1/account/resetCode", who...).want(t, "ok")
		got := s.reset(who, s.code("13800000001"), fresh).want(t, "too_many_attempts")
		if got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			t.Errorf("%d %v", got.http, got.header)
		}
		s.signsIn("13800000001", onboarding.DemoPassword, "ok") // the other way in stays
		s.advance(24 * time.Hour)
		s.get("", "/v1/account/resetCode", who...).want(t, "ok")
		s.reset(who, s.code("13800000001"), fresh).want(t, "ok", "the next day")
	})
}

func TestOfManyUsesOfACodeOneSucceeds(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		who := []string{"phone_", "13800000001"}
		s.get("", "/v1/account/resetCode", who...).want(t, "ok")
		code := s.code("13800000001")
		var done sync.WaitGroup
		var ok atomic.Int64
		for i := range verification.CodeTries {
			done.Go(func() {
				got := s.reset(who, code, fmt.Sprintf("kettle.rain%d", i))
				if got.Code == "ok" {
					ok.Add(1)
				} else {
					got.want(t, "code_expired")
				}
			})
		}
		done.Wait()
		if ok.Load() != 1 {
			t.Errorf("%d succeeded", ok.Load())
		}
	})
}

// A code is bound to its phone, its purpose, and the program or browser that requested it.
func TestACodeIsGoodForWhatItWasAskedForOnly(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		phone, who := "13800000001", []string{"phone_", "13800000001"}
		place, err := s.portal.Access.Locate(t.Context(), access.LocateInput{Host: "account.portico.test"})
		noError(t, err)
		browser := verification.NewFlow()
		ctx := access.WithCaller(t.Context(), access.Caller{Address: "198.51.100.7"})
		page := func(purpose access.Purpose) string {
			t.Helper()
			_, err := s.portal.Verification.AskCode(
				ctx, verification.AskCodeInput{Purpose: purpose, Phone: phone, Flow: browser, Place: place},
			)
			noError(t, err)
			return s.code(phone)
		}
		byCode := func(code string) error {
			_, err := s.portal.Signin.LoginByCode(
				ctx,
				signin.CodeLoginInput{Phone: phone, Code: code, Flow: browser, Browser: access.Browser{Place: place}},
			)
			return err
		}

		s.get("", "/v1/account/resetCode", who...).want(t, "ok")
		code := s.code(phone)
		if err := byCode(code); !errors.Is(err, access.CodeExpired) {
			t.Errorf("a page signs in with a code of the API: %v", err)
		}
		if err := s.portal.Credentials.ResetPassword(
			ctx,
			credentials.ResetInput{
				Phone:    phone,
				Code:     code,
				Password: fresh,
				Confirm:  fresh,
				Flow:     browser,
				Place:    place,
			},
		); !errors.Is(err, access.CodeExpired) {
			t.Errorf("a page resets with a code of the API: %v", err)
		}
		s.call(asked{
			method: post, path: "/v1/account/resetPhonePassword", kind: "PC", source: "PC",
			params: append(who, "code_", code, "password_", fresh, "confirm_password_", fresh),
		}).
			want(t, "code_expired", "another kind of program")
		s.reset([]string{"phone_", "13800000002"}, code, fresh).want(t, "code_expired", "another phone")
		s.reset([]string{"login_", "buyer1"}, code, fresh).want(t, "code_expired", "the account in place of the phone")
		s.reset(who, code, fresh).want(t, "ok", "by who asked")

		s.advance(61 * time.Second)
		s.reset(who, page(verification.ForReset), fresher).want(t, "code_expired", "asked for on a page")
		s.reset(who, page(verification.ForLogin), fresher).want(t, "code_expired", "for signing in")
		if err := byCode(s.code(phone)); err != nil {
			t.Errorf("the page it was asked on: %v", err)
		}

		s.advance(time.Hour)
		bind, unbind := s.signIn("nophone").token(t), s.signsIn(phone, fresh, "ok").token(t)
		s.opened(phone)
		for _, path := range []string{
			"/v1/base/experience/experienceCode", "/v1/account/shopRegisterCode",
			"/v1/shopRegister/noAuth/registerCode",
		} {
			s.get("", path, "phone_", phone, "company_id_", "1001").want(t, "ok", path)
			s.reset(who, s.code(phone), fresher).want(t, "code_expired", path)
			s.post(bind, "/v1/account/bindPhone", "phone_", phone, "code_", s.code(phone), "password_", fresh).
				want(t, "code_expired", path)
			s.post(unbind, "/v1/account/unbindPhone", "code_", s.code(phone), "password_", fresh).
				want(t, "code_expired", path)
		}
		s.get(bind, "/v1/account/bindPhoneCode", "phone_", phone).want(t, "ok")
		s.reset(who, s.code(phone), fresher).want(t, "code_expired", "for binding")
		s.post(unbind, "/v1/account/unbindPhone", "code_", s.code(phone), "password_", fresh).
			want(t, "code_expired", "for binding")
		s.get(unbind, "/v1/account/unbindPhoneCode").want(t, "ok")
		s.post(bind, "/v1/account/bindPhone", "phone_", phone, "code_", s.code(phone), "password_", fresh).
			want(t, "code_wrong", "for unbinding")
		s.signsIn(phone, fresh, "ok")
	})
}

// In strict mode the answers for known and unknown phones are the same.
func TestStrictTellsNobodyWhoIsKnown(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		alike := func(what string, known, unknown answered) {
			t.Helper()
			plain := func(got answered) string { return strings.Replace(string(got.body), got.RequestID, "", 1) }
			if known.http != unknown.http ||
				plain(known) != strings.Replace(plain(unknown), "139****5678", "138****0001", 1) {
				t.Errorf("%s:\n%s\n%s", what, known.body, unknown.body)
			}
		}
		known, unknown := []string{"phone_", "13800000001"}, []string{"phone_", nobodys}
		for range 2 { // the second time is too soon
			alike(
				"registCode", s.get("", "/v1/account/registCode", known...),
				s.get("", "/v1/account/registCode", unknown...),
			)
			alike(
				"resetCode", s.get("", "/v1/account/resetCode", known...),
				s.get("", "/v1/account/resetCode", unknown...),
			)
			alike(
				"by name", s.get("", "/v1/account/resetCode", "login_", "jinsui"),
				s.get("", "/v1/account/resetCode", "login_", "nobody"),
			)
		}
		for range verification.CodeTries + 1 {
			alike("resetPhonePassword", s.reset(known, "00000x", fresh), s.reset(unknown, "00000x", fresh))
		}
		alike(
			"a password the rule does not take", s.reset(known, "000000", "123456"),
			s.reset(unknown, "000000", "123456"),
		)
		s.portal.Stop(t.Context()) // messages go in the background
		i := slices.IndexFunc(
			s.sent("13800000001"), func(m verification.Message) bool { return m.Purpose == verification.ForReset },
		)
		if i < 0 {
			t.Fatal("no code was sent")
		}
		right := s.sent("13800000001")[i].Code
		alike(
			"a wrong code", s.reset(known, other(right), fresh).want(t, "code_wrong"),
			s.reset(unknown, other(right), fresh),
		)
		s.reset(known, right, fresh).want(t, "ok")
		if sent := s.sent(nobodys); len(sent) != 1 || sent[0].Purpose != verification.ForRegister {
			t.Errorf("sent to a phone nobody registered: %+v", sent)
		}
	}, func(o *portal.Options) { o.Strict = true })
}
