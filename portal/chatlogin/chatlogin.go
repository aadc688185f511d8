// Package chatlogin signs people in with their WeChat or WeCom identity, and links identities to accounts.
package chatlogin

import (
	"portico/portal/core"
	"portico/portal/signin"
)

// Chatlogin signs in by chat app. It is safe for concurrent use.
type Chatlogin struct {
	core *core.Core

	chatapps *signin.Chatapps
	accounts *signin.Accounts
	signin   *signin.Signin
}

// New makes a Chatlogin.
func New(c *core.Core, chatapps *signin.Chatapps, accounts *signin.Accounts, signin *signin.Signin) *Chatlogin {
	return &Chatlogin{
		core:     c,
		chatapps: chatapps,
		accounts: accounts,
		signin:   signin,
	}
}
