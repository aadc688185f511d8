package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestSMSCredentialsAreCheckedWithoutSendingAMessage(t *testing.T) {
	const asked, permission = "", "may not ask"
	for name, provider := range map[string]struct {
		check   func(url string) func(context.Context) error
		signed  func(t *testing.T, r *http.Request, body []byte)
		answers map[string]string // by the error that they give: a code, asked for none
	}{
		"aliyun": {
			func(url string) func(context.Context) error { return testAliyun(url).Check },
			func(t *testing.T, r *http.Request, body []byte) { checkAliyunAction(t, r, body, "QuerySendStatistics") },
			map[string]string{
				asked:                         `{"Code":"OK","Message":"OK","Data":{"TotalSize":0}}`,
				permission:                    `{"Code":"isp.RAM_PERMISSION_DENY","Message":"canary"}`,
				"SignatureDoesNotMatch":       `{"Code":"SignatureDoesNotMatch","Message":"canary"}`,
				"InvalidAccessKeyId.NotFound": `{"Code":"InvalidAccessKeyId.NotFound","Message":"canary"}`,
				codeBroken:                    `{}`,
			},
		},
		"tencent": {
			func(url string) func(context.Context) error { return testTencent(url).Check },
			func(t *testing.T, r *http.Request, body []byte) {
				checkTencentAction(t, r, body, "SendStatusStatistics")
			},
			map[string]string{
				asked: `{"Response":{"SendStatusStatistics":{"FeeCount":0,"RequestCount":0},"RequestId":"1"}}`,
				permission: `{"Response":{"Error":{"Code":"UnauthorizedOperation.RequestPermissionDeny"},` +
					`"RequestId":"1"}}`,
				"AuthFailure.SignatureFailure": `{"Response":{"Error":{"Code":"AuthFailure.SignatureFailure",` +
					`"Message":"canary"},"RequestId":"1"}}`,
				codeBroken: `{"Response":{"RequestId":"1"}}`,
			},
		},
	} {
		for want, answer := range provider.answers {
			t.Run(name+" "+want, func(t *testing.T) {
				requests := 0
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					requests++
					body, _ := io.ReadAll(r.Body)
					provider.signed(t, r, body)
					_, _ = io.WriteString(w, answer)
				}))
				defer server.Close()
				err := provider.check(server.URL)(t.Context())
				failure, _ := errors.AsType[*Failure](err)
				switch {
				case requests != 1:
					t.Errorf("%d requests", requests)
				case want == asked && err != nil, want == permission && !errors.Is(err, ErrMayNotAsk):
					t.Errorf("%v", err)
				case want != asked && want != permission && (failure == nil || failure.Code != want ||
					strings.Contains(err.Error(), "canary")):
					t.Errorf("%v, want %s", err, want)
				}
			})
		}
	}
}
