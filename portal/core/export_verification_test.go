package core

// NewCode makes a random code, like Send.
var NewCode = newCode

// LoginInMessage cleans an account name for a message.
var LoginInMessage = loginInMessage

// NickInMessage cleans a nickname for a message.
var NickInMessage = nickInMessage
