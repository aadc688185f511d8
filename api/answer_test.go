package api

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/regions"
	"portico/store"
	"portico/store/storetest"
)

func TestResponsesForbidCaching(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		for _, path := range []string{
			"/v1/account/getCompanyById/1001", "/v1/account/getAccountList", "/v1/nothing", "/v1/account/mixedLogin",
		} {
			got := s.get("", path)
			if got.header.Get("Cache-Control") != "no-store" ||
				got.header.Get("Content-Type") != "application/json; charset=utf-8" {
				t.Errorf("%s: %v", path, got.header)
			}
		}
	})
}

// Access-Control-Allow-Origin is the exact origin of one of the platform's sites, or it is missing.
func TestCORSAllowsOnlyExactOriginsOfPlatformSites(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		own := []string{
			"http://portico.test", "http://account.portico.test", "http://m.portico.test", "http://am.portico.test",
			"http://mgr.portico.test", "http://store1001.portico.test", "http://astore1002.portico.test",
			"http://jinsui.test", "http://api.portico.test",
		}
		foreign := []string{
			"http://portico.test.evil.test", "http://evilportico.test", "https://portico.test",
			"http://store1001.portico.test:444", "http://store9999.portico.test", "null", "http://evil.test",
			"http://M.portico.test", "http://m.portico.test/", "http://m.portico.test.", "http://x.portico.test",
			"http://a@m.portico.test", "", "http://", "*",
		}
		for _, preflight := range []bool{false, true} {
			for _, origin := range append(own, foreign...) {
				got := s.call(apiRequest{
					method:  get,
					path:    "/v1/account/getCompanyById/1001",
					headers: map[string]string{"Origin": origin},
					change: func(r *http.Request) {
						if preflight {
							r.Method = http.MethodOptions
							r.Header.Set("Access-Control-Request-Method", get)
						}
					},
				})
				want := ""
				if strings.Contains(" "+strings.Join(own, " ")+" ", " "+origin+" ") {
					want = origin
				}
				if got.header.Get("Access-Control-Allow-Origin") != want ||
					got.header.Get("Access-Control-Allow-Credentials") != "" ||
					!strings.Contains(got.header.Get("Vary"), "Origin") {
					t.Errorf("%q preflight %v: %v", origin, preflight, got.header)
				}
				if preflight && (got.http == http.StatusNoContent) != (want != "") {
					t.Errorf("%q preflight: %d", origin, got.http)
				}
			}
		}
	})
}

// The operator lists further origins. A page from a file (origin null) needs a token, because anybody can make one.
func TestCORSAllowsConfiguredAppOrigins(t *testing.T) {
	s := newSite(t, storetest.SQLite(t))
	request := func(preflight bool, origin string, headers map[string]string) apiResponse {
		return s.call(apiRequest{method: get, path: "/v1/account/getCompanyById/1001", change: func(r *http.Request) {
			r.Header.Set("Origin", origin)
			if preflight {
				r.Method = http.MethodOptions
				r.Header.Set("Access-Control-Request-Method", get)
			}
			for name, value := range headers {
				r.Header.Set(name, value)
			}
		}})
	}
	announced := map[string]string{"Access-Control-Request-Headers": "content-type, x-sign,x-token"}
	unannounced := map[string]string{"Access-Control-Request-Headers": "content-type,x-sign,x-token-type"}
	check := func(what string, got apiResponse, origin string, preflight, allowed bool) {
		t.Helper()
		want := ""
		if allowed {
			want = origin
		}
		statusOK := !preflight || (got.http == http.StatusNoContent) == allowed
		if got.header.Get("Access-Control-Allow-Origin") != want || !statusOK {
			t.Errorf("%s: %d %v", what, got.http, got.header)
		}
		if got.header.Get("Access-Control-Allow-Credentials") != "" || got.header.Get("Vary") != "Origin" {
			t.Errorf("%s: %v", what, got.header)
		}
	}
	for _, listed := range []bool{false, true} {
		if listed {
			s.origins = []string{"capacitor://localhost", "http://localhost:3000", "null"}
			s.restart()
		}
		for _, origin := range []string{"capacitor://localhost", "http://localhost:3000"} {
			check(origin, request(true, origin, announced), origin, true, listed)
			check(origin, request(false, origin, nil), origin, false, listed)
		}
		check("null, preflight with a token", request(true, "null", announced), "null", true, listed)
		check("null, preflight without a token", request(true, "null", unannounced), "null", true, false)
		check("null, preflight without headers", request(true, "null", nil), "null", true, false)
		token := map[string]string{"X-Token": "some-token"}
		check("null with a token", request(false, "null", token), "null", false, listed)
		check("null without a token", request(false, "null", nil), "null", false, false)
		cookie := map[string]string{"X-Token": "some-token", "Cookie": "a=b"}
		check("null with a cookie", request(false, "null", cookie), "null", false, false)
		for _, origin := range []string{
			"capacitor://localhost:1", "capacitor://evil", "ionic://localhost",
			"http://localhost:3001", "https://localhost:3000",
			"capacitor://localhost.evil.test", "CAPACITOR://localhost", "Null", "file://", "",
		} {
			check(origin, request(true, origin, announced), origin, true, false)
			check(origin, request(false, origin, token), origin, false, false)
		}
		check("a site of the platform", request(true, "http://m.portico.test", nil), "http://m.portico.test", true,
			true)
	}
}

