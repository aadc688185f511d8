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
	Expired   Kind = "expired"   // the code of an authorisation is used, too old or wrong: the person authorises again
	Stale     Kind = "stale"     // the access token is no longer good: ask for another one and try once more
	Busy      Kind = "busy"      // the provider is well and has no time, or was asked too often: try later
)

// Failure is why a provider did not do what it was asked for. It never holds a phone, a text, a code, a secret, a token
// or an address, so that it may be logged.
type Failure struct {
	Provider  string
	Code      string // the provider's own, or one of those below
	Kind      Kind
	Throttled bool // the provider is well and wants fewer messages
	Unsure    bool // the message may be on its way, or the code be spent, all the same
	KnowsID   bool // the provider recognises a message it is given twice

	// Message is in the provider's own words, for the person who wanted to sign in: at most 100 characters in one line,
	// which repeat nothing that was sent. Empty where it said nothing fit to show.
	Message string
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

	codeNoCredentials = "no_credentials" // nobody has entered them
	codeNoToken       = "no_token"
	codeBadCode       = "bad_code"  // what the person came back with is no code
	codeOtherApp      = "other_app" // the identity belongs to another application or company
	codeSnapshot      = "snapshot"  // the identity is made up: the person has not agreed to anything yet
)

func (f *Failure) Error() string {
	return fmt.Sprintf("%s: %s (%s)", f.Provider, f.Code, f.Kind)
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
