package signin

import (
	entrypages "portico/pages/entry"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal"
)

// ChatPages shows the pages of a sign-in by WeChat or WeCom.
type ChatPages struct {
	portal *portal.Portal

	web   *web.Web
	forms *forms.Pages
	entry *entrypages.Pages
}

// NewChatlogin returns the ChatPages of one program.
func NewChatlogin(portal *portal.Portal, web *web.Web, forms *forms.Pages, entry *entrypages.Pages) *ChatPages {
	return &ChatPages{
		portal: portal,
		web:    web,
		forms:  forms,
		entry:  entry,
	}
}
