package pages

import (
	"net/http"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/onboarding"
)

// publicPage is a page that search engines may keep and people pass on: its path, and the locale key of what it is for.
type publicPage struct{ path, about string }

var (
	publicLogin       = publicPage{"/login", "metadata.login"}
	publicRegister    = publicPage{"/register", "metadata.register"}
	publicExperience  = publicPage{"/experience", "metadata.experience"}
	publicApplication = publicPage{"/register/more", "metadata.apply"}
	publicAgreement   = publicPage{"/agreement", "metadata.agreement"}
)

// publicPages are those whose address is the place's own. Companies are made at the platform alone, and the agreement
// is its.
func (p *Pages) publicPages(place access.Place) []publicPage {
	switch {
	case place.Company == nil:
		return []publicPage{publicLogin, publicRegister, publicExperience, publicAgreement}
	case p.portal.Access.TakesApplications(*place.Company):
		return []publicPage{publicLogin, publicApplication}
	}
	return []publicPage{publicLogin}
}

// publicAddress is where a page is in each language: plain in the one it has by itself, with ?lang= in the others.
type publicAddress struct {
	plain string
	own   locale.Lang
}

func (p *Pages) publicAddress(place access.Place, page publicPage) publicAddress {
	if page == publicAgreement {
		return publicAddress{p.portal.Access.AccountOrigin(place) + page.path, locale.Chinese}
	}
	a := publicAddress{p.portal.Access.PublicOrigin(place) + page.path, locale.Chinese}
	if page == publicApplication { // companies' own domains show no forms
		a.plain = p.portal.Access.CompanyOrigin(place.CompanyID()) + page.path
	}
	if place.Company != nil {
		a.own, _ = locale.Match(place.Company.Language)
	}
	return a
}

func (a publicAddress) in(l locale.Lang) string {
	if l == a.own {
		return a.plain
	}
	return a.plain + "?lang=" + string(l)
}

func (a publicAddress) alternates() []components.Alternate {
	var all []components.Alternate
	for _, l := range locale.Langs {
		all = append(all, components.Alternate{Lang: string(l), Href: a.in(l)})
	}
	return append(all, components.Alternate{Lang: "x-default", Href: a.plain})
}

// findable lets search engines keep a page, and says what they and the previews of shared links are told of it; what
// is its name where its title is the company's alone.
func (p *Pages) findable(r *http.Request, s *components.Shell, page publicPage, what string) {
	ctx, place := r.Context(), placeOf(r.Context())
	s.Index = p.searched(place)
	home, address := p.portal.Access.PublicOrigin(place), p.publicAddress(place, page)
	about := components.Metadata{
		Title: s.Title, Site: s.Company, Home: home, Address: address.in(locale.Of(ctx)), Alternates: address.alternates(), Picture: home + sharePath(place.Company),
		Description: locale.T(ctx, page.about, "company", s.Company, "num", int(onboarding.TrialLife.Hours()/24)),
	}
	if page == publicLogin && place.Company == nil {
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

// searched says whether search engines may come to a place.
func (p *Pages) searched(place access.Place) bool {
	return (place.Site == access.SiteAccount || place.Site == access.SiteStore) && p.portal.Access.Findable(place)
}

// browsing says that a person's browser asks, and nobody else: it says what for (Sec-Fetch-Dest), which programs that
// fetch a page for a search engine or a preview do not, or its name is one of theirs. On the sign-in page, whose
// every byte somebody waits for on a slow phone, what only they read is left out of the head then; nothing that is
// shown differs.
func browsing(r *http.Request) bool {
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
