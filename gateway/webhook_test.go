package gateway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

func testWebhook(url string) *Webhook {
	w := NewWebhook(WebhookOptions{URL: url + "/sms?token=canary", Secret: canarySecret})
	w.client.Timeout = shortTimeout
	return w
}

// checkWebhook does what docs/sms.md tells receivers to do, and returns the id.
func checkWebhook(t *testing.T, r *http.Request, body []byte) string {
	timestamp := r.Header.Get("X-Portico-Timestamp")
	mac := hmac.New(sha256.New, []byte(canarySecret))
	mac.Write([]byte(timestamp + "\n" + string(body)))
	if hex.EncodeToString(mac.Sum(nil)) != r.Header.Get("X-Portico-Signature") {
		t.Errorf("wrong signature of %s", body)
	}
	if at, err := strconv.ParseInt(timestamp, 10, 64); err != nil || time.Since(time.Unix(at, 0)) > time.Minute {
		t.Errorf("time %q", timestamp)
	}
	if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" ||
		r.URL.RequestURI() != "/sms?token=canary" {
		t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
	}
	var sent SMS
	if err := json.Unmarshal(body, &sent); err != nil || sent.Phone != canaryPhone || sent.Params == nil {
		t.Errorf("%s %v", body, err)
	}
	return sent.ID
}

func TestWebhookResultDependsOnStatus(t *testing.T) {
	for status, want := range map[int]*Failure{
		200: nil, 202: nil, 204: nil,
		304: {Kind: Temporary, MayHaveSucceeded: true},
		400: {Kind: Refused}, 401: {Kind: Refused}, 404: {Kind: Refused}, 413: {Kind: Refused},
		408: {Kind: Temporary, MayHaveSucceeded: true},
		422: {Kind: BadPhone},
		429: {Kind: Temporary, Throttled: true},
		500: {Kind: Temporary, MayHaveSucceeded: true}, 503: {Kind: Temporary, MayHaveSucceeded: true},
	} {
		s := newFakeServer(t, checkWebhook, answerWith(status, ""))
		err := testWebhook(s.URL).Send(t.Context(), testCode())
		if want == nil {
			if err != nil {
				t.Errorf("%d: %v", status, err)
			}
			continue
		}
		want.Provider, want.Code, want.DetectsDuplicates = webhook, "http_"+strconv.Itoa(status), true
		if f := failureOf(t, err); *f != *want {
			t.Errorf("%d: %+v", status, *f)
		}
	}
}

func TestWebhookParamsAreAlwaysAList(t *testing.T) {
	s := newFakeServer(t, checkWebhook, answerWith(200, "")) // which refuses null
	if err := testWebhook(s.URL).Send(t.Context(), SMS{ID: "n", Phone: canaryPhone, Kind: Notice}); err != nil {
		t.Error(err)
	}
}

// The worked example of docs/sms.md.
func TestWebhookSignatureMatchesDocumentation(t *testing.T) {
	const (
		secret    = "0123456789abcdef0123456789abcdef"
		timestamp = "1767225600"
	)
	body, err := json.Marshal(SMS{
		ID: "3QLZ6WKD", Phone: canaryPhone, Kind: Code, Purpose: "login", Lang: "en",
		Text: "Portico: your code to sign in at Acme is 482915. Valid for 5 minutes. Do not share it with anyone." +
			"\n\n@store1001.example.com #482915",
		Code: canaryCode, Params: []string{canaryCode, "5", "Acme"},
	})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../docs/sms.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{string(body), secret, timestamp, webhookSignature(secret, timestamp, body)} {
		if !strings.Contains(string(doc), part) {
			t.Errorf("docs/sms.md does not show %s", part)
		}
	}
}
