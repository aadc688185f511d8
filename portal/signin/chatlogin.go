package signin

import (
	"portico/portal/core"
)

// Chatlogin signs in by chat app. It is safe for concurrent use.
type Chatlogin struct {
	core *core.Core

	chatapps *Chatapps
	accounts *Accounts
	signin   *Signin
}

// NewChatlogin makes a Chatlogin.
func NewChatlogin(c *core.Core, chatapps *Chatapps, accounts *Accounts, signin *Signin) *Chatlogin {
	return &Chatlogin{
		core:     c,
		chatapps: chatapps,
		accounts: accounts,
		signin:   signin,
	}
}
