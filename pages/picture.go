package pages

import (
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"portico/assets"
	"portico/portal/pictures"
)

// picturePolicy lets a picture that is opened by itself do nothing.
const picturePolicy = "default-src 'none'; sandbox"

// showFavicon redirects a browser that asks for an icon without having read a page: to the company's own icon, else to
// the platform's.
func showFavicon(w http.ResponseWriter, r *http.Request) {
	icon := assets.FaviconURL
	if c := placeOf(r.Context()).Company; c != nil && ownIcon(c.IconURL) != "" {
		icon = ownIcon(c.IconURL)
	}
	http.Redirect(w, r, icon, http.StatusFound)
}

// showIcon is a company's icon; its address changes with it.
func (p *Pages) showIcon(w http.ResponseWriter, r *http.Request) error {
	picture, err := p.portal.Branding.Icon(r.Context(), chi.URLParam(r, "name"))
	if err != nil {
		return err
	}
	keptByAll(w)
	return writePicture(w, r, picture)
}

// showPortrait sends a portrait. Other sites may show it: wrappers and destination sites get its address in
// head_img_. Shared caches must not keep it, and browsers keep it for a day: it may be removed.
func (p *Pages) showPortrait(w http.ResponseWriter, r *http.Request) error {
	picture, err := p.portal.Profiles.Portrait(r.Context(), chi.URLParam(r, "name"))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "private, max-age="+strconv.Itoa(daySeconds))
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("X-Robots-Tag", "noindex")
	return writePicture(w, r, picture)
}

// keptByAll lets every cache keep a file whose address changes with it. It removes the cookie that ?lang= in the
// address would set, because the caches would keep that, too.
func keptByAll(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "public, max-age="+strconv.Itoa(yearSeconds)+", immutable")
	w.Header().Del("Set-Cookie")
}

func writePicture(w http.ResponseWriter, r *http.Request, picture pictures.Picture) error {
	h := w.Header()
	h.Set("Content-Type", picture.Kind)
	h.Set("Content-Length", strconv.Itoa(len(picture.Data)))
	h.Set("Content-Security-Policy", picturePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(picture.Data) // the reader may have gone
	}
	return nil
}