func TestInternalErrorsAreLoggedButNotDisclosed(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.api.calls["/test/error"] = &call{
			get, "/test/error", public,
			op(func(*API, *caller, noParameters) (noData, error) {
				return noData{},
					errors.New("SELECT secret FROM t")
			}),
		}
		s.api.calls["/test/panic"] = &call{
			get, "/test/panic", public, op(func(*API, *caller, noParameters) (noData,
				error) {
				panic("SELECT secret FROM t")
			}),
		}
		for _, path := range []string{"/test/error", "/test/panic"} {
			got := s.get("", path).wantCode(t, "internal")
			if got.http != http.StatusInternalServerError || bytes.Contains(got.body, []byte("SELECT")) {
				t.Errorf("%s: %d %s", path, got.http, got.body)
			}
		}
		if !strings.Contains(s.log.String(), "SELECT secret") {
			t.Error("the error is not in the log")
		}
		noError(t, s.db.Close())
		got := s.get("", "/v1/account/getCompanyById/1002").wantCode(t, "not_available_offline")
		if got.http != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" {
			t.Errorf("%d %v", got.http, got.header)
		}
	})
}

// addCreateCall adds a call that accepts idempotency keys to a site, and returns a function that makes it. It counts
// in ran how often the call ran. Each run waits until wait is closed, unless wait is nil.
func addCreateCall(s *site, ran *atomic.Int64, wait <-chan struct{}) func(key, name string) apiResponse {
	type in struct {
		Name string `json:"name_"`
	}
	s.api.calls["/test/create"] = &call{
		post,
		"/test/create",
		public | effect | creates,
		op(func(_ *API, _ *caller, in in) (map[string]int64, error) {
			n := ran.Add(1)
			if wait != nil {
				<-wait
			}
			if in.Name == "refused" {
				return nil, &access.Refused{Refusal: access.PhoneRegistered}
			}
			return map[string]int64{"n_": n}, nil
		}),
	}
	return func(key, name string) apiResponse {
		return s.call(apiRequest{
			method: post, path: "/test/create", params: []string{"name_", name},
			headers: map[string]string{"Idempotency-Key": key},
		})
	}
}

