package verification

// NewCode draws a code as AskCode does.
var NewCode = newCode

// LoginInMessage is how a name to sign in with is cleaned for messages.
var LoginInMessage = loginInMessage

// NickInMessage is how a nickname is cleaned for messages.
var NickInMessage = nickInMessage
