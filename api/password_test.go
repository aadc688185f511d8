package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/onboarding"
	"portico/portal/signin"
)

func TestPasswordChangeRemovesAccountPasswordsOnRequest(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		change := func(old, password string, more ...string) {
			t.Helper()
			token := dataOf[loginData](
				t,
				s.post("", "/v1/account/mixedLogin", "login_", "13800000003", "password_", old, "company_id_", "1002"),
			).token(t)
			s.post(token, "/v1/account/modifyPwd", append([]string{
				"old_password_", old, "password_", password, "confirm_password_", password,
			}, more...)...).wantCode(t, "ok")
		}
		change(onboarding.DemoPassword, newPassword)
		s.wantSignIn("li.shop", onboarding.DemoPassword, "ok")
		change(newPassword, secondPassword, "end_passwords_", "1")
		s.wantSignIn("li.shop", onboarding.DemoPassword, "wrong_password")
	})
}

func TestPasswordChangeRevokesOtherTokens(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		change := func(token, old, password, confirm string) apiResponse {
			return s.post(
				token, "/v1/account/modifyPwd", "old_password_", old, "password_", password, "confirm_password_",
				confirm,
			)
		}
		for login, phone := range map[string]string{"13800000001": "13800000001", "jinsui": "13800000002"} {
			token, otherToken, thirdToken := s.signIn(login).
				token(t),
				s.signIn(login).
					token(t),
				s.signIn("nophone").
					token(t)
			for field, got := range map[string]apiResponse{
				"old_password_":     change(token, "", newPassword, newPassword),
				"password_":         change(token, onboarding.DemoPassword, "", ""),
				"confirm_password_": change(token, onboarding.DemoPassword, newPassword, secondPassword),
			} {
				if d := got.wantCode(t, "validation_failed", field).refusalDetail(t); d.Fields[field] == "" {
					t.Errorf("%s: %s", field, got.body)
				}
			}
			change(token, strings.Repeat("a", 300), newPassword, newPassword).wantCode(t, "validation_failed")
			change(token, "Wrong2026", newPassword, newPassword).wantCode(t, "old_password_wrong")
			change(
				token, onboarding.DemoPassword, onboarding.DemoPassword, onboarding.DemoPassword,
			).wantCode(t, "validation_failed", "the same password")
			s.get(otherToken, "/v1/account/getAccountList").wantCode(t, "ok", "nothing changed")

			change(token, onboarding.DemoPassword, newPassword, newPassword).wantCode(t, "ok")
			s.get(token, "/v1/account/getAccountList").wantCode(t, "ok", "the caller's token")
			s.get(otherToken, "/v1/account/getAccountList").wantCode(t, "login_required", "the other token")
			s.get(thirdToken, "/v1/account/getAccountList").wantCode(t, "ok", "another person's token")
			s.wantSignIn(login, onboarding.DemoPassword, "wrong_password")
			s.wantSignIn(login, newPassword, "ok")
			change(token, onboarding.DemoPassword, secondPassword, secondPassword).wantCode(t, "old_password_wrong")
			s.portal.Stop(t.Context())
			if messages := s.messagesTo(phone); len(messages) != 1 ||
				messages[0].Notice != core.NoticePassword {
				t.Errorf("%s got the messages %+v", phone, messages)
			}
		}
		change(s.signIn("nophone").token(t), onboarding.DemoPassword, newPassword, newPassword).wantCode(t, "ok",
			"no phone gets a notice")
	})
}

func TestPasswordChangesPerDayAreLimited(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		token, old := s.signIn("nophone").token(t), onboarding.DemoPassword
		change := func(password string) apiResponse {
			return s.post(
				token, "/v1/account/modifyPwd", "old_password_", old, "password_", password, "confirm_password_",
				password,
			)
		}
		for i := range credentials.PasswordChanges {
			next := fmt.Sprintf("kettle.rain%d", i)
			change(next).wantCode(t, "ok", i)
			old = next
		}
		got := change(secondPassword).wantCode(t, "too_many_attempts")
		if got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			t.Errorf("%d %v", got.http, got.header)
		}
		s.wantSignIn("nophone", old, "ok")
		s.advance(24*time.Hour + time.Second)
		change(secondPassword).wantCode(t, "ok", "the next day")
	})
}

