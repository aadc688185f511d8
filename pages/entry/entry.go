// Package entry redirects people who have signed in to the right site, after the agreement and offers.
package entry

import (
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/core"
	"portico/portal/signin"
)

// Portal has what these pages call.
type Portal struct {
	Core     *core.Core
	Accounts *signin.Accounts
	Entry    *signin.Entry
	Landing  *signin.Landing
}

// Pages redirects a person who has signed in to the right site, and shows what comes before: the agreement and
// offers.
type Pages struct {
	portal     Portal
	agreements func(locale.Lang) []locale.AgreementText

	request *web.Requests
	native  *web.NativePages
	web     *web.Web
	forms   *forms.Pages
}

// New returns the Pages of one program. The other arguments are the packages that it calls.
func New(
	o web.Platform,
	portal Portal,
	request *web.Requests,
	native *web.NativePages,
	web *web.Web,
	forms *forms.Pages,
) *Pages {
	return &Pages{
		portal:     portal,
		agreements: o.Agreements,
		request:    request,
		native:     native,
		web:        web,
		forms:      forms,
	}
}
