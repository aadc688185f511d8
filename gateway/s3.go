package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"portico/gateway/s3address"
	"portico/server/tracing"
)

// S3 stores files in a bucket of an S3-compatible store. For a missing file its methods return fs.ErrNotExist. No error
// contains a URL or a key.
type S3 struct {
	client  *minio.Core
	bucket  string
	direct  bool
	timeout time.Duration // for one request, including reading its answer
	rest    time.Duration // before the first repetition; twice as long before each further one
}

// ErrBusy says that a store is busy or has a fault of its own, also after repetitions. The same may work later.
var ErrBusy = errors.New("s3: the store is busy, try again")

const (
	s3Time  = 15 * time.Second
	s3Tries = 4
	s3Rest  = 200 * time.Millisecond
)

var errS3Value = errors.New("accepted are dir:PATH and s3://KEY:SECRET@endpoint/bucket, with ?region=, ?style=path " +
	"or host, ?direct=yes or no " +
	"where they are not what the endpoint suggests")

var (
	regionName = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)
	mediaType  = regexp.MustCompile(`^[a-z]+/[a-z0-9.+-]+$`)
)

// NewS3 reads a setting like s3://KEY:SECRET@endpoint/bucket?region=R&style=S&direct=D. The keys need no escaping.
// Requests use https, except to this machine. style is "path" (endpoint/bucket/name) or "host" (bucket.endpoint/name);
// the stores of Alibaba Cloud and Tencent Cloud need "host". direct says whether apps may send files directly to the
// store. Those two stores do not accept our forms for that.
func NewS3(address string) (*S3, error) {
	a, ok := s3address.Parse(address)
	if !ok {
		return nil, errS3Value
	}
	style := "path"
	direct := "yes"
	region := regionOf(a.Hostname)
	if strings.HasSuffix(a.Hostname, ".aliyuncs.com") || strings.HasSuffix(a.Hostname, ".myqcloud.com") {
		style, direct = "host", "no"
	}
	for name, values := range a.Query {
		switch name {
		case "region":
			region = values[0]
		case "style":
			style = values[0]
		case "direct":
			direct = values[0]
		default:
			return nil, errS3Value
		}
	}
	if s3utils.CheckValidBucketNameStrict(a.Path) != nil || !regionName.MatchString(region) ||
		style != "path" && style != "host" || direct != "yes" && direct != "no" {
		return nil, errS3Value
	}
	options := a.Options()
	options.Transport = s3Transport{newClient().Transport}
	options.MaxRetries = 1  // do repeats requests
	options.Region = region // without one, the library asks the store
	options.BucketLookup = minio.BucketLookupPath
	if style == "host" {
		options.BucketLookup = minio.BucketLookupDNS
	}
	client, err := minio.NewCore(a.Endpoint, options)
	if err != nil {
		return nil, errS3Value
	}
	keepEndpoint(client, a)
	return &S3{client: client, bucket: a.Path, direct: direct == "yes", timeout: s3Time, rest: s3Rest}, nil
}

// keepEndpoint makes the library send to an endpoint of Amazon as it is configured. Otherwise it would take the host
// from its list of regions, and send the files of a region that the list lacks to us-east-1. Its only setting for a
// host is the one for faster transfers, which refuses buckets with a dot in their name.
func keepEndpoint(client *minio.Core, a s3address.Address) {
	if strings.Contains(a.Path, ".") {
		client.SetS3EnableDualstack(strings.Contains(a.Hostname, ".dualstack."))
		return
	}
	client.SetS3TransferAccelerate(a.Endpoint)
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
	// The signature contains the hash of the data, also over https.
	options := minio.PutObjectOptions{ContentType: kind, DisableContentSha256: true}
	return s.do(ctx, name, func(ctx context.Context) error {
		_, err := s.client.PutObject(ctx, s.bucket, name, bytes.NewReader(data), int64(len(data)), "", sha256Hex(data),
			options)
		return s3Error(err)
	})
}

// Get reads a file of at most limit bytes.
func (s *S3) Get(ctx context.Context, name string, limit int64) (data []byte, err error) {
	ctx = context.WithValue(ctx, fileLimit{}, limit)
	err = s.do(ctx, name, func(ctx context.Context) error {
		body, _, _, err := s.client.GetObject(ctx, s.bucket, name, minio.GetObjectOptions{})
		if err := s3Error(err); err != nil {
			return err
		}
		if body == nil { // a status of success that is not one of GET
			return errS3Answer
		}
		defer func() { _ = body.Close() }()
		data, err = readUpTo(body, limit)
		if err != nil && !errors.Is(err, errTooLong) {
			err = errors.New("s3: the answer broke off")
		}
		return err
	})
	return data, err
}

