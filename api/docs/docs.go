// Package docs serves the description of the API, openapi.json, and a page that shows it to people.
package docs

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"portico/api/negotiation"
)

//go:embed docs.css try.js
var pageFiles embed.FS

// The Content-Security-Policy of the page. In dev its script may try calls.
const (
	pagePolicy = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; " +
		"frame-ancestors 'none'"
	pagePolicyDev = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// Options are what the docs are made of.
type Options struct {
	Description []byte // openapi.json
	Origin      string // the API's origin in the examples of the page, such as https://api.example.com
	Dev         bool   // lets the page try calls
}

// Docs serves /openapi.json, /docs and the files of the page. It renders the page for the first request.
type Docs struct {
	files func() (map[string]*file, error)
}

// New returns the docs of a description. A description that cannot be read fails the requests, not New.
func New(o Options) *Docs {
	return &Docs{sync.OnceValues(func() (map[string]*file, error) { return render(o) })}
}

// render reads the description and returns the files by their paths.
func render(o Options) (map[string]*file, error) {
	d, err := readDescription(o.Description)
	if err != nil {
		return nil, fmt.Errorf("docs: openapi.json: %w", err)
	}
	p, err := d.page(o)
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	var html bytes.Buffer
	if err := document(p).Render(context.Background(), &html); err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	policy := pagePolicy
	if o.Dev {
		policy = pagePolicyDev
	}
	files := map[string]*file{
		"/docs":          newFile(html.Bytes(), "text/html; charset=utf-8", policy),
		"/docs/docs.css": newFile(embedded("docs.css"), "text/css; charset=utf-8", ""),
		"/openapi.json":  newFile(o.Description, "application/json; charset=utf-8", ""),
	}
	if o.Dev {
		files["/docs/try.js"] = newFile(embedded("try.js"), "text/javascript; charset=utf-8", "")
	}
	return files, nil
}

// embedded returns a file of the page.
func embedded(name string) []byte {
	body, err := pageFiles.ReadFile(name)
	if err != nil {
		panic(err) // embedded at build time
	}
	return body
}

// file is an answer, plain and compressed with gzip.
type file struct {
	body, packed []byte
	contentType  string
	policy       string
	etag         string
}

// newFile returns a file with its compressed form and its ETag. policy is the Content-Security-Policy, "" for none.
func newFile(body []byte, contentType, policy string) *file {
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	_, _ = w.Write(body) // a bytes.Buffer takes everything
	_ = w.Close()
	sum := sha256.Sum256(body)
	return &file{
		body: body, packed: packed.Bytes(), contentType: contentType, policy: policy, etag: hex.EncodeToString(sum[:8]),
	}
}

// Serve answers a request for the description, its page or a file of the page. It returns false, and writes nothing,
// for any other request and when the page cannot be made.
func (d *Docs) Serve(w http.ResponseWriter, r *http.Request) (bool, error) {
	path := r.URL.Path
	if path != "/openapi.json" && path != "/docs" && !strings.HasPrefix(path, "/docs/") ||
		r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false, nil
	}
	files, err := d.files()
	f := files[path]
	if err != nil || f == nil {
		return false, err
	}
	body, etag := f.body, `"`+f.etag+`"`
	h := w.Header()
	h.Set("Vary", "Accept-Encoding")
	if negotiation.AcceptsGzip(r.Header.Get("Accept-Encoding")) {
		body, etag = f.packed, `"`+f.etag+`-gzip"`
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", etag)
	if f.policy != "" {
		h.Set("Content-Security-Policy", f.policy)
	}
	if negotiation.MatchesTag(r.Header.Get("If-None-Match"), f.etag) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return true, nil
	}
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(body)
	}
	return true, nil
}
