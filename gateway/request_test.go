package gateway

import (
	"net/http"
	"testing"
	"time"
)

// A person waits for these requests, and every connection needs memory.
func TestRequestsHaveATimeLimitAndFewConnections(t *testing.T) {
	for name, c := range map[string]struct {
		client  *http.Client
		timeout time.Duration
	}{
		aliyun:     {NewAliyun(AliyunOptions{}).client, 3 * time.Second},
		tencent:    {NewTencent(TencentOptions{}).client, 3 * time.Second},
		webhook:    {NewWebhook(WebhookOptions{}).client, 3 * time.Second},
		wechat:     {NewWeChat(WeChatOptions{}).api.client, 3 * time.Second},
		wecom:      {NewWeCom(WeComOptions{}).api.client, 3 * time.Second},
		"pictures": {NewPictures(WeChatPictures, 1000).client, 3 * time.Second},
	} {
		if c.client.Timeout != c.timeout {
			t.Errorf("%s: a request may take %s, want %s", name, c.client.Timeout, c.timeout)
		}
		transport := c.client.Transport.(*http.Transport)
		if transport.IdleConnTimeout != 20*time.Second || transport.MaxIdleConnsPerHost != 4 ||
			transport.MaxResponseHeaderBytes != 64<<10 {
			t.Errorf("%s: %d idle connections for %s, headers of %d bytes", name, transport.MaxIdleConnsPerHost,
				transport.IdleConnTimeout, transport.MaxResponseHeaderBytes)
		}
	}
}
