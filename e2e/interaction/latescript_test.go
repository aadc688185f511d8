package interaction

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/browser"
)

// A page requests a script that did not arrive once more, with another URL, because the browser remembers that the
// first one failed.
func TestScriptThatFailedOnceIsRequestedAgain(t *testing.T) {
	t.Parallel()
	b := browser.NewScriptedTab(t, browser.Normal, browser.Phone)
	b.Must(proto.NetworkSetCacheDisabled{CacheDisabled: true}.Call(b))
	late := []string{"/assets/more", "/assets/phone"}
	var mu sync.Mutex
	asked := map[string][]string{}
	router := b.HijackRequests()
	t.Cleanup(func() { _ = router.Stop() })
	b.Must(router.Add("*.js*", "", func(h *rod.Hijack) {
		name, _, _ := strings.Cut(h.Request.URL().Path, "-")
		mu.Lock()
		first := asked[name] == nil
		asked[name] = append(asked[name], h.Request.URL().String())
		mu.Unlock()
		if first && (name == late[0] || name == late[1]) {
			h.Response.Fail(proto.NetworkErrorReasonInternetDisconnected)
			return
		}
		h.ContinueRequest(&proto.FetchContinueRequest{})
	}))
	go router.Run()
	b.ExpectBlocked("", true) // the console shows scripts that fail
	b.Visit("account", "/login/code")
	b.Await(
		"both scripts",
		`() => ["code", "phone-input"]
			.every(island => document.querySelector("[data-island=" + island + "]").dataset.ready === "")`,
	)
	mu.Lock()
	defer mu.Unlock()
	for _, name := range late {
		if all := asked[name]; len(all) != 2 || len(slices.Compact(slices.Clone(all))) != 2 {
			t.Errorf("%s: %q", name, all)
		}
	}
}
