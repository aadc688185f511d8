package gateway

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	bucketKey    = "AKIDEXAMPLE"
	bucketSecret = "wJalr/canary+secret"
)

// fakeBucket is a small S3-compatible store that accepts signed requests only. It computes signatures by the
// documentation of AWS, without the code under test.
type fakeBucket struct {
	t       *testing.T
	mu      sync.Mutex
	objects map[string][]byte
	kinds   map[string]string
	answer  func(w http.ResponseWriter, r *http.Request) bool
	now     func() time.Time
}

func newFakeBucket(t *testing.T) (*fakeBucket, *S3) {
	t.Helper()
	b := &fakeBucket{t: t, objects: map[string][]byte{}, kinds: map[string]string{}, now: time.Now}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	s, err := NewS3("s3://" + bucketKey + ":" + bucketSecret + "@" + strings.TrimPrefix(server.URL,
		"http://") + "/pictures?region=eu-south-2")
	if err != nil {
		t.Fatal(err)
	}
	s.client.Timeout = shortTimeout
	return b, s
}

func bucketSignature(day, text string) string {
	mac := func(key []byte, s string) []byte {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(s))
		return h.Sum(nil)
	}
	return hex.EncodeToString(mac(mac(mac(mac(mac([]byte("AWS4"+bucketSecret), day), "eu-south-2"), "s3"),
		"aws4_request"), text))
}

