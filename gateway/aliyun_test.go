package gateway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const aliyunOK = `{"Message":"OK","RequestId":"873043ac-bcda-44db-9052-2e204c6ed20f","Code":"OK",` +
	`"BizId":"607300000000000000^0"}`

func testAliyun(url string) *Aliyun {
	a := NewAliyun(AliyunOptions{Key: "LTAIexample", Secret: canarySecret, Sign: "阿里云 测试", API: url,
		Templates: Templates{"code.zh": {ID: "SMS_1"}, "notice.zh": {ID: "SMS_2", Params: 1}}})
	a.client.Timeout = shortTimeout
	return a
}

// The example of Alibaba Cloud's page "V3 request structure and signature".
func TestAliyunSignatureMatchesDocumentation(t *testing.T) {
	r, err := http.NewRequest(http.MethodPost,
		"https://ecs.cn-shanghai.aliyuncs.com/?ImageId=win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd&"+
			"RegionId=cn-shanghai", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("x-acs-action", "RunInstances")
	r.Header.Set("x-acs-version", "2014-05-26")
	r.Header.Set("x-acs-date", "2023-10-26T10:22:32Z")
	r.Header.Set("x-acs-signature-nonce", "3156853299f313e23d1673dc12e1703d")
	r.Header.Set("x-acs-content-sha256", sha256Hex(nil))
	wantCanonical := `POST
/
ImageId=win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd&RegionId=cn-shanghai
host:ecs.cn-shanghai.aliyuncs.com
x-acs-action:RunInstances
x-acs-content-sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
x-acs-date:2023-10-26T10:22:32Z
x-acs-signature-nonce:3156853299f313e23d1673dc12e1703d
x-acs-version:2014-05-26

host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version
e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855`
	canonical := acs3Canonical(r)
	if canonical != wantCanonical {
		t.Errorf("canonical request:\n%s", canonical)
	}
	if got := acs3StringToSign(canonical); got != "ACS3-HMAC-SHA256\n"+
		"7ea06492da5221eba5297e897ce16e55f964061054b7695beedaac1145b1e259" {
		t.Errorf("string to sign: %s", got)
	}
	want := "ACS3-HMAC-SHA256 Credential=YourAccessKeyId,SignedHeaders=host;x-acs-action;x-acs-content-sha256;" +
		"x-acs-date;x-acs-signature-nonce;x-acs-version," +
		"Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0"
	if got := acs3Authorization(r, "YourAccessKeyId", "YourAccessKeySecret"); got != want {
		t.Errorf("authorization: %s", got)
	}
}

var acs3Authorized = regexp.MustCompile(`^ACS3-HMAC-SHA256 Credential=LTAIexample,SignedHeaders=([a-z0-9;-]+),` +
	`Signature=([0-9a-f]{64})$`)

// checkAliyun signs what arrived once more, as the provider does, and returns the OutId.
func checkAliyun(t *testing.T, r *http.Request, body []byte) string {
	checkAliyunAction(t, r, body, "SendSms")
	return r.URL.Query().Get("OutId")
}

func checkAliyunAction(t *testing.T, r *http.Request, body []byte, action string) {
	auth := acs3Authorized.FindStringSubmatch(r.Header.Get("Authorization"))
	if auth == nil {
		t.Errorf("Authorization %q", r.Header.Get("Authorization"))
		return
	}
	signed := strings.Split(auth[1], ";")
	for name := range r.Header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-acs-") && !slices.Contains(signed, name) {
			t.Errorf("%s is not signed", name)
		}
	}
	var canonical strings.Builder
	canonical.WriteString(r.Method + "\n" + r.URL.Path + "\n" + sortedQuery(r.URL.Query()) + "\n")
	for _, name := range signed {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.Host
		}
		canonical.WriteString(name + ":" + value + "\n")
	}
	sum := sha256.Sum256(body)
	canonical.WriteString("\n" + auth[1] + "\n" + hex.EncodeToString(sum[:]))
	hashed := sha256.Sum256([]byte(canonical.String()))
	mac := hmac.New(sha256.New, []byte(canarySecret))
	mac.Write([]byte("ACS3-HMAC-SHA256\n" + hex.EncodeToString(hashed[:])))
	if hex.EncodeToString(mac.Sum(nil)) != auth[2] {
		t.Errorf("wrong signature of\n%s", canonical.String())
	}
	if r.Header.Get("x-acs-content-sha256") != hex.EncodeToString(sum[:]) ||
		r.Header.Get("x-acs-action") != action || r.Header.Get("x-acs-version") != "2017-05-25" {
		t.Errorf("headers %v", r.Header)
	}
	if at, err := time.Parse("2006-01-02T15:04:05Z", r.Header.Get("x-acs-date")); err != nil ||
		time.Since(at) > time.Minute {
		t.Errorf("date %q %v", r.Header.Get("x-acs-date"), err)
	}
}

