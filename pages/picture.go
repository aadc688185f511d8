package pages

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"portico/assets"
	"portico/portal"
)

// picturePolicy lets a picture that is opened by itself do nothing.
const picturePolicy = "default-src 'none'; sandbox"

// showOwnLicence is the picture an applicant has sent; everything else is not found.
func (p *Pages) showOwnLicence(w http.ResponseWriter, r *http.Request) error {
	key := r.URL.Query().Get("key")
	picture, err := p.portal.LicenceOfApplicant(r.Context(), p.cookie(r, applicantCookie), placeOf(r.Context()).CompanyID(), key)
	if err != nil {
		return err
	}
	return writePrivate(w, r, picture, "licence-"+key+".jpg")
}

// showLicence is the picture in an application, for those of the company who may see applications. Anybody else learns
// nothing, not even that one has to sign in.
func (l landing) showLicence(w http.ResponseWriter, r *http.Request) error {
	here, err := l.portal.Landing(r.Context(), placeOf(r.Context()), l.slot)
	id, _ := portal.DecimalID(chi.URLParam(r, "id"))
	var picture portal.Picture
	if err == nil {
		picture, err = l.portal.LicenceOf(r.Context(), here, id)
	}
	if refusal := portal.Refusal(""); errors.As(err, &refusal) && refusal != portal.NotAvailable {
		return portal.NotFound
	}
	if err != nil {
		return err
	}
	return writePrivate(w, r, picture, "licence-"+strconv.FormatInt(id, 10)+".jpg")
}

func writePrivate(w http.ResponseWriter, r *http.Request, picture portal.Picture, name string) error {
	h := w.Header()
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	return writePicture(w, r, picture)
}

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
	picture, err := p.portal.Icon(r.Context(), chi.URLParam(r, "name"))
	if err != nil {
		return err
	}
	keptByAll(w)
	return writePicture(w, r, picture)
}

// showPortrait sends a portrait. Other sites may show it: wrappers and destination sites get its address in
// head_img_. Shared caches must not keep it, and browsers keep it for a day: it may be removed.
func (p *Pages) showPortrait(w http.ResponseWriter, r *http.Request) error {
	picture, err := p.portal.Portrait(r.Context(), chi.URLParam(r, "name"))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "private, max-age="+strconv.Itoa(daySeconds))
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("X-Robots-Tag", "noindex")
	return writePicture(w, r, picture)
}

// keptByAll lets every cache keep a file whose address changes with it. A cookie that the address asked for (?lang=)
// would be kept, too.
func keptByAll(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "public, max-age="+strconv.Itoa(yearSeconds)+", immutable")
	w.Header().Del("Set-Cookie")
}

func writePicture(w http.ResponseWriter, r *http.Request, picture portal.Picture) error {
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
