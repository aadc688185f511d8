package application

import (
	"net/http"

	"portico/pages/web"
	"portico/portal/pictures"
)

// ShowOwnLicence sends the applicant of this browser the picture that they uploaded.
func (p *Pages) ShowOwnLicence(w http.ResponseWriter, r *http.Request) error {
	key := r.URL.Query().Get("key")
	companyID := web.PlaceOf(r.Context()).CompanyID()
	picture, err := p.portal.Licences.LicenceOfApplicant(r.Context(), p.web.Cookie(r, web.ApplicantCookie),
		companyID, key)
	if err != nil {
		return err
	}
	return WritePrivate(w, r, picture, "licence-"+key+".jpg")
}

// WritePrivate sends a picture as a download that caches must not store and other sites must not embed.
func WritePrivate(w http.ResponseWriter, r *http.Request, picture pictures.Picture, name string) error {
	h := w.Header()
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	return web.WritePicture(w, r, picture)
}
