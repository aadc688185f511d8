package gateway

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// WebhookOptions are the URL to which messages are posted and the secret that signs them.
type WebhookOptions struct {
	URL, Secret string
}

// Webhook posts messages as JSON to a program of the operator, which sends them. That program must recognise the id of
// a message that it got before, because after a failure the same message may be posted again.
type Webhook struct {
	o      WebhookOptions
	client *http.Client
	now    func() time.Time
}

const webhook = "webhook"

// NewWebhook returns a sender. It makes no request before the first message.
func NewWebhook(o WebhookOptions) *Webhook {
	return &Webhook{o: o, client: newClient(), now: time.Now}
}

// Send posts one message.
func (w *Webhook) Send(ctx context.Context, m SMS) error {
	if !isPhone(m.Phone) {
		return badPhone(webhook, codeBadPhone)
	}
	m.Params = append([]string{}, m.Params...)
	body, err := json.Marshal(m)
	if err != nil {
		return refused(webhook, "bad_request")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.o.URL, bytes.NewReader(body))
	if err != nil {
		return refused(webhook, "bad_request")
	}
	timestamp := strconv.FormatInt(w.now().Unix(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Portico-Timestamp", timestamp)
	r.Header.Set("X-Portico-Signature", webhookSignature(w.o.Secret, timestamp, body))
	answer, failed := doRequest(w.client, webhook, r)
	if failed == nil {
		failed = webhookFailure(answer.status)
	}
	if failed == nil {
		return nil
	}
	failed.DetectsDuplicates = true
	return failed
}

// webhookSignature returns the signature that the receiver computes, too: HMAC-SHA256 of the timestamp, a newline and
// the body, in hex.
func webhookSignature(secret, timestamp string, body []byte) string {
	return hex.EncodeToString(hmacSHA256([]byte(secret), append([]byte(timestamp+"\n"), body...)))
}

// webhookFailure turns the status of an answer into a failure, nil for success.
func webhookFailure(status int) *Failure {
	f := refused(webhook, "http_"+strconv.Itoa(status))
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusUnprocessableEntity:
		f.Kind = BadPhone
	case status == http.StatusTooManyRequests:
		f.Kind, f.Throttled = Temporary, true
	case status < 400, status >= 500, status == http.StatusRequestTimeout:
		f.Kind, f.MayHaveSucceeded = Temporary, true
	}
	return f
}
