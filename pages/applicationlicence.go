package pages

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"portico/portal/access"
	"portico/portal/pictures"
)

// showOwnLicence sends the applicant of this browser the picture that they uploaded.
func (p *Pages) showOwnLicence(w http.ResponseWriter, r *http.Request) error {
	key := r.URL.Query().Get("key")
	companyID := placeOf(r.Context()).CompanyID()
	picture, err := p.portal.Licences.LicenceOfApplicant(r.Context(), p.cookie(r, applicantCookie), companyID, key)
	if err != nil {
		return err
	}
	return writePrivate(w, r, picture, "licence-"+key+".jpg")
}

// showLicence sends the picture of an application to staff who may see applications. Everybody else gets 404, so that
// nobody learns which applications exist.
func (l landingPages) showLicence(w http.ResponseWriter, r *http.Request) error {
	here, err := l.portal.Landing.Landing(r.Context(), placeOf(r.Context()), l.slot)
	id, _ := access.DecimalID(chi.URLParam(r, "id"))
	var picture pictures.Picture
	if err == nil {
		picture, err = l.portal.Licences.LicenceOf(r.Context(), here, id)
	}
	if refusal := access.Refusal(""); errors.As(err, &refusal) && refusal != access.NotAvailable {
		return access.NotFound
	}
	if err != nil {
		return err
	}
	return writePrivate(w, r, picture, "licence-"+strconv.FormatInt(id, 10)+".jpg")
}

// writePrivate sends a picture as a download that caches must not store and other sites must not embed.
func writePrivate(w http.ResponseWriter, r *http.Request, picture pictures.Picture, name string) error {
	h := w.Header()
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	return writePicture(w, r, picture)
}
