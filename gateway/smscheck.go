package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ErrMayNotAsk says that the provider accepted the signature of a Check, and that the key may not ask what Check asks.
var ErrMayNotAsk = errors.New("the key is right, and may not read the statistics")

// chinaTime is the zone in which both providers count days.
var chinaTime = time.FixedZone("UTC+8", 8*60*60)

// Check asks for the number of messages of today, which sends nothing and costs nothing. It returns nil when the
// credentials are right, ErrMayNotAsk, or a *Failure.
func (a *Aliyun) Check(ctx context.Context) error {
	today := a.now().In(chinaTime).Format("20060102")
	r, err := a.signed(ctx, "QuerySendStatistics", url.Values{
		"IsGlobe": {"1"}, "StartDate": {today}, "EndDate": {today}, "PageIndex": {"1"}, "PageSize": {"1"},
	})
	if err != nil {
		return refused(aliyun, "bad_request")
	}
	answer, failed := doRequest(a.client, aliyun, r)
	if failed != nil {
		return failed
	}
	var said struct{ Code string }
	switch {
	case json.Unmarshal(answer.body, &said) != nil || said.Code == "":
		return brokenAnswer(aliyun)
	case said.Code == "OK" && answer.status == http.StatusOK:
		return nil
	case said.Code == "isp.RAM_PERMISSION_DENY", strings.HasPrefix(said.Code, "NoPermission"),
		strings.HasPrefix(said.Code, "Forbidden"):
		return ErrMayNotAsk
	}
	return aliyunFailure(said.Code, answer.status)
}

// Check asks for the number of messages of the last hour, which sends nothing and costs nothing. It returns nil when
// the credentials and the application are right, ErrMayNotAsk, or a *Failure.
func (t *Tencent) Check(ctx context.Context) error {
	now := t.now().In(chinaTime)
	r, err := t.signed(ctx, "SendStatusStatistics", map[string]any{
		"SmsSdkAppId": t.o.App, "Limit": 0, "Offset": 0,
		"BeginTime": now.Add(-time.Hour).Format("2006010215"), "EndTime": now.Format("2006010215"),
	})
	if err != nil {
		return refused(tencent, "bad_request")
	}
	answer, failed := doRequest(t.client, tencent, r)
	if failed != nil {
		return failed
	}
	var said struct {
		Response *struct {
			Error                struct{ Code string }
			SendStatusStatistics json.RawMessage
		}
	}
	if json.Unmarshal(answer.body, &said) != nil || said.Response == nil {
		return brokenAnswer(tencent)
	}
	switch code := said.Response.Error.Code; {
	case strings.HasPrefix(code, "UnauthorizedOperation"), code == "AuthFailure.UnauthorizedOperation":
		return ErrMayNotAsk
	case code != "":
		return tencentFailure(code, answer.status)
	case answer.status != http.StatusOK || said.Response.SendStatusStatistics == nil:
		return brokenAnswer(tencent)
	}
	return nil
}
