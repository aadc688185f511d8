package gateway

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// newTestReliable returns a sender, the seconds by which a test moves its clock forward, and its log. The log must
// contain no canary at the end of the test.
func newTestReliable(t *testing.T, primary, fallback Sender) (*Reliable, *atomic.Int64, *safeBuffer) {
	t.Helper()
	log := &safeBuffer{}
	r := NewReliable(primary, fallback, slog.New(slog.NewJSONHandler(log,
		&slog.HandlerOptions{Level: slog.LevelDebug})))
	var clockOffset atomic.Int64 // seconds
	r.now = func() time.Time { return time.Now().Add(time.Duration(clockOffset.Load()) * time.Second) }
	t.Cleanup(func() { wantNoSecret(t, log.String()) })
	return r, &clockOffset, log
}

// safeBuffer is a buffer for several goroutines.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// firstThen answers the first request with one script and all later ones with another.
func firstThen(
	first, later func(int, http.ResponseWriter, *http.Request),
) func(int, http.ResponseWriter, *http.Request) {
	return func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			first(n, w, r)
			return
		}
		later(n, w, r)
	}
}

// aliyunAnswer returns a script that answers with a code of Alibaba Cloud.
func aliyunAnswer(code string) func(int, http.ResponseWriter, *http.Request) {
	return answerWith(200, `{"Code":"`+code+`"}`)
}

func TestMessageIsRetriedOnlyIfItCannotArriveTwice(t *testing.T) {
	away := answerWith(503, `{"Code":"ServiceUnavailable"}`)
	const twice, once = "message-1 message-1", "message-1"
	for name, c := range map[string]struct {
		provider          int // of providers()
		script            func(int, http.ResponseWriter, *http.Request)
		fallback          bool
		sent              bool
		primary, fellBack string // ids seen there
	}{
		"accepted":                         {0, aliyunAnswer("OK"), true, true, once, ""},
		"aliyun says it is away":           {0, firstThen(away, aliyunAnswer("OK")), false, true, twice, ""},
		"aliyun stays away":                {0, away, false, false, twice, ""},
		"aliyun is away, another is there": {0, away, true, true, once, once},
		"aliyun may have sent it":          {0, firstThen(hang, aliyunAnswer("OK")), true, false, once, ""},
		"aliyun breaks off":                {0, firstThen(resetConnection, aliyunAnswer("OK")), true, false, once, ""},
		"aliyun answers HTML":              {0, answerWith(502, "<html>"), true, false, once, ""},
		"aliyun's own trouble":             {0, aliyunAnswer("isp.SYSTEM_ERROR"), true, false, once, ""},
		"aliyun throttles": {0, aliyunAnswer("isv.BUSINESS_LIMIT_CONTROL"), false, false, once,
			""},
		"aliyun throttles, another is there": {0, aliyunAnswer("isv.BUSINESS_LIMIT_CONTROL"), true, true, once,
			once},
		"aliyun wants money":                   {0, aliyunAnswer("isv.AMOUNT_NOT_ENOUGH"), false, false, once, ""},
		"aliyun wants money, another is there": {0, aliyunAnswer("isv.AMOUNT_NOT_ENOUGH"), true, true, once, once},
		"the phone does not exist": {0, aliyunAnswer("isv.MOBILE_NUMBER_ILLEGAL"), true, false, once,
			""},
		"tencent may have sent it": {1, firstThen(hang, answerWith(200, tencentOK)), true, false, once,
			""},
		"the webhook knows what it has had": {2, firstThen(hang, answerWith(200, "")), false, true, twice, ""},
		"the webhook before another": {2, firstThen(answerWith(500, ""), answerWith(200, "")), true, true,
			twice, ""},
		"the webhook fails twice":                  {2, answerWith(500, ""), true, false, twice, ""},
		"the webhook asks for less":                {2, answerWith(429, ""), false, false, once, ""},
		"the webhook asks for less, another helps": {2, answerWith(429, ""), true, true, once, once},
	} {
		t.Run(name, func(t *testing.T) {
			p := providers()[c.provider]
			first, second := newFakeServer(t, p.check, c.script),
				newFakeServer(t, checkTencent, answerWith(200, tencentOK))
			var fallback Sender
			if c.fallback {
				fallback = testTencent(second.URL)
			}
			r, _, _ := newTestReliable(t, p.sender(first.URL), fallback)
			err := r.Send(t.Context(), testCode())
			if err != nil {
				failureOf(t, err)
			}
			if (err == nil) != c.sent || first.receivedIDs() != c.primary || second.receivedIDs() != c.fellBack {
				t.Errorf("%v; asked for %q and %q", err, first.receivedIDs(), second.receivedIDs())
			}
		})
	}
}

