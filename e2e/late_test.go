package e2e

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// A script that did not arrive is asked for once more, at an address that the browser does not know to have failed.
func TestALateScriptThatFailedOnceArrives(t *testing.T) {
	t.Parallel()
	b := scriptedTab(t, normal, phone)
	b.must(proto.NetworkSetCacheDisabled{CacheDisabled: true}.Call(b))
	var mu sync.Mutex
	asked := map[string][]string{}
	router := b.HijackRequests()
	t.Cleanup(func() { _ = router.Stop() })
	b.must(router.Add("*.js*", "", func(h *rod.Hijack) {
		name, _, _ := strings.Cut(h.Request.URL().Path, "-")
		mu.Lock()
		first := asked[name] == nil
		asked[name] = append(asked[name], h.Request.URL().String())
		mu.Unlock()
		if first && (strings.HasSuffix(name, "/more") || strings.HasSuffix(name, "/region")) {
			h.Response.Fail(proto.NetworkErrorReasonInternetDisconnected)
			return
		}
		h.ContinueRequest(&proto.FetchContinueRequest{})
	}))
	go router.Run()
	b.plain = true // scripts that fail are on the console
	b.visit("store1001", "/register/more")
	b.await("the regions' script", `() => document.querySelector("[data-island=region]").dataset.ready === ""`)
	mu.Lock()
	defer mu.Unlock()
	for _, name := range []string{"/assets/more", "/assets/region"} {
		if all := asked[name]; len(all) != 2 || len(slices.Compact(slices.Clone(all))) != 2 {
			t.Errorf("%s: %q", name, all)
		}
	}
}