// Delete removes a file, if there is one.
func (s *S3) Delete(ctx context.Context, name string) error {
	err := s.do(ctx, name, func(ctx context.Context) error {
		return s3Error(s.client.RemoveObject(ctx, s.bucket, name, minio.RemoveObjectOptions{}))
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// do sends a request. While the store is busy and the context lasts, do sends it again a few times. Sending a request
// twice does no harm: it writes the same content under the same name, or removes an object that is already gone. The
// library repeats requests too, but rewinds the data while the connection of an earlier try may still read them.
func (s *S3) do(ctx context.Context, name string, request func(context.Context) error) error {
	if !fileName.MatchString(name) {
		return errFileName
	}
	for try, rest := 1, s.rest; ; try, rest = try+1, 2*rest {
		limited, cancel := context.WithTimeout(ctx, s.timeout)
		err := request(limited)
		cancel()
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		if !errors.Is(err, ErrBusy) || try == s3Tries {
			return err
		}
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < rest {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rest):
		}
	}
}

// fileLimit is the key of the value of a context that says how many bytes a wanted file may have.
type fileLimit struct{}

// s3Transport sends the requests of the library. It bounds and records what the library does not.
type s3Transport struct{ http.RoundTripper }

func (t s3Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, span := tracing.StartCall(r.Context(), "file store")
	span.SetString("http.request.method", r.Method)
	r = r.Clone(ctx)
	r.Header.Set("User-Agent", "portico")
	resp, err := t.RoundTripper.RoundTrip(r)
	if err != nil {
		span.End(failureWithoutAnswer("s3", err, false).Code)
		return nil, err
	}
	span.SetInt("http.response.status_code", int64(resp.StatusCode))
	span.End("")
	// The library keeps any number of cookies, and reads every answer to its end but a file whose headers it can read.
	resp.Header.Del("Set-Cookie")
	longest := int64(maxAnswer)
	if limit, ok := ctx.Value(fileLimit{}).(int64); ok && resp.StatusCode == http.StatusOK {
		longest = limit + 1 // by which Get sees that the file is too long
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, longest), resp.Body}
	return resp, nil
}

// s3Code is the form of the error codes of stores.
var s3Code = regexp.MustCompile(`^[A-Za-z0-9.]{1,80}$`)

var errS3Answer = errors.New("s3: not an answer of a store")

// s3Error returns the error to report for an error of the library, which contains URLs and texts of the store.
func s3Error(err error) error {
	var answer minio.ErrorResponse
	var timeout net.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &timeout) && timeout.Timeout():
		return errors.New("s3: no answer in time")
	case !errors.As(err, &answer):
		return errors.New("s3: no connection")
	case answer.StatusCode == 0: // a header that cannot be read
		return errS3Answer
	case answer.StatusCode/100 == 2:
		return nil
	case answer.StatusCode == http.StatusNotFound && answer.Code != minio.NoSuchBucket:
		return fmt.Errorf("s3: %w", fs.ErrNotExist)
	}
	code := "no code"
	if s3Code.MatchString(answer.Code) {
		code = answer.Code
	}
	if isBusy(answer.StatusCode) {
		return fmt.Errorf("%w: status %d, %s", ErrBusy, answer.StatusCode, code)
	}
	return fmt.Errorf("s3: status %d, %s", answer.StatusCode, code)
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

// Post signs a form by which an app sends a file directly to the bucket. The bucket accepts exactly this name and
// this content type, 1 to size bytes, until the given time. ok is false when the store does not accept such forms.
func (s *S3) Post(name, kind string, size int64, until time.Time) (address string, fields map[string]string, ok bool) {
	// The library puts the values into JSON as they are.
	if !s.direct || !fileName.MatchString(name) || !mediaType.MatchString(kind) {
		return "", nil, false
	}
	policy := minio.NewPostPolicy()
	err := errors.Join(policy.SetBucket(s.bucket), policy.SetKey(name), policy.SetContentType(kind),
		policy.SetContentLengthRange(1, size), policy.SetExpires(until))
	if err != nil {
		return "", nil, false
	}
	u, fields, err := s.client.PresignedPostPolicy(context.Background(), policy) // sends nothing
	if err != nil {
		return "", nil, false
	}
	return u.String(), fields, true
}
