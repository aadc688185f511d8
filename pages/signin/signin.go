// Package signin has the pages to sign in and to choose a company or an account.
package signin

import (
	"net/http"
	"net/url"

	chatloginpages "portico/pages/chatlogin"
	entrypages "portico/pages/entry"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/chatlogin"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/signin"
)

// Portal has what these pages call.
type Portal struct {
	Core      *core.Core
	Accounts  *signin.Accounts
	Binding   *credentials.Binding
	Chatapps  *signin.Chatapps
	Chatlogin *chatlogin.Chatlogin
	Signin    *signin.Signin
}

// Pages shows the sign-in pages, the choice of a company and the list of accounts.
type Pages struct {
	portal Portal
	base   *url.URL

	MisplacedAt func(http.ResponseWriter, *http.Request, core.FormOwner) (bool, error)

	request    *web.Requests
	native     *web.NativePages
	statistics *web.StatisticsPages
	web        *web.Web
	forms      *forms.Pages
	entry      *entrypages.Pages
	chatlogin  *chatloginpages.Pages
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o web.Platform,
	portal Portal,
	request *web.Requests,
	native *web.NativePages,
	statistics *web.StatisticsPages,
	web *web.Web,
	forms *forms.Pages,
	entry *entrypages.Pages,
	chatlogin *chatloginpages.Pages,
) *Pages {
	return &Pages{
		portal:     portal,
		base:       o.Base,
		request:    request,
		native:     native,
		statistics: statistics,
		web:        web,
		forms:      forms,
		entry:      entry,
		chatlogin:  chatlogin,
	}
}