// The same key gives the same answer, other content is refused, and after a refusal the key can be used again.
func TestIdempotencyKeyRunsCallOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		var ran atomic.Int64
		create := addCreateCall(s, &ran, nil)
		first := create("key-1", "甲").wantCode(t, "ok")
		second := create("key-1", "甲").wantCode(t, "ok")
		if string(first.Data) != string(second.Data) || first.RequestID == second.RequestID || ran.Load() != 1 {
			t.Errorf("%s %s, ran %d times", first.body, second.body, ran.Load())
		}
		create("key-1", "乙").wantCode(t, "wrong_parameters", "other content")
		create("key-2", "甲").wantCode(t, "ok")
		create("", "甲").wantCode(t, "ok")
		create("", "甲").wantCode(t, "ok")
		if ran.Load() != 4 {
			t.Errorf("ran %d times", ran.Load())
		}
		create("key-3", "refused").wantCode(t, "phone_registered")
		create("key-3", "甲").wantCode(t, "ok", "the key can be used again")
		dump, err := storetest.Dump(t.Context(), s.db)
		noError(t, err)
		if strings.Contains(dump, `"n_":`) {
			t.Error("an answer is in the database in plain text")
		}
		s.restart()
		create = addCreateCall(s, &ran, nil)
		if again := create("key-1", "甲"); string(again.Data) != string(first.Data) {
			t.Errorf("after a restart: %s", again.body)
		}
		s.advance(core.KeyKept + time.Second)
		noError(t, s.portal.Sweep(t.Context()))
		if later := create("key-1", "甲"); string(later.Data) == string(first.Data) {
			t.Errorf("a day later: %s", later.body)
		}
	})
}

func TestParallelCallsWithOneIdempotencyKeyRunOnce(t *testing.T) {
	eachCondition(t, func(t *testing.T, s *site) {
		var ran atomic.Int64
		wait := make(chan struct{})
		create := addCreateCall(s, &ran, wait)
		answers := make(chan apiResponse, 20)
		var group sync.WaitGroup
		for range cap(answers) {
			group.Go(func() { answers <- create("key", "甲") })
		}
		time.AfterFunc(100*time.Millisecond, func() { close(wait) })
		group.Wait()
		close(answers)
		for got := range answers {
			if string(got.Data) != `{"n_":1}` {
				t.Errorf("%s", got.body)
			}
		}
		if ran.Load() != 1 {
			t.Errorf("ran %d times", ran.Load())
		}
	})
}

func TestAbandonedIdempotencyKeyIsReusableAfterOneMinute(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		k := store.IdempotencyKey{
			ID: "dead", Content: "c", ClaimedUntil: store.At(s.now().Add(time.Minute)),
			ExpiresAt: store.At(s.now().Add(time.Hour)),
		}
		noError(t, s.db.IdempotencyKeys.Claim(t.Context(), k, store.At(s.now())))
		if err := s.db.IdempotencyKeys.Claim(t.Context(), k, store.At(s.now().Add(59*time.Second))); !errors.Is(
			err, store.ErrNotFound,
		) {
			t.Errorf("a claimed key was given twice: %v", err)
		}
		noError(t, s.db.IdempotencyKeys.Claim(t.Context(), k, store.At(s.now().Add(time.Minute))))
	})
}

func TestSameIdempotencyKeyOfTwoCallersIsIndependent(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		var ran atomic.Int64
		addCreateCall(s, &ran, nil)
		for i, token := range []string{"one", "two"} {
			got := s.call(apiRequest{
				method: post, path: "/test/create", token: token, params: []string{"name_", "甲"},
				headers: map[string]string{"Idempotency-Key": "key"},
			})
			if string(got.Data) != fmt.Sprintf(`{"n_":%d}`, i+1) {
				t.Errorf("%s: %s", token, got.body)
			}
		}
	})
}

