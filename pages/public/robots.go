package public

import (
	"html"
	"net/http"
	"net/url"
	"strings"

	"portico/pages/web"
	"portico/portal/access"
)

// crawlerCacheControl is the Cache-Control of robots.txt and the sitemap. They differ by host, so shared caches may not
// store them.
const crawlerCacheControl = "private, max-age=3600"

// ShowRobots answers GET /robots.txt: search engines may fetch the public pages of a host and their pictures.
func (p *Pages) ShowRobots(w http.ResponseWriter, r *http.Request) error {
	place := web.PlaceOf(r.Context())
	text := "User-agent: *\nDisallow: /\n"
	if p.web.Searched(place) {
		lines := []string{"User-agent: *", "Allow: /$"}
		if place.Company == nil {
			lines = append(lines, "Allow: /experience$", "Allow: /experience?lang=")
		} else {
			lines = append(lines, "Allow: /register/more")
		}
		lines = append(lines, "Disallow: /register/", "Allow: /register", "Allow: /login",
			"Disallow: "+web.AcceptPath, "Allow: /agreement",
			"Allow: /assets/", "Allow: /icon/", "Allow: /share/", "Allow: /sitemap.xml", "Disallow: /", "",
			"Sitemap: "+p.portal.Core.Access.PublicOrigin(place)+"/sitemap.xml")
		text = strings.Join(lines, "\n") + "\n"
	}
	return writeText(w, r, "text/plain; charset=utf-8", text)
}

// ShowSitemap answers GET /sitemap.xml: the public pages of a host in every language. It redirects from a host that is
// not the canonical one.
func (p *Pages) ShowSitemap(w http.ResponseWriter, r *http.Request) error {
	place := web.PlaceOf(r.Context())
	if !p.web.Searched(place) {
		return access.NotFound
	}
	home := p.portal.Core.Access.PublicOrigin(place)
	// Compare without the port, which a proxy may hide.
	if u, err := url.Parse(home); err != nil || u.Hostname() != place.Host {
		return redirectUncached(w, home+"/sitemap.xml")
	}
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">` +
		"\n")
	for _, page := range p.web.PublicPages(place) {
		address := p.web.PublicAddress(place, page)
		alternates := address.Alternates()
		for _, one := range alternates {
			b.WriteString("<url><loc>" + html.EscapeString(one.Href) + "</loc>\n")
			for _, a := range alternates {
				b.WriteString(`<xhtml:link rel="alternate" hreflang="` + a.Lang + `" href="` +
					html.EscapeString(a.Href) + "\"/>\n")
			}
			b.WriteString("</url>\n")
		}
	}
	b.WriteString("</urlset>\n")
	return writeText(w, r, "application/xml; charset=utf-8", b.String())
}

// redirectUncached redirects to an address with an answer that caches must not store.
func redirectUncached(w http.ResponseWriter, address string) error {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", address)
	w.WriteHeader(http.StatusFound)
	return nil
}

// writeText answers a text of a content type that only the client may cache.
func writeText(w http.ResponseWriter, r *http.Request, kind, text string) error {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", crawlerCacheControl)
	h.Set("Vary", "Accept-Encoding")
	return web.WriteQuickly(w, r, http.StatusOK, []byte(text))
}
