// Package pages is the table of routes: every page for people, by the site that has it.
package pages

import (
	"net/http"

	applicationpages "portico/pages/application"
	brandingpages "portico/pages/branding"
	"portico/pages/credentials"
	"portico/pages/development"
	entrypages "portico/pages/entry"
	"portico/pages/forms"
	importpages "portico/pages/imports"
	listpages "portico/pages/lists"
	officepages "portico/pages/office"
	onboardingpages "portico/pages/onboarding"
	"portico/pages/public"
	"portico/pages/review"
	"portico/pages/settings"
	shoppages "portico/pages/shop"
	signinpages "portico/pages/signin"
	"portico/pages/site"
	"portico/pages/uploads"
	"portico/pages/web"
	"portico/portal"
	"portico/store"
)

// sharedPages holds the pages that all sites share and those of the account site. Each package comes after the packages
// that it calls.
type sharedPages struct {
	web         *web.Web
	forms       *forms.Pages
	uploads     *uploads.Pages
	entry       *entrypages.Pages
	public      *public.Pages
	chatlogin   *signinpages.ChatPages
	signin      *signinpages.Pages
	credentials *credentials.Pages
	application *applicationpages.Pages
	onboarding  *onboardingpages.Pages
	development *development.Pages
}

// newSharedPages makes the pages of each package. inbox and simulated are nil in production.
func newSharedPages(
	platform web.Platform, rules *portal.Portal, inbox development.Inbox, simulated *web.SimulatedApps,
) sharedPages {
	var d sharedPages
	d.web = web.New(platform, rules.Core, rules.Accounts, rules.Landing, simulated)
	d.forms = forms.New(rules.Core, rules.Chatlogin, d.web)
	d.uploads = uploads.New(rules.Core, d.web)
	d.entry = entrypages.New(rules.Core, rules.Accounts, rules.Entry, rules.Landing, d.web, d.forms)
	d.public = public.New(rules, d.web)
	d.chatlogin = signinpages.NewChatlogin(rules, d.web, d.forms, d.entry)
	d.signin = signinpages.New(rules, d.web, d.forms, d.entry, d.chatlogin)
	d.credentials = credentials.New(rules, d.web, d.forms, d.entry)
	d.application = applicationpages.New(rules, d.web, d.forms, d.uploads)
	d.onboarding = onboardingpages.New(rules, d.web, d.forms, d.entry, d.chatlogin, d.application)
	d.development = development.New(rules, inbox, d.web)
	return d
}

// landingPages holds the pages of the site of one side: the shop or the back office, on desktop or on phones.
type landingPages struct {
	site     *site.Site
	shop     *shoppages.Pages
	office   *officepages.Pages
	review   *review.Pages
	branding *brandingpages.Pages
	settings *settings.Pages
	imports  *importpages.Pages
	lists    *listpages.Pages
}

// newLandingPages makes the landing pages whose first page is at path, and which need an account of slot.
func (d sharedPages) newLandingPages(rules *portal.Portal, path string, slot store.Slot) landingPages {
	var l landingPages
	l.site = site.New(rules, d.web, path, slot)
	l.shop = shoppages.New(rules, d.web, d.forms, d.uploads, l.site)
	l.office = officepages.New(rules, d.web, d.forms, l.site)
	l.review = review.New(rules, d.web, d.forms, l.site)
	l.branding = brandingpages.New(rules, d.web, d.forms, d.uploads, l.site, d.signin)
	l.settings = settings.New(rules, d.web, d.forms, l.site)
	l.imports = importpages.New(rules, d.web, d.forms, d.uploads, l.site)
	l.lists = listpages.New(rules, d.web, d.forms, l.site)
	return l
}

// firstPage returns the handler of the first page of the site: the catalogue of a shop, the overview of a back office.
func (l landingPages) firstPage() func(http.ResponseWriter, *http.Request) error {
	if l.site.IsShop() {
		return l.site.Kept(l.shop.ShowCatalogue, l.shop.ViewCatalogue)
	}
	return l.site.Page(l.office.ShowOffice)
}
