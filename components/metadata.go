package components

import (
	"encoding/json"
	"strconv"

	"github.com/a-h/templ"

	"portico/locale"
)

// Metadata describes a public page to search engines and to previews of shared links. All URLs in it are absolute, and
// built from the configuration.
type Metadata struct {
	Title       string // of the page and the company, as a shared link shows it
	Description string // one sentence
	Site        string // the company's name, or the platform's
	Home        string // the origin of the site
	Logo        string // the company's icon, "" for none
	Address     string // the page's canonical URL
	Alternates  []Alternate
	Picture     string // of ShareWidth × ShareHeight
}

// Alternate is the URL of the page in a language. Lang is "x-default" for the URL that chooses the reader's language.
type Alternate struct{ Lang, Href string }

// openGraphLocales are the codes of the languages in Open Graph.
var openGraphLocales = map[locale.Lang]string{locale.Chinese: "zh_CN", locale.Spanish: "es_LA", locale.English: "en_US"}

// openGraph returns the Open Graph properties of the page, in pairs of name and content.
func (r Metadata) openGraph(l locale.Lang) [][2]string {
	said := [][2]string{
		{"type", "website"}, {"url", r.Address}, {"site_name", r.Site}, {"title", r.Title}, {"description",
			r.Description}, {"locale", openGraphLocales[l]},
		{"image", r.Picture}, {"image:type", "image/png"}, {"image:width", strconv.Itoa(ShareWidth)}, {"image:height",
			strconv.Itoa(ShareHeight)}, {"image:alt", r.Site},
	}
	for _, other := range locale.Langs {
		if other != l {
			said = append(said, [2]string{"locale:alternate", openGraphLocales[other]})
		}
	}
	return said
}

type thing map[string]any

// jsonLD prints the description of the company and its site as JSON-LD (schema.org). Browsers do not run it, so the
// Content-Security-Policy need not allow it. encoding/json escapes <, > and &, so that no name can end the element.
func (r Metadata) jsonLD(l locale.Lang) templ.Component {
	organisation := thing{"@type": "Organization", "@id": r.Home + "/#organization",
		"name": r.Site, "url": r.Home + "/"}
	if r.Logo != "" {
		organisation["logo"] = r.Logo
	}
	text, err := json.Marshal(thing{"@context": "https://schema.org", "@graph": []thing{
		organisation,
		{"@type": "WebSite", "@id": r.Home + "/#website", "name": r.Site, "url": r.Home + "/",
			"inLanguage": locale.Langs, "publisher": thing{"@id": r.Home + "/#organization"}},
		{"@type": "WebPage", "name": r.Title, "description": r.Description, "url": r.Address, "inLanguage": l,
			"isPartOf": thing{"@id": r.Home + "/#website"}},
	}})
	if err != nil {
		return templ.NopComponent // cannot happen: maps of plain values always marshal
	}
	return templ.Raw(`<script type="application/ld+json">` + string(text) + `</script>`)
}
