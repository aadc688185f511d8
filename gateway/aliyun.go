package gateway

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// AliyunOptions are the settings of Alibaba Cloud's SMS service.
type AliyunOptions struct {
	Key, Secret string // of the access key
	Sign        string // the sign name, without 【】
	Templates   Templates
	API         string // base URL, like https://dysmsapi.aliyuncs.com
}

// Aliyun sends messages by Alibaba Cloud: SendSms of dysmsapi 2017-05-25. Alibaba Cloud does not recognise a message
// that it gets twice (OutId only comes back in reports). So a message that may have been accepted is never sent again.
type Aliyun struct {
	o      AliyunOptions
	client *http.Client
	now    func() time.Time
}

const aliyun = "aliyun"

// NewAliyun returns a sender. It makes no request before the first message.
func NewAliyun(o AliyunOptions) *Aliyun {
	o.API = withRootPath(o.API)
	return &Aliyun{o: o, client: newClient(), now: time.Now}
}

// Send sends one message.
func (a *Aliyun) Send(ctx context.Context, m SMS) error {
	if !isPhone(m.Phone) {
		return badPhone(aliyun, codeBadPhone)
	}
	template, params, ok := a.o.Templates.forMessage(m)
	if !ok {
		return refused(aliyun, codeNoTemplate)
	}
	r, err := a.request(ctx, m, template, params)
	if err != nil {
		return refused(aliyun, "bad_request")
	}
	answer, failed := doRequest(a.client, aliyun, r)
	if failed != nil {
		return failed
	}
	var said struct{ Code string }
	if json.Unmarshal(answer.body, &said) != nil || said.Code == "" {
		return brokenAnswer(aliyun)
	}
	if said.Code == "OK" && answer.status == http.StatusOK {
		return nil
	}
	return aliyunFailure(said.Code, answer.status)
}

func (a *Aliyun) request(ctx context.Context, m SMS, template string, params []string) (*http.Request, error) {
	named := map[string]string{}
	for i, name := range paramNames[m.Kind] {
		if i < len(params) {
			named[name] = params[i]
		}
	}
	filled, err := json.Marshal(named)
	if err != nil {
		return nil, err
	}
	return a.signed(ctx, "SendSms", url.Values{
		"PhoneNumbers": {m.Phone}, "SignName": {a.o.Sign}, "TemplateCode": {template},
		"TemplateParam": {string(filled)}, "OutId": {m.ID},
	})
}

// signed returns a request for an action of the provider.
func (a *Aliyun) signed(ctx context.Context, action string, query url.Values) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.o.API, nil)
	if err != nil {
		return nil, err
	}
	r.URL.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
	r.Header.Set("x-acs-action", action)
	r.Header.Set("x-acs-version", "2017-05-25")
	r.Header.Set("x-acs-date", a.now().UTC().Format("2006-01-02T15:04:05Z"))
	r.Header.Set("x-acs-signature-nonce", rand.Text())
	r.Header.Set("x-acs-content-sha256", sha256Hex(nil))
	r.Header.Set("Authorization", acs3Authorization(r, a.o.Key, a.o.Secret))
	return r, nil
}

// The signature ACS3-HMAC-SHA256. Our requests have no body, and their query is in canonical form already.
const (
	acs3        = "ACS3-HMAC-SHA256"
	acs3Headers = "host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version"
)

func acs3Authorization(r *http.Request, key, secret string) string {
	signature := hmacSHA256([]byte(secret), []byte(acs3StringToSign(acs3Canonical(r))))
	return acs3 + " Credential=" + key + ",SignedHeaders=" + acs3Headers + ",Signature=" + hex.EncodeToString(signature)
}

func acs3Canonical(r *http.Request) string {
	lines := []string{r.Method, r.URL.EscapedPath(), r.URL.RawQuery}
	for name := range strings.SplitSeq(acs3Headers, ";") {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.URL.Host
		}
		lines = append(lines, name+":"+strings.TrimSpace(value))
	}
	return strings.Join(append(lines, "", acs3Headers, r.Header.Get("x-acs-content-sha256")), "\n")
}

func acs3StringToSign(canonical string) string {
	return acs3 + "\n" + sha256Hex([]byte(canonical))
}

// aliyunFailure turns the provider's code into a failure. An unknown code is Refused, so that the operator looks it up,
// except when the provider answered with a server error.
func aliyunFailure(code string, status int) *Failure {
	f := refused(aliyun, safeCode(code))
	switch {
	case strings.HasPrefix(code, "isv.MOBILE_NUMBER"):
		f.Kind = BadPhone
	case strings.HasPrefix(code, "Throttling"), code == "isv.BUSINESS_LIMIT_CONTROL", code == "isv.DAY_LIMIT_CONTROL",
		code == "isv.MONTH_LIMIT_CONTROL":
		f.Kind, f.Throttled = Temporary, true
	case strings.HasPrefix(code, "ServiceUnavailable"):
		f.Kind = Temporary
	case code == "isp.SYSTEM_ERROR", strings.HasPrefix(code, "InternalError"), status >= http.StatusInternalServerError:
		f.Kind, f.MayHaveSucceeded = Temporary, true
	}
	return f
}
