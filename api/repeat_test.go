package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/portal/onboarding"
	"portico/portal/replay"
)

// lost makes a call whose response is lost, and then the same call with a new signature. Both must succeed with the
// same data, and the second one may write only counters.
func (s *site) lost(in asked) {
	s.t.Helper()
	first := s.call(in).want(s.t, "ok", in.path)
	before := s.written()
	again := s.call(in).want(s.t, "ok", in.path, "again")
	if string(again.Data) != string(first.Data) {
		s.t.Errorf("%s: %s, then %s", in.path, first.Data, again.Data)
	}
	if s.written() != before {
		s.t.Errorf("%s: the repetition wrote something", in.path)
	}
}

// written returns all rows except those of counters.
func (s *site) written() string {
	s.t.Helper()
	dump, err := s.db.Dump(s.t.Context())
	noError(s.t, err)
	var rows []string
	for line := range strings.Lines(withoutSignatures(dump)) {
		if !strings.HasPrefix(line, "attempts ") {
			rows = append(rows, line)
		}
	}
	return strings.Join(rows, "")
}

func TestARepeatedCallSucceedsAgainAfterALostResponse(t *testing.T) {
	const buyer, manager = "13800000001", "13800000002"
	for name, call := range map[string]func(t *testing.T, s *site) (in asked, told string){
		"modifyPwd": func(t *testing.T, s *site) (asked, string) {
			params := withPassword("old_password_", onboarding.DemoPassword)
			return asked{path: "/v1/account/modifyPwd", token: s.signIn(buyer).token(t), params: params}, buyer
		},
		"resetPhonePassword": func(t *testing.T, s *site) (asked, string) {
			s.get("", "/v1/account/resetCode", "phone_", buyer).want(t, "ok")
			params := withPassword("phone_", buyer, "code_", s.code(buyer))
			return asked{path: "/v1/account/resetPhonePassword", params: params}, buyer
		},
		"resetPhonePassword of an account": func(t *testing.T, s *site) (asked, string) {
			s.get("", "/v1/account/resetCode", "login_", "jinsui").want(t, "ok")
			params := withPassword("login_", "jinsui", "code_", s.code(manager))
			return asked{path: "/v1/account/resetPhonePassword", params: params}, manager
		},
		"bindPhone": func(t *testing.T, s *site) (asked, string) {
			token := s.signIn("nophone").token(t)
			s.get(token, "/v1/account/bindPhoneCode", "phone_", nobodys).want(t, "ok")
			params := []string{"phone_", nobodys, "code_", s.code(nobodys), "password_", fresh}
			return asked{path: "/v1/account/bindPhone", token: token, params: params}, nobodys
		},
		"setBindPhonePassword": func(t *testing.T, s *site) (asked, string) {
			token := s.signIn("nophone").token(t)
			s.get(token, "/v1/account/bindPhoneCode", "phone_", nobodys).want(t, "ok")
			for range 2 { // the first step, twice
				s.post(token, "/v1/account/bindPhone", "phone_", nobodys, "code_", s.code(nobodys)).want(t, "ok")
			}
			return asked{path: "/v1/account/setBindPhonePassword", token: token, params: withPassword()}, nobodys
		},
		"unbindPhone": func(t *testing.T, s *site) (asked, string) { // of the last account: the token ends with it
			token := s.signIn(buyer).token(t)
			s.get(token, "/v1/account/unbindPhoneCode").want(t, "ok")
			return asked{path: "/v1/account/unbindPhone", token: token, params: []string{"code_", s.code(buyer)}}, buyer
		},
		"unbindPhone of an account signed in by name": func(t *testing.T, s *site) (asked, string) {
			token := s.signIn("buyer1").token(t)
			s.get(token, "/v1/account/unbindPhoneCode").want(t, "ok")
			return asked{path: "/v1/account/unbindPhone", token: token, params: []string{"code_", s.code(buyer)}}, buyer
		},
		"updateAndImportTrade": func(_ *testing.T, s *site) (asked, string) {
			token := s.registered(nobodys).Token
			return asked{
				path: initialisePath, token: token, params: []string{"industry_id_", "118", "import_", "1"},
			}, ""
		},
		"save": func(_ *testing.T, s *site) (asked, string) {
			return asked{path: savePath, params: applicationTo("1001", s.applying(nobodys, "1001"))}, ""
		},
		"save without review": func(_ *testing.T, s *site) (asked, string) {
			return asked{path: savePath, params: applicationTo("1002", s.applying(nobodys, "1002"))}, nobodys
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *site) {
				in, told := call(t, s)
				in.method = post
				s.lost(in)
				s.portal.Stop(t.Context())
				if n := s.notices(told); told != "" && n != 1 {
					t.Errorf("%s was told %d times", told, n)
				}
				if in.token != "" {
					in.token += "x"
					s.call(in).want(t, "login_required", "another token")
				}
			})
		})
	}
}

