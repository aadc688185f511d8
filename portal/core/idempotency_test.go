package core_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/store/storetest"
)

// keyedCall is a call with an idempotency key.
var keyedCall = core.OnceInput{Caller: "token", Path: "/create", Key: "key", Content: []byte("content")}

// runKeyed runs a call with the key and returns its answer.
func runKeyed(p *portaltest.Platform, answer string) (string, error) {
	got, err := p.Replay.Once(p.T.Context(), keyedCall, func() ([]byte, error) { return []byte(answer), nil })
	return string(got), err
}

func TestAnIdempotencyKeyGivesTheSameAnswerForADay(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		_, err := runKeyed(p, "first")
		portaltest.NoError(t, err)
		p.Clock.Advance(24*time.Hour - time.Millisecond)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if got, err := runKeyed(p, "second"); got != "first" || err != nil {
			t.Errorf("before a day is over: %q, %v", got, err)
		}
		if got, err := p.Replay.StoredAnswer(t.Context(), keyedCall); string(got) != "first" || err != nil {
			t.Errorf("before a day is over: %q, %v", got, err)
		}
		p.Clock.Advance(time.Millisecond)
		if got, err := p.Replay.StoredAnswer(t.Context(), keyedCall); got != nil || err != nil {
			t.Errorf("after a day: %q, %v", got, err)
		}
		if got, err := runKeyed(p, "second"); got != "second" || err != nil {
			t.Errorf("after a day: %q, %v", got, err)
		}
	})
}

// While a call with a key runs, the same call waits ten seconds for the answer. A call that has run for a minute
// counts as failed.
func TestACallWithAKeyRunsAgainOnlyAMinuteAfterOneWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := portaltest.NewEmptyPlatform(t, storetest.SQLite(t))
		signed := core.Call{Signature: strings.Repeat("5", 64), Path: keyedCall.Path, Effect: true, Keyed: true}
		portaltest.NoError(t, p.Replay.FirstUse(t.Context(), signed))
		hang, ended := make(chan bool), make(chan bool)
		go func() {
			defer close(ended)
			_, _ = p.Replay.Once(t.Context(), keyedCall, func() ([]byte, error) { <-hang; return nil, nil })
		}()
		defer func() {
			close(hang)
			<-ended
		}()
		synctest.Wait() // it has claimed the key
		p.Clock.Advance(time.Minute - time.Millisecond)
		for name, call := range map[string]func() error{
			"signed anew": func() error { _, err := runKeyed(p, "second"); return err },
			"the same bytes": func() error {
				_, err := p.Replay.KeptAnswer(t.Context(), signed, keyedCall)
				return err
			},
		} {
			began := time.Now()
			with := portaltest.Refused(t, call(), access.NotAvailable)
			if took := time.Since(began); took != 10*time.Second || with.WaitSeconds() != 2 {
				t.Errorf("%s: refused after %v, to be tried again in %v", name, took, with.Wait)
			}
		}
		p.Clock.Advance(time.Millisecond)
		_, err := p.Replay.KeptAnswer(t.Context(), signed, keyedCall)
		portaltest.Refused(t, err, access.SignReplayed)
		if got, err := runKeyed(p, "second"); got != "second" || err != nil {
			t.Errorf("after a minute: %q, %v", got, err)
		}
	})
}

// Two calls with the same bytes can arrive at once, so that the second one finds no key yet.
func TestAReplayWaitsHalfASecondForTheKeyOfTheFirstCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := portaltest.NewEmptyPlatform(t, storetest.SQLite(t))
		signed := core.Call{Signature: strings.Repeat("5", 64), Path: keyedCall.Path, Effect: true, Keyed: true}
		portaltest.NoError(t, p.Replay.FirstUse(t.Context(), signed))
		began := time.Now()
		_, err := p.Replay.KeptAnswer(t.Context(), signed, keyedCall)
		portaltest.Refused(t, err, access.SignReplayed)
		if took := time.Since(began); took != 500*time.Millisecond {
			t.Errorf("refused after %v", took)
		}
		time.AfterFunc(499*time.Millisecond, func() { _, _ = runKeyed(p, "first") })
		if got, err := p.Replay.KeptAnswer(t.Context(), signed, keyedCall); string(got) != "first" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
}
