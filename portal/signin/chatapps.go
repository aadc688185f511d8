package signin

import "portico/portal/core"

// Chatapps knows the applications at WeChat and WeCom that the platform and the companies have, with their credentials
// and tokens. It is safe for concurrent use.
type Chatapps struct {
	core *core.Core

	lost      lostCredentials
	providers Providers
}

// NewChatapps makes a Chatapps.
func NewChatapps(c *core.Core, providers Providers) *Chatapps {
	return &Chatapps{
		core:      c,
		providers: providers,
	}
}