func (b *fakeBucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if b.answer != nil && b.answer(w, r) {
		return
	}
	if r.Method == http.MethodPost {
		if code := b.checkForm(r); code != "" {
			http.Error(w, "<Error><Code>"+code+"</Code></Error>", http.StatusForbidden)
			return
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	body, _ := io.ReadAll(r.Body)
	if !b.isSigned(r, body) {
		http.Error(w, "<Error><Code>SignatureDoesNotMatch</Code></Error>", http.StatusForbidden)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/pictures/")
	b.mu.Lock()
	defer b.mu.Unlock()
	data, there := b.objects[name]
	switch r.Method {
	case http.MethodPut:
		b.objects[name], b.kinds[name] = body, r.Header.Get("Content-Type")
	case http.MethodDelete:
		delete(b.objects, name)
		w.WriteHeader(http.StatusNoContent)
	case http.MethodGet:
		if !there {
			http.Error(w, "<Error><Code>NoSuchKey</Code></Error>", http.StatusNotFound)
			return
		}
		_, _ = w.Write(data)
	}
}

// isSigned verifies a request against its own headers.
func (b *fakeBucket) isSigned(r *http.Request, body []byte) bool {
	rest, ok := strings.CutPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ")
	parts := map[string]string{}
	for part := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		parts[name] = value
	}
	stamp := r.Header.Get("X-Amz-Date")
	at, err := time.Parse("20060102T150405Z", stamp)
	sum := sha256.Sum256(body)
	if !ok || err != nil || b.now().Sub(at).Abs() > 15*time.Minute ||
		r.Header.Get("X-Amz-Content-Sha256") != hex.EncodeToString(sum[:]) {
		return false
	}
	scope := stamp[:8] + "/eu-south-2/s3/aws4_request"
	names := strings.Split(parts["SignedHeaders"], ";")
	if parts["Credential"] != bucketKey+"/"+scope || !slices.IsSorted(names) || !slices.Contains(names, "host") ||
		!slices.Contains(names, "x-amz-date") {
		return false
	}
	var headers strings.Builder
	for _, name := range names {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.Host
		}
		fmt.Fprintf(&headers, "%s:%s\n", name, value)
	}
	canonical := r.Method + "\n" + r.URL.EscapedPath() + "\n" + r.URL.RawQuery + "\n" + headers.String() + "\n" +
		parts["SignedHeaders"] + "\n" + hex.EncodeToString(sum[:])
	hash := sha256.Sum256([]byte(canonical))
	return parts["Signature"] == bucketSignature(stamp[:8], "AWS4-HMAC-SHA256\n"+stamp+"\n"+scope+
		"\n"+hex.EncodeToString(hash[:]))
}

// checkForm accepts a form that its policy allows, else returns what is wrong with it.
func (b *fakeBucket) checkForm(r *http.Request) string {
	if r.URL.Path != "/pictures/" || r.ParseMultipartForm(10<<20) != nil {
		return "MalformedPOSTRequest"
	}
	field := func(name string) string { return r.MultipartForm.Value[name][0] }
	raw, err := base64.StdEncoding.DecodeString(field("policy"))
	var policy struct {
		Expiration time.Time
		Conditions []any
	}
	if err != nil || json.Unmarshal(raw, &policy) != nil || bucketSignature(field("x-amz-date")[:8],
		field("policy")) != field("x-amz-signature") {
		return "SignatureDoesNotMatch"
	}
	if b.now().After(policy.Expiration) {
		return "PolicyExpired"
	}
	file, _, err := r.FormFile("file")
	if err != nil {
		return "NoFile"
	}
	data, _ := io.ReadAll(file)
	left := map[string]bool{}
	for name := range r.MultipartForm.Value {
		left[name] = name != "policy" && name != "x-amz-signature"
	}
	bounded := false
	for _, condition := range policy.Conditions {
		switch c := condition.(type) {
		case []any:
			if c[0] != "content-length-range" || float64(len(data)) < c[1].(float64) ||
				float64(len(data)) > c[2].(float64) {
				return "EntityTooLarge"
			}
			bounded = true
		case map[string]any:
			for name, want := range c {
				if name == "bucket" && want == "pictures" {
					continue
				}
				if len(r.MultipartForm.Value[name]) != 1 || field(name) != want {
					return "AccessDenied"
				}
				left[name] = false
			}
		}
	}
	for _, uncovered := range left {
		if uncovered {
			return "AccessDenied"
		}
	}
	if !bounded {
		return "AccessDenied"
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.objects[field("key")], b.kinds[field("key")] = data, field("Content-Type")
	return ""
}

func TestS3StoresReadsAndDeletesFiles(t *testing.T) {
	b, s := newFakeBucket(t)
	ctx, data := t.Context(), bytes.Repeat([]byte("picture"), 1000)
	if err := s.Put(ctx, "icon/a-B_9.png", "image/png", data); err != nil {
		t.Fatal(err)
	}
	if b.kinds["icon/a-B_9.png"] != "image/png" {
		t.Error(b.kinds)
	}
	if got, err := s.Get(ctx, "icon/a-B_9.png", int64(len(data))); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := s.Get(ctx, "icon/a-B_9.png", int64(len(data))-1); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	for range 2 {
		if err := s.Delete(ctx, "icon/a-B_9.png"); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Get(ctx, "icon/a-B_9.png", 9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if err := s.Put(ctx, "../x", "", nil); err == nil {
		t.Error("a name that is none of ours was asked for")
	}
	s.secret = "another"
	if err := s.Put(ctx, "icon/b", "image/png", data); err == nil || len(b.objects) > 0 ||
		!strings.Contains(err.Error(), "SignatureDoesNotMatch") {
		t.Errorf("%v", err)
	}
}

func TestS3FormAllowsOnlyOneFile(t *testing.T) {
	b, s := newFakeBucket(t)
	until := time.Now().Add(time.Minute)
	send := func(size int, change func(map[string]string)) int {
		t.Helper()
		address, fields, ok := s.Post("incoming/abc", "image/png", 100, until)
		if !ok {
			t.Fatal("no form")
		}
		if change != nil {
			change(fields)
		}
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		for name, value := range fields {
			_ = w.WriteField(name, value)
		}
		part, _ := w.CreateFormFile("file", "x.png")
		_, _ = part.Write(make([]byte, size))
		_ = w.Close()
		resp, err := http.Post(address, w.FormDataContentType(), &body)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	for name, c := range map[string]struct {
		size   int
		change func(map[string]string)
	}{
		"too large": {101, nil}, "empty": {0, nil},
		"another name":   {9, func(f map[string]string) { f["key"] = "licence/abc" }},
		"another kind":   {9, func(f map[string]string) { f["Content-Type"] = "text/html" }},
		"one field more": {9, func(f map[string]string) { f["acl"] = "public-read" }},
		"another policy": {9, func(f map[string]string) {
			f["policy"] = base64.StdEncoding.EncodeToString([]byte(`{}`))
		}},
	} {
		if status := send(c.size, c.change); status != http.StatusForbidden || len(b.objects) > 0 {
			t.Errorf("%s: %d", name, status)
		}
	}
	if status := send(100, nil); status != http.StatusNoContent || len(b.objects["incoming/abc"]) != 100 ||
		b.kinds["incoming/abc"] != "image/png" {
		t.Errorf("%d", status)
	}
	b.now = func() time.Time { return until.Add(time.Second) }
	if status := send(100, nil); status != http.StatusForbidden {
		t.Errorf("too late: %d", status)
	}
}

func TestABusyS3IsAskedAgainForAWhile(t *testing.T) {
	for _, status := range []int{503, 429, 500} {
		b, s := newFakeBucket(t)
		s.rest = 0
		asked, busy := 0, 1
		b.answer = func(w http.ResponseWriter, _ *http.Request) bool {
			if asked++; asked > busy {
				return false
			}
			http.Error(w, "<Error><Code>SlowDown</Code></Error>", status)
			return true
		}
		ctx, data := t.Context(), []byte("picture")
		if err := s.Put(ctx, "icon/a", "image/png", data); err != nil || asked != 2 || len(b.objects) != 1 {
			t.Errorf("%d: %v, asked %d times", status, err, asked)
		}
		asked = 0
		if got, err := s.Get(ctx, "icon/a", 99); err != nil || !bytes.Equal(got, data) || asked != 2 {
			t.Errorf("%d: %q, %v, asked %d times", status, got, err, asked)
		}
		asked, busy = 0, 1000
		if err := s.Put(ctx, "icon/b", "image/png", data); !errors.Is(err, ErrBusy) || asked != s3Tries ||
			!strings.Contains(err.Error(), "SlowDown") {
			t.Errorf("%d: %v, asked %d times", status, err, asked)
		}
		s.rest, asked = time.Hour, 0 // there is no time for another try
		short, cancel := context.WithTimeout(ctx, time.Minute)
		if err := s.Put(short, "icon/b", "image/png", data); !errors.Is(err, ErrBusy) || asked != 1 {
			t.Errorf("%d: %v, asked %d times", status, err, asked)
		}
		cancel()
	}
	b, s := newFakeBucket(t)
	asked := 0
	b.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		asked++
		http.Error(w, "<Error><Code>AccessDenied</Code></Error>", http.StatusForbidden)
		return true
	}
	if err := s.Put(t.Context(), "icon/a", "image/png", nil); err == nil || errors.Is(err, ErrBusy) || asked != 1 {
		t.Errorf("%v, asked %d times", err, asked)
	}
}

func TestUnreachableS3ErrorContainsNoSecret(t *testing.T) {
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request) bool{
		"redirect": func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "http://elsewhere.test/canary", http.StatusTemporaryRedirect)
			return true
		},
		"slow":   func(_ http.ResponseWriter, r *http.Request) bool { time.Sleep(3 * shortTimeout); return true },
		"broken": func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) },
		"full": func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusInsufficientStorage)
			return true
		},
		"no bucket": func(w http.ResponseWriter, _ *http.Request) bool {
			http.Error(w, "<Code>NoSuchBucket</Code>", http.StatusNotFound)
			return true
		},
	} {
		b, s := newFakeBucket(t)
		b.answer = answer
		for _, err := range []error{s.Put(t.Context(), "licence/abc", "image/jpeg",
			[]byte("x")), func() error { _, err := s.Get(t.Context(), "licence/abc", 9); return err }()} {
			if err == nil || errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "canary") ||
				strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), bucketKey) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// The examples "GET Object" and "PUT Object" of AWS's page "Signature Calculations for the Authorization Header".
