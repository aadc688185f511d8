package components

import (
	"encoding/json"
	"strconv"

	"github.com/a-h/templ"

	"portico/locale"
)

// Metadata is what search engines and the previews of shared links are told of a page that anybody may read. Every address in it
// is whole, and built from configuration.
type Metadata struct {
	Title       string // of the page and the company, as a shared link shows it
	Description string // one sentence
	Site        string // the company's name, or the platform's
	Home        string // the origin of the site
	Logo        string // the company's icon, "" for none
	Address     string // the page's own, in its language
	Alternates  []Alternate
	Picture     string // of ShareWidth × ShareHeight
}

// Alternate is the page in a language; Lang "x-default" for whoever speaks none of them.
type Alternate struct{ Lang, Href string }

// regions are the languages as Open Graph spells them.
var regions = map[locale.Lang]string{locale.Chinese: "zh_CN", locale.Spanish: "es_ES", locale.English: "en_US"}

// graph is what Open Graph calls the properties of the page, in pairs of name and content.
func (r Metadata) graph(l locale.Lang) [][2]string {
	said := [][2]string{
		{"type", "website"}, {"url", r.Address}, {"site_name", r.Site}, {"title", r.Title}, {"description", r.Description}, {"locale", regions[l]},
		{"image", r.Picture}, {"image:type", "image/png"}, {"image:width", strconv.Itoa(ShareWidth)}, {"image:height", strconv.Itoa(ShareHeight)}, {"image:alt", r.Site},
	}
	for _, other := range locale.Langs {
		if other != l {
			said = append(said, [2]string{"locale:alternate", regions[other]})
		}
	}
	return said
}

type thing map[string]any

// linked prints who speaks here and what the site is (schema.org), as data: browsers do not run it, so no policy has to allow
// it. encoding/json writes <, > and & in such a way that no name can end the element.
func (r Metadata) linked(l locale.Lang) templ.Component {
	organisation := thing{"@type": "Organization", "@id": r.Home + "/#organization", "name": r.Site, "url": r.Home + "/"}
	if r.Logo != "" {
		organisation["logo"] = r.Logo
	}
	text, err := json.Marshal(thing{"@context": "https://schema.org", "@graph": []thing{
		organisation,
		{"@type": "WebSite", "@id": r.Home + "/#website", "name": r.Site, "url": r.Home + "/", "inLanguage": locale.Langs, "publisher": thing{"@id": r.Home + "/#organization"}},
		{"@type": "WebPage", "name": r.Title, "description": r.Description, "url": r.Address, "inLanguage": l, "isPartOf": thing{"@id": r.Home + "/#website"}},
	}})
	if err != nil {
		return templ.NopComponent // maps of plain values always marshal
	}
	return templ.Raw(`<script type="application/ld+json">` + string(text) + `</script>`)
}
