package access_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/signin"
	"portico/store/storetest"
)

// SignInCounts counts sign-ins by method and result, like the metrics.
type SignInCounts struct {
	Mu     sync.Mutex
	Counts map[string]int
}

// Watch makes a platform with these options report its sign-ins to c.
func (c *SignInCounts) Watch(o *portal.Options) {
	c.Counts = map[string]int{}
	o.Counted.SignIn = func(method, result string) {
		c.Mu.Lock()
		defer c.Mu.Unlock()
		c.Counts[method+" "+result]++
	}
}

// Want fails the test unless exactly these sign-ins were counted, by "method result".
func (c *SignInCounts) Want(t *testing.T, want map[string]int) {
	t.Helper()
	c.Mu.Lock()
	defer c.Mu.Unlock()
	for key, n := range want {
		if c.Counts[key] != n {
			t.Errorf("%s is counted %d times, want %d", key, c.Counts[key], n)
		}
	}
	if len(c.Counts) != len(want) {
		t.Errorf("counted: %v", c.Counts)
	}
}

func TestSignInsByAChatAppAreCountedByItsName(t *testing.T) {
	counts := new(SignInCounts)
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		p.AddLink(chattest.Identity(1), portaltest.BuyerPhone)
		p.AddLink(chattest.Identity(2), "13800000007")
		b.SignIn(access.WeChat, chattest.Identity(1))
		_, err := b.Authorise(access.WeChat, chattest.Identity(2))
		portaltest.Refused(t, err, access.CompanyDisabled)
		p.Wechat.FailWith("exchange", &signin.ProviderFailure{Code: "40029"})
		if _, err = b.Authorise(access.WeChat, chattest.Identity(1)); err == nil {
			t.Fatal("signed in by a code that WeChat refused")
		}
		counts.Want(t, map[string]int{"wechat ok": 1, "wechat company_disabled": 1, "wechat wechat_failed": 1})
	}, counts.Watch)
}

func TestEverySecurityLogLineNamesTheRequestAndTheAddress(t *testing.T) {
	written := new(portaltest.LogBuffer)
	p := portaltest.NewPlatform(
		t, storetest.SQLite(t), func(o *portal.Options) { o.Log = portaltest.NewLogger(written) },
	)
	p.SignIn(portaltest.AccountHost, "13800000002")
	for range 6 {
		if _, err := p.Login(p.WrongLoginInput("13800000001")); err == nil {
			t.Fatal("signed in")
		}
	}
	ctx := p.From(portaltest.HomeAddress)
	_, err := p.Chatlogin.FinishAuthorisation(
		ctx, signin.CallbackInput{Provider: access.WeChat, State: "stranger", Code: "x"},
	)
	portaltest.Refused(t, err, access.WeChatFailed)
	call := core.Call{Signature: strings.Repeat("a", 64), Path: "/v1/x", Effect: true}
	portaltest.NoError(t, p.Replay.FirstUse(ctx, call))
	if err := p.Replay.FirstUse(ctx, call); err == nil {
		t.Fatal("a signature worked twice")
	}
	seen := map[string]bool{}
	for line := range strings.Lines(written.String()) {
		var entry map[string]any
		portaltest.NoError(t, json.Unmarshal([]byte(line), &entry))
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
