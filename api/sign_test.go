package api

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal/core"
	"portico/store/storetest"
)

// referenceSign is a second implementation of the signature, which shares no code with the first.
func referenceSign(secret, token, timestamp, nonce string, params url.Values, body string) string {
	var parts []string
	for name, values := range params {
		for _, value := range values {
			parts = append(parts, name+"\x00"+value)
		}
	}
	if body != "" {
		sum := sha256.Sum256([]byte(body))
		parts = append(parts, "body\x00"+hex.EncodeToString(sum[:]))
	}
	sort.Strings(parts)
	for i, part := range parts {
		name, value, _ := strings.Cut(part, "\x00")
		parts[i] = referenceEscape(name) + "=" + referenceEscape(value)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(strings.Join([]string{token, timestamp, nonce, strings.Join(parts, "&")}, "\n")))
	return hex.EncodeToString(mac.Sum(nil))
}

// referenceEscape percent-encodes as the signature needs it.
func referenceEscape(s string) string {
	s = strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
	return strings.ReplaceAll(s, "%7E", "~")
}

// loadVectors returns the published test vectors and their secret.
func loadVectors(t testing.TB) (secret string, vectors []vector) {
	t.Helper()
	text, err := os.ReadFile("testdata/sign-vectors.json")
	noError(t, err)
	var file struct {
		Secret  string
		Vectors []vector
	}
	noError(t, json.Unmarshal(text, &file))
	if len(file.Vectors) < 7 {
		t.Fatalf("only %d vectors", len(file.Vectors))
	}
	return file.Secret, file.Vectors
}

// vector is one published test vector.
type vector struct {
	Name, Token, Timestamp, Nonce, Params, Sign string
	Parameters                                  [][2]string
	JSONBody                                    *string `json:"json_body"`
}

// request returns the vector as a decoded request.
func (v vector) request(t testing.TB) *request {
	t.Helper()
	form := url.Values{}
	for _, p := range v.Parameters {
		form.Add(p[0], p[1])
	}
	pairs, err := parsePairs(form.Encode())
	noError(t, err)
	sent := &request{token: v.Token, timestamp: v.Timestamp, nonce: v.Nonce, form: pairs}
	if v.JSONBody != nil {
		sent.json = []byte(*v.JSONBody)
	}
	return sent
}

func TestSignatureMatchesPublishedVectors(t *testing.T) {
	secret, vectors := loadVectors(t)
	for _, v := range vectors {
		sent := v.request(t)
		params := sent.canonical()
		if params != v.Params {
			t.Errorf("%s: params %q, want %q", v.Name, params, v.Params)
		}
		if got := string(sent.signature([]byte(secret), params)); got != v.Sign {
			t.Errorf("%s: %s, want %s", v.Name, got, v.Sign)
		}
	}
}

// Changing any byte of a signed value or of the signature makes the request invalid.
func TestChangedByteInvalidatesSignature(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		newRequest := func() *http.Request {
			return s.request(apiRequest{
				method: post, path: "/v1/account/checkPhoneExitInCompany", token: "t0k",
				json: `{"phone_":"13800000001"}`, params: []string{"company_id_", "1001"},
			})
		}
		s.send(newRequest()).wantCode(t, "ok")
		wantRefused := func(r *http.Request, what string) {
			t.Helper()
			got := s.send(r)
			if got.http != http.StatusUnauthorized && got.http != http.StatusBadRequest ||
				got.http == http.StatusBadRequest && got.Code != "bad_request" {
				t.Errorf("%s: %d %s", what, got.http, got.body)
			}
		}
		for _, name := range []string{"X-Token", "X-Timestamp", "X-Nonce", "X-Sign"} {
			value := newRequest().Header.Get(name)
			for i := range len(value) {
				r := newRequest()
				value := []byte(r.Header.Get(name))
				value[i] ^= 1
				r.Header.Set(name, string(value))
				wantRefused(r, name+" byte "+strconv.Itoa(i))
			}
			r := newRequest()
			r.Header.Del(name)
			wantRefused(r, "without "+name)
			r = newRequest()
			r.Header.Add(name, r.Header.Get(name))
			wantRefused(r, name+" twice")
		}
		body := `{"phone_":"13800000001"}`
		for i := range len(body) {
			changed := []byte(body)
			changed[i] ^= 1
			r := newRequest()
			r.Body = io.NopCloser(strings.NewReader(string(changed)))
			wantRefused(r, "body byte "+strconv.Itoa(i))
		}
		for _, query := range []string{
			"company_id_=1002", "company_id_=1001&a=1", "", "company_id=1001", "company_id_=1001%20",
		} {
			r := newRequest()
			r.URL.RawQuery = query
			wantRefused(r, query)
		}
		r := newRequest()
		r.Header.Set("X-Sign", strings.ToUpper(r.Header.Get("X-Sign")))
		wantRefused(r, "upper-case hex")
	})
}

