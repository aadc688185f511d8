package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

func TestProviderMessageThatRepeatsSecretsIsDropped(t *testing.T) {
	hidden := []string{canarySecret, canaryToken, canaryGrant}
	for _, said := range []string{
		"%s", "invalid %s", "ok:%s!", strings.Repeat("很", 90) + "%s", "%.9s is not known", "%.20s", "  a\x00b %s",
	} {
		for _, sent := range hidden {
			for _, value := range []string{sent, strings.ToUpper(sent), sent[:10] + "\x00\u200b" + sent[10:], sent[3:],
				"\xff" + sent} {
				message := fmt.Sprintf(said, value)
				body, _ := json.Marshal(map[string]any{"errcode": 40013, "errmsg": message})
				for _, q := range wxTestRequests() {
					if !q.code || sent == canaryToken && !q.token {
						continue // it is not sent there
					}
					s := newFakeServer(t, q.check, answerWith(200, string(body)))
					if f := failureOf(t, q.ask(t.Context(), s.URL, noChange)); f.Message != "" || f.Code != "40013" {
						t.Errorf("%q is quoted as %q", message, f.Message)
					}
					s.Close()
				}
			}
		}
	}
}

func TestErrcodeThatRepeatsACodeIsDropped(t *testing.T) {
	s := newFakeServer(t, func(*testing.T, *http.Request, []byte) string { return "" },
		answerWith(200, `{"errcode":482915,"errmsg":"482915"}`))
	_, err := testWeChat(s.URL).Exchange(t.Context(), testApp, canaryCode)
	if f := failureOf(t, err); f.Code != "unreadable_code" || f.Message != "" {
		t.Errorf("%+v", *f)
	}
}

func TestProviderMessageIsShortAndPrintable(t *testing.T) {
	for said, want := range map[string]string{
		"":                                    "",
		"ok":                                  "ok",
		" a\t\r\nb \u2028 c ":                 "a b c",
		"a\u202eb\u200bc\x07d\x1b[31m":        "abcd[31m",
		"bad \xff\xfe bytes":                  "bad bytes",
		strings.Repeat("好", 300):              strings.Repeat("好", 100),
		"<script>alert(1)</script>":           "<script>alert(1)</script>", // escaped where it is shown
		"not from 2001:db8::1 or 10.0.0.1":    "not from or",
		"at 10:30 try 1.2 again":              "at 10:30 try 1.2 again",
		"see https://evil.example/?t=1 now":   "see",
		"AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMP":  "",
		"a" + strings.Repeat(" ", 1022) + "b": "a b", // the first 1024 bytes are read
		"a" + strings.Repeat(" ", 1023) + "b": "a",
		"canary- is not known":                "canary- is not known", // seven bytes of a secret
		"canary-k is not known":               "",
	} {
		if got := publicMessage(said, []string{canarySecret}); got != want {
			t.Errorf("%q became %q", said, got)
		}
	}
}

func TestLogsShowOnlyNamesOfCredentialsAndTokens(t *testing.T) {
	var out bytes.Buffer
	token := Token{Value: canaryToken, Expires: time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)}
	slog.New(slog.NewJSONHandler(&out, nil)).Info("about", "app", testApp, "corp", testCorp)
	slog.New(slog.NewTextHandler(&out, nil)).Info("about", "app", testApp, "corp", testCorp, "token", token)
	text, err := json.Marshal([]any{testApp, testCorp})
	if err != nil {
		t.Fatal(err)
	}
	wantNoSecret(t, out.String()+string(text)+fmt.Sprintf("%v %+v %#v %s", testApp, testApp, testApp, testApp)+
		fmt.Sprintf("%v %+v %#v %s", testCorp, testCorp, testCorp, testCorp)+fmt.Sprintf("%v %+v %#v %s",
		token, token, token, token))
	if !strings.Contains(out.String(), testApp.ID) || !strings.Contains(out.String(), testCorp.ID) {
		t.Error(out.String())
	}
	a, w := NewWeChat(WeChatOptions{}), NewWeCom(WeComOptions{})
	wantNoSecret(t, a.AuthorizeURL(testApp.ID, "/", "s", ScopeUser)+w.AuthorizeURL(testCorp, "/",
		"s")+w.ScanURL(testCorp, "/", "s"))
}

func FuzzAnswersOfProvidersOfIdentities(f *testing.F) {
	for _, q := range wxTestRequests() {
		f.Add([]byte(q.ok), 200)
	}
	for _, body := range []string{grantUser, wechatPerson, "", "null", "[]",
		`{"errcode":40029,"errmsg":"invalid code, hints: [ req_id: x ]"}`, `{"errcode":-1}`,
		`{"errcode":40164,"errmsg":"invalid ip 1.2.3.4 ipv6 ::ffff:1.2.3.4, not in whitelist rid: 1"}`,
		`{"errcode":1,"errmsg":"` + canarySecret + `"}`, `{"errcode":1,"errmsg":"\u0000\ud800"}`} {
		f.Add([]byte(body), 200)
	}
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		c := wxCall{query: map[string][]string{"access_token": {"x"}}, secrets: []string{canarySecret, canaryGrant}}
		for _, into := range []wxAnswer{new(grantAnswer), new(profileAnswer), new(memberAnswer), new(tokenAnswer)} {
			failed := readWx(wechat, answer{status, body}, c, into)
			if failed == nil {
				if status != 200 || len(body) >= maxAnswer || !into.complete() {
					t.Fatalf("%d %q is taken for an answer", status, body)
				}
				continue
			}
			kinds := []Kind{Temporary, Refused, Expired, Stale, Busy}
			if !slices.Contains(kinds, failed.Kind) || failed.Code == "" || len(failed.Code) > 20 {
				t.Fatalf("%+v", *failed)
			}
			m := failed.Message
			if !utf8.ValidString(m) || utf8.RuneCountInString(m) > maxWords ||
				strings.ContainsFunc(m, func(r rune) bool { return !unicode.IsPrint(r) }) ||
				repeatsSecret(m, c.secrets) {
				t.Fatalf("%q is quoted as %q", body, m)
			}
		}
	})
}
