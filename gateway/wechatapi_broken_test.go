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

func TestBrokenAnswersGiveNeitherIdentityNorToken(t *testing.T) {
	var followed atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	t.Cleanup(func() {
		other.Close()
		if followed.Load() > 0 {
			t.Error("a redirect was followed")
		}
	})
	replaceSecrets := func(of string) *strings.Replacer {
		return strings.NewReplacer(canaryToken, of, canaryTicket, of, "wang", of)
	}
	for _, q := range wxTestRequests() {
		maybeSucceeded := func(code string) Failure {
			return Failure{Provider: q.provider, Code: code, Kind: Temporary, MayHaveSucceeded: true}
		}
		for name, c := range map[string]struct {
			script func(int, http.ResponseWriter, *http.Request)
			want   Failure
		}{
			"nothing":         {answerWith(200, ""), maybeSucceeded(codeBroken)},
			"HTML":            {answerWith(200, "<html>"+canaryToken), maybeSucceeded(codeBroken)},
			"HTML of a proxy": {answerWith(502, "<html>"+canarySecret), maybeSucceeded(codeBroken)},
			"null":            {answerWith(200, "null"), maybeSucceeded(codeBroken)},
			"a list":          {answerWith(200, "["+q.ok+"]"), maybeSucceeded(codeBroken)},
			"an empty object": {answerWith(200, "{}"), maybeSucceeded(codeBroken)},
			"two answers":     {answerWith(200, q.ok+q.ok), maybeSucceeded(codeBroken)},
			"half an answer":  {answerWith(200, q.ok[:len(q.ok)/2]), maybeSucceeded(codeBroken)},
			"an errcode in words": {answerWith(200, `{"errcode":"40029","errmsg":"invalid code"}`),
				maybeSucceeded(codeBroken)},
			"a broken errcode":     {answerWith(200, `{"errcode":40029.5}`), maybeSucceeded(codeBroken)},
			"a message of numbers": {answerWith(200, `{"errcode":40029,"errmsg":7}`), maybeSucceeded(codeBroken)},
			"an endless errcode": {answerWith(200, `{"errcode":123456789}`),
				Failure{Provider: q.provider, Code: "unreadable_code", Kind: Refused}},
			"another status":      {answerWith(500, q.ok), maybeSucceeded(codeBroken)},
			"another good status": {answerWith(206, q.ok), maybeSucceeded(codeBroken)},
			"a redirect":          {redirectTo(other.URL), maybeSucceeded(codeBroken)},
			"64 KB":               {answerWith(200, padded(q.ok, 64<<10)), maybeSucceeded(codeBroken)},
			"an error, then 64 KB": {answerWith(200, `{"errcode":40029,"errmsg":"`+strings.Repeat("x",
				64<<10)+`"}`), maybeSucceeded(codeBroken)},
			"an error of 500": {answerWith(500, `{"errcode":-1,"errmsg":"system error"}`),
				Failure{Provider: q.provider, Code: "-1", Kind: Busy, Message: "system error"}},
			"silence":              {hang, maybeSucceeded(codeTimeout)},
			"a broken connection":  {resetConnection, maybeSucceeded(codeLost)},
			"an answer that drips": {drip(q.ok), maybeSucceeded(codeTimeout)},
			"a life of no length": {answerWith(200, strings.Replace(q.ok, "7200", "0", 1)),
				maybeSucceeded(codeBroken)},
			"a token with a break": {answerWith(200, replaceSecrets(`a\nb`).Replace(q.ok)),
				maybeSucceeded(codeBroken)},
			"a token of no letters": {answerWith(200, replaceSecrets("").Replace(q.ok)), maybeSucceeded(codeBroken)},
		} {
			if q.name == "Exchange" && name == "a life of no length" {
				continue
			}
			t.Run(q.provider+" "+q.name+" "+name, func(t *testing.T) {
				t.Parallel()
				s := newFakeServer(t, q.check, c.script)
				if f := failureOf(t, q.ask(t.Context(), s.URL, noChange)); *f != c.want || s.hits.Load() != 1 {
					t.Errorf("%+v after %d requests", *f, s.hits.Load())
				}
			})
		}
	}
}

