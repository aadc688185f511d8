package gateway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const tencentOK = `{"Response":{"SendStatusSet":[{"SerialNo":"5000:1045710669157053657849499619",` +
	`"PhoneNumber":"+8613800138000","Fee":1,"SessionContext":"message-1","Code":"Ok","Message":"send success",` +
	`"IsoCode":"CN"}],"RequestId":"a0aabda6-cf91-4f3e-a81f-9198114a2279"}}`

func testTencent(url string) *Tencent {
	s := NewTencent(TencentOptions{ID: "AKIDexample", Key: canarySecret, App: "1400006666", Sign: "腾讯云", API: url,
		Templates: Templates{"code.zh": {ID: "1110", Params: 2}, "notice.zh": {ID: "1111"}}})
	s.client.Timeout = shortTimeout
	return s
}

// The examples of Tencent Cloud's page "Signature v3", the older and the newer one. The stars are part of the
// newer one's key.
func TestTencentSignatureMatchesDocumentation(t *testing.T) {
	body := []byte(`{"Limit": 1, "Filters": [{"Values": ["\u672a\u547d\u540d"], "Name": "instance-name"}]}`)
	r, err := http.NewRequest(http.MethodPost, "https://cvm.tencentcloudapi.com/", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.Header.Set("X-TC-Action", "DescribeInstances")
	at := time.Unix(1551113065, 0)
	for _, c := range []struct{ id, key, headers, canonical, hash, signature string }{
		{
			"AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE", "Gu5t9xGARNpq86cd98joQYCN3EXAMPLE", "content-type;host",
			"POST\n/\n\ncontent-type:application/json; charset=utf-8\nhost:cvm.tencentcloudapi.com\n\ncontent-type;" +
				"host\n35e9c5b0e3ae67532d3c9f17ead6c90222632e5b1ff7f6e89887f1398934f064",
			"5ffe6a04c0664d6b969fab9a13bdab201d63ee709638e2749d62a09ca18d7031",
			"72e494ea809ad7a8c8f7a4507b9bddcbaa8e581f516e8da2f66e2c5a96525168",
		},
		{
			"AKIDz8krbsJ5yKBZQpn74WFkmLPx3*******", "Gu5t9xGARNpq86cd98joQYCN3*******", tc3Headers,
			"POST\n/\n\ncontent-type:application/json; charset=utf-8\nhost:cvm.tencentcloudapi.com\n" +
				"x-tc-action:describeinstances\n\ncontent-type;host;x-tc-action\n" +
				"35e9c5b0e3ae67532d3c9f17ead6c90222632e5b1ff7f6e89887f1398934f064",
			"7019a55be8395899b900fb5564e4200d984910f34794a27cb3fb7d10ff6a1e84",
			"be4f67d323c78ab9acb7395e43c0dbcf822a9cfac32fea2449a7bc7726b770a3",
		},
	} {
		canonical := tc3Canonical(r, body, c.headers)
		if canonical != c.canonical {
			t.Errorf("canonical request:\n%s", canonical)
		}
		if got := tc3StringToSign(at, "2019-02-25/cvm/tc3_request",
			canonical); got != "TC3-HMAC-SHA256\n1551113065\n2019-02-25/cvm/tc3_request\n"+c.hash {
			t.Errorf("string to sign: %s", got)
		}
		want := "TC3-HMAC-SHA256 Credential=" + c.id + "/2019-02-25/cvm/tc3_request, " +
			"SignedHeaders=" + c.headers + ", Signature=" + c.signature
		if got := tc3Authorization(c.id, c.key, "cvm", at, canonical, c.headers); got != want {
			t.Errorf("authorization: %s", got)
		}
	}
}

var tc3Authorized = regexp.MustCompile(`^TC3-HMAC-SHA256 Credential=AKIDexample/(\d{4}-\d\d-\d\d)/sms/tc3_request, ` +
	`SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$`)

// checkTencent signs what arrived once more, as the provider does, and returns the SessionContext.
func checkTencent(t *testing.T, r *http.Request, body []byte) string {
	checkTencentAction(t, r, body, "SendSms")
	return readTencentRequest(t, body).SessionContext
}

func checkTencentAction(t *testing.T, r *http.Request, body []byte, action string) {
	auth := tc3Authorized.FindStringSubmatch(r.Header.Get("Authorization"))
	if auth == nil {
		t.Errorf("Authorization %q", r.Header.Get("Authorization"))
		return
	}
	var headers strings.Builder
	for name := range strings.SplitSeq(auth[2], ";") {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.Host
		}
		headers.WriteString(name + ":" + strings.ToLower(value) + "\n")
	}
	sum := sha256.Sum256(body)
	canonical := strings.Join([]string{r.Method, r.URL.Path, r.URL.RawQuery, headers.String(), auth[2],
		hex.EncodeToString(sum[:])}, "\n")
	hashed := sha256.Sum256([]byte(canonical))
	text := "TC3-HMAC-SHA256\n" + r.Header.Get("X-TC-Timestamp") + "\n" + auth[1] + "/sms/tc3_request\n" +
		hex.EncodeToString(hashed[:])
	key := []byte("TC3" + canarySecret)
	for _, part := range []string{auth[1], "sms", "tc3_request", text} {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	if hex.EncodeToString(key) != auth[3] {
		t.Errorf("wrong signature of\n%s", canonical)
	}
	at, err := strconv.ParseInt(r.Header.Get("X-TC-Timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(at, 0)) > time.Minute || time.Unix(at,
		0).UTC().Format(time.DateOnly) != auth[1] {
		t.Errorf("time %d, day %s: %v", at, auth[1], err)
	}
	if r.Header.Get("X-TC-Action") != action || r.Header.Get("X-TC-Version") != "2021-01-11" ||
		r.Header.Get("X-TC-Region") == "" {
		t.Errorf("headers %v", r.Header)
	}
}

type tencentRequest struct {
	PhoneNumberSet, TemplateParamSet                            []string
	SmsSdkAppId, SignName, TemplateId, SessionContext, SenderId string
}

func readTencentRequest(t *testing.T, body []byte) (sent tencentRequest) {
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Error(err)
	}
	return sent
}

func TestTencentSignsTheSecondThatItNames(t *testing.T) {
	s := newFakeServer(t, func(t *testing.T, r *http.Request, body []byte) string {
		return checkTencent(t, r, body)
	}, answerWith(200, tencentOK))
	sms, now := testTencent(s.URL), time.Now()
	sms.now = func() time.Time { now = now.Add(time.Second); return now } // each reading is of another second
	if err := sms.Send(t.Context(), testCode()); err != nil {
		t.Fatal(err)
	}
}

func TestTencentRequestHasTemplateAndOrderedParameters(t *testing.T) {
	var got tencentRequest
	s := newFakeServer(t, func(t *testing.T, r *http.Request, body []byte) string {
		got = readTencentRequest(t, body)
		return checkTencent(t, r, body)
	}, answerWith(200, tencentOK))
	notice := SMS{ID: "n", Phone: canaryPhone, Kind: Notice, Lang: "es", Params: []string{"Acme", "<approved>"}}
	for _, c := range []struct {
		m        SMS
		template string
		params   []string
	}{{testCode(), "1110", []string{canaryCode, "5"}}, {notice, "1111", notice.Params}, {SMS{ID: "e",
		Phone: canaryPhone, Kind: Notice}, "1111", []string{}}} {
		if err := testTencent(s.URL).Send(t.Context(), c.m); err != nil {
			t.Fatal(err)
		}
		if got.TemplateId != c.template || got.TemplateParamSet == nil ||
			!slices.Equal(got.TemplateParamSet, c.params) || !slices.Equal(got.PhoneNumberSet,
			[]string{"+86" + canaryPhone}) ||
			got.SmsSdkAppId != "1400006666" || got.SignName != "腾讯云" || got.SessionContext != c.m.ID {
			t.Errorf("%+v", got)
		}
	}
}

func TestTencentErrorCodesBecomeFailures(t *testing.T) {
	call := func(code string) string {
		return `{"Response":{"Error":{"Code":"` + code + `","Message":"canary ` + canaryPhone + `"},"RequestId":"1"}}`
	}
	answerFor := func(code string) string {
		return `{"Response":{"SendStatusSet":[{"SerialNo":"",` +
			`"PhoneNumber":"+86` + canaryPhone + `","Code":"` + code + `","Message":"canary"}],"RequestId":"1"}}`
	}
	for _, c := range []struct {
		body func(string) string
		code string
		want Failure
	}{
		{answerFor, "LimitExceeded.PhoneNumberThirtySecondLimit", Failure{Kind: Temporary, Throttled: true}},
		{answerFor, "LimitExceeded.DeliveryFrequencyLimit", Failure{Kind: Temporary, Throttled: true}},
		{call, "RequestLimitExceeded", Failure{Kind: Temporary, Throttled: true}},
		{call, "InternalError", Failure{Kind: Temporary, MayHaveSucceeded: true}},
		{answerFor, "InternalError.Timeout", Failure{Kind: Temporary, MayHaveSucceeded: true}},
		{call, "AuthFailure.SignatureFailure", Failure{Kind: Refused}},
		{call, "AuthFailure.SecretIdNotFound", Failure{Kind: Refused}},
		{answerFor, "InternalError.SigVerificationFail", Failure{Kind: Refused}},
		{answerFor, "FailedOperation.TemplateIncorrectOrUnapproved", Failure{Kind: Refused}},
		{answerFor, "FailedOperation.SignatureIncorrectOrUnapproved", Failure{Kind: Refused}},
		{answerFor, "FailedOperation.InsufficientBalanceInSmsPackage", Failure{Kind: Refused}},
		{answerFor, "InvalidParameterValue.TemplateParameterFormatError", Failure{Kind: Refused}},
		{answerFor, "InvalidParameterValue.IncorrectPhoneNumber", Failure{Kind: BadPhone}},
		{answerFor, "FailedOperation.PhoneNumberInBlacklist", Failure{Kind: BadPhone}},
	} {
		s := newFakeServer(t, checkTencent, answerWith(200, c.body(c.code)))
		c.want.Provider, c.want.Code = tencent, c.code
		if f := failureOf(t, testTencent(s.URL).Send(t.Context(), testCode())); *f != c.want {
			t.Errorf("%s: %+v", c.code, *f)
		}
	}
}

func TestInvalidTencentAnswerIsAFailure(t *testing.T) {
	for _, body := range []string{"", "<html>Ok</html>", "[]", "null", "{}", `{"Response":{}}`,
		`{"Response":{"SendStatusSet":[]}}`, `{"Response":{"SendStatusSet":[{"Code":""}]}}`,
		`{"Response":{"SendStatusSet":[{"Code":"Ok"},{"Code":"Ok"}]}}`} {
		s := newFakeServer(t, checkTencent, answerWith(200, body))
		if f := failureOf(t, testTencent(s.URL).Send(t.Context(), testCode())); f.Code != codeBroken ||
			!f.MayHaveSucceeded {
			t.Errorf("%q: %+v", body, *f)
		}
	}
}
