package gateway

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	bucketKey    = "AKIDEXAMPLE"
	bucketSecret = "wJalr/canary+secret"
)

// fakeBucket is a small S3-compatible store. It does not compute signatures: make s3-test runs stores that do.
type fakeBucket struct {
	mu      sync.Mutex
	objects map[string][]byte
	kinds   map[string]string
	answer  func(w http.ResponseWriter, r *http.Request) bool
	now     func() time.Time
}

func newFakeBucket(t *testing.T) (*fakeBucket, *S3) {
	t.Helper()
	b := &fakeBucket{objects: map[string][]byte{}, kinds: map[string]string{}, now: time.Now}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	s, err := NewS3("s3://" + bucketKey + ":" + bucketSecret + "@" + strings.TrimPrefix(server.URL,
		"http://") + "/pictures?region=eu-south-2")
	if err != nil {
		t.Fatal(err)
	}
	return b, s
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
	if !isSigned(r, body) {
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
		w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		_, _ = w.Write(data)
	}
}

// isSigned reports whether a request has a signature of the key and region of now, for its body as a whole.
func isSigned(r *http.Request, body []byte) bool {
	stamp := r.Header.Get("X-Amz-Date")
	at, err := time.Parse("20060102T150405Z", stamp)
	return err == nil && time.Since(at).Abs() < time.Minute && r.URL.RawQuery == "" &&
		r.Header.Get("User-Agent") == "portico" && r.Header.Get("X-Amz-Content-Sha256") == sha256Hex(body) &&
		strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential="+bucketKey+"/"+stamp[:8]+
			"/eu-south-2/s3/aws4_request, SignedHeaders=")
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
		Conditions [][]any
	}
	if err != nil || json.Unmarshal(raw, &policy) != nil {
		return "MalformedPOSTRequest"
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
	for _, c := range policy.Conditions {
		if c[0] == "content-length-range" {
			if float64(len(data)) < c[1].(float64) || float64(len(data)) > c[2].(float64) {
				return "EntityTooLarge"
			}
			bounded = true
			continue
		}
		name := strings.TrimPrefix(c[1].(string), "$")
		if c[0] != "eq" || len(r.MultipartForm.Value[name]) != 1 || field(name) != c[2] {
			return "AccessDenied"
		}
		left[name] = false
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
		"another bucket": {9, func(f map[string]string) { f["bucket"] = "licences" }},
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
		"no code": func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("X-Minio-Error-Code", "canary of http://127.0.0.1")
			http.Error(w, "<Error><Code>canary canary</Code><Message>canary</Message></Error>", http.StatusConflict)
			return true
		},
		"no date": func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Last-Modified", "canary")
			w.WriteHeader(map[string]int{http.MethodGet: 200, http.MethodPut: 400}[r.Method])
			return true
		},
		"no file": func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(map[string]int{http.MethodGet: 202, http.MethodPut: 400}[r.Method])
			_, _ = w.Write([]byte("<Other/>"))
			return true
		},
		"full": func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusInsufficientStorage)
			return true
		},
		"no bucket": func(w http.ResponseWriter, _ *http.Request) bool {
			http.Error(w, "<Error><Code>NoSuchBucket</Code></Error>", http.StatusNotFound)
			return true
		},
	} {
		b, s := newFakeBucket(t)
		s.timeout, b.answer = shortTimeout, answer
		for _, err := range []error{s.Put(t.Context(), "licence/abc", "image/jpeg",
			[]byte("x")), func() error { _, err := s.Get(t.Context(), "licence/abc", 9); return err }()} {
			if err == nil || errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "canary") ||
				strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), bucketKey) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// A store that answers before it has read the file may still be reading while the file is sent again.
func TestABusyS3ThatAnswersEarlyGetsTheWholeFileNextTime(t *testing.T) {
	b, s := newFakeBucket(t)
	s.rest = 0
	var asked atomic.Int32
	b.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		if asked.Add(1) == s3Tries {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		_ = http.NewResponseController(w).Flush()
		return true
	}
	data := bytes.Repeat([]byte("picture"), 1<<20)
	if err := s.Put(t.Context(), "icon/a", "image/png", data); err != nil || !bytes.Equal(b.objects["icon/a"], data) {
		t.Errorf("%v, %d bytes after %d tries", err, len(b.objects["icon/a"]), asked.Load())
	}
}

