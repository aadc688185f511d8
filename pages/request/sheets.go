package request

import (
	"net/http"

	"portico/components"
)

// Sheets returns which style sheets the browser has stored, by its cookie.
func (p *Requests) Sheets(r *http.Request) components.Sheets {
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
