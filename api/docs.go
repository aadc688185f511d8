package api

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
)

//go:embed openapi.json docs/docs.css docs/try.js
var docSources embed.FS

// The Content-Security-Policy of the page. In dev its script may try calls.
const (
	docsPolicy = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; " +
		"frame-ancestors 'none'"
	docsPolicyDev = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// docs is the published description of the API and the page that shows it. The page is made for the first request.
type docs struct {
	files func() (map[string]*docFile, error)
}

type docFile struct {
	body, packed []byte
	contentType  string
	policy       string
	etag         string
}

// newDocs returns the docs of the embedded description. In dev the page can try the calls. apiOrigin is the origin in
// its examples.
func newDocs(dev bool, apiOrigin string) *docs {
	return &docs{sync.OnceValues(func() (map[string]*docFile, error) { return renderDocs(dev, apiOrigin) })}
}

// renderDocs reads the description and renders its page.
func renderDocs(dev bool, apiOrigin string) (map[string]*docFile, error) {
	source, err := readDocSource()
	if err != nil {
		return nil, fmt.Errorf("docs: openapi.json: %w", err)
	}
	page, err := source.page(dev, apiOrigin)
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	var html bytes.Buffer
	if err := docsPage(page).Render(context.Background(), &html); err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	policy := docsPolicy
	if dev {
		policy = docsPolicyDev
	}
	files := map[string]*docFile{
		"/docs":          newDocFile(html.Bytes(), "text/html; charset=utf-8", policy),
		"/docs/docs.css": newDocFile(embedded("docs/docs.css"), "text/css; charset=utf-8", ""),
		"/openapi.json":  newDocFile(embedded("openapi.json"), "application/json; charset=utf-8", ""),
	}
	if dev {
		files["/docs/try.js"] = newDocFile(embedded("docs/try.js"), "text/javascript; charset=utf-8", "")
	}
	return files, nil
}

func embedded(name string) []byte {
	body, err := docSources.ReadFile(name)
	if err != nil {
		panic(err) // embedded at build time
	}
	return body
}

func newDocFile(body []byte, contentType, policy string) *docFile {
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	_, _ = w.Write(body) // a bytes.Buffer takes everything
	_ = w.Close()
	sum := sha256.Sum256(body)
	return &docFile{
		body: body, packed: packed.Bytes(), contentType: contentType, policy: policy, etag: hex.EncodeToString(sum[:8]),
	}
}

// serve answers requests for the description, its page and the files of the page. It returns false for any other
// request.
func (d *docs) serve(w http.ResponseWriter, r *http.Request) (bool, error) {
	path := r.URL.Path
	if path != "/openapi.json" && path != "/docs" && !strings.HasPrefix(path, "/docs/") ||
		r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false, nil
	}
	files, err := d.files()
	file := files[path]
	if err != nil || file == nil {
		return false, err
	}
	body, etag := file.body, `"`+file.etag+`"`
	h := w.Header()
	h.Set("Vary", "Accept-Encoding")
	if takesGzip(r.Header.Get("Accept-Encoding")) {
		body, etag = file.packed, `"`+file.etag+`-gzip"`
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", etag)
	if file.policy != "" {
		h.Set("Content-Security-Policy", file.policy)
	}
	if holdsTag(r.Header.Get("If-None-Match"), file.etag) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return true, nil
	}
	h.Set("Content-Type", file.contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(body)
	}
	return true, nil
}

func takesGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, weight, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
		if coding == "gzip" {
			return strings.Trim(weight, "q=.0") != "" || weight == ""
		}
	}
	return false
}

// holdsTag reports whether an If-None-Match names this version, plain or compressed.
func holdsTag(header, tag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		held := strings.Trim(strings.TrimPrefix(strings.TrimSpace(part), "W/"), `"`)
		if held == "*" || strings.TrimSuffix(held, "-gzip") == tag {
			return true
		}
	}
	return false
}
