package gateway

import (
	"fmt"
	"regexp"
)

// Kind is what can be done about a failure.
type Kind string

// The kinds of failures.
const (
	Temporary Kind = "temporary" // no answer in time, overload, throttling, a broken answer: try later
	Refused   Kind = "refused"   // credentials, balance, sign name, template: the operator must act
	BadPhone  Kind = "bad phone" // the provider cannot write to this phone
)

// Failure is why a message was not accepted. It never holds a phone, a text, a code or an address, so that it
// may be logged.
type Failure struct {
	Provider  string
	Code      string // the provider's own, or one of those below
	Kind      Kind
	Throttled bool // the provider is well and wants fewer messages
	Unsure    bool // the message may be on its way all the same
	KnowsID   bool // the provider recognises a message it is given twice
}

// Codes of our own, for failures without one of the provider's.
const (
	codeTimeout     = "timeout"
	codeCancelled   = "cancelled"   // whoever wanted the message has gone
	codeUnreachable = "unreachable" // no connection: nothing was written
	codeLost        = "connection_lost"
	codeBroken      = "broken_answer"
	codeResting     = "resting" // the provider failed too often and is left alone
	codeBadPhone    = "bad_phone"
	codeNoTemplate  = "no_template"
)

func (f *Failure) Error() string {
	return fmt.Sprintf("sms: %s: %s (%s)", f.Provider, f.Code, f.Kind)
}

// answered says whether the provider was there and decided.
func (f *Failure) answered() bool { return f.Kind != Temporary || f.Throttled }

// codes are words, dots and dashes; a long run of digits may be a phone or a code sent back.
var (
	codeWords  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]{0,79}$`)
	codeDigits = regexp.MustCompile(`[0-9]{4}`)
)

// safeCode returns a provider's code as it may be logged.
func safeCode(code string) string {
	if !codeWords.MatchString(code) || codeDigits.MatchString(code) {
		return "unreadable_code"
	}
	return code
}