func TestFallbackSendsWhenPrimaryIsUnreachable(t *testing.T) {
	second := newFakeServer(t, checkTencent, answerWith(200, tencentOK))
	r, _, log := newTestReliable(t, testAliyun(unreachableURL(t)), testTencent(second.URL))
	if err := r.Send(t.Context(), testCode()); err != nil || second.receivedIDs() != "message-1" {
		t.Errorf("%v %q", err, second.receivedIDs())
	}
	if !strings.Contains(log.String(), codeUnreachable) {
		t.Errorf("the operator learns nothing: %s", log)
	}
}

func TestFailureMayHaveSucceededIfFirstAttemptMayHave(t *testing.T) {
	s := newFakeServer(t, checkWebhook, firstThen(hang, answerWith(429, "")))
	r, _, _ := newTestReliable(t, testWebhook(s.URL), nil)
	if f := failureOf(t, r.Send(t.Context(), testCode())); f.Code != "http_429" || !f.MayHaveSucceeded {
		t.Errorf("%+v", *f)
	}
}

func TestBothAttemptsHaveTheSameGeneratedID(t *testing.T) {
	s := newFakeServer(t, checkWebhook, firstThen(answerWith(500, ""), answerWith(200, "")))
	r, _, _ := newTestReliable(t, testWebhook(s.URL), nil)
	m := testCode()
	m.ID = ""
	if err := r.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if len(s.ids) != 2 || s.ids[0] == "" || s.ids[0] != s.ids[1] {
		t.Errorf("%q", s.ids)
	}
}

func TestBreakerOpensAfterRepeatedFailures(t *testing.T) {
	var well atomic.Bool
	s := newFakeServer(t, checkAliyun, func(n int, w http.ResponseWriter, r *http.Request) {
		if well.Load() {
			aliyunAnswer("OK")(n, w, r)
			return
		}
		answerWith(500, "<html>")(n, w, r)
	})
	r, clockOffset, log := newTestReliable(t, testAliyun(s.URL), nil)
	fail := func(times int, wantHits int32) {
		t.Helper()
		for range times {
			failureOf(t, r.Send(t.Context(), testCode()))
		}
		if s.hits.Load() != wantHits {
			t.Errorf("asked %d times, not %d", s.hits.Load(), wantHits)
		}
	}
	fail(4, 4)
	if !r.PrimaryUp() {
		t.Error("it is left alone after four failures")
	}
	fail(1, 5)
	fail(10, 5)
	if r.PrimaryUp() {
		t.Error("it is up while it is left alone")
	}
	if f := failureOf(t, r.Send(t.Context(), testCode())); f.Code != codePaused || f.Kind != Temporary ||
		f.Provider != aliyun {
		t.Errorf("%+v", *f)
	}
	if strings.Count(log.String(), "sms provider left alone") != 1 {
		t.Errorf("one alarm is wanted: %s", log)
	}
	clockOffset.Add(29)
	fail(3, 5)
	clockOffset.Add(2)
	fail(3, 6) // one tries, and then it rests again
	clockOffset.Add(31)
	well.Store(true)
	for range 3 {
		if err := r.Send(t.Context(), testCode()); err != nil {
			t.Error(err)
		}
	}
	if !r.PrimaryUp() {
		t.Error("it is down after a message that it took")
	}
	well.Store(false)
	fail(5+3, 6+3+5)
}

