package core_test

import (
	"sync/atomic"
	"testing"

	"portico/e2e/testscope"
	"portico/portal/portaltest"
	"portico/store/storetest"
)

func TestPublicCallsAtTheSameTimeAreCountedOnce(t *testing.T) {
	p := portaltest.NewEmptyPlatform(t, storetest.SQLite(t))
	ctx := p.From("203.0.113.9")
	var let atomic.Int64
	testscope.Together(8, 100, func(int, int) {
		if p.Limits.LimitPublicCall(ctx) == nil {
			let.Add(1)
		}
	})
	if n := let.Load(); n != 300 {
		t.Errorf("%d calls of one address in a minute", n)
	}
}
