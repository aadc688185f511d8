package review

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	applicationpages "portico/pages/application"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/pictures"
)

// ShowLicence sends the picture of an application to staff who may see applications. Everybody else gets 404, so that
// nobody learns which applications exist.
func (l *Pages) ShowLicence(w http.ResponseWriter, r *http.Request) error {
	here, err := l.portal.Landing.Landing(r.Context(), web.PlaceOf(r.Context()), l.slot)
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
	return applicationpages.WritePrivate(w, r, picture, "licence-"+strconv.FormatInt(id, 10)+".jpg")
}
