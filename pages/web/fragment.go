package web

import (
	"bytes"
	"net/http"

	"github.com/a-h/templ"

	"portico/components"
)

// WantsFragment reports whether a script of an open page asks only for what stands in <main>. htmx sends these headers,
// and so does islands/page/pull.ts.
func WantsFragment(r *http.Request) bool {
	return r.Header.Get("HX-Request") == "true" && r.Header.Get("HX-Target") == "main#main"
}

// fragmentGzips make parts a tenth smaller than gzips would: a list of 25 rows takes less than 4 KB.
var fragmentGzips = gzipWriters(5)

// writeFragment writes what a script puts into <main> of an open page of a landing site, in place of the whole page.
func writeFragment(w http.ResponseWriter, r *http.Request, status int, s components.Shell, c templ.Component) error {
	html := Buffers.Get().(*bytes.Buffer)
	defer Buffers.Put(html)
	html.Reset()
	if err := components.Fragment(s).Render(templ.WithChildren(r.Context(), c), html); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", HTMLType)
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'") // it is no document
	return writeGzipped(w, r, status, html.Bytes(), fragmentGzips)
}
