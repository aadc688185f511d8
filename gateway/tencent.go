package gateway

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// TencentOptions are the settings of Tencent Cloud's SMS service.
type TencentOptions struct {
	ID, Key   string // the SecretId and the SecretKey
	App       string // the SdkAppId
	Sign      string // the sign name, without 【】
	Templates Templates
	API       string // base URL, like https://sms.tencentcloudapi.com
}

// Tencent sends messages by Tencent Cloud: SendSms of sms 2021-01-11. Tencent Cloud does not recognise a message that
// it gets twice (SessionContext only comes back). So a message that may have been accepted is never sent again.
type Tencent struct {
	o      TencentOptions
	client *http.Client
	now    func() time.Time
}

const tencent = "tencent"

// NewTencent returns a sender. It makes no request before the first message.
func NewTencent(o TencentOptions) *Tencent {
	o.API = withRootPath(o.API)
	return &Tencent{o: o, client: newClient(), now: time.Now}
}

// Send sends one message.
func (t *Tencent) Send(ctx context.Context, m SMS) error {
	if !isPhone(m.Phone) {
		return badPhone(tencent, codeBadPhone)
	}
	template, params, ok := t.o.Templates.forMessage(m)
	if !ok {
		return refused(tencent, codeNoTemplate)
	}
	r, err := t.request(ctx, m, template, params)
	if err != nil {
		return refused(tencent, "bad_request")
	}
	answer, failed := doRequest(t.client, tencent, r)
	if failed != nil {
		return failed
	}
	return tencentResult(answer)
}

func (t *Tencent) request(ctx context.Context, m SMS, template string, params []string) (*http.Request, error) {
	return t.signed(ctx, "SendSms", map[string]any{
		"PhoneNumberSet":   []string{"+86" + m.Phone},
		"SmsSdkAppId":      t.o.App,
		"SignName":         t.o.Sign,
		"TemplateId":       template,
		"TemplateParamSet": append([]string{}, params...),
		"SessionContext":   m.ID,
	})
}

// signed returns a request for an action of the provider.
func (t *Tencent) signed(ctx context.Context, action string, fields map[string]any) (*http.Request, error) {
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.o.API, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	now := t.now() // once: the signature must be of the second that the header names
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.Header.Set("X-TC-Action", action)
	r.Header.Set("X-TC-Version", "2021-01-11")
	r.Header.Set("X-TC-Region", "ap-guangzhou")
	r.Header.Set("X-TC-Timestamp", strconv.FormatInt(now.Unix(), 10))
	canonical := tc3Canonical(r, body, tc3Headers)
	r.Header.Set("Authorization", tc3Authorization(t.o.ID, t.o.Key, "sms", now, canonical, tc3Headers))
	return r, nil
}

// The signature TC3-HMAC-SHA256, of POST requests.
const (
	tc3        = "TC3-HMAC-SHA256"
	tc3Headers = "content-type;host;x-tc-action"
)

func tc3Authorization(id, key, service string, now time.Time, canonical, headers string) string {
	day := now.UTC().Format(time.DateOnly)
	derived := []byte("TC3" + key)
	for _, part := range []string{day, service, "tc3_request"} {
		derived = hmacSHA256(derived, []byte(part))
	}
	scope := day + "/" + service + "/tc3_request"
	signature := hmacSHA256(derived, []byte(tc3StringToSign(now, scope, canonical)))
	return tc3 + " Credential=" + id + "/" + scope + ", SignedHeaders=" + headers + ", Signature=" +
		hex.EncodeToString(signature)
}

func tc3Canonical(r *http.Request, body []byte, headers string) string {
	lines := []string{r.Method, r.URL.EscapedPath(), r.URL.RawQuery}
	for name := range strings.SplitSeq(headers, ";") {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.URL.Host
		}
		lines = append(lines, name+":"+strings.ToLower(strings.TrimSpace(value)))
	}
	return strings.Join(append(lines, "", headers, sha256Hex(body)), "\n")
}

func tc3StringToSign(now time.Time, scope, canonical string) string {
	return strings.Join([]string{tc3, strconv.FormatInt(now.Unix(), 10), scope, sha256Hex([]byte(canonical))}, "\n")
}

// tencentResult reads an answer, which has the error of the call, or the status of its only phone.
func tencentResult(a answer) error {
	var said struct {
		Response struct {
			Error         struct{ Code string }
			SendStatusSet []struct{ Code string }
		}
	}
	if json.Unmarshal(a.body, &said) != nil {
		return brokenAnswer(tencent)
	}
	if code := said.Response.Error.Code; code != "" {
		return tencentFailure(code, a.status)
	}
	if len(said.Response.SendStatusSet) != 1 || said.Response.SendStatusSet[0].Code == "" {
		return brokenAnswer(tencent)
	}
	if code := said.Response.SendStatusSet[0].Code; code != "Ok" || a.status != http.StatusOK {
		return tencentFailure(code, a.status)
	}
	return nil
}

// tencentFailure turns the provider's code into a failure, as aliyunFailure does.
func tencentFailure(code string, status int) *Failure {
	f := refused(tencent, safeCode(code))
	switch {
	case code == "InvalidParameterValue.IncorrectPhoneNumber", code == "FailedOperation.PhoneNumberInBlacklist":
		f.Kind = BadPhone
	case strings.HasPrefix(code, "LimitExceeded"), strings.HasPrefix(code, "RequestLimitExceeded"):
		f.Kind, f.Throttled = Temporary, true
	case code == "InternalError.SigVerificationFail", code == "InternalError.SigFieldMissing":
	case strings.HasPrefix(code, "InternalError"), status >= http.StatusInternalServerError:
		f.Kind, f.MayHaveSucceeded = Temporary, true
	}
	return f
}
