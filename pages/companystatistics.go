package pages

import (
	"net/http"

	"portico/components"
	"portico/portal"
	"portico/store"
)

// count reports a view of a page to the company's statistics, where it has any. Pages with codes, and those with forms that
// take something, never call it.
func (p *Pages) count(s *components.Shell, c store.Company, page portal.CountedPage) {
	s.Counter, s.CounterOrigin = p.portal.Counter(c, page)
}

// countHere does it for the company of the host.
func (p *Pages) countHere(r *http.Request, s *components.Shell, page portal.CountedPage) {
	if c := placeOf(r.Context()).Company; c != nil {
		p.count(s, *c, page)
	}
}
