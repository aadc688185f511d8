package gateway

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"portico/server/tracing"
)

// S3 stores files in a bucket of an S3-compatible store and signs its requests itself (AWS Signature Version 4). For a
// missing file its methods return fs.ErrNotExist. No error contains a URL or a key.
type S3 struct {
	client      *http.Client
	base        *url.URL // of the bucket
	bucket      string
	region      string
	key, secret string
	direct      bool
	now         func() time.Time
	rest        time.Duration // before the first repetition; twice as long before each further one
}

// ErrBusy says that a store is busy or has a fault of its own, also when asked again: the same may work later.
var ErrBusy = errors.New("s3: the store is busy, try again")

const (
	s3Time   = 15 * time.Second // for one request, including reading its answer
	s3Tries  = 4
	s3Rest   = 200 * time.Millisecond
	s3Stamp  = "20060102T150405Z"
	s3Scheme = "AWS4-HMAC-SHA256"
)

var errS3Value = errors.New("accepted are dir:PATH and s3://KEY:SECRET@endpoint/bucket, with ?region=, ?style=path " +
	"or host, ?direct=yes or no " +
	"where they are not what the endpoint suggests")

var (
	bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	regionName = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)
)

// NewS3 reads a setting like s3://KEY:SECRET@endpoint/bucket?region=R&style=S&direct=D. The keys need no escaping.
// Requests use https, except to this machine. style is "path" (endpoint/bucket/name) or "host" (bucket.endpoint/name);
// the stores of Alibaba Cloud and Tencent Cloud need "host". direct says whether browsers may send files directly to
// the store. Those two stores do not accept our forms for that.
func NewS3(address string) (*S3, error) {
	rest, ok := strings.CutPrefix(address, "s3://")
	at := strings.LastIndexByte(rest, '@')
	if !ok || at < 0 {
		return nil, errS3Value
	}
	key, secret, _ := strings.Cut(rest[:at], ":")
	if unescaped, err := url.PathUnescape(secret); err == nil {
		secret = unescaped
	}
	u, err := url.Parse("s3://" + rest[at+1:])
	if err != nil || key == "" || secret == "" || u.Host == "" || u.Fragment != "" {
		return nil, errS3Value
	}
	s := &S3{client: newClient(), bucket: strings.Trim(u.Path, "/"), key: key, secret: secret, now: time.Now,
		rest: s3Rest}
	s.client.Timeout = s3Time
	endpoint, query := u.Hostname(), u.Query()
	own := strings.HasSuffix(endpoint, ".aliyuncs.com") || strings.HasSuffix(endpoint, ".myqcloud.com")
	style, direct := "path", "yes"
	if own {
		style, direct = "host", "no"
	}
	s.region = regionOf(endpoint)
	for name, values := range query {
		switch name {
		case "region":
			s.region = values[0]
		case "style":
			style = values[0]
		case "direct":
			direct = values[0]
		default:
			return nil, errS3Value
		}
	}
	if !bucketName.MatchString(s.bucket) || !regionName.MatchString(s.region) || style != "path" && style != "host" ||
		direct != "yes" && direct != "no" {
		return nil, errS3Value
	}
	s.direct = direct == "yes"
	s.base = &url.URL{Scheme: "https", Host: u.Host, Path: "/" + s.bucket + "/"}
	if style == "host" {
		s.base.Host, s.base.Path = s.bucket+"."+u.Host, "/"
	}
	if isLoopback(endpoint) {
		s.base.Scheme = "http"
	}
	return s, nil
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// regionOf returns the region in an endpoint's name, us-east-1 when there is none.
func regionOf(endpoint string) string {
	for _, form := range []string{
		`^s3[.-]([a-z]{2}(?:-[a-z]+)+-[0-9])\.amazonaws\.com(?:\.cn)?$`,
		`^(oss-[a-z0-9-]+?)(?:-internal)?\.aliyuncs\.com$`,
		`^cos\.([a-z0-9-]+)\.myqcloud\.com$`,
	} {
		if m := regexp.MustCompile(form).FindStringSubmatch(endpoint); m != nil {
			return strings.TrimPrefix(m[1], "oss-")
		}
	}
	return "us-east-1"
}

// Put stores data under a name.
func (s *S3) Put(ctx context.Context, name, kind string, data []byte) error {
	resp, err := s.do(ctx, http.MethodPut, name, kind, data)
	if err != nil {
		return err
	}
	return s.finish(resp)
}

// Get reads a file of at most limit bytes.
func (s *S3) Get(ctx context.Context, name string, limit int64) ([]byte, error) {
	resp, err := s.do(ctx, http.MethodGet, name, "", nil)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, s.finish(resp)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.ContentLength > limit {
		return nil, fmt.Errorf("%w: over %d bytes", errTooLong, limit)
	}
	data, err := readUpTo(resp.Body, limit)
	if err != nil && !errors.Is(err, errTooLong) {
		err = errors.New("s3: the answer broke off")
	}
	return data, err
}

// Delete removes a file, if there is one.
func (s *S3) Delete(ctx context.Context, name string) error {
	resp, err := s.do(ctx, http.MethodDelete, name, "", nil)
	if err == nil {
		err = s.finish(resp)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// do sends a request. While the store is busy and the context lasts, do sends it again a few times. Sending a request
// twice does no harm: it writes the same content under the same name, or removes an object that is already gone.
func (s *S3) do(ctx context.Context, method, name, kind string, data []byte) (*http.Response, error) {
	for try, rest := 1, s.rest; ; try, rest = try+1, 2*rest {
		resp, err := s.doOnce(ctx, method, name, kind, data)
		if err != nil || !isBusy(resp.StatusCode) || try == s3Tries {
			return resp, err
		}
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < rest {
			return resp, nil
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer)) // so that the connection can be used again
		_ = resp.Body.Close()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(rest):
		}
	}
}

// isBusy reports whether a store that answers this status may answer another one a moment later. S3 says 503 SlowDown
// when it has too many requests, and 500 InternalError for a fault of its own that passes.
func isBusy(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

func (s *S3) doOnce(ctx context.Context, method, name, kind string, data []byte) (*http.Response, error) {
	if !fileName.MatchString(name) {
		return nil, errFileName
	}
	r, err := http.NewRequestWithContext(ctx, method, s.base.JoinPath(name).String(), bytes.NewReader(data))
	if err != nil {
		return nil, errFileName
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	r.Header.Set("User-Agent", "portico")
	s.sign(r, data)
	traced, span := tracing.StartCall(ctx, "file store")
	span.SetString("http.request.method", r.Method)
	resp, err := s.client.Do(r.WithContext(traced))
	if err != nil {
		span.End(failureWithoutAnswer("s3", err, false).Code)
	} else {
		span.SetInt("http.response.status_code", int64(resp.StatusCode))
		span.End("")
	}
	switch timeout := net.Error(nil); {
	case err == nil:
		return resp, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &timeout) && timeout.Timeout():
		return nil, errors.New("s3: no answer in time")
	}
	return nil, errors.New("s3: no connection")
}

// s3Code is the error code in a store's answer.
var s3Code = regexp.MustCompile(`<Code>([A-Za-z0-9.]{1,80})</Code>`)

// finish reads an answer to its end and returns its error.
func (s *S3) finish(resp *http.Response) error {
	defer func() { _ = resp.Body.Close() }()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case resp.StatusCode/100 == 2:
		return nil
	case resp.StatusCode == http.StatusNotFound && !bytes.Contains(body, []byte("<Code>NoSuchBucket</Code>")):
		return fmt.Errorf("s3: %w", fs.ErrNotExist)
	}
	code := "no code"
	if m := s3Code.FindSubmatch(body); m != nil {
		code = string(m[1])
	}
	if isBusy(resp.StatusCode) {
		return fmt.Errorf("%w: status %d, %s", ErrBusy, resp.StatusCode, code)
	}
	return fmt.Errorf("s3: status %d, %s", resp.StatusCode, code)
}

// sign adds the signature of a request and its body to the headers. It signs the host, the x-amz headers, Content-Type,
// Range and Date.
func (s *S3) sign(r *http.Request, body []byte) {
	at := s.now().UTC()
	r.Header.Set("X-Amz-Date", at.Format(s3Stamp))
	r.Header.Set("X-Amz-Content-Sha256", sha256Hex(body))
	values := map[string]string{"host": r.URL.Host}
	for name := range r.Header {
		if lower := strings.ToLower(name); lower == "content-type" || lower == "range" || lower == "date" ||
			strings.HasPrefix(lower, "x-amz-") {
			values[lower] = strings.TrimSpace(r.Header.Get(name))
		}
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	var headers strings.Builder
	for _, name := range names {
		headers.WriteString(name + ":" + values[name] + "\n")
	}
	signed := strings.Join(names, ";")
	canonical := strings.Join([]string{r.Method, s3Path(r.URL.Path), "",
		headers.String(), signed, r.Header.Get("X-Amz-Content-Sha256")}, "\n")
	text := strings.Join([]string{s3Scheme, at.Format(s3Stamp), s.scope(at), sha256Hex([]byte(canonical))}, "\n")
	r.Header.Set("Authorization", s3Scheme+" Credential="+s.key+"/"+s.scope(at)+",SignedHeaders="+signed+
		",Signature="+s.signature(at, text))
}

// s3Path returns a path as it is signed.
func s3Path(path string) string {
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.~/", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// scope returns the scope of a signature: day, region and service.
func (s *S3) scope(at time.Time) string {
	return at.Format("20060102") + "/" + s.region + "/s3/aws4_request"
}

func (s *S3) signature(at time.Time, text string) string {
	key := []byte("AWS4" + s.secret)
	for _, part := range []string{at.Format("20060102"), s.region, "s3", "aws4_request", text} {
		key = hmacSHA256(key, []byte(part))
	}
	return hex.EncodeToString(key)
}

// Post signs a form by which a browser sends a file directly to the bucket. The bucket accepts exactly this name and
// this content type, 1 to size bytes, until the given time. ok is false when the store does not accept such forms.
func (s *S3) Post(name, kind string, size int64, until time.Time) (address string, fields map[string]string, ok bool) {
	if !s.direct || !fileName.MatchString(name) {
		return "", nil, false
	}
	at := s.now().UTC()
	fields = map[string]string{
		"key": name, "Content-Type": kind, "x-amz-algorithm": s3Scheme, "x-amz-credential": s.key + "/" + s.scope(at),
		"x-amz-date": at.Format(s3Stamp),
	}
	conditions := []any{map[string]string{"bucket": s.bucket}, []any{"content-length-range", 1, size}}
	for _, field := range []string{"key", "Content-Type", "x-amz-algorithm", "x-amz-credential", "x-amz-date"} {
		conditions = append(conditions, map[string]string{field: fields[field]})
	}
	policy, err := json.Marshal(map[string]any{"expiration": until.UTC().Format("2006-01-02T15:04:05.000Z"),
		"conditions": conditions})
	if err != nil {
		return "", nil, false
	}
	fields["policy"] = base64.StdEncoding.EncodeToString(policy)
	fields["x-amz-signature"] = s.signature(at, fields["policy"])
	return s.base.String(), fields, true
}