func TestRegionTreeIsCompressedAndRevalidatedByETag(t *testing.T) {
	s := newSite(t, storetest.SQLite(t))
	plain := s.get("", "/v1/common/helper/buildRegionTree").wantCode(t, "ok")
	getCompressed := func() (apiResponse, []byte) {
		r := s.request(apiRequest{
			method: get, path: "/v1/common/helper/buildRegionTree",
			headers: map[string]string{"Accept-Encoding": "br, gzip"},
		})
		return s.sendCompressed(r)
	}
	got, raw := getCompressed()
	if got.header.Get("Content-Encoding") != "gzip" || len(raw) > 36_000 {
		t.Errorf("%d bytes, %v", len(raw), got.header)
	}
	if string(got.Data) != string(plain.Data) || got.RequestID == plain.RequestID || got.RequestID == "" {
		t.Errorf("the compressed and the plain response differ, or share their request_id: %s %s", got.RequestID,
			plain.RequestID)
	}
	tag := got.header.Get("ETag")
	if tag == "" || tag != plain.header.Get("ETag") || !strings.Contains(got.header.Get("Cache-Control"), "max-age") {
		t.Errorf("%v", got.header)
	}
	for _, known := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag} {
		got := s.call(apiRequest{
			method: get, path: "/v1/common/helper/buildRegionTree", headers: map[string]string{"If-None-Match": known},
		})
		if got.http != http.StatusNotModified {
			t.Errorf("%s: %d", known, got.http)
		}
	}
	if got := s.call(apiRequest{
		method: get, path: "/v1/common/helper/buildRegionTree", headers: map[string]string{"If-None-Match": `"x"`},
	}); got.http != http.StatusOK {
		t.Errorf("another tag: %d", got.http)
	}
	s.call(apiRequest{
		method: get, path: "/v1/common/helper/buildRegionTree", headers: map[string]string{"If-None-Match": tag},
		change: func(r *http.Request) { r.Header.Set("X-Sign", "x") },
	}).
		wantCode(t, "sign_invalid")
	tree := dataOf[[]regions.Region](t, plain)
	if len(tree) != 34 || len(tree[0].Children) == 0 {
		t.Errorf("%d provinces", len(tree))
	}
	level := func(parent string) []regions.RegionEntry {
		return dataOf[[]regions.RegionEntry](t, s.get("", "/v1/common/helper/buildSimpleRegionTree", "parent_", parent))
	}
	if provinces := level(""); len(provinces) != 34 || provinces[0].Leaf {
		t.Errorf("%v", provinces)
	}
	cities := level(tree[0].Code)
	if len(cities) != len(tree[0].Children) {
		t.Errorf("%v", cities)
	}
	if districts := level(cities[0].Code); !districts[0].Leaf {
		t.Errorf("%v", districts)
	}
	s.get("", "/v1/common/helper/buildSimpleRegionTree", "parent_", "999999").wantCode(t, "not_found")
	simple := s.get("", "/v1/common/helper/buildSimpleRegionTree")
	if got := s.call(apiRequest{
		method: get, path: "/v1/common/helper/buildSimpleRegionTree",
		headers: map[string]string{"If-None-Match": simple.header.Get("ETag")},
	}); got.http != http.StatusNotModified {
		t.Errorf("%d", got.http)
	}
}

// sendCompressed sends a call whose response is compressed. It decompresses the response with the standard reader,
// which checks the checksum and the length, and also returns the compressed body.
func (s *site) sendCompressed(r *http.Request) (apiResponse, []byte) {
	s.t.Helper()
	got, raw := s.serve(r)
	z, err := gzip.NewReader(bytes.NewReader(raw))
	noError(s.t, err)
	got.body, err = io.ReadAll(z)
	noError(s.t, err)
	noError(s.t, json.Unmarshal(got.body, &got.envelope))
	return got, raw
}

// Neither the log nor the database contains a password, token, ticket or code in plain text.
func TestSecretsAreNeitherStoredNorLoggedInPlainText(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		login := s.signIn("13800000001")
		sent := dataOf[authCode](
			t, s.get(login.token(t), "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(login.User.ID)),
		)
		user := dataOf[userData](t, s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", sent.Code))
		s.post("", "/v1/account/mixedLogin", "login_", "13800000001", "password_", "Canary2026x").
			wantCode(t, "wrong_password")
		dump, err := storetest.Dump(t.Context(), s.db)
		noError(t, err)
		for what, secret := range map[string]string{
			"token": login.token(t), "ticket": login.Ticket, "code": sent.Code, "redeemed token": user.Token,
			"password": onboarding.DemoPassword, "wrong password": "Canary2026x",
		} {
			if strings.Contains(dump, secret) || strings.Contains(s.log.String(), secret) {
				t.Errorf("the %s is in plain text", what)
			}
		}
		if strings.Contains(s.log.String(), "13800000001") {
			t.Error("a phone is in the log")
		}
	})
}
