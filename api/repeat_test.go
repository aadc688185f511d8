package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/store/storetest"
)

// wantRepeatable makes a call and then makes it again with a new signature, as a client does whose response was lost.
// Both must succeed with the same data, and the second one may write only counters.
func (s *site) wantRepeatable(in apiRequest) {
	s.t.Helper()
	first := s.call(in).wantCode(s.t, "ok", in.path)
	before := s.rowsWithoutCounters()
	again := s.call(in).wantCode(s.t, "ok", in.path, "again")
	if string(again.Data) != string(first.Data) {
		s.t.Errorf("%s: %s, then %s", in.path, first.Data, again.Data)
	}
	if s.rowsWithoutCounters() != before {
		s.t.Errorf("%s: the repeated call changed the database", in.path)
	}
}

// rowsWithoutCounters returns all rows except for counters and used signatures.
func (s *site) rowsWithoutCounters() string {
	s.t.Helper()
	dump, err := storetest.Dump(s.t.Context(), s.db)
	noError(s.t, err)
	var rows []string
	for line := range strings.Lines(withoutSignatures(dump)) {
		if !strings.HasPrefix(line, "attempts ") {
			rows = append(rows, line)
		}
	}
	return strings.Join(rows, "")
}

func TestRepeatedCallSucceedsAfterLostResponse(t *testing.T) {
	const buyer, manager = "13800000001", "13800000002"
	for name, call := range map[string]func(t *testing.T, s *site) (in apiRequest, noticePhone string){
		"modifyPwd": func(t *testing.T, s *site) (apiRequest, string) {
			params := withNewPassword("old_password_", onboarding.DemoPassword)
			return apiRequest{path: "/v1/account/modifyPwd", token: s.signIn(buyer).token(t), params: params}, buyer
		},
		"resetPhonePassword": func(t *testing.T, s *site) (apiRequest, string) {
			s.get("", "/v1/account/resetCode", "phone_", buyer).wantCode(t, "ok")
			params := withNewPassword("phone_", buyer, "code_", s.lastCode(buyer))
			return apiRequest{path: "/v1/account/resetPhonePassword", params: params}, buyer
		},
		"resetPhonePassword of an account": func(t *testing.T, s *site) (apiRequest, string) {
			s.get("", "/v1/account/resetCode", "login_", "jinsui").wantCode(t, "ok")
			params := withNewPassword("login_", "jinsui", "code_", s.lastCode(manager))
			return apiRequest{path: "/v1/account/resetPhonePassword", params: params}, manager
		},
		"bindPhone": func(t *testing.T, s *site) (apiRequest, string) {
			token := s.signIn("nophone").token(t)
			s.get(token, "/v1/account/bindPhoneCode", "phone_", unregisteredPhone).wantCode(t, "ok")
			params := []string{"phone_", unregisteredPhone, "code_", s.lastCode(unregisteredPhone), "password_",
				newPassword}
			return apiRequest{path: "/v1/account/bindPhone", token: token, params: params}, unregisteredPhone
		},
		"setBindPhonePassword": func(t *testing.T, s *site) (apiRequest, string) {
			token := s.signIn("nophone").token(t)
			s.get(token, "/v1/account/bindPhoneCode", "phone_", unregisteredPhone).wantCode(t, "ok")
			for range 2 { // the first step, twice
				s.post(token, "/v1/account/bindPhone", "phone_", unregisteredPhone, "code_",
					s.lastCode(unregisteredPhone)).wantCode(t, "ok")
			}
			return apiRequest{path: "/v1/account/setBindPhonePassword", token: token, params: withNewPassword()},
				unregisteredPhone
		},
		"unbindPhone": func(t *testing.T, s *site) (apiRequest, string) { // the phone's last account: its token ends
			token := s.signIn(buyer).token(t)
			s.get(token, "/v1/account/unbindPhoneCode").wantCode(t, "ok")
			return apiRequest{path: "/v1/account/unbindPhone", token: token,
				params: []string{"code_", s.lastCode(buyer)}}, buyer
		},
		"unbindPhone of an account signed in by name": func(t *testing.T, s *site) (apiRequest, string) {
			token := s.signIn("buyer1").token(t)
			s.get(token, "/v1/account/unbindPhoneCode").wantCode(t, "ok")
			return apiRequest{path: "/v1/account/unbindPhone", token: token,
				params: []string{"code_", s.lastCode(buyer)}}, buyer
		},
		"updateAndImportTrade": func(_ *testing.T, s *site) (apiRequest, string) {
			token := s.registerCompany(unregisteredPhone).Token
			return apiRequest{
				path: initialisePath, token: token, params: []string{"industry_id_", "118", "import_", "1"},
			}, ""
		},
		"save": func(_ *testing.T, s *site) (apiRequest, string) {
			return apiRequest{path: sendApplicationPath,
				params: applicationParams("1001", s.proveApplicant(unregisteredPhone, "1001"))}, ""
		},
		"save without review": func(_ *testing.T, s *site) (apiRequest, string) {
			return apiRequest{path: sendApplicationPath,
				params: applicationParams("1002", s.proveApplicant(unregisteredPhone, "1002"))}, unregisteredPhone
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachDatabase(t, func(t *testing.T, s *site) {
				in, noticePhone := call(t, s)
				in.method = post
				s.wantRepeatable(in)
				s.portal.Stop(t.Context())
				if n := s.countNotices(noticePhone); noticePhone != "" && n != 1 {
					t.Errorf("%s got %d notices", noticePhone, n)
				}
				if in.token != "" {
					in.token += "x"
					s.call(in).wantCode(t, "login_required", "another token")
				}
			})
		})
	}
}

