package signin

import "portico/portal/access"

// ManagerClosedTo says whether sign-ins that an identity of a provider began enter no back office. WeCom is another app
// than WeChat and is never closed.
func (ca *Chatapps) ManagerClosedTo(provider access.ProviderName) bool {
	return provider == access.WeChat && ca.providers.ManagerClosed
}
