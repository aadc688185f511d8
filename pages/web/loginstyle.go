package web

import (
	"io"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"portico/pages/request"
)

// styledPaths holds the sign-in pages. Only these use a company's own style sheet.
var styledPaths = map[string]bool{
	"/": true, "/login": true, "/login/account": true, "/login/code": true, "/forget": true, "/forget/phone": true,
	"/forget/account": true,
}

// ShowStyle sends a company's style sheet. The address contains a hash of the content, so caches may keep it forever.
func (p *Web) ShowStyle(w http.ResponseWriter, r *http.Request) error {
	css, err := p.portal.Branding.Style(r.Context(), request.PlaceOf(r.Context()), chi.URLParam(r, "name"))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/css; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(css)))
	h.Set("Content-Security-Policy", picturePolicy)
	KeptByAll(w)
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, css) // the browser may have closed the connection
	}
	return nil
}