// withNewPassword adds a new password to parameters.
func withNewPassword(params ...string) []string {
	return append(params, "password_", newPassword, "confirm_password_", newPassword)
}

// countNotices counts the messages to a phone that contain no code.
func (s *site) countNotices(phone string) (n int) {
	for _, m := range s.messagesTo(phone) {
		if m.Notice != "" {
			n++
		}
	}
	return n
}

func TestApplicantCodeReturnsTicketAgainAfterLostResponse(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.get("", "/v1/shopRegister/noAuth/registerCode", "phone_", unregisteredPhone, "company_id_",
			"1001").wantCode(t, "ok")
		check := func() apiResponse {
			params := []string{"phone_", unregisteredPhone, "company_id_", "1001", "code_",
				s.lastCode(unregisteredPhone)}
			return s.post("", "/v1/shopRegister/noAuth/checkCode", params...)
		}
		check()
		ticket := dataOf[applicantTicket](t, check()).Ticket
		s.post("", sendApplicationPath, applicationParams("1001", ticket)...).wantCode(t, "ok")
	})
}

func TestAuthCodeIsRedeemedAgainAfterLostResponse(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		login := s.signIn("13800000001")
		code := s.issueAuthCode(login)
		redeem := func() apiResponse { return s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", code) }
		first := redeem().wantCode(t, "ok")
		again := redeem().wantCode(t, "ok", "again")
		if string(first.Data) != string(again.Data) {
			t.Errorf("%s, then %s", first.Data, again.Data)
		}
		token := dataOf[userData](t, again).Token
		s.get(token, "/v1/account/getAccountList").wantCode(t, "ok")
		redeem().wantCode(t, "login_required", "the token was used")
		s.get(token, "/v1/account/getAccountList").wantCode(t, "login_required",
			"a second use means that the code has leaked")
	})
}

// issueAuthCode returns an auth code for the account of a sign-in.
func (s *site) issueAuthCode(login loginData) string {
	s.t.Helper()
	got := s.get(login.token(s.t), "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(login.User.ID))
	return dataOf[authCode](s.t, got).Code
}

// createCompanyWithKey returns a call that creates a company, with the idempotency key "k".
func createCompanyWithKey(content string) apiRequest {
	return apiRequest{method: post, path: createCompanyPath, json: content,
		headers: map[string]string{"Idempotency-Key": "k"}}
}

// A network stack may send a request again by itself, with the same signature.
func TestResentRequestWithIdempotencyKeyGetsStoredAnswer(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		in := createCompanyWithKey(asJSON(companyParams(unregisteredPhone, s.registerCode(unregisteredPhone))))
		request := s.request(in)
		first := s.send(request).wantCode(t, "ok")
		s.wantUnchanged("the same bytes", func() {
			for range 2 {
				got := s.send(sameSignature(request, createCompanyPath, in.json)).wantCode(t, "ok")
				if string(got.Data) != string(first.Data) {
					t.Errorf("%s, then %s", first.Data, got.Data)
				}
			}
		})
		s.restart()
		s.send(sameSignature(request, createCompanyPath, in.json)).wantCode(t, "ok", "after a restart")
		other := sameSignature(request, createCompanyPath, in.json)
		other.Header.Set("Idempotency-Key", "other")
		s.send(other).wantCode(t, "sign_replayed", "under another key")
		none := sameSignature(request, createCompanyPath, in.json)
		none.Header.Del("Idempotency-Key")
		s.send(none).wantCode(t, "sign_replayed", "without a key")
		s.send(sameSignature(request, sendApplicationPath, in.json)).wantCode(t, "sign_replayed", "on another path")
		changed := strings.Replace(in.json, "林静", "别人", 1)
		s.send(sameSignature(request, createCompanyPath, changed)).wantCode(t, "sign_invalid", "with other content")
		resigned := s.call(in).wantCode(t, "ok", "signed anew")
		if string(resigned.Data) != string(first.Data) {
			t.Errorf("%s", resigned.Data)
		}
		s.advance(core.SignatureWindow + time.Second)
		s.send(sameSignature(request, createCompanyPath, in.json)).wantCode(t, "sign_expired", "later")
	})
}

func TestResentRefusedRequestWithIdempotencyKeyIsAReplay(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		in := createCompanyWithKey(asJSON(companyParams(unregisteredPhone, "123456")))
		request := s.request(in)
		s.send(request).wantCode(t, "code_expired")
		got := s.send(sameSignature(request, createCompanyPath, in.json)).wantCode(t, "sign_replayed")
		if got.http != http.StatusUnauthorized {
			t.Errorf("%d", got.http)
		}
		if n := strings.Count(s.log.String(), "replay_refused"); n != 1 {
			t.Errorf("the log has %d refused replays", n)
		}
	})
}

func TestParallelResentRequestsWithIdempotencyKeyGetOneAnswer(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		in := createCompanyWithKey(asJSON(companyParams(unregisteredPhone, s.registerCode(unregisteredPhone))))
		request, companies := s.request(in), s.countRows("companies")
		copied := sameSignature(request, createCompanyPath, in.json)
		got := make(chan apiResponse, 2)
		go func() { got <- s.send(request) }()
		go func() { got <- s.send(copied) }()
		first, second := <-got, <-got
		if first.Code != "ok" || second.Code != "ok" || string(first.Data) != string(second.Data) {
			t.Errorf("%s\n%s", first.body, second.body)
		}
		if companies == s.countRows("companies") {
			t.Error("no company was created")
		}
	})
}