// withPassword are parameters with a new password.
func withPassword(params ...string) []string {
	return append(params, "password_", fresh, "confirm_password_", fresh)
}

// notices counts the messages to a phone that contain no code.
func (s *site) notices(phone string) (n int) {
	for _, m := range s.sent(phone) {
		if m.Notice != "" {
			n++
		}
	}
	return n
}

func TestAnApplicantsCodeGivesATicketAgainAfterALostResponse(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		s.get("", "/v1/shopRegister/noAuth/registerCode", "phone_", nobodys, "company_id_", "1001").want(t, "ok")
		check := func() answered {
			params := []string{"phone_", nobodys, "company_id_", "1001", "code_", s.code(nobodys)}
			return s.post("", "/v1/shopRegister/noAuth/checkCode", params...)
		}
		check()
		ticket := dataOf[applicantTicket](t, check()).Ticket
		s.post("", savePath, applicationTo("1001", ticket)...).want(t, "ok")
	})
}

func TestAnAuthCodeIsRedeemedAgainAfterALostResponse(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in := s.signIn("13800000001")
		code := s.issued(in)
		once := func() answered { return s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", code) }
		first := once().want(t, "ok")
		again := once().want(t, "ok", "again")
		if string(first.Data) != string(again.Data) {
			t.Errorf("%s, then %s", first.Data, again.Data)
		}
		token := dataOf[answeredUser](t, again).Token
		s.get(token, "/v1/account/getAccountList").want(t, "ok")
		once().want(t, "login_required", "the token was used")
		s.get(token, "/v1/account/getAccountList").want(t, "login_required", "somebody else has seen the code")
	})
}

// issued is an auth code for the account of a sign-in.
func (s *site) issued(in answeredLogin) string {
	s.t.Helper()
	got := s.get(in.token(s.t), "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(in.User.ID))
	return dataOf[authCode](s.t, got).Code
}

// keyed is a call that creates a company, with an idempotency key.
func keyed(content string) asked {
	return asked{method: post, path: createPath, json: content, headers: map[string]string{"Idempotency-Key": "k"}}
}

// A network stack may send a request again by itself, with the same signature.
func TestTheSameBytesWithAnIdempotencyKeyGetTheStoredAnswer(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in := keyed(asJSON(companyOf(nobodys, s.registering(nobodys))))
		request := s.request(in)
		first := s.send(request).want(t, "ok")
		s.unchanged("the same bytes", func() {
			for range 2 {
				got := s.send(again(request, createPath, in.json)).want(t, "ok")
				if string(got.Data) != string(first.Data) {
					t.Errorf("%s, then %s", first.Data, got.Data)
				}
			}
		})
		s.restart()
		s.send(again(request, createPath, in.json)).want(t, "ok", "after a restart")
		other := again(request, createPath, in.json)
		other.Header.Set("Idempotency-Key", "other")
		s.send(other).want(t, "sign_replayed", "under another key")
		none := again(request, createPath, in.json)
		none.Header.Del("Idempotency-Key")
		s.send(none).want(t, "sign_replayed", "without a key")
		s.send(again(request, savePath, in.json)).want(t, "sign_replayed", "on another path")
		changed := strings.Replace(in.json, "林静", "别人", 1)
		s.send(again(request, createPath, changed)).want(t, "sign_invalid", "with other content")
		resigned := s.call(in).want(t, "ok", "signed anew")
		if string(resigned.Data) != string(first.Data) {
			t.Errorf("%s", resigned.Data)
		}
		s.advance(replay.SignatureWindow + time.Second)
		s.send(again(request, createPath, in.json)).want(t, "sign_expired", "later")
	})
}

func TestTheSameBytesOfARefusedCallWithAKeyAreAReplay(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in := keyed(asJSON(companyOf(nobodys, "123456")))
		request := s.request(in)
		s.send(request).want(t, "code_expired")
		got := s.send(again(request, createPath, in.json)).want(t, "sign_replayed")
		if got.http != http.StatusUnauthorized {
			t.Errorf("%d", got.http)
		}
		if n := strings.Count(s.log.String(), "replay_refused"); n != 1 {
			t.Errorf("the log tells of %d replays", n)
		}
	})
}

func TestTheSameBytesSentTwiceAtOnceWithAKeyGetOneAnswer(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in := keyed(asJSON(companyOf(nobodys, s.registering(nobodys))))
		request, companies := s.request(in), s.rows("companies")
		twin := again(request, createPath, in.json)
		got := make(chan answered, 2)
		go func() { got <- s.send(request) }()
		go func() { got <- s.send(twin) }()
		one, two := <-got, <-got
		if one.Code != "ok" || two.Code != "ok" || string(one.Data) != string(two.Data) {
			t.Errorf("%s\n%s", one.body, two.body)
		}
		if companies == s.rows("companies") {
			t.Error("no company was made")
		}
	})
}
