// Package chatapps knows the applications at WeChat and WeCom that the platform and the companies have, with their
// credentials and tokens.
package chatapps

import (
	"portico/portal/core"
)

// Chatapps finds the application of a company or of the platform at a chat app. It is safe for concurrent use.
type Chatapps struct {
	core *core.Core

	lost      lostCredentials
	providers Providers
}

// New makes a Chatapps.
func New(c *core.Core, providers Providers) *Chatapps {
	return &Chatapps{
		core:      c,
		providers: providers,
	}
}
