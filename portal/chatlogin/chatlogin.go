// Package chatlogin signs people in with their WeChat or WeCom identity, and links identities to accounts.
package chatlogin

import (
	"portico/portal/chatapps"
	"portico/portal/core"
	"portico/portal/signin"
)

// Chatlogin signs in by chat app. It is safe for concurrent use.
type Chatlogin struct {
	core *core.Core

	chatapps *chatapps.Chatapps
	accounts *signin.Accounts
	signin   *signin.Signin
}

// New makes a Chatlogin.
func New(c *core.Core, chatapps *chatapps.Chatapps, accounts *signin.Accounts, signin *signin.Signin) *Chatlogin {
	return &Chatlogin{
		core:     c,
		chatapps: chatapps,
		accounts: accounts,
		signin:   signin,
	}
}
