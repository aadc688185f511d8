package gateway

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestBrokenAnswersAreNoIdentityAndNoToken(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(func() {
		other.Close()
		if elsewhere.Load() > 0 {
			t.Error("a redirect was followed")
		}
	})
	instead := func(of string) *strings.Replacer {
		return strings.NewReplacer(canaryToken, of, canaryTicket, of, "wang", of)
	}
	for _, q := range wxQuestions() {
		unsure := func(code string) Failure {
			return Failure{Provider: q.provider, Code: code, Kind: Temporary, Unsure: true}
		}
		for name, c := range map[string]struct {
			script func(int, http.ResponseWriter, *http.Request)
			want   Failure
		}{
			"nothing":              {says(200, ""), unsure(codeBroken)},
			"HTML":                 {says(200, "<html>"+canaryToken), unsure(codeBroken)},
			"HTML of a proxy":      {says(502, "<html>"+canarySecret), unsure(codeBroken)},
			"null":                 {says(200, "null"), unsure(codeBroken)},
			"a list":               {says(200, "["+q.ok+"]"), unsure(codeBroken)},
			"an empty object":      {says(200, "{}"), unsure(codeBroken)},
			"two answers":          {says(200, q.ok+q.ok), unsure(codeBroken)},
			"half an answer":       {says(200, q.ok[:len(q.ok)/2]), unsure(codeBroken)},
			"an errcode in words":  {says(200, `{"errcode":"40029","errmsg":"invalid code"}`), unsure(codeBroken)},
			"a broken errcode":     {says(200, `{"errcode":40029.5}`), unsure(codeBroken)},
			"a message of numbers": {says(200, `{"errcode":40029,"errmsg":7}`), unsure(codeBroken)},
			"an endless errcode": {says(200, `{"errcode":123456789012}`),
				Failure{Provider: q.provider, Code: "unreadable_code", Kind: Refused}},
			"another status":      {says(500, q.ok), unsure(codeBroken)},
			"another good status": {says(206, q.ok), unsure(codeBroken)},
			"a redirect":          {redirectsTo(other.URL), unsure(codeBroken)},
			"padding without end": {says(200, q.ok+strings.Repeat(" ", maxAnswer)), unsure(codeBroken)},
			"an error, then 64 KB": {says(200, `{"errcode":40029,"errmsg":"`+strings.Repeat("x",
				maxAnswer)+`"}`), unsure(codeBroken)},
			"an error of 500": {says(500, `{"errcode":-1,"errmsg":"system error"}`),
				Failure{Provider: q.provider, Code: "-1", Kind: Busy, Message: "system error"}},
			"silence":               {hangs, unsure(codeTimeout)},
			"a broken connection":   {resets, unsure(codeLost)},
			"an answer that drips":  {drips(q.ok), unsure(codeTimeout)},
			"a life of no length":   {says(200, strings.Replace(q.ok, "7200", "0", 1)), unsure(codeBroken)},
			"a token with a break":  {says(200, instead(`a\nb`).Replace(q.ok)), unsure(codeBroken)},
			"a token of no letters": {says(200, instead("").Replace(q.ok)), unsure(codeBroken)},
		} {
			if q.name == "Exchange" && name == "a life of no length" {
				continue
			}
			t.Run(q.provider+" "+q.name+" "+name, func(t *testing.T) {
				t.Parallel()
				s := newStub(t, q.check, c.script)
				if f := failureOf(t, q.ask(t.Context(), s.URL, unchanged)); *f != c.want || s.hits.Load() != 1 {
					t.Errorf("%+v after %d requests", *f, s.hits.Load())
				}
			})
		}
	}
}

// drips answers one byte at a time.
func drips(body string) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, r *http.Request) {
		for i := range len(body) {
			_, _ = w.Write([]byte{body[i]})
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(shortTime / 4):
			}
		}
	}
}

func TestAnUnreachableIdentityProviderHasUsedNoCode(t *testing.T) {
	for _, q := range wxQuestions() {
		f := failureOf(t, q.ask(t.Context(), nobody(t), unchanged))
		if *f != (Failure{Provider: q.provider, Code: codeUnreachable, Kind: Temporary}) {
			t.Errorf("%s %s: %+v", q.provider, q.name, *f)
		}
	}
}

func TestAnInvalidURLIsNotRepeatedInTheFailure(t *testing.T) {
	for _, q := range wxQuestions() {
		for _, address := range []string{"http://canary host", "gopher://canary.example", "http://[::1", "://canary",
			"http://canary.invalid:1"} {
			if f := failureOf(t, q.ask(t.Context(), address, unchanged)); f.Unsure {
				t.Errorf("%s %s: %+v", q.provider, q.name, *f)
			}
		}
	}
}

func TestManyWhoSignInWhileAProviderHangsLeaveNothingBehind(t *testing.T) {
	s := newStub(t, checkWeCom, hangs)
	w, before := testWeCom(s.URL), runtime.NumGoroutine()
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			_, err := w.Exchange(t.Context(), testCorp, canaryToken, canaryGrant)
			failureOf(t, err)
		})
	}
	all.Wait()
	s.Close()
	for range 50 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines became %d", before, runtime.NumGoroutine())
}

func TestAnAnswerOfAGigabyteIsCutOff(t *testing.T) {
	for _, q := range wxQuestions() {
		var written atomic.Int64
		s := newStub(t, q.check, floods(&written))
		if f := failureOf(t, q.ask(t.Context(), s.URL, unchanged)); f.Code != codeBroken {
			t.Errorf("%s %s: %+v", q.provider, q.name, *f)
		}
		s.Close() // waits for the handler
		if n := written.Load(); n > 32<<20 {
			t.Errorf("%s %s: %d bytes were taken", q.provider, q.name, n)
		}
	}
}

func TestTwoRequestsShareOneTimeLimit(t *testing.T) {
	slowly := func(n int, w http.ResponseWriter, r *http.Request) {
		time.Sleep(100 * time.Millisecond)
		says(200, grantUser)(n, w, r)
	}
	s := newStub(t, checkWeChat, byPath(map[string]func(int, http.ResponseWriter,
		*http.Request){"/sns/oauth2/access_token": slowly, "/sns/userinfo": hangs}))
	w := NewWeChat(WeChatOptions{API: s.URL})
	if w.api.whole > 5*time.Second || w.api.client.Timeout > w.api.whole {
		t.Errorf("a person may wait %s", w.api.whole)
	}
	w.api.whole = 500 * time.Millisecond
	start := time.Now()
	if who, err := w.Exchange(t.Context(), testApp, canaryGrant); err != nil || who.OpenID != openID ||
		time.Since(start) > 2*time.Second {
		t.Errorf("%+v %v after %s", who, err, time.Since(start))
	}
}

// The transport sends a GET again when a kept connection breaks, which would exchange a code twice.
func TestARequestIsNeverRepeated(t *testing.T) {
	for _, q := range wxQuestions() {
		s := newStub(t, q.check, then(says(200, q.ok), resets))
		var api *wxAPI
		if err := q.ask(t.Context(), s.URL, func(a *wxAPI) { api = a }); err != nil {
			t.Fatal(err)
		}
		err := q.ask(t.Context(), s.URL, func(a *wxAPI) { a.client = api.client })
		if f := failureOf(t, err); f.Code != codeLost || s.hits.Load() != 2 {
			t.Errorf("%s %s: %+v after %d requests", q.provider, q.name, *f, s.hits.Load())
		}
	}
}
