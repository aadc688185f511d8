package web

import (
	"net/http"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/pages/request"
	"portico/portal/access"
	"portico/portal/onboarding"
)

// PublicPage is a page that search engines may keep and people pass on: its path, and the locale key of what it is for.
type PublicPage struct{ Path, about string }

var (
	PublicLogin       = PublicPage{"/login", "metadata.login"}
	PublicRegister    = PublicPage{"/register", "metadata.register"}
	PublicExperience  = PublicPage{"/experience", "metadata.experience"}
	PublicApplication = PublicPage{"/register/more", "metadata.apply"}
	PublicAgreement   = PublicPage{"/agreement", "metadata.agreement"}
)

// PublicPages are those whose address is the place's own. Companies are made at the platform alone, and the agreement
// is its.
func (p *Web) PublicPages(place access.Place) []PublicPage {
	switch {
	case place.Company == nil:
		return []PublicPage{PublicLogin, PublicRegister, PublicExperience, PublicAgreement}
	case p.portal.Access.TakesApplications(*place.Company):
		return []PublicPage{PublicLogin, PublicApplication}
	}
	return []PublicPage{PublicLogin}
}

// PublicAddress is where a page is in each language: plain in the one it has by itself, with ?lang= in the others.
type publicAddress struct {
	plain string
	own   locale.Lang
}

// PublicAddress returns the address under which search engines store a page, in each language.
func (p *Web) PublicAddress(place access.Place, page PublicPage) publicAddress {
	if page == PublicAgreement {
		return publicAddress{p.portal.Access.AccountOrigin(place) + page.Path, locale.Chinese}
	}
	a := publicAddress{p.portal.Access.PublicOrigin(place) + page.Path, locale.Chinese}
	if page == PublicApplication { // companies' own domains show no forms
		a.plain = p.portal.Access.CompanyOrigin(place.CompanyID()) + page.Path
	}
	if place.Company != nil {
		a.own, _ = locale.Match(place.Company.Language)
	}
	return a
}

// In returns the address in a language. The company's own language needs no query.
func (a publicAddress) In(l locale.Lang) string {
	if l == a.own {
		return a.plain
	}
	return a.plain + "?lang=" + string(l)
}

// Alternates returns the address in every language, for the head of the page.
func (a publicAddress) Alternates() []components.Alternate {
	var all []components.Alternate
	for _, l := range locale.Langs {
		all = append(all, components.Alternate{Lang: string(l), Href: a.In(l)})
	}
	return append(all, components.Alternate{Lang: "x-default", Href: a.plain})
}

// Findable lets search engines keep a page, and says what they and the previews of shared links are told of it; what
// is its name where its title is the company's alone.
func (p *Web) Findable(r *http.Request, s *components.Shell, page PublicPage, what string) {
	ctx, place := r.Context(), request.PlaceOf(r.Context())
	s.Index = p.Searched(place)
	home, address := p.portal.Access.PublicOrigin(place), p.PublicAddress(place, page)
	about := components.Metadata{
		Title: s.Title, Site: s.Company, Home: home, Address: address.In(locale.Of(ctx)),
		Alternates: address.Alternates(), Picture: home + SharePath(place.Company),
		Description: locale.T(ctx, page.about, "company", s.Company, "num", int(onboarding.TrialLife.Hours()/24)),
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

// Searched says whether search engines may come to a place.
func (p *Web) Searched(place access.Place) bool {
	return (place.Site == access.SiteAccount || place.Site == access.SiteStore) && p.portal.Access.Findable(place)
}

// Browsing says that a person's browser asks, and nobody else: it says what for (Sec-Fetch-Dest), which programs that
// fetch a page for a search engine or a preview do not, or its name is one of theirs. On the sign-in page, whose
// every byte somebody waits for on a slow phone, what only they read is left out of the head then; nothing that is
// shown differs.
func Browsing(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Dest") != "" && !fetchesForOthers(r.UserAgent())
}

// fetchers are parts of the names of programs that come as browsers do.
var fetchers = []string{"bot", "spider", "crawl", "preview", "facebookexternalhit"}

func fetchesForOthers(agent string) bool {
	agent = strings.ToLower(agent)
	for _, name := range fetchers {
		if strings.Contains(agent, name) {
			return true
		}
	}
	return false
}
