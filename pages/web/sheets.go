package web

import (
	"net/http"

	"portico/components"
)

// Sheets returns which style sheets the browser has stored, by its cookie. A browser that sends a form has the sheets
// of the page that the form was on. So the answer to a form never contains a sheet: compressing one takes most of the
// time of a refusal, which must be cheap, because anybody can send empty forms.
func (p *Requests) Sheets(r *http.Request) components.Sheets {
	if r.Method == http.MethodPost {
		return components.Sheets{Account: true, Flows: true, Landing: true}
	}
	return components.SheetsOf(p.Cookie(r, SheetCookie))
}

// OfficeStyle gives a page of the back office its styles.
func (p *Requests) OfficeStyle(r *http.Request, s *components.Shell) {
	s.Style = components.StyleFor(s.Theme, p.Sheets(r), components.PartOffice)
}

// OverviewStyle gives the overview of the back office its styles.
func (p *Requests) OverviewStyle(r *http.Request, s *components.Shell) {
	s.Style = components.StyleFor(s.Theme, p.Sheets(r), components.PartOverview)
}

// RecordsStyle gives a page of the shop but its first its styles.
func (p *Requests) RecordsStyle(r *http.Request, s *components.Shell) {
	s.Style = components.StyleFor(s.Theme, p.Sheets(r), components.PartRecords)
}

// LandingStyle gives the first page of the shop its styles.
func (p *Requests) LandingStyle(r *http.Request, s *components.Shell) {
	s.Style = components.StyleFor(s.Theme, p.Sheets(r), components.PartLanding)
}

// FlowsStyle gives a page on the way to an account its styles, if it needs more than every page has.
func (p *Requests) FlowsStyle(r *http.Request, s *components.Shell) {
	s.Style = components.StyleFor(s.Theme, p.Sheets(r), components.PartFlows)
}
