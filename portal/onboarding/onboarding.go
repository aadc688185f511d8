// Package onboarding registers people and companies, opens trials, fills a new company with samples, and completes
// invited accounts.
package onboarding

import (
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/signin"
)

// Onboarding registers people and companies. It is safe for concurrent use.
type Onboarding struct {
	core *core.Core

	chatapps    *signin.Chatapps
	accounts    *signin.Accounts
	signin      *signin.Signin
	chatlogin   *signin.Chatlogin
	credentials *credentials.Credentials
}

// New makes an Onboarding.
func New(
	c *core.Core,
	chatapps *signin.Chatapps,
	accounts *signin.Accounts,
	signin *signin.Signin,
	chatlogin *signin.Chatlogin,
	credentials *credentials.Credentials,
) *Onboarding {
	return &Onboarding{
		core:        c,
		chatapps:    chatapps,
		accounts:    accounts,
		signin:      signin,
		chatlogin:   chatlogin,
		credentials: credentials,
	}
}
