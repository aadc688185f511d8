// Package docs serves the description of the API, openapi.json, and a page that shows it to people.
package docs

import (
	"bytes"
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
	"portico/assets"
)

//go:embed docs.css reference.js try.js
var pageFiles embed.FS

// The Content-Security-Policy of the page. Redoc makes style elements that are empty and adds the rules by script: the
// hash is that of the empty text. Its font is a data URL.
const (
	pagePolicy = "default-src 'none'; style-src 'self'; img-src data:; " + everyPolicy
	scripted   = "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:; font-src data:; " +
		"style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; " + everyPolicy
	everyPolicy = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
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
	return &Docs{sync.OnceValues(func() (map[string]*file, error) { return render(o, assets.Redoc()) })}
}

// render reads the description and returns the files by their paths. redoc is the script that shows the description,
// nil if no scripts were built; without it, the page only lists the calls.
func render(o Options, redoc *assets.Compressible) (map[string]*file, error) {
	d, err := readDescription(o.Description)
	if err != nil {
		return nil, fmt.Errorf("docs: openapi.json: %w", err)
	}
	const css, javascript = "text/css; charset=utf-8", "text/javascript; charset=utf-8"
	files := map[string]*file{
		"/docs/docs.css": newFile(embedded("docs.css", css)),
		"/openapi.json":  newFile(assets.NewCompressible(o.Description, "application/json; charset=utf-8")),
	}
	var scripts []string
	if redoc != nil {
		scripts = append(scripts, "/docs/reference.js")
		files["/docs/reference.js"] = newFile(embedded("reference.js", javascript))
		files["/docs/redoc.js"] = newFile(redoc)
	}
	if o.Dev {
		scripts = append(scripts, "/docs/try.js")
		files["/docs/try.js"] = newFile(embedded("try.js", javascript))
	}
	p, err := d.page(o.Origin, scripts)
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	var html bytes.Buffer
	if err := document(p).Render(context.Background(), &html); err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	page := newFile(assets.NewCompressible(html.Bytes(), "text/html; charset=utf-8"))
	page.policy = pagePolicy
	if len(scripts) > 0 {
		page.policy = scripted
	}
	files["/docs"] = page
	return files, nil
}

// embedded returns a file of the page.
func embedded(name, contentType string) *assets.Compressible {
	body, err := pageFiles.ReadFile(name)
	if err != nil {
		panic(err) // embedded at build time
	}
	return assets.NewCompressible(body, contentType)
}

// file is an answer. policy is its Content-Security-Policy, "" for none.
type file struct {
	*assets.Compressible
	policy, etag string
}

func newFile(body *assets.Compressible) *file {
	sum := sha256.Sum256(body.Raw)
	return &file{Compressible: body, etag: hex.EncodeToString(sum[:8])}
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
	body, encoding := f.Best(r.Header.Get("Accept-Encoding"))
	h := w.Header()
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", `"`+strings.TrimSuffix(f.etag+"-"+encoding, "-")+`"`)
	if f.policy != "" {
		h.Set("Content-Security-Policy", f.policy)
	}
	if negotiation.MatchesTag(r.Header.Get("If-None-Match"), f.etag) {
		w.WriteHeader(http.StatusNotModified)
		return true, nil
	}
	if encoding != "" {
		h.Set("Content-Encoding", encoding)
	}
	h.Set("Content-Type", f.ContentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(body)
	}
	return true, nil
}