// sendForever sends up to 100 MB, until the client has left. It returns how many bytes it has sent.
func sendForever(w http.ResponseWriter, some string) (sent int) {
	for sent < 100<<20 {
		n, err := io.WriteString(w, strings.Repeat(some, 1000))
		if sent += n; err != nil {
			break
		}
	}
	return sent
}

func TestEndlessAnswersOfS3AreCutOff(t *testing.T) {
	endless := func(status int, some string) func(http.ResponseWriter, *http.Request) int {
		return func(w http.ResponseWriter, _ *http.Request) int {
			w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
			w.WriteHeader(status)
			return sendForever(w, some)
		}
	}
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request) int{
		"file":         endless(http.StatusOK, "picture"),
		"created":      endless(http.StatusCreated, "picture"),
		"accepted":     endless(http.StatusAccepted, "picture"),
		"error":        endless(http.StatusForbidden, "<Error><Code>AccessDenied</Code>"),
		"busy":         endless(http.StatusServiceUnavailable, "<Error><Code>SlowDown</Code>"),
		"missing":      endless(http.StatusNotFound, " "),
		"headers only": nil,
		"no date": func(w http.ResponseWriter, _ *http.Request) int {
			w.Header().Set("Last-Modified", "canary") // the library reads what comes after it to its end
			return sendForever(w, "picture")
		},
		"length": func(w http.ResponseWriter, _ *http.Request) int {
			w.Header().Set("Content-Length", "107374182400")
			w.WriteHeader(http.StatusBadRequest)
			return sendForever(w, "<Error>")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, s := newFakeBucket(t)
			s.rest = 0
			var sent atomic.Int64
			handlers := sync.WaitGroup{}
			b.answer = func(w http.ResponseWriter, r *http.Request) bool {
				handlers.Add(1)
				defer handlers.Done()
				if answer != nil {
					sent.Add(int64(answer(w, r)))
					return true
				}
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return true
				}
				defer func() { _ = conn.Close() }()
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
				n, _ := io.Copy(conn, io.LimitReader(endlessHeader{}, 100<<20))
				sent.Add(n)
				return true
			}
			_, err := s.Get(t.Context(), "icon/a", 9)
			if err == nil {
				t.Error("there is a file")
			}
			for _, err := range []error{
				err, s.Put(t.Context(), "icon/a", "image/png", []byte("x")), s.Delete(t.Context(), "icon/a"),
			} {
				if err != nil && strings.Contains(err.Error(), "in time") {
					t.Error("an answer was read until the time was over")
				}
			}
			handlers.Wait()
			// What is sent and not read waits in the buffers of the system, some megabytes for each connection.
			if sent.Load() > 80<<20 {
				t.Errorf("%d bytes", sent.Load())
			}
		})
	}
}

// endlessHeader is a header that does not end.
type endlessHeader struct{}

func (endlessHeader) Read(p []byte) (int, error) {
	return copy(p, strings.Repeat("X-Amz-Meta-A: b\r\n", len(p)/17+1)[:len(p)/17*17]), nil
}

func TestASlowS3IsWaitedForOnlySoLong(t *testing.T) {
	for _, status := range []int{200, 403, 503} {
		b, s := newFakeBucket(t)
		s.timeout, s.rest = shortTimeout, 0
		b.answer = func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
			w.WriteHeader(status)
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Millisecond)
			}
			return true
		}
		began := time.Now()
		if _, err := s.Get(t.Context(), "icon/a", 1<<20); err == nil || time.Since(began) > 20*shortTimeout {
			t.Errorf("%d: %v after %s", status, err, time.Since(began))
		}
		if err := s.Put(t.Context(), "icon/a", "image/png", nil); status != 200 && err == nil ||
			time.Since(began) > 20*shortTimeout {
			t.Errorf("%d: %v after %s", status, err, time.Since(began))
		}
	}
	if _, s := newFakeBucket(t); s.timeout != 15*time.Second {
		t.Errorf("a request may take %s, want 15s", s.timeout)
	}
}

