package public

import (
	"html"
	"net/http"
	"net/url"
	"strings"

	"portico/locale"
	"portico/pages/request"
	"portico/pages/web"
	"portico/portal/access"
)

// crawlable is how long robots.txt and the sitemap may be kept, by who asked: they differ by host.
const crawlable = "private, max-age=3600"

// ShowRobots says which pages of a host programs may fetch: the public ones and their pictures.
func (p *Pages) ShowRobots(w http.ResponseWriter, r *http.Request) error {
	place := request.PlaceOf(r.Context())
	text := "User-agent: *\nDisallow: /\n"
	if p.web.Searched(place) {
		lines := []string{"User-agent: *", "Allow: /$"}
		if place.Company == nil {
			lines = append(lines, "Allow: /experience$", "Allow: /experience?lang=")
		} else {
			lines = append(lines, "Allow: /register/more")
		}
		lines = append(lines, "Disallow: /register/", "Allow: /register", "Allow: /login",
			"Disallow: "+request.AcceptPath, "Allow: /agreement",
			"Allow: /assets/", "Allow: /icon/", "Allow: /share/", "Allow: /sitemap.xml", "Disallow: /", "",
			"Sitemap: "+p.portal.Access.PublicOrigin(place)+"/sitemap.xml")
		text = strings.Join(lines, "\n") + "\n"
	}
	return writeWhole(w, r, "text/plain; charset=utf-8", text)
}

// ShowSitemap lists the public pages of a host in every language. A host whose pages have their address elsewhere
// leads there.
func (p *Pages) ShowSitemap(w http.ResponseWriter, r *http.Request) error {
	place := request.PlaceOf(r.Context())
	if !p.web.Searched(place) {
		return access.NotFound
	}
	home := p.portal.Access.PublicOrigin(place)
	// by the host alone: a proxy may hide the port
	if u, err := url.Parse(home); err != nil || u.Hostname() != place.Host {
		return moved(w, home+"/sitemap.xml")
	}
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">` +
		"\n")
	for _, page := range p.web.PublicPages(place) {
		address := p.web.PublicAddress(place, page)
		for _, l := range locale.Langs {
			b.WriteString("<url><loc>" + html.EscapeString(address.In(l)) + "</loc>\n")
			for _, a := range address.Alternates() {
				b.WriteString(`<xhtml:link rel="alternate" hreflang="` + a.Lang + `" href="` +
					html.EscapeString(a.Href) + "\"/>\n")
			}
			b.WriteString("</url>\n")
		}
	}
	b.WriteString("</urlset>\n")
	return writeWhole(w, r, "application/xml; charset=utf-8", b.String())
}

// moved leads to where something is at present.
func moved(w http.ResponseWriter, address string) error {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", address)
	w.WriteHeader(http.StatusFound)
	return nil
}

func writeWhole(w http.ResponseWriter, r *http.Request, kind, text string) error {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", crawlable)
	h.Set("Vary", "Accept-Encoding")
	return web.WriteQuickly(w, r, http.StatusOK, []byte(text))
}