func TestEveryConfiguredSecretIsAccepted(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		call := func(with string) apiResponse {
			return s.call(
				apiRequest{method: get, path: "/v1/base/company/noAuth/getDefaultSetting",
					change: func(r *http.Request) {
						r.Header.Set(
							"X-Sign",
							referenceSign(with, "", r.Header.Get("X-Timestamp"), r.Header.Get("X-Nonce"), nil, ""),
						)
					}},
			)
		}
		call("the-next-one").wantCode(t, "sign_invalid")
		s.secrets = []string{"the-next-one", secret}
		s.restart()
		call("the-next-one").wantCode(t, "ok")
		call(secret).wantCode(t, "ok")
		s.secrets = []string{"the-next-one"}
		s.restart()
		call(secret).wantCode(t, "sign_invalid")
	})
}

func TestTimestampOutsideWindowIsRefused(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		for _, c := range []struct {
			offset time.Duration
			code   string
		}{{299 * time.Second, "ok"}, {-299 * time.Second, "ok"}, {301 * time.Second, "sign_expired"},
			{-301 * time.Second, "sign_expired"}, {-24 * time.Hour, "sign_expired"}} {
			got := s.call(apiRequest{method: get, path: "/v1/account/getCompanyById/1001", offset: c.offset}).
				wantCode(t, c.code, c.offset)
			if c.code != "ok" &&
				(got.http != http.StatusUnauthorized || got.refusalDetail(t).ServerTime != s.now().UnixMilli()) {
				t.Errorf("%v: %d %s", c.offset, got.http, got.body)
			}
		}
		for _, timestamp := range []string{"", "now", "1e12", "99999999999999999999", "-1", " 1"} {
			got := s.call(apiRequest{method: get, path: "/v1/account/getCompanyById/1001",
				change: func(r *http.Request) {
					r.Header.Set("X-Timestamp", timestamp)
					r.Header.Set("X-Sign", referenceSign(secret, "", timestamp, r.Header.Get("X-Nonce"), nil, ""))
				}})
			if got.http != http.StatusUnauthorized {
				t.Errorf("timestamp %q: %d %s", timestamp, got.http, got.body)
			}
		}
	})
}

// sameSignature returns a request with the headers and the query of r, so with its signature, for a path and a body.
func sameSignature(r *http.Request, path, body string) *http.Request {
	second := httptest.NewRequestWithContext(
		r.Context(), r.Method, "http://api.portico.test"+path, strings.NewReader(body),
	)
	second.URL.RawQuery, second.Header, second.RemoteAddr = r.URL.RawQuery, r.Header.Clone(), r.RemoteAddr
	if r.Method == get {
		second.Body = http.NoBody
	}
	return second
}

func TestReplayedCallWithEffectIsRefused(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		token := s.signIn("13800000001").token(t)
		body := "company_id_=1001"
		first := s.request(apiRequest{
			method: post, path: "/v1/account/setDefaultCompany", token: token, params: []string{"company_id_", "1001"},
		})
		s.send(first).wantCode(t, "ok")
		for what, path := range map[string]string{
			"again": "/v1/account/setDefaultCompany", "another path": "/v1/account/bindJpushId",
		} {
			got := s.send(sameSignature(first, path, body)).wantCode(t, "sign_replayed", what)
			if got.http != http.StatusUnauthorized {
				t.Errorf("%s: %d", what, got.http)
			}
		}
		s.restart()
		s.send(sameSignature(first, "/v1/account/setDefaultCompany", body)).wantCode(t, "sign_replayed",
			"after a restart")
		s.advance(9 * time.Minute)
		late := s.send(sameSignature(first, "/v1/account/setDefaultCompany", body))
		late.wantCode(t, "sign_expired", "nine minutes later")
	})
}