// The library could follow a store to another host or region, and repeats the cookies of a store.
func TestS3CannotSendItsClientElsewhere(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s was sent elsewhere", r.Method, r.URL)
	}))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 307, 308, 400, 403} {
		b, s := newFakeBucket(t)
		asked := 0
		b.answer = func(w http.ResponseWriter, r *http.Request) bool {
			asked++
			if r.Header.Get("Cookie") != "" || !isSigned(r, nil) {
				t.Errorf("%v", r.Header)
			}
			w.Header().Set("Set-Cookie", "canary=1")
			w.Header().Set("Location", elsewhere.URL)
			w.Header().Set("X-Amz-Bucket-Region", "eu-west-1")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region>"+
				"<Endpoint>"+strings.TrimPrefix(elsewhere.URL, "http://")+"</Endpoint></Error>")
			return true
		}
		for range 2 {
			if _, err := s.Get(t.Context(), "icon/a", 9); err == nil || errors.Is(err, ErrBusy) {
				t.Errorf("%d: %v", status, err)
			}
		}
		if asked != 2 {
			t.Errorf("%d: two reads needed %d requests", status, asked)
		}
	}
}

func TestS3FormTakesNoValuesThatChangeThePolicy(t *testing.T) {
	_, s := newFakeBucket(t)
	until := time.Now().Add(time.Minute)
	for _, kind := range []string{"", "image", `image/png"],["starts-with","$acl","`, "image/png\n", "IMAGE/PNG"} {
		if _, _, ok := s.Post("icon/a", kind, 9, until); ok {
			t.Errorf("%q", kind)
		}
	}
	for _, size := range []int64{0, -1} {
		if _, _, ok := s.Post("icon/a", "image/png", size, until); ok {
			t.Error(size)
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
		"s3://K:S@s3.amazonaws.com/pictures": {"https://s3.amazonaws.com/pictures/", "us-east-1", true},
		"s3://K:S@s3.xx-south-9.amazonaws.com/pictures": {"https://s3.xx-south-9.amazonaws.com/pictures/",
			"xx-south-9", true},
		"s3://K:S@s3.dualstack.eu-west-3.amazonaws.com/pictures?region=eu-west-3&style=host": {
			"https://pictures.s3.dualstack.eu-west-3.amazonaws.com/", "eu-west-3", true,
		},
		"s3://K:S@s3.eu-west-3.amazonaws.com/my.pictures": {"https://s3.eu-west-3.amazonaws.com/my.pictures/",
			"eu-west-3", true},
		"s3://K:S@s3.dualstack.eu-west-3.amazonaws.com/my.pictures?region=eu-west-3": {
			"https://s3.dualstack.eu-west-3.amazonaws.com/my.pictures/", "eu-west-3", true,
		},
		"s3://K:S@[::1]:9000/pictures": {"http://[::1]:9000/pictures/", "us-east-1", true},
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
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		direct := s.direct
		s.direct = true
		base, fields, _ := s.Post("icon/a", "image/png", 1, time.Now())
		region := strings.Split(fields["x-amz-credential"], "/")
		if base != want.base || len(region) != 5 || region[2] != want.region || direct != want.direct {
			t.Errorf("%s: %s %v %v", address, base, region, direct)
		}
	}
	for _, address := range []string{
		"", "s3://", "http://K:S@h/b", "s3://h/bucket", "s3://K@h/bucket", "s3://:S@h/bucket", "s3://K:@h/bucket",
		"s3://K:S@/bucket", "s3://K:S@h", "s3://K:S@h/", "s3://K:S@h/UPPER",
		"s3://K:S@h/bucket/below", "s3://K:S@h/bucket?region=", "s3://K:S@h/bucket?style=other",
		"s3://K:S@h/bucket?colour=red", "s3://K:S@h/bucket#x", "s3://K:S@h:port/bucket",
		"s3://K:S@h/a..b", "s3://K:S@h/192.0.2.1",
	} {
		if _, err := NewS3(address); err == nil {
			t.Error(address)
		}
	}
}
