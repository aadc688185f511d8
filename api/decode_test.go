package api

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// rawCall sends a query and a body unchanged. signed are the parameters that they contain after decoding, for the
// signature.
func rawCall(s *site, method, path, query, contentType, body string, signed ...string) apiResponse {
	params := append([]string{}, signed...)
	in := apiRequest{method: method, path: path, params: params}
	if contentType == "application/json" {
		in.json, in.method = body, post
	}
	return s.call(apiRequest{method: in.method, path: path, params: params, json: in.json,
		change: func(r *http.Request) {
			r.Method = method
			r.URL.RawQuery = query
			r.Body = io.NopCloser(strings.NewReader(body))
			r.ContentLength = int64(len(body))
			r.Header.Del("Content-Type")
			if contentType != "" {
				r.Header.Set("Content-Type", contentType)
			}
		}})
}

const formType = "application/x-www-form-urlencoded"

// A parameter has one value, in the query or in the body. Only the declared methods and content types are accepted, and
// nothing may follow the JSON. A body of another type is never read as an empty form.
func TestRequestsAreDecodedStrictly(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		const check, company = "/v1/account/checkPhoneExitInUser", "/v1/account/checkPhoneExitInCompany"
		phone := []string{"phone_", "13800000001"}
		for _, c := range []struct {
			what                            string
			method, path, query, kind, body string
			signed                          []string
			code                            string
		}{
			{"a form", post, check, "", formType, "phone_=13800000001", phone, "ok"},
			{"a form in UTF-8", post, check, "", formType + "; charset=UTF-8", "phone_=13800000001", phone, "ok"},
			{
				"spaces as plus", post, check, "", formType, "phone_=138+0000+0001",
				[]string{"phone_", "138 0000 0001"}, "ok",
			},
			{"the query of a POST", post, check, "phone_=13800000001", formType, "", phone, "ok"},
			{
				"unknown names in a form", post, check, "", formType, "phone_=13800000001&x=1",
				[]string{"phone_", "13800000001", "x", "1"}, "ok",
			},
			{"JSON", post, check, "", "application/json", `{"phone_":"13800000001"}`, nil, "ok"},
			{
				"JSON with an id as text", post, company, "", "application/json",
				`{"phone_":"13800000001","company_id_":"1001"}`, nil, "ok",
			},
			{
				"JSON with an id as a number", post, company, "", "application/json",
				` { "phone_":"13800000001","company_id_":1001 } `, nil, "ok",
			},
			{
				"JSON with null", post, company, "", "application/json", `{"phone_":"13800000001","company_id_":null}`,
				nil, "validation_failed",
			},
			{"nothing at all", post, check, "", "", "", nil, "validation_failed"},
			{
				"a name twice", post, check, "", formType, "phone_=13800000001&phone_=13800000002",
				[]string{"phone_", "13800000001", "phone_", "13800000002"}, "bad_request",
			},
			{
				"the same value twice", post, check, "", formType, "phone_=13800000001&phone_=13800000001",
				append(phone, phone...), "bad_request",
			},
			{
				"query and form", post, check, "phone_=13800000001", formType, "phone_=13800000001",
				append(phone, phone...), "bad_request",
			},
			{
				"query and JSON", post, check, "phone_=13800000001", "application/json", `{"phone_":"13800000001"}`,
				phone, "bad_request",
			},
			{
				"a JSON key twice", post, check, "", "application/json",
				`{"phone_":"13800000001","phone_":"13800000001"}`, nil, "bad_request",
			},
			{
				"a JSON null key twice", post, check, "", "application/json", `{"phone_":null,"phone_":"13800000001"}`,
				nil, "bad_request",
			},
			{
				"an unknown JSON key twice", post, check, "", "application/json",
				`{"phone_":"13800000001","x":1,"x":2}`, nil, "bad_request",
			},
			{
				"unknown in query and JSON", post, check, "x=1", "application/json", `{"phone_":"13800000001","x":1}`,
				[]string{"x", "1"}, "bad_request",
			},
			{
				"an unknown JSON key", post, check, "", "application/json",
				`{"phone_":"13800000001","bind_phone_":"1"}`, nil, "ok",
			},
			{
				"unknown JSON keys of all kinds", post, check, "", "application/json",
				`{"a":{"b":[1,{"phone_":"x"}]},"c":[],"d":null,"e":1.5,"f":true,"phone_":"13800000001"}`, nil, "ok",
			},
			{
				"an unknown JSON key cut short", post, check, "", "application/json", `{"phone_":"13800000001","x":[1,`,
				nil, "bad_request",
			},
			{
				"deep JSON under an unknown key", post, check, "", "application/json",
				`{"phone_":"13800000001","x":` + strings.Repeat("[", 15000) + strings.Repeat("]", 15000) + "}", nil,
				"bad_request",
			},
			{
				"1000 JSON keys", post, check, "", "application/json", `{` + manyKeys(999) + `"phone_":"13800000001"}`,
				nil, "ok",
			},
			{
				"1001 JSON keys", post, check, "", "application/json", `{` + manyKeys(1000) + `"phone_":"13800000001"}`,
				nil, "bad_request",
			},
			{"two JSON objects", post, check, "", "application/json", `{}{}`, nil, "bad_request"},
			{"JSON and more", post, check, "", "application/json", `{} x`, nil, "bad_request"},
			{"JSON cut short", post, check, "", "application/json", `{"phone_":`, nil, "bad_request"},
			{"a JSON list", post, check, "", "application/json", `[]`, nil, "bad_request"},
			{"a nested value", post, check, "", "application/json", `{"phone_":{"a":1}}`, nil, "bad_request"},
			{
				"deep JSON", post, check, "", "application/json", `{"phone_":` + strings.Repeat("[", 5000), nil,
				"bad_request",
			},
			{"a phone as a number", post, check, "", "application/json", `{"phone_":13800000001}`, nil, "ok"},
			{
				"a phone as a fraction", post, check, "", "application/json", `{"phone_":13800000001.5}`, nil,
				"validation_failed",
			},
			{
				"a phone as an exponent", post, check, "", "application/json", `{"phone_":1.3800000001e10}`, nil,
				"validation_failed",
			},
			{"a phone as true", post, check, "", "application/json", `{"phone_":true}`, nil, "bad_request"},
			{
				"an id as true", post, company, "", "application/json", `{"phone_":"13800000001","company_id_":true}`,
				nil, "bad_request",
			},
			{
				"an id as undefined", post, company, "", "application/json",
				`{"phone_":"13800000001","company_id_":"undefined"}`, nil, "bad_request",
			},
			{
				"an id as undefined in a form", post, company, "", formType, "company_id_=undefined",
				[]string{"company_id_", "undefined"}, "bad_request",
			},
			{
				"an id as a fraction", post, company, "", "application/json", `{"company_id_":1001.5}`, nil,
				"bad_request",
			},
			{"an id as an exponent", post, company, "", "application/json", `{"company_id_":1e3}`, nil, "bad_request"},
			{"an id of minus zero", post, company, "", "application/json", `{"company_id_":-0}`, nil, "bad_request"},
			{
				"an id of 20 digits", post, company, "", formType, "company_id_=99999999999999999999",
				[]string{"company_id_", "99999999999999999999"}, "bad_request",
			},
			{
				"a negative id", post, company, "", formType, "company_id_=-1", []string{"company_id_", "-1"},
				"bad_request",
			},
			{
				"an id with a leading zero", post, company, "", formType, "company_id_=01001",
				[]string{"company_id_", "01001"}, "bad_request",
			},
			{"broken percent", post, check, "", formType, "phone_=%zz", nil, "bad_request"},
			{"half a percent", post, check, "", formType, "phone_=%1", nil, "bad_request"},
			{"a sign in a percent", post, check, "", formType, "phone_=%+1", nil, "bad_request"},
			{"a semicolon", post, check, "", formType, "phone_=1;a=2", nil, "bad_request"},
			{"no UTF-8", post, check, "", formType, "phone_=%ff", nil, "bad_request"},
			{"a NUL", post, check, "", formType, "phone_=%00", nil, "bad_request"},
			{"a NUL in JSON", post, check, "", "application/json", `{"phone_":"\u0000"}`, nil, "bad_request"},
			{
				"1000 names", post, check, "", formType, manyPairs(1000),
				strings.FieldsFunc(manyPairs(1000), isPairSign), "validation_failed",
			},
			{"1001 names", post, check, "", formType, manyPairs(1001), nil, "bad_request"},
			{"1001 names in the query", post, check, manyPairs(1001), formType, "", nil, "bad_request"},
			{"plain text", post, check, "", "text/plain", "phone_=13800000001", nil, "wrong_type"},
			{"another charset", post, check, "", formType + "; charset=gbk", "phone_=13800000001", phone, "wrong_type"},
			{"a multipart form", post, check, "", "multipart/form-data", "phone_=13800000001", nil, "wrong_type"},
			{"no content type", post, check, "", "", "phone_=13800000001", nil, "wrong_type"},
			{"a broken content type", post, check, "", "application/json; charset", "{}", nil, "wrong_type"},
			{
				"64 KiB", post, check, "", formType, "x=" + strings.Repeat("1", 64<<10-2),
				[]string{"x", strings.Repeat("1", 64<<10-2)}, "validation_failed",
			},
			{
				"one byte more than 64 KiB", post, check, "", formType, "x=" + strings.Repeat("1", 64<<10-1), nil,
				"too_large",
			},
			{"a GET with a body", get, "/v1/account/getCompanyById/1001", "", formType, "a=1", nil, "bad_request"},
		} {
			rawCall(s, c.method, c.path, c.query, c.kind, c.body, c.signed...).wantCode(t, c.code, c.what)
		}
	})
}

