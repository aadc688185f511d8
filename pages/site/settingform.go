package site

import (
	"net/http"

	"portico/locale"
	"portico/pages/forms"
)

// SettingForm returns the form of the settings page at the address of the request.
func (l *Site) SettingForm(r *http.Request) forms.SettingForm {
	return forms.SettingForm{
		Path: r.URL.Path, Token: l.web.FormToken(r), SummaryHeading: locale.T(r.Context(), "summary.heading"),
	}
}
