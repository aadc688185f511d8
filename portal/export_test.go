package portal

// NewCode draws a code as AskCode does.
var NewCode = newCode