// padded returns a text with spaces behind it up to a length.
func padded(text string, length int) string { return text + strings.Repeat(" ", length-len(text)) }

func TestAnswerOfOneByteLessThan64KBIsRead(t *testing.T) {
	for _, q := range wxTestRequests() {
		s := newFakeServer(t, q.check, answerWith(200, padded(q.ok, 64<<10-1)))
		if err := q.ask(t.Context(), s.URL, noChange); err != nil {
			t.Errorf("%s %s: %v", q.provider, q.name, err)
		}
	}
}

// drip returns a script that answers one byte at a time.
func drip(body string) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, r *http.Request) {
		for i := range len(body) {
			_, _ = w.Write([]byte{body[i]})
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(shortTimeout / 4):
			}
		}
	}
}

func TestUnreachableIdentityProviderCannotHaveUsedTheCode(t *testing.T) {
	for _, q := range wxTestRequests() {
		f := failureOf(t, q.ask(t.Context(), unreachableURL(t), noChange))
		if *f != (Failure{Provider: q.provider, Code: codeUnreachable, Kind: Temporary}) {
			t.Errorf("%s %s: %+v", q.provider, q.name, *f)
		}
	}
}

func TestFailureDoesNotContainAnInvalidURL(t *testing.T) {
	for _, q := range wxTestRequests() {
		for _, address := range []string{"http://canary host", "gopher://canary.example", "http://[::1", "://canary",
			"http://canary.invalid:1"} {
			if f := failureOf(t, q.ask(t.Context(), address, noChange)); f.MayHaveSucceeded {
				t.Errorf("%s %s: %+v", q.provider, q.name, *f)
			}
		}
	}
}

func TestManyRequestsToAHangingProviderLeaveNoGoroutine(t *testing.T) {
	s := newFakeServer(t, checkWeCom, hang)
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

func TestVeryLargeAnswerIsCutOff(t *testing.T) {
	for _, q := range wxTestRequests() {
		var written atomic.Int64
		s := newFakeServer(t, q.check, flood(&written))
		if f := failureOf(t, q.ask(t.Context(), s.URL, noChange)); f.Code != codeBroken {
			t.Errorf("%s %s: %+v", q.provider, q.name, *f)
		}
		s.Close() // waits for the handler
		if n := written.Load(); n > 32<<20 {
			t.Errorf("%s %s: %d bytes were taken", q.provider, q.name, n)
		}
	}
}

func TestExchangeAndProfileShareOneTimeLimit(t *testing.T) {
	slowly := func(n int, w http.ResponseWriter, r *http.Request) {
		time.Sleep(100 * time.Millisecond)
		answerWith(200, grantUser)(n, w, r)
	}
	s := newFakeServer(t, checkWeChat, byPath(map[string]func(int, http.ResponseWriter,
		*http.Request){"/sns/oauth2/access_token": slowly, "/sns/userinfo": hang}))
	w := NewWeChat(WeChatOptions{API: s.URL})
	if w.api.totalTime != 5*time.Second || w.api.client.Timeout > w.api.totalTime {
		t.Errorf("a person may wait %s", w.api.totalTime)
	}
	w.api.totalTime = 500 * time.Millisecond
	start := time.Now()
	if identity, err := w.Exchange(t.Context(), testApp, canaryGrant); err != nil || identity.OpenID != openID ||
		time.Since(start) > 2*time.Second {
		t.Errorf("%+v %v after %s", identity, err, time.Since(start))
	}
}

// The transport sends a GET again when a kept connection breaks, which would exchange a code twice.
func TestRequestIsNeverRepeatedByTheTransport(t *testing.T) {
	for _, q := range wxTestRequests() {
		s := newFakeServer(t, q.check, firstThen(answerWith(200, q.ok), resetConnection))
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