func TestFallbackSendsWhileBreakerIsOpen(t *testing.T) {
	first, second := newFakeServer(t, checkAliyun, answerWith(500, "")),
		newFakeServer(t, checkTencent, answerWith(200, tencentOK))
	r, _, _ := newTestReliable(t, testAliyun(first.URL), testTencent(second.URL))
	for range breakAfter {
		failureOf(t, r.Send(t.Context(), testCode()))
	}
	for range 3 {
		if err := r.Send(t.Context(), testCode()); err != nil {
			t.Error(err)
		}
	}
	if r.PrimaryUp() || !r.FallbackUp() {
		t.Errorf("the first is up: %t, the second: %t", r.PrimaryUp(), r.FallbackUp())
	}
	if first.hits.Load() != 5 || second.hits.Load() != 3 {
		t.Errorf("%d and %d", first.hits.Load(), second.hits.Load())
	}
}

func TestOneMessageTriesTheProviderAfterThePause(t *testing.T) {
	s := newFakeServer(t, checkAliyun, hang)
	r, clockOffset, _ := newTestReliable(t, testAliyun(s.URL), nil)
	all := func() {
		var wait sync.WaitGroup
		for range 20 {
			wait.Go(func() { _ = r.Send(t.Context(), testCode()) })
		}
		wait.Wait()
	}
	all()
	before := s.hits.Load()
	clockOffset.Add(31)
	all()
	if got := s.hits.Load() - before; got != 1 {
		t.Errorf("%d messages tried it", got)
	}
}

func TestCallerErrorsDoNotOpenTheBreaker(t *testing.T) {
	for name, script := range map[string]func(int, http.ResponseWriter, *http.Request){
		"a phone asked for too often":     aliyunAnswer("isv.BUSINESS_LIMIT_CONTROL"),
		"phones that do not exist":        aliyunAnswer("isv.MOBILE_NUMBER_ILLEGAL"),
		"a template missing for one kind": aliyunAnswer("isv.SMS_TEMPLATE_ILLEGAL"),
		"people who leave":                hang,
	} {
		t.Run(name, func(t *testing.T) {
			s := newFakeServer(t, checkAliyun, script)
			r, _, _ := newTestReliable(t, testAliyun(s.URL), nil)
			for i := range breakAfter * 2 {
				ctx, cancel := context.WithCancel(t.Context())
				if name == "people who leave" {
					leaveOnceAsked(ctx, cancel, s, int32(i+1))
				}
				failureOf(t, r.Send(ctx, testCode()))
				cancel()
				if got := s.hits.Load(); got != int32(i+1) {
					t.Fatalf("message %d: asked %d times", i+1, got)
				}
			}
		})
	}
}

// leaveOnceAsked cancels when the provider was asked a number of times.
func leaveOnceAsked(ctx context.Context, cancel func(), s *fakeServer, times int32) {
	go func() {
		for s.hits.Load() < times && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
}

func TestCancelledTrialLetsTheNextMessageTry(t *testing.T) {
	s := newFakeServer(t, checkAliyun, hang)
	r, clockOffset, _ := newTestReliable(t, testAliyun(s.URL), nil)
	for range breakAfter {
		failureOf(t, r.Send(t.Context(), testCode()))
	}
	clockOffset.Add(31)
	for i := range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		leaveOnceAsked(ctx, cancel, s, int32(breakAfter+i+1))
		if f := failureOf(t, r.Send(ctx, testCode())); f.Code != codeCancelled {
			t.Errorf("%+v", *f)
		}
		cancel()
	}
	if s.hits.Load() != breakAfter+3 {
		t.Errorf("asked %d times", s.hits.Load())
	}
}

func TestSendKeepsItsTimeLimit(t *testing.T) {
	s := newFakeServer(t, checkWebhook, hang)
	r, _, _ := newTestReliable(t, testWebhook(s.URL), nil)
	r.totalTime = shortTimeout + 50*time.Millisecond
	start := time.Now()
	f := failureOf(t, r.Send(t.Context(), testCode()))
	if took := time.Since(start); took > r.totalTime+200*time.Millisecond || f.Code != codeTimeout ||
		s.hits.Load() != 2 {
		t.Errorf("%v %+v, asked %d times", took, *f, s.hits.Load())
	}
	slow := testWebhook(s.URL)
	slow.client.Timeout = time.Minute
	r, _, _ = newTestReliable(t, slow, nil)
	r.attemptTime, r.totalTime = 50*time.Millisecond, 500*time.Millisecond
	start = time.Now()
	failureOf(t, r.Send(t.Context(), testCode()))
	if took := time.Since(start); took > 350*time.Millisecond {
		t.Errorf("two tries of 50 ms took %v", took)
	}
}

