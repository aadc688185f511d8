// Package entry redirects people who have signed in to the right site, after the agreement and offers.
package entry

import (
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/core"
	"portico/portal/signin"
)

// Pages redirects a person who has signed in to the right site, and shows what comes before: the agreement and
// offers.
type Pages struct {
	core       *core.Core
	accounts   *signin.Accounts
	entry      *signin.Entry
	landing    *signin.Landing
	agreements func(locale.Lang) []locale.AgreementText

	web   *web.Web
	forms *forms.Pages
}

// New returns the Pages of one program.
func New(
	core *core.Core, accounts *signin.Accounts, entry *signin.Entry, landing *signin.Landing, web *web.Web,
	forms *forms.Pages,
) *Pages {
	return &Pages{
		core:       core,
		accounts:   accounts,
		entry:      entry,
		landing:    landing,
		agreements: web.Platform.Agreements,
		web:        web,
		forms:      forms,
	}
}