func TestParallelReplaysRunOnce(t *testing.T) {
	eachCondition(t, func(t *testing.T, s *site) {
		token := s.signIn("13800000001").token(t)
		first := s.request(apiRequest{
			method: post, path: "/v1/account/setDefaultCompany", token: token, params: []string{"company_id_", "1001"},
		})
		var mu sync.Mutex
		codes := map[string]int{}
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				w := httptest.NewRecorder()
				s.handler.ServeHTTP(w, sameSignature(first, "/v1/account/setDefaultCompany", "company_id_=1001"))
				var e envelope
				_ = json.Unmarshal(w.Body.Bytes(), &e)
				mu.Lock()
				codes[e.Code]++
				mu.Unlock()
			})
		}
		group.Wait()
		if codes["ok"] != 1 || codes["sign_replayed"] != 19 {
			t.Errorf("%v", codes)
		}
	})
}

// A read may be repeated with its signature, at once, after a restart and on another instance, but the signature is
// valid for no other path.
func TestReadSignatureIsRefusedOnOtherPaths(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		token := s.signIn("13800000001").token(t)
		read := s.request(apiRequest{method: get, path: "/v1/account/getAccountList", token: token})
		s.send(read).wantCode(t, "ok")
		s.send(sameSignature(read, "/v1/account/getAccountList", "")).wantCode(t, "ok", "the same read")
		s.send(sameSignature(read, "/v1/account/unbindPhoneCode", "")).wantCode(t, "sign_replayed", "as an effect")
		s.send(sameSignature(read, "/v1/account/getCompanyById/1001", "")).wantCode(t, "sign_replayed",
			"as another read")
		s.restart()
		s.send(sameSignature(read, "/v1/account/getAccountList", "")).wantCode(t, "ok", "the same read after a restart")
		s.send(sameSignature(read, "/v1/account/unbindPhoneCode", "")).wantCode(t, "sign_replayed",
			"as an effect after a restart")
	})
}

// Two instances share the database. A signature that one of them used for a read cannot be used for a call with an
// effect on the other.
func TestReadSignatureIsRefusedForEffectOnAnotherInstance(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		token := s.signIn("13800000001").token(t)
		other := &site{t: t, db: s.db, log: new(bytes.Buffer), secrets: s.secrets, options: s.options}
		other.clock.Store(s.clock.Load())
		other.options.Now = other.now
		other.restart()
		for round := range 3 { // the other instance checks again each time
			read := s.request(apiRequest{method: get, path: "/v1/account/getAccountList", token: token})
			s.send(read).wantCode(t, "ok")
			time.Sleep(3 * core.ReadsNotedEvery)
			got := other.send(sameSignature(read, "/v1/account/unbindPhoneCode", "")).wantCode(t, "sign_replayed")
			if got.http != http.StatusUnauthorized {
				t.Errorf("round %d: %d", round, got.http)
			}
		}
	})
}