func TestS3SignatureMatchesAWSDocumentation(t *testing.T) {
	s, err := NewS3("s3://AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY@s3.amazonaws.com/examplebucket")
	if err != nil {
		t.Fatal(err)
	}
	s.now = func() time.Time { return time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		method, path, body, signature string
		headers                       map[string]string
	}{
		{http.MethodGet, "/test.txt", "", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
			map[string]string{"Range": "bytes=0-9"}},
		{http.MethodPut, "/test$file.text", "Welcome to Amazon S3.",
			"98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
			map[string]string{"Date": "Fri, 24 May 2013 00:00:00 GMT", "X-Amz-Storage-Class": "REDUCED_REDUNDANCY"}},
	} {
		r, err := http.NewRequest(c.method, "https://examplebucket.s3.amazonaws.com"+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range c.headers {
			r.Header.Set(name, value)
		}
		s.sign(r, []byte(c.body))
		if got := r.Header.Get("Authorization"); !strings.HasSuffix(got, ",Signature="+c.signature) {
			t.Errorf("%s: %s", c.method, got)
		}
	}
}

func TestNewS3ParsesAddress(t *testing.T) {
	for address, want := range map[string]struct {
		base, region string
		direct       bool
	}{
		"s3://K:S@s3.eu-west-3.amazonaws.com/pictures": {"https://s3.eu-west-3.amazonaws.com/pictures/",
			"eu-west-3", true},
		"s3://K:S@s3.cn-north-1.amazonaws.com.cn/pictures": {"https://s3.cn-north-1.amazonaws.com.cn/pictures/",
			"cn-north-1", true},
		"s3://K:S/+@oss-cn-hangzhou.aliyuncs.com/pictures": {"https://pictures.oss-cn-hangzhou.aliyuncs.com/",
			"cn-hangzhou", false},
		"s3://K:S@oss-cn-beijing-internal.aliyuncs.com/pictures": {
			"https://pictures.oss-cn-beijing-internal.aliyuncs.com/", "cn-beijing", false,
		},
		"s3://K:S@cos.ap-guangzhou.myqcloud.com/pictures-1250000000": {
			"https://pictures-1250000000.cos.ap-guangzhou.myqcloud.com/", "ap-guangzhou", false,
		},
		"s3://K:S@files.example.com:9000/pictures/?region=x-1&direct=no": {"https://files.example.com:9000/pictures/",
			"x-1", false},
		"s3://K:S@files.example.com/pictures?style=host": {"https://pictures.files.example.com/",
			"us-east-1", true},
		"s3://K:S@127.0.0.1:9000/pictures": {"http://127.0.0.1:9000/pictures/",
			"us-east-1", true},
		"s3://K:a%2Fb@localhost/pictures": {"http://localhost/pictures/", "us-east-1",
			true},
	} {
		s, err := NewS3(address)
		if err != nil || s.base.String() != want.base || s.region != want.region || s.direct != want.direct {
			t.Errorf("%s: %+v %v", address, s, err)
		}
	}
	for _, address := range []string{
		"", "s3://", "http://K:S@h/b", "s3://h/bucket", "s3://K@h/bucket", "s3://:S@h/bucket", "s3://K:@h/bucket",
		"s3://K:S@/bucket", "s3://K:S@h", "s3://K:S@h/", "s3://K:S@h/UPPER",
		"s3://K:S@h/bucket/below", "s3://K:S@h/bucket?region=", "s3://K:S@h/bucket?style=other",
		"s3://K:S@h/bucket?colour=red", "s3://K:S@h/bucket#x", "s3://K:S@h:port/bucket",
	} {
		if _, err := NewS3(address); err == nil {
			t.Error(address)
		}
	}
}
