package public

import (
	"io"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"portico/pages/web"
)

// ShowStyle sends a company's style sheet. The address contains a hash of the content, so caches may keep it forever.
func (p *Pages) ShowStyle(w http.ResponseWriter, r *http.Request) error {
	css, err := p.portal.Branding.Style(r.Context(), web.PlaceOf(r.Context()), chi.URLParam(r, "name"))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/css; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(css)))
	h.Set("Content-Security-Policy", web.PicturePolicy)
	web.KeptByAll(w)
	web.ShownAnywhere(w)
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, css) // the browser may have closed the connection
	}
	return nil
}
