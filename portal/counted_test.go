package portal_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"portico/portal"
	"portico/store/storetest"
)

// signInCounts counts as the metrics do.
type signInCounts struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *signInCounts) watch(o *portal.Options) {
	c.counts = map[string]int{}
	o.Counted.SignIn = func(way, result string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.counts[way+" "+result]++
	}
}

func (c *signInCounts) want(t *testing.T, want map[string]int) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, n := range want {
		if c.counts[key] != n {
			t.Errorf("%s is counted %d times, want %d", key, c.counts[key], n)
		}
	}
	if len(c.counts) != len(want) {
		t.Errorf("counted: %v", c.counts)
	}
}

func TestSignInsByAChatAppAreCountedByItsName(t *testing.T) {
	counts := new(signInCounts)
	onceChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		p.linkedRow(someone(1), buyerPhone)
		p.linkedRow(someone(2), "13800000007")
		b.signs(portal.WeChat, someone(1))
		_, err := b.authorises(portal.WeChat, someone(2))
		refused(t, err, portal.CompanyDisabled)
		p.wechat.failWith("exchange", &portal.ProviderFailure{Code: "40029"})
		if _, err = b.authorises(portal.WeChat, someone(1)); err == nil {
			t.Fatal("signed in by a code that WeChat refused")
		}
		counts.want(t, map[string]int{"wechat ok": 1, "wechat company_disabled": 1, "wechat wechat_failed": 1})
	}, counts.watch)
}

func TestEverySecurityLineNamesRequestAndAddressAlike(t *testing.T) {
	written := new(journal)
	p := newPlatform(t, storetest.SQLite(t), func(o *portal.Options) { o.Log = newLog(written) })
	p.signIn(accountHost, "13800000002")
	for range 6 {
		if _, err := p.login(p.wrong("13800000001")); err == nil {
			t.Fatal("signed in")
		}
	}
	ctx := p.from(homeAddress)
	_, err := p.FinishAuthorisation(ctx, portal.CallbackInput{Provider: portal.WeChat, State: "stranger", Code: "x"})
	refused(t, err, portal.WeChatFailed)
	call := portal.Call{Signature: strings.Repeat("a", 64), Path: "/v1/x", Effect: true}
	noError(t, p.FirstUse(ctx, call))
	if err := p.FirstUse(ctx, call); err == nil {
		t.Fatal("a signature worked twice")
	}
	seen := map[string]bool{}
	for line := range strings.Lines(written.String()) {
		var entry map[string]any
		noError(t, json.Unmarshal([]byte(line), &entry))
		if entry["msg"] != "security" {
			continue
		}
		event, _ := entry["event"].(string)
		seen[event] = true
		if _, ok := entry["request_id"].(string); !ok {
			t.Errorf("no request_id: %s", line)
		}
		if _, ok := entry["address"].(string); !ok {
			t.Errorf("no address: %s", line)
		}
		for name, value := range entry {
			if _, nested := value.(map[string]any); nested {
				t.Errorf("%s is nested: %s", name, line)
			}
		}
		if ms, _ := entry["wait_ms"].(float64); event == "locked" && (ms < 1000 || ms > 60_000) {
			t.Errorf("a wait of seconds is %v ms", entry["wait_ms"])
		}
	}
	for _, event := range []string{"sign_in", "sign_in_failed", "locked", "authorisation_refused", "replay_refused"} {
		if !seen[event] {
			t.Errorf("there is no line of %s in %v", event, seen)
		}
	}
}
