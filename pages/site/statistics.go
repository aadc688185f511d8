package site

import (
	"net/http"

	"portico/locale"
	"portico/portal/core"
	"portico/store"
)

// ReportExample returns the report of a view of the sign-in page, as the statistics at address would receive it; false
// when the address is not accepted.
func (l *Site) ReportExample(r *http.Request, c store.Company, address string) (core.ViewReport, bool) {
	c.ViewCountURL = address
	lang, known := locale.Match(c.Language)
	if !known {
		lang = locale.Of(r.Context())
	}
	report := l.portal.Core.Statistics.ReportOf(c, core.PageView{
		Page: "login", Origin: l.portal.Core.Access.CompanyOrigin(c.ID), Path: "/login", Language: string(lang),
		Title:    lang.T("title.with", "what", lang.T("title.login"), "company", c.Name),
		Referrer: "https://www.example.com",
	})
	return report, report.URL != ""
}