func TestReadSignaturesAreStoredInFewRows(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		before, err := storetest.RowCounts(t.Context(), s.db)
		noError(t, err)
		began := time.Now()
		for i := range 200 {
			s.call(apiRequest{
				method: get, path: "/v1/base/company/noAuth/getByHost",
				params: []string{"host_", "h" + strconv.Itoa(i)},
			}).
				wantCode(t, "ok")
		}
		s.portal.Stop(t.Context())
		most := 2 + int(time.Since(began)/core.ReadsNotedEvery) // one at each turn
		after, err := storetest.RowCounts(t.Context(), s.db)
		noError(t, err)
		if before = regexp.MustCompile(`read_signatures=\d+`).
			ReplaceAllString(before, ""); before != regexp.MustCompile(`read_signatures=\d+`).
			ReplaceAllString(after, "") {
			t.Errorf("before: %s\nafter: %s", before, after)
		}
		rows := regexp.MustCompile(`read_signatures=(\d+)`).FindStringSubmatch(after)
		if n, _ := strconv.Atoi(rows[1]); n < 1 || n > most {
			t.Errorf("200 reads left %s rows, want %d at most", rows[1], most)
		}
		s.advance(core.SignaturesKept + time.Second)
		noError(t, s.portal.Sweep(t.Context()))
		after, err = storetest.RowCounts(t.Context(), s.db)
		noError(t, err)
		if !strings.Contains(after, "read_signatures=0 ") {
			t.Error(after)
		}
	})
}

func TestPublicCallsPerNetworkAreLimited(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		token := s.signIn("13800000001").token(t)
		flood := func(path, token string) (done int, last apiResponse) {
			for range 320 {
				last = s.call(apiRequest{method: get, path: path, token: token, params: []string{"host_", "x"}})
				if last.http != http.StatusTooManyRequests {
					done++
				}
			}
			return done, last
		}
		before, err := storetest.RowCounts(t.Context(), s.db)
		noError(t, err)
		s.advance(time.Minute)
		done, last := flood("/v1/base/company/noAuth/getByHost", "")
		if last.wantCode(t, "too_many_attempts"); done != 300 || last.header.Get("Retry-After") == "" {
			t.Errorf("%d calls were answered", done)
		}
		if done, _ := flood("/openapi/v1/auth/getAuthCode", "made-up token"); done != 0 {
			t.Errorf("%d calls with a made-up token were answered", done)
		}
		after, err := storetest.RowCounts(t.Context(), s.db)
		noError(t, err)
		without := regexp.MustCompile(`read_signatures=\d+`)
		if without.ReplaceAllString(before, "") != without.ReplaceAllString(after, "") {
			t.Errorf("before: %s\nafter: %s", before, after)
		}
		s.call(apiRequest{method: get, path: "/v1/account/getAccountList", token: token}).wantCode(t, "ok",
			"with a token")
	})
}

func BenchmarkSignature(b *testing.B) {
	_, vectors := loadVectors(b)
	sent := vectors[1].request(b)
	key := []byte(secret)
	for b.Loop() {
		params := sent.canonical()
		if !hmac.Equal(sent.signature(key, params), []byte(vectors[1].Sign)) {
			b.Fatal("refused")
		}
	}
}

// BenchmarkRegionTreeNotModified measures a complete call without a token, answered with 304.
func BenchmarkRegionTreeNotModified(b *testing.B) {
	s := newSite(b, storetest.SQLite(b))
	first := s.call(apiRequest{method: get, path: "/v1/common/helper/buildRegionTree"})
	r := s.request(apiRequest{
		method: get, path: "/v1/common/helper/buildRegionTree",
		headers: map[string]string{"If-None-Match": first.header.Get("ETag")},
	})
	b.ReportAllocs()
	for b.Loop() {
		w := &discardResponse{header: http.Header{}}
		s.handler.ServeHTTP(w, r)
		if w.status != http.StatusNotModified {
			b.Fatal(w.status)
		}
	}
}

// discardResponse is a ResponseWriter that keeps only the status.
type discardResponse struct {
	header http.Header
	status int
}

func (d *discardResponse) Header() http.Header         { return d.header }
func (d *discardResponse) Write(b []byte) (int, error) { return len(b), nil }
func (d *discardResponse) WriteHeader(status int)      { d.status = status }

// BenchmarkAccountList measures a complete call with a token.
func BenchmarkAccountList(b *testing.B) {
	s := newSite(b, storetest.SQLite(b))
	r := s.request(apiRequest{method: get, path: "/v1/account/getAccountList", token: s.signIn("13800000001").token(b)})
	b.ReportAllocs()
	for b.Loop() {
		w := &discardResponse{header: http.Header{}}
		s.handler.ServeHTTP(w, r)
		if w.status != http.StatusOK {
			b.Fatal(w.status)
		}
	}
}