// sortedQuery escapes everything but letters, digits and -_.~
func sortedQuery(values url.Values) string {
	var pairs []string
	for name := range values {
		pairs = append(pairs, escape(name)+"="+escape(values.Get(name)))
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "&")
}

func escape(s string) string {
	var out strings.Builder
	for _, b := range []byte(s) {
		if b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("-_.~", b) >= 0 {
			out.WriteByte(b)
		} else {
			out.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{b})))
		}
	}
	return out.String()
}

func TestAliyunRequestHasTemplateAndNamedParameters(t *testing.T) {
	var query url.Values
	s := newFakeServer(t, checkAliyun, func(_ int, w http.ResponseWriter, r *http.Request) {
		query = r.URL.Query()
		answerWith(200, aliyunOK)(0, w, r)
	})
	for _, c := range []struct {
		m              SMS
		template, want string
	}{
		{testCode(), "SMS_1", `{"code":"482915","company":"Acme & Söhne 店","minutes":"5"}`},
		{SMS{ID: "n", Phone: canaryPhone, Kind: Notice, Lang: "en", Params: []string{"*~'+", "x"}}, "SMS_2",
			`{"company":"*~'+"}`},
	} {
		if err := testAliyun(s.URL).Send(t.Context(), c.m); err != nil {
			t.Fatal(err)
		}
		var filled map[string]string
		if err := json.Unmarshal([]byte(query.Get("TemplateParam")), &filled); err != nil {
			t.Fatal(err)
		}
		again, _ := json.Marshal(filled)
		plain := strings.ReplaceAll(string(again), `\u0026`, "&")
		if plain != c.want || query.Get("TemplateCode") != c.template || query.Get("PhoneNumbers") != canaryPhone ||
			query.Get("SignName") != "阿里云 测试" || query.Get("OutId") != c.m.ID {
			t.Errorf("%v", query)
		}
	}
}

func TestAliyunErrorCodesBecomeFailures(t *testing.T) {
	for _, c := range []struct {
		status int
		code   string
		want   Failure
	}{
		{200, "isv.BUSINESS_LIMIT_CONTROL", Failure{Kind: Temporary, Throttled: true}},
		{200, "isv.DAY_LIMIT_CONTROL", Failure{Kind: Temporary, Throttled: true}},
		{400, "Throttling.User", Failure{Kind: Temporary, Throttled: true}},
		{503, "ServiceUnavailable", Failure{Kind: Temporary}},
		{500, "InternalError", Failure{Kind: Temporary, MayHaveSucceeded: true}},
		{200, "isp.SYSTEM_ERROR", Failure{Kind: Temporary, MayHaveSucceeded: true}},
		{502, "Unheard.Of", Failure{Kind: Temporary, MayHaveSucceeded: true}},
		{400, "SignatureDoesNotMatch", Failure{Kind: Refused}},
		{404, "InvalidAccessKeyId.NotFound", Failure{Kind: Refused}},
		{200, "isv.SMS_TEMPLATE_ILLEGAL", Failure{Kind: Refused}},
		{200, "isv.SMS_SIGNATURE_ILLEGAL", Failure{Kind: Refused}},
		{200, "isv.AMOUNT_NOT_ENOUGH", Failure{Kind: Refused}},
		{200, "isp.RAM_PERMISSION_DENY", Failure{Kind: Refused}},
		{200, "isv.MOBILE_NUMBER_ILLEGAL", Failure{Kind: BadPhone}},
	} {
		body := `{"Message":"canary ` + canaryPhone + `","RequestId":"1","Code":"` + c.code + `"}`
		s := newFakeServer(t, checkAliyun, answerWith(c.status, body))
		c.want.Provider, c.want.Code = aliyun, c.code
		if f := failureOf(t, testAliyun(s.URL).Send(t.Context(), testCode())); *f != c.want {
			t.Errorf("%s: %+v", c.code, *f)
		}
	}
}

func TestInvalidAliyunAnswerIsAFailure(t *testing.T) {
	for _, body := range []string{"", "<html>OK</html>", "[]", "null", "{}", `"OK"`, `{"Code":1}`, `{"Code":""}`} {
		s := newFakeServer(t, checkAliyun, answerWith(200, body))
		if f := failureOf(t, testAliyun(s.URL).Send(t.Context(), testCode())); f.Code != codeBroken ||
			!f.MayHaveSucceeded {
			t.Errorf("%q: %+v", body, *f)
		}
	}
}
