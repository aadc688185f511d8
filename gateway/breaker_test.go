package gateway

import (
	"testing"
	"time"
)

func TestProviderIsLeftAloneFor30SecondsAfterFiveFailures(t *testing.T) {
	var b breaker
	now := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	failed := &Failure{Provider: aliyun, Code: codeTimeout, Kind: Temporary}
	for n := 1; n <= 5; n++ {
		if paused := b.allows(now); paused != nil {
			t.Errorf("left alone after %d failures", n-1)
		}
		if opened := b.report(failed, now); opened != (n == 5) {
			t.Errorf("failure %d: opened %t", n, opened)
		}
	}
	for range 2 { // the one request after the pause fails, too
		if b.allows(now.Add(30*time.Second-1)) == nil {
			t.Error("asked before 30 s have passed")
		}
		if paused := b.allows(now.Add(30 * time.Second)); paused != nil {
			t.Errorf("not asked after 30 s: %+v", paused)
		}
		now = now.Add(30 * time.Second)
		if b.allows(now.Add(30*time.Second-1)) == nil {
			t.Error("a second request is allowed")
		}
		b.report(failed, now)
	}
}