func TestMessageIsGivenUpAfterFiveAndAHalfSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tried []time.Duration
		r, _, _ := newTestReliable(t, senderFunc(func(ctx context.Context, _ SMS) error {
			start := time.Now()
			<-ctx.Done()
			tried = append(tried, time.Since(start))
			return &Failure{Provider: webhook, Code: codeTimeout, Kind: Temporary}
		}), nil)
		failureOf(t, r.Send(t.Context(), testCode()))
		if len(tried) != 2 || tried[0] != 5*time.Second || tried[1] != 500*time.Millisecond {
			t.Errorf("attempts of %v", tried)
		}
	})
}

func TestAttemptWithoutTimeLeftDoesNotCountAsFailure(t *testing.T) {
	first, second := newFakeServer(t, checkAliyun, hang), newFakeServer(t, checkTencent, answerWith(200, tencentOK))
	slow := testAliyun(first.URL)
	slow.client.Timeout = time.Minute
	r, _, log := newTestReliable(t, senderFunc(func(ctx context.Context, m SMS) error {
		_ = slow.Send(ctx, m)
		return &Failure{Provider: aliyun, Code: codeTimeout, Kind: Temporary} // sure, so that another may try
	}), testTencent(second.URL))
	r.totalTime = 50 * time.Millisecond
	for range breakAfter - 1 {
		failureOf(t, r.Send(t.Context(), testCode()))
	}
	if second.hits.Load() != 0 || r.fallback.breaker.failed != 0 || strings.Contains(log.String(), tencent) {
		t.Errorf("%d asked, %d failures counted: %s", second.hits.Load(), r.fallback.breaker.failed, log)
	}
}

type senderFunc func(context.Context, SMS) error

func (f senderFunc) Send(ctx context.Context, m SMS) error { return f(ctx, m) }

func TestUnknownErrorMayHaveSucceeded(t *testing.T) {
	calls := 0
	r, _, _ := newTestReliable(t, senderFunc(func(context.Context,
		SMS) error {
		calls++
		return context.DeadlineExceeded
	}),
		nil)
	if f := failureOf(t, r.Send(t.Context(), testCode())); f.Kind != Temporary || !f.MayHaveSucceeded || calls != 1 {
		t.Errorf("%+v after %d calls", *f, calls)
	}
}

func TestSendLeavesNoGoroutine(t *testing.T) {
	settled := func() int {
		least := runtime.NumGoroutine()
		for range 20 {
			time.Sleep(10 * time.Millisecond)
			least = min(least, runtime.NumGoroutine())
		}
		return least
	}
	scripts := []func(int, http.ResponseWriter, *http.Request){hang, resetConnection, answerWith(500, "<html>"),
		answerWith(200, "")}
	s := newFakeServer(t, checkWebhook, func(n int, w http.ResponseWriter, r *http.Request) {
		scripts[n%len(scripts)](n, w, r)
	})
	w := testWebhook(s.URL)
	w.client.Timeout = 30 * time.Millisecond
	r, clockOffset, _ := newTestReliable(t, w, nil)
	before := settled()
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for j := range 15 {
				m := testCode()
				m.ID = fmt.Sprint(i, "-", j)
				_ = r.Send(t.Context(), m)
				clockOffset.Add(31) // no rest: every message is tried
			}
		})
	}
	wait.Wait()
	// At most four idle connections remain, each with two goroutines here and one at the fake server.
	if after := settled(); after > before+3*4 {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
	w.client.CloseIdleConnections()
	if after := settled(); after > before+1 {
		t.Errorf("%d goroutines before, %d after the connections were closed", before, after)
	}
}
