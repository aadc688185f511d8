package chatapps

import "portico/portal/access"

// ManagerClosedTo says whether sign-ins that an identity of a provider began enter no back office. WeCom is another app
// than WeChat and is never closed.
func (c *Chatapps) ManagerClosedTo(provider access.ProviderName) bool {
	return provider == access.WeChat && c.providers.ManagerClosed
}
