package web

import (
	"net/http"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
)

// PublicPage is a page that search engines may index and people share: its path, and the locale key of its description.
type PublicPage struct{ Path, about string }

// The public pages.
var (
	PublicLogin       = PublicPage{"/login", "metadata.login"}
	PublicRegister    = PublicPage{"/register", "metadata.register"}
	PublicExperience  = PublicPage{"/experience", "metadata.experience"}
	PublicApplication = PublicPage{"/register/more", "metadata.apply"}
	PublicAgreement   = PublicPage{"/agreement", "metadata.agreement"}
)

// PublicPages returns the public pages of a place. Only the platform's own site has the demo, the agreement and, unless
// it is closed, the registration of companies.
func (p *Web) PublicPages(place access.Place) []PublicPage {
	switch {
	case place.Company == nil && !p.core.Access.CompaniesOpen:
		return []PublicPage{PublicLogin, PublicExperience, PublicAgreement}
	case place.Company == nil:
		return []PublicPage{PublicLogin, PublicRegister, PublicExperience, PublicAgreement}
	case p.core.Access.TakesApplications(*place.Company):
		return []PublicPage{PublicLogin, PublicApplication}
	}
	return []PublicPage{PublicLogin}
}

// PublicAddress is the plain address of a public page. It shows each reader their own language; with ?lang= the page is
// in that language for everybody.
type PublicAddress string

// PublicAddress returns the address under which search engines store a page.
func (p *Web) PublicAddress(place access.Place, page PublicPage) PublicAddress {
	switch page {
	case PublicAgreement:
		return PublicAddress(p.core.Access.AccountOrigin(place) + page.Path)
	case PublicApplication: // a company's own domain shows no forms
		return PublicAddress(p.core.Access.CompanyOrigin(place.CompanyID()) + page.Path)
	}
	return PublicAddress(p.core.Access.PublicOrigin(place) + page.Path)
}

// In returns the address in a language.
func (a PublicAddress) In(l locale.Lang) string { return string(a) + "?lang=" + string(l) }

// Canonical returns the address of what a request shows: the plain one, unless the request asks for a language.
func (a PublicAddress) Canonical(r *http.Request) string {
	if l, asked := AskedLang(r); asked {
		return a.In(l)
	}
	return string(a)
}

// Alternates returns the address in every language, and the plain one, for the head of the page.
func (a PublicAddress) Alternates() []components.Alternate {
	var all []components.Alternate
	for _, l := range locale.Langs {
		all = append(all, components.Alternate{Lang: string(l), Href: a.In(l)})
	}
	return append(all, components.Alternate{Lang: "x-default", Href: string(a)})
}

// AskedLang returns the language that the address of a request asks for with ?lang=.
func AskedLang(r *http.Request) (l locale.Lang, asked bool) {
	return locale.Match(r.URL.Query().Get("lang"))
}

// AllowIndexing lets search engines index a page if they may index the pages of its place. It adds the metadata for
// them and for previews of shared links. The parameter what is the name of the page; the metadata uses it when the
// title is only the company's name.
func (p *Web) AllowIndexing(r *http.Request, s *components.Shell, page PublicPage, what string) {
	if r.Method == http.MethodPost { // no search engine gets the answer to a form
		return
	}
	ctx, place := r.Context(), PlaceOf(r.Context())
	s.Index = p.Searched(place)
	home, address := p.core.Access.PublicOrigin(place), p.PublicAddress(place, page)
	about := components.Metadata{
		Title: s.Title, Site: s.Company, Home: home, Address: address.Canonical(r),
		Alternates: address.Alternates(), Picture: home + SharePath(place.Company, locale.Of(ctx)),
		Description: locale.T(ctx, page.about, "company", s.Company, "num", int(access.TrialLife.Hours()/24)),
	}
	if page == PublicLogin && place.Company == nil {
		about.Description = locale.T(ctx, "description")
	}
	if s.Title == s.Company {
		about.Title = locale.T(ctx, "title.with", "what", what, "company", s.Company)
	}
	if s.Icon != "" {
		about.Logo = home + s.Icon
	}
	s.Metadata = &about
}

// Searched reports whether search engines may index the pages of a place.
func (p *Web) Searched(place access.Place) bool {
	return (place.Site == access.SiteAccount || place.Site == access.SiteStore) && p.core.Access.Findable(place)
}

// FromBrowser reports whether the request comes from a person's browser. Browsers send Sec-Fetch-Dest. Programs that
// fetch a page for a search engine or a preview do not send it, or have a known name in their User-Agent. The sign-in
// page omits the metadata for a browser, to save bytes on slow phones. The visible page is the same.
func FromBrowser(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Dest") != "" && !fetchesForOthers(r.UserAgent())
}

// fetchers are parts of the User-Agents of programs that send the headers of a browser. Their case matters, as that of
// robots does.
var fetchers = []string{"bot", "Bot", "pider", "rawl", "review", "facebookexternalhit"}

// fetchesForOthers reports whether a User-Agent belongs to a program that fetches pages for a search engine or preview.
func fetchesForOthers(agent string) bool {
	for _, name := range fetchers {
		if strings.Contains(agent, name) {
			return true
		}
	}
	return false
}