// Wrong old passwords count as failed sign-ins.
func TestWrongOldPasswordsCountAsFailedSignIns(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		token := s.signIn("13800000001").token(t)
		change := func(old string) apiResponse {
			return s.post(
				token, "/v1/account/modifyPwd", "old_password_", old, "password_", newPassword, "confirm_password_",
				newPassword,
			)
		}
		waited := 0
		for wrong := 0; wrong < signin.ProofFailures; {
			got := change("Wrong2026")
			if got.Code == "too_many_attempts" {
				if got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
					t.Fatalf("%d %v", got.http, got.header)
				}
				waited++
				s.advance(time.Second)
				continue
			}
			got.wantCode(t, "old_password_wrong", wrong)
			wrong++
		}
		if waited == 0 {
			t.Error("ten wrong passwords without a wait")
		}
		s.advance(signin.LongestWait - 5*time.Minute)
		change(onboarding.DemoPassword).wantCode(t, "too_many_attempts", "a sum would be required")
		s.post("", "/v1/account/mixedLogin", "login_", "13800000001", "password_", onboarding.DemoPassword).
			wantCode(t, "validation_failed", "the sum")
		s.advance(core.FailureWindow)
		change(onboarding.DemoPassword).wantCode(t, "ok", "later")
	})
}

func TestPhoneWithoutPasswordCannotChangeIt(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		token := s.signIn("13800000001").token(t)
		s.setPasswordHash("13800000001", "")
		s.post(
			token, "/v1/account/modifyPwd", "old_password_", "Wrong2026", "password_", newPassword, "confirm_password_",
			newPassword,
		).
			wantCode(t, "password_not_set")
	})
}

// Every call that takes a new password explains the rule for passwords in the caller's language.
func TestInvalidNewPasswordIsExplainedInThreeLanguages(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		change, unbind, binding := s.signIn("13800000001").
			token(t),
			s.signIn("13800000002").
				token(t),
			s.signIn("nophone").
				token(t)
		m, err := s.db.Accounts.ByLogin(t.Context(), "jinsui")
		noError(t, err)
		noError(t, s.db.Passwords.SetAccount(t.Context(), 1001, m[0].ID, ""))
		s.get("", "/v1/account/resetCode", "phone_", "13800000001").wantCode(t, "ok")
		s.get(unbind, "/v1/account/unbindPhoneCode").wantCode(t, "ok")
		s.get(binding, "/v1/account/bindPhoneCode", "phone_", unregisteredPhone).wantCode(t, "ok")
		s.post(binding, "/v1/account/bindPhone", "phone_", unregisteredPhone, "code_",
			s.lastCode(unregisteredPhone)).wantCode(t, "ok")
		for _, c := range []struct {
			token, path string
			params      []string
		}{
			{"", "/v1/account/resetPhonePassword",
				[]string{"phone_", "13800000001", "code_", s.lastCode("13800000001")}},
			{change, "/v1/account/modifyPwd", []string{"old_password_", onboarding.DemoPassword}},
			{binding, "/v1/account/bindPhone",
				[]string{"phone_", unregisteredPhone, "code_", s.lastCode(unregisteredPhone)}},
			{binding, "/v1/account/setBindPhonePassword", nil},
			{unbind, "/v1/account/unbindPhone", []string{"code_", s.lastCode("13800000002")}},
		} {
			for password, problems := range map[string][3]string{
				"a1b":                   {"至少 6", "al menos 6", "at least 6"},
				"aaaaaa1":               {"重复", "teclas repetidas", "repeated"},
				"Passw0rd":              {"过于常见", "muy común", "too common"},
				"kettle rain":           {"半角", "solo admite", "Use only unaccented letters"},
				"long.kettle.rain.77x7": {"最多 20", "hasta 20", "up to 20"},
				"Portico2026":           {"不要有您的", "No incluya", "Leave your"},
			} {
				for i, lang := range []string{"zh", "es", "en"} {
					params := append(slices.Clone(c.params), "password_", password)
					if !strings.HasSuffix(c.path, "indPhone") { // the other calls need it twice
						params = append(params, "confirm_password_", password)
					}
					got := s.call(apiRequest{method: post, path: c.path, token: c.token, lang: lang, params: params}).
						wantCode(t, "validation_failed", c.path, password)
					if problem := got.refusalDetail(t).Fields["password_"]; !strings.Contains(problem, problems[i]) ||
						strings.Contains(problem, password) {
						t.Errorf("%s %q in %s: %s", c.path, password, lang, got.body)
					}
				}
			}
		}
		s.wantSignIn("13800000001", onboarding.DemoPassword, "ok")
	})
}
