package site

import (
	"net/http"

	"portico/locale"
	"portico/pages/forms"
)

// SettingForm returns an empty form of a setting that posts to the page itself.
func (l *Site) SettingForm(r *http.Request) forms.SettingForm {
	return forms.SettingForm{Path: r.URL.Path, Token: l.web.FormToken(r),
		SummaryHeading: locale.T(r.Context(), "summary.heading")}
}
