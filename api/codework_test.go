package api

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"portico/portal"
)

// requestCodeFrom requests a code from an address, without a proof of work.
func (s *site) requestCodeFrom(address, path string, params ...string) apiResponse {
	s.t.Helper()
	return s.call(apiRequest{method: get, path: path, params: params, address: address})
}

func TestFourthCodeOfAnAddressRequiresProofOfWork(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		requestCode := func(n int, more ...string) apiResponse {
			params := append([]string{"phone_", fmt.Sprintf("139%08d", 10_007*n)}, more...)
			return s.requestCodeFrom(homeAddress, "/v1/base/experience/experienceCode", params...)
		}
		for n := range 3 {
			requestCode(n).wantCode(t, "ok", n)
		}
		got := requestCode(3).wantCode(t, "validation_failed")
		w := s.requiredProof(got)
		if got.http != http.StatusOK || w.Bits != 17 || w.Token == "" {
			t.Fatalf("%d %s", got.http, got.Data)
		}
		n, wrong := solveProof(w)
		for what, params := range map[string][]string{
			"a number that does not fit": {"proof_", w.Token, "work_", wrong},
			"no number":                  {"proof_", w.Token},
			"no token":                   {"work_", n}, "another token": {"proof_", w.Token + "x", "work_", n},
		} {
			requestCode(3, params...).wantCode(t, "validation_failed", what)
		}
		requestCode(4, "proof_", w.Token, "work_", n).wantCode(t, "validation_failed", "another phone")
		requestCode(3, "proof_", w.Token, "work_", n).wantCode(t, "ok")
		s.advance(time.Minute + time.Millisecond)
		requestCode(3, "proof_", w.Token, "work_", n).wantCode(t, "validation_failed", "a second use")
		got = s.requestCodeFrom("198.51.100.7", "/v1/base/experience/experienceCode", "phone_", "13912345001")
		got.wantCode(t, "ok", "another address")
	})
}

func TestEveryCodeCallAcceptsProofOfWork(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		token := s.signIn("nophone").token(t)
		own := s.signIn("13800000001").token(t)
		s.openAccount("13912340001")
		for n := range 3 { // the codes that an address may request without a proof
			phone := fmt.Sprintf("136%08d", 10_007*n)
			s.requestCodeFrom(homeAddress, "/v1/base/experience/experienceCode", "phone_", phone).wantCode(t, "ok")
		}
		for _, c := range []struct {
			path, token string
			params      []string
		}{
			{"/v1/account/registCode", "", []string{"phone_", unregisteredPhone}},
			{"/v1/base/experience/experienceCode", "", []string{"phone_", unregisteredPhone}},
			{"/v1/account/bindPhoneCode", token, []string{"phone_", unregisteredPhone}},
			{"/v1/account/unbindPhoneCode", own, nil},
			{"/v1/account/resetCode", "", []string{"phone_", "13800000002"}},
			{"/v1/account/resetCode", "", []string{"login_", "trial"}},
			{"/v1/account/shopRegisterCode", "", []string{"phone_", "13912340001", "company_id_", "1001"}},
			{"/v1/shopRegister/noAuth/registerCode", "", []string{"phone_", unregisteredPhone, "company_id_", "1001"}},
		} {
			in := apiRequest{method: get, path: c.path, token: c.token, params: c.params}
			w := s.requiredProof(s.call(in).wantCode(t, "validation_failed", c.path, c.params))
			if w.Token == "" {
				t.Errorf("%s: no proof of work is required", c.path)
				continue
			}
			right, _ := solveProof(w)
			in.params = append(in.params, "proof_", w.Token, "work_", right)
			s.call(in).wantCode(t, "ok", c.path, c.params)
		}
	})
}

func TestCodeFloodDoesNotBlockRegisteredPhones(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		sent := 0
		for n := range 264 { // addresses of one /48, consecutive numbers, no proof of work
			address := fmt.Sprintf("2001:db8:7:%x::1", n)
			got := s.requestCodeFrom(address, "/v1/account/registCode", "phone_", fmt.Sprintf("150%08d", n))
			if got.Code == "ok" {
				sent++
			} else if got.Code != "validation_failed" && got.Code != "too_many_attempts" {
				t.Fatalf("%s", got.body)
			}
		}
		if sent != 10 { // consecutive numbers then require the largest proof of work
			t.Errorf("%d messages were sent", sent)
		}
		for n := range 60 - sent { // the same with numbers that are not consecutive
			address := fmt.Sprintf("2001:db8:7:%x::1", 1000+n)
			s.requestCodeFrom(address, "/v1/account/registCode", "phone_", fmt.Sprintf("151%08d", 10_007*n)).
				wantCode(t, "ok")
		}
		got := s.requestCodeFrom("2001:db8:7:ffff::1", "/v1/account/registCode", "phone_", "15212345678")
		got.wantCode(t, "too_many_attempts")
		if wait, err := strconv.Atoi(got.header.Get("Retry-After")); err != nil || wait < 1 || wait > 3600 {
			t.Errorf("Retry-After %q", got.header.Get("Retry-After"))
		}
		s.requestCodeFrom("198.51.100.7", "/v1/account/registCode", "phone_", unregisteredPhone).wantCode(t, "ok")
		s.requestCodeFrom("198.51.100.8", "/v1/account/resetCode", "phone_", "13800000001").wantCode(t, "ok")
	})
}

func TestHourlyCodeLimitReturnsRetryAfter(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.requestCodeFrom("10.1.1.1", "/v1/account/registCode", "phone_", "15212345678").wantCode(t, "ok")
		got := s.requestCodeFrom("10.2.1.1", "/v1/account/registCode", "phone_", unregisteredPhone).
			wantCode(t, "too_many_attempts")
		if got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") != "3600" ||
			got.Message != "We’re sending a lot of codes right now. Try again in 60 minutes." {
			t.Errorf("%d, Retry-After %q, %q", got.http, got.header.Get("Retry-After"), got.Message)
		}
		s.requestCodeFrom("10.3.1.1", "/v1/account/resetCode", "phone_", "13800000001").wantCode(t, "ok")
	}, func(o *portal.Options) { o.Messages = 12 })
}

func TestStrictPrivacyAnswersResetsAlikeForKnownAndUnknownNames(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		var first []string
		for i, pair := range [][]string{{"trial", "trial.shop"}, {"buyer1", "nobody"}, {"nobody.one", "nobody.two"}} {
			var got []string
			for n, name := range []string{pair[0], pair[1], pair[0], pair[1]} {
				answer := s.requestCodeFrom(fmt.Sprintf("10.%d.%d.1", i, n), "/v1/account/resetCode", "login_", name)
				got = append(got, fmt.Sprint(answer.http, answer.Code, answer.Message, string(answer.Data)))
			}
			if first == nil {
				first = got
			} else if !slices.Equal(got, first) {
				t.Errorf("%v: %q, want %q", pair, got, first)
			}
		}
	}, func(o *portal.Options) { o.Strict = true })
}
