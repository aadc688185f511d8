package web

import (
	"net/http"
	"strconv"

	"portico/portal/pictures"
)

// PicturePolicy is the Content-Security-Policy of pictures: an SVG that is opened by itself cannot run scripts.
const PicturePolicy = "default-src 'none'; sandbox"

// KeptByAll lets every cache keep a file whose address changes with it. It removes the cookie that ?lang= in the
// address would set, because the caches would keep that, too.
func KeptByAll(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "public, max-age="+strconv.Itoa(YearSeconds)+", immutable")
	w.Header().Del("Set-Cookie")
}

// ShownAnywhere lets pages of every origin show a picture or use a style sheet: native apps and other sites get its
// address.
func ShownAnywhere(w http.ResponseWriter) {
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// WritePicture answers with a picture, which the browser must not take for anything else.
func WritePicture(w http.ResponseWriter, r *http.Request, picture pictures.Picture) error {
	h := w.Header()
	h.Set("Content-Type", picture.Kind)
	h.Set("Content-Length", strconv.Itoa(len(picture.Data)))
	h.Set("Content-Security-Policy", PicturePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(picture.Data) // the browser may have closed the connection
	}
	return nil
}
