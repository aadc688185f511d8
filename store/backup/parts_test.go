package backup_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// A part is kept in memory, and a bucket takes at most 10000 parts of an object.
func TestUploadHasPartsOf16MB(t *testing.T) {
	var sizes []string // of the parts, without the signatures that are sent with them
	bucket := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		query := r.URL.Query()
		switch {
		case query.Has("uploads"):
			fmt.Fprint(w, "<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>")
		case query.Has("partNumber"):
			sizes = append(sizes, r.Header.Get("X-Amz-Decoded-Content-Length"))
			w.Header().Set("ETag", `"part"`)
		default:
			fmt.Fprint(w, "<CompleteMultipartUploadResult><Bucket>bucket</Bucket></CompleteMultipartUploadResult>")
		}
	}))
	defer bucket.Close()
	address := "s3://KEY:SECRET@" + strings.TrimPrefix(bucket.URL, "http://") + "/bucket/copy?region=eu-south-2"
	must(t, place(t, address).Put(t.Context(), func(out io.Writer) error {
		_, err := io.Copy(out, bytes.NewReader(make([]byte, 16<<20+1)))
		return err
	}))
	bucket.Close() // waits for its handlers
	if !slices.Equal(sizes, []string{"16777216", "1"}) {
		t.Errorf("the parts have %q bytes", sizes)
	}
}