// manyKeys returns n members of a JSON object, each with a comma behind it.
func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"k%d":0,`, i)
	}
	return b.String()
}

// manyPairs returns n parameters of a form.
func manyPairs(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d=0&", i)
	}
	return b.String()
}

func isPairSign(r rune) bool { return r == '=' || r == '&' }

func TestBooleanParametersAreDecoded(t *testing.T) {
	type flags struct {
		Flag bool `json:"flag_"`
	}
	for given, want := range map[string]string{
		`{"flag_":true}`: "yes", `{"flag_":1}`: "yes", `{"flag_":"1"}`: "yes", `{"flag_":"true"}`: "yes",
		`{"flag_":false}`: "no", `{"flag_":0}`: "no", `{"flag_":"0"}`: "no", `{"flag_":"false"}`: "no",
		`{"flag_":""}`: "no", `{"flag_":null}`: "no", `{}`: "no",
		"flag_=true": "yes", "flag_=1": "yes", "flag_=false": "no", "flag_=0": "no", "flag_=": "no", "other=1": "no",
		`{"flag_":"undefined"}`: "refused", `{"flag_":"TRUE"}`: "refused", `{"flag_":2}`: "refused",
		`{"flag_":"null"}`: "refused", `{"flag_":"on"}`: "refused", `{"flag_":1.0}`: "refused",
		`{"flag_":[]}`:    "refused",
		"flag_=undefined": "refused", "flag_=yes": "refused", "flag_=2": "refused",
	} {
		sent := &request{}
		if strings.HasPrefix(given, "{") {
			sent.json = []byte(given)
		} else {
			sent.form, _ = parsePairs(given)
		}
		var in flags
		err := sent.decode(&in)
		got := map[bool]string{true: "yes", false: "no"}[in.Flag]
		if err != nil {
			got = "refused"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}

func TestOtherMethodsAndUnknownPathsAreRefused(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		for _, c := range calls {
			path := strings.Replace(c.path, "{id}", "1001", 1)
			for _, method := range []string{
				http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch,
				http.MethodOptions, http.MethodTrace,
			} {
				if method == c.method {
					continue
				}
				got := s.call(apiRequest{
					method: c.method, path: path, headers: map[string]string{"X-HTTP-Method-Override": c.method},
					change: func(r *http.Request) { r.Method = method },
				})
				if got.http != http.StatusMethodNotAllowed || got.header.Get("Allow") != c.method {
					t.Errorf("%s %s: %d", method, path, got.http)
				}
			}
		}
		for _, path := range []string{"/", "/v1", "/v1/account/mixedLogin/", "//v1/account/mixedLogin",
			"/v1/account/MIXEDLOGIN", "/v1/account/getCompanyById", "/v1/account/getCompanyById/",
			"/v1/account/getCompanyById/0", "/v1/account/getCompanyById/x", "/v1/account/getCompanyById/{id}",
			"/v1/account/getCompanyById/99999999999999999999", "/v1/account/getCompanyById/1001/2", "/login",
			"/metrics", "/debug/pprof/", "/.git/config"} {
			got := s.call(apiRequest{
				method: get, path: "/v1/account/getAccountList", change: func(r *http.Request) { r.URL.Path = path },
			})
			if got.http != http.StatusNotFound {
				t.Errorf("%s: %d", path, got.http)
			}
		}
	})
}

func TestInvalidHeaderValuesAreRefused(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		for name, values := range map[string][]string{
			"X-Token-Type": {"", "app", "IOS", "APP,PC"}, "X-App-Source": {"", "ios", "APP", "Symbian"},
			"X-Company-Id": {"0", "-1", "abc", "1001.0", strings.Repeat("9", 300)}, "X-Edition": {"dark"},
			"Idempotency-Key": {strings.Repeat("k", 65), "schlüssel", "a\tb"},
		} {
			for _, value := range values {
				got := s.call(apiRequest{
					method: get, path: "/v1/account/getCompanyById/1001",
					change: func(r *http.Request) { r.Header.Set(name, value) },
				})
				if got.http != http.StatusBadRequest {
					t.Errorf("%s: %q: %d %s", name, value, got.http, got.body)
				}
			}
		}
	})
}

func TestLongestHeaderValuesAreAccepted(t *testing.T) {
	for length, accepted := range map[int]bool{256: true, 257: false} {
		_, err := singleHeader(http.Header{"X-Nonce": {strings.Repeat("1", length)}}, "X-Nonce")
		if (err == nil) != accepted {
			t.Errorf("a header of %d bytes: %v", length, err)
		}
	}
	for length, accepted := range map[int]bool{64: true, 65: false} {
		err := new(request).readClient(http.Header{
			"X-Token-Type": {"APP"}, "X-App-Source": {"IOS"}, "Idempotency-Key": {strings.Repeat("k", length)},
		})
		if (err == nil) != accepted {
			t.Errorf("an idempotency key of %d characters: %v", length, err)
		}
	}
}

func TestEveryTokenTypeIsAcceptedWithEverySource(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		for _, kind := range []string{"APP", "WEBAPP", "PC"} {
			for _, source := range []string{"IOS", "ANDROID", "WEBAPP", "PC"} {
				s.call(apiRequest{method: get, path: "/v1/account/getCompanyById/1001", kind: kind, source: source}).
					wantCode(t, "ok", kind, source)
			}
		}
	})
}

func FuzzParameters(f *testing.F) {
	for _, seed := range []string{"", "a=1&b=2", "a=%20+&a", "%zz", "a;b", "名=值", "&&=&", "a=%00", "%F0%9F%98%80=1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		pairs, err := parsePairs(raw)
		if err != nil {
			return
		}
		sent := &request{query: pairs}
		params := sent.canonical()
		back, err := parsePairs(params)
		if err != nil || len(back) != len(pairs) {
			t.Fatalf("%q becomes %q, which reads as %d parameters, %v", raw, params, len(back), err)
		}
		again := (&request{query: back}).canonical()
		if again != params {
			t.Fatalf("%q is not canonical: %q", params, again)
		}
		var in struct {
			A string `json:"a"`
			B int64  `json:"b"`
		}
		_ = sent.decode(&in)
	})
}

func FuzzSignature(f *testing.F) {
	f.Add("t0k", "1760000000000", "1760000004217", "a=1", "")
	f.Add("", "", "", "", "{}")
	f.Fuzz(func(t *testing.T, token, timestamp, nonce, form, body string) {
		pairs, err := parsePairs(form)
		if err != nil {
			return
		}
		sent := &request{token: token, timestamp: timestamp, nonce: nonce, form: pairs}
		if body != "" {
			sent.json = []byte(body)
		}
		params := sent.canonical()
		sign := sent.signature([]byte(secret), params)
		if len(sign) != 64 {
			t.Fatalf("%q", sign)
		}
		sent.nonce += "1"
		if other := sent.signature([]byte(secret), params); string(other) == string(sign) {
			t.Fatal("the nonce does not count")
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{"{}", `{"a":"1"}`, `{"a":1,"b":2}`, `{"a":{}}`, `[`, `{"a":"\ud800"}`, `null`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var in struct {
			A string `json:"a"`
			B int64  `json:"b"`
			C bool   `json:"c"`
		}
		_ = (&request{json: body}).decode(&in)
		if in.B < 0 {
			t.Fatalf("%s gives the id %d", body, in.B)
		}
	})
}
