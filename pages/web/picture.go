package web

import (
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"portico/assets"
	"portico/pages/request"
	"portico/portal/pictures"
)

// picturePolicy is the Content-Security-Policy of pictures: an SVG that is opened by itself cannot run scripts.
const picturePolicy = "default-src 'none'; sandbox"

// ShowFavicon redirects a browser that asks for an icon without having read a page. It leads to the company's own icon,
// else to the platform's.
func ShowFavicon(w http.ResponseWriter, r *http.Request) {
	icon := assets.FaviconURL
	if c := request.PlaceOf(r.Context()).Company; c != nil && OwnIcon(c.IconURL) != "" {
		icon = OwnIcon(c.IconURL)
	}
	http.Redirect(w, r, icon, http.StatusFound)
}

// ShowIcon sends a company's icon. The address changes with the icon, so caches may keep it forever.
func (p *Web) ShowIcon(w http.ResponseWriter, r *http.Request) error {
	picture, err := p.portal.Branding.Icon(r.Context(), chi.URLParam(r, "name"))
	if err != nil {
		return err
	}
	KeptByAll(w)
	return WritePicture(w, r, picture)
}

// ShowPortrait sends a portrait. Other sites may show it: wrappers and destination sites get its address in
// head_img_. Shared caches must not keep it, and browsers keep it for a day, because the person may remove it.
func (p *Web) ShowPortrait(w http.ResponseWriter, r *http.Request) error {
	picture, err := p.portal.Profiles.Portrait(r.Context(), chi.URLParam(r, "name"))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "private, max-age="+strconv.Itoa(request.DaySeconds))
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("X-Robots-Tag", "noindex")
	return WritePicture(w, r, picture)
}

// KeptByAll lets every cache keep a file whose address changes with it. It removes the cookie that ?lang= in the
// address would set, because the caches would keep that, too.
func KeptByAll(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "public, max-age="+strconv.Itoa(request.YearSeconds)+", immutable")
	w.Header().Del("Set-Cookie")
}

// WritePicture answers with a picture, which the browser must not take for anything else.
func WritePicture(w http.ResponseWriter, r *http.Request, picture pictures.Picture) error {
	h := w.Header()
	h.Set("Content-Type", picture.Kind)
	h.Set("Content-Length", strconv.Itoa(len(picture.Data)))
	h.Set("Content-Security-Policy", picturePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(picture.Data) // the browser may have closed the connection
	}
	return nil
}
